// SPDX-License-Identifier: BSD-3-Clause
// Builds the memory of a process whose OpenMP runtime publishes a table of its own making.
#include "tests/omp/fake_kmp.h"

#include <string.h>

// Offsets of the C library's thread record.
enum { PTHREAD_LIST = 0x80, PTHREAD_TID = 0xa0 };

void
fake_kmp_put(struct fake_kmp *fake, taddr addr, size_t width, uint64_t value)
{
    for (size_t i = 0; i < width; i++) {
        size_t shift = fake->model.big_endian ? width - 1 - i : i;
        fake->memory[addr - FAKE_BASE + i] = (uint8_t) (value >> (8 * shift));
    }
}

void
fake_kmp_put_pointer(struct fake_kmp *fake, taddr addr, taddr value)
{
    fake_kmp_put(fake, addr, fake->model.pointer_size, value);
}

void
fake_kmp_set_entry(struct fake_kmp *fake, enum published_entry entry, uint64_t value)
{
    bool pointer = entry == WORD_ompd_dll_locations || entry == WORD_ompd_env_block;
    fake_kmp_put(fake, fake->entries[entry], pointer ? fake->model.pointer_size : PUBLISHED_ENTRY,
                 value);
}

enum { WIDTH_BYTE = 1, WIDTH_INT = 4, WIDTH_WORD = 8, WIDTH_INNER = 64, WIDTH_POINTER = 0 };

static uint64_t
width_of(const struct fake_kmp *fake, uint64_t kind)
{
    return kind == WIDTH_POINTER ? fake->model.pointer_size : kind;
}

// All offsets 0 and all inner structs of one size is a good table, if a strange one.
static void
set_all_entries(struct fake_kmp *fake)
{
#define FIELD(type, field, kind) \
    fake_kmp_set_entry(fake, WIDTH_##type##__##field, width_of(fake, WIDTH_##kind));
#include "ompd-bridge/llvm/published.def"
#define SIZE(name, kind)                    \
    fake_kmp_set_entry(fake, SIZEOF_##name, \
                       WIDTH_##kind == WIDTH_INNER ? FAKE_OBJECT : width_of(fake, WIDTH_##kind));
#include "ompd-bridge/llvm/published.def"
    for (unsigned i = 0; i < PUBLISHED_FLAGS; i++)
        fake_kmp_set_entry(fake, (enum published_entry)(PUBLISHED_FIRST_FLAG + i), 4U << i);
}

// The values that matter, among them room in the structs for what is in them.
static const struct {
    enum published_entry entry;
    uint64_t value;
} values[] = {
    {WIDTH_kmp_info_t__th, FAKE_OBJECT},
    {WIDTH_kmp_team_p__t, FAKE_OBJECT},
    {WIDTH_kmp_internal_control_t__sched, 8},
    {WIDTH_ompt_task_info_t__frame, 24},
    {WIDTH_ompt_task_info_t__task_data, 8},
    {WIDTH_ompt_team_info_t__parallel_data, 8},
    {WIDTH_ompt_thread_info_t__thread_data, 8},
    {OFFSET_kmp_base_info_t__th_team, 0x48},
    {OFFSET_kmp_base_info_t__th_current_task, 0x50},
    {OFFSET_kmp_base_info_t__th_info, 0x80},
    {OFFSET_kmp_base_info_t__ompt_thread_info, 0x100},
    {OFFSET_kmp_desc_base_t__ds_thread, 0x10},
    {OFFSET_kmp_desc_base_t__ds_tid, 0x18},
    {OFFSET_ompt_thread_info_t__state, 0x20},
    {OFFSET_ompt_thread_info_t__wait_id, 0x28},
    {OFFSET_kmp_base_team_t__t_threads, 0x40},
    {OFFSET_kmp_base_team_t__t_parent, 0x50},
    {OFFSET_kmp_base_team_t__t_nproc, 0x60},
    {OFFSET_kmp_base_team_t__t_level, 0x64},
    {OFFSET_kmp_base_team_t__t_active_level, 0x68},
    {OFFSET_kmp_base_team_t__t_implicit_task_taskdata, 0x70},
    {OFFSET_kmp_base_team_t__t_pkfn, 0x78},
    {OFFSET_kmp_base_team_t__ompt_serialized_team_info, 0x80},
    {OFFSET_kmp_base_team_t__ompt_team_info, 0xc0},
    {OFFSET_kmp_taskdata_t__td_flags, 0x4},
    {OFFSET_kmp_taskdata_t__td_team, 0x8},
    {OFFSET_kmp_taskdata_t__td_parent, 0x10},
    {OFFSET_kmp_taskdata_t__td_icvs, 0x40},
    {OFFSET_kmp_taskdata_t__ompt_task_info, 0x80},
    {OFFSET_kmp_task_t__routine, 0x8},
    {OFFSET_kmp_internal_control_t__dynamic, 0x4},
    {OFFSET_kmp_internal_control_t__nproc, 0xc},
    {OFFSET_kmp_internal_control_t__thread_limit, 0x10},
    {OFFSET_kmp_internal_control_t__max_active_levels, 0x14},
    {OFFSET_kmp_internal_control_t__sched, 0x18},
    {OFFSET_kmp_internal_control_t__proc_bind, 0x20},
    {OFFSET_kmp_internal_control_t__default_device, 0x24},
    {OFFSET_kmp_r_sched_t__chunk, 0x4},
    {OFFSET_kmp_nested_nthreads_t__used, 0xc},
    {OFFSET_kmp_nested_proc_bind_t__used, 0xc},
    {OFFSET_ompt_task_info_t__task_data, 0x18},
    {OFFSET_ompt_task_info_t__scheduling_parent, 0x20},
    {OFFSET_ompt_frame_t__enter_frame, 0x8},
    {OFFSET_ompt_lw_taskteam_t__ompt_task_info, 0x10},
    {OFFSET_ompt_lw_taskteam_t__parent, 0x58},
};

static void
set_entries(struct fake_kmp *fake)
{
    set_all_entries(fake);
    for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++)
        fake_kmp_set_entry(fake, values[i].entry, values[i].value);
}

static const uint64_t *builtin; // of the process that was made last

static uint64_t
offset_of(enum published_entry field)
{
    if (builtin)
        return builtin[field];
    for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++)
        if (values[i].entry == field)
            return values[i].value;
    return 0;
}

taddr
fake_kmp_field(taddr object, enum published_entry field)
{
    return object + offset_of(field);
}

static taddr
descriptor(taddr thread)
{
    return fake_kmp_field(thread, OFFSET_kmp_base_info_t__th_info);
}

taddr
fake_kmp_tid_field(taddr thread)
{
    return fake_kmp_field(descriptor(thread), OFFSET_kmp_desc_base_t__ds_tid);
}

taddr
fake_kmp_place(const struct fake_kmp *fake, unsigned place)
{
    return FAKE_BASE + FAKE_OBJECTS + place * (taddr) fake->model.pointer_size;
}

static void
place_table(struct fake_kmp *fake, enum fake_order order, uint64_t table)
{
    for (unsigned i = 0; i < PUBLISHED_ENTRIES; i++) {
        unsigned at = order == FAKE_BACKWARD ? PUBLISHED_ENTRIES - 1 - i : i;
        if (order == FAKE_SCATTERED)
            at = i * 7 % PUBLISHED_ENTRIES * 3;
        fake->entries[i] = FAKE_BASE + table + at * (taddr) PUBLISHED_ENTRY;
    }
    fake->named = order == FAKE_NAMED || order == FAKE_SCATTERED;
}

static void
make_descriptors(struct fake_kmp *fake)
{
    const uint64_t pointer = fake->model.pointer_size;
    const uint64_t descriptors[][2] = {
        {32, PTHREAD_TID}, {16 * pointer, PTHREAD_LIST}, {8 * pointer, 0}, {8 * pointer, pointer}};
    for (unsigned i = 0; i < sizeof(descriptors) / sizeof(descriptors[0]); i++) {
        taddr at = FAKE_BASE + FAKE_DESCRIPTORS + 16 * (taddr) i;
        fake_kmp_put(fake, at, 4, descriptors[i][0]);
        fake_kmp_put(fake, at + 4, 4, 1);
        fake_kmp_put(fake, at + 8, 4, descriptors[i][1]);
    }
}

static void
make_words(struct fake_kmp *fake)
{
    static const char library[] = "libompd.so", settings[] = "KMP_BLOCKTIME=200\n";
    taddr texts = FAKE_BASE + FAKE_TEXTS;
    memcpy(fake->memory + FAKE_TEXTS + 0x40, library, sizeof(library));
    memcpy(fake->memory + FAKE_TEXTS + 0x80, settings, sizeof(settings));
    fake_kmp_put_pointer(fake, texts, texts + 0x40);
    fake_kmp_set_entry(fake, WORD_ompd_dll_locations, texts);
    fake_kmp_set_entry(fake, WORD_ompd_state, 0);
    fake_kmp_set_entry(fake, WORD_ompd_env_block, texts + 0x80);
    fake_kmp_set_entry(fake, WORD_ompd_env_block_size, sizeof(settings) - 1);
}

// Threads of the C library hang on a circular list of their own.
static void
make_pthread(struct fake_kmp *fake, unsigned i)
{
    taddr width = fake->model.pointer_size;
    taddr next = fake->pthreads[(i + 1) % (FAKE_WORKERS + 1)];
    taddr prev = fake->pthreads[(i + FAKE_WORKERS) % (FAKE_WORKERS + 1)];
    fake_kmp_put_pointer(fake, fake->pthreads[i] + PTHREAD_LIST, next + PTHREAD_LIST);
    fake_kmp_put_pointer(fake, fake->pthreads[i] + PTHREAD_LIST + width, prev + PTHREAD_LIST);
    fake_kmp_put(fake, fake->pthreads[i] + PTHREAD_TID, 4, 1000 + i);
}

static void
make_thread(struct fake_kmp *fake, unsigned i)
{
    unsigned place = i == 0 ? 0 : FAKE_FIRST_PLACE + i - 1;
    taddr thread = fake->threads[i];
    fake_kmp_put_pointer(fake, fake_kmp_place(fake, place), thread);
    fake_kmp_put_pointer(fake, fake_kmp_field(thread, OFFSET_kmp_base_info_t__th_team), fake->team);
    fake_kmp_put_pointer(fake,
                         fake_kmp_field(descriptor(thread), OFFSET_kmp_desc_base_t__ds_thread),
                         fake->pthreads[i]);
    fake_kmp_put(fake, fake_kmp_tid_field(thread), 4, i);
    fake_kmp_put(fake, fake_kmp_tid_field(thread) + 4, 4, place);
    make_pthread(fake, i);
}

static void
make_team(struct fake_kmp *fake, taddr team, taddr members, unsigned size, taddr parent)
{
    unsigned level = parent != 0;
    for (unsigned i = 0; i < size; i++)
        fake_kmp_put_pointer(fake, members + i * (taddr) fake->model.pointer_size,
                             fake->threads[i]);
    fake_kmp_put_pointer(fake, fake_kmp_field(team, OFFSET_kmp_base_team_t__t_threads), members);
    fake_kmp_put_pointer(fake, fake_kmp_field(team, OFFSET_kmp_base_team_t__t_parent), parent);
    fake_kmp_put(fake, fake_kmp_field(team, OFFSET_kmp_base_team_t__t_nproc), 4, size);
    fake_kmp_put(fake, fake_kmp_field(team, OFFSET_kmp_base_team_t__t_level), 4, level);
    fake_kmp_put(fake, fake_kmp_field(team, OFFSET_kmp_base_team_t__t_active_level), 4, level);
}

static void
make_objects(struct fake_kmp *fake)
{
    taddr width = fake->model.pointer_size, variable = FAKE_BASE + FAKE_POOL - 0x48;
    taddr object = FAKE_BASE + FAKE_OBJECTS + FAKE_OBJECT;
    fake_kmp_put_pointer(fake, variable, fake_kmp_place(fake, 0));
    fake_kmp_put_pointer(fake, variable + width, fake_kmp_place(fake, FAKE_CAPACITY));
    fake->root_team = object;
    fake->team = object += FAKE_OBJECT;
    taddr members = object += FAKE_OBJECT;
    for (unsigned i = 0; i <= FAKE_WORKERS; i++) {
        fake->threads[i] = object += FAKE_OBJECT;
        fake->pthreads[i] = object += FAKE_OBJECT;
    }
    for (unsigned i = 0; i <= FAKE_WORKERS; i++)
        make_thread(fake, i);
    make_team(fake, fake->root_team, members + 0x100, 1, 0);
    make_team(fake, fake->team, members, FAKE_WORKERS + 1, fake->root_team);
    fake->next_object = object + FAKE_OBJECT;
    fake_kmp_make_tasks(fake);
}

taddr
fake_kmp_new_object(struct fake_kmp *fake)
{
    taddr object = fake->next_object;
    fake->next_object += FAKE_OBJECT;
    return object;
}

static void
begin(struct fake_kmp *fake, const struct datamodel *model, const uint64_t *layout)
{
    memset(fake, 0, sizeof(*fake));
    fake->model = *model;
    fake->loaded = true;
    fake->builtin = builtin = layout;
    make_descriptors(fake);
}

void
fake_kmp_init(struct fake_kmp *fake, const struct datamodel *model, enum fake_order order,
              uint64_t table)
{
    begin(fake, model, NULL);
    place_table(fake, order, table);
    set_entries(fake);
    make_words(fake);
    make_objects(fake);
}

void
fake_kmp_init_builtin(struct fake_kmp *fake, const struct datamodel *model,
                      const struct published *layout)
{
    begin(fake, model, layout->values);
    make_objects(fake);
}
