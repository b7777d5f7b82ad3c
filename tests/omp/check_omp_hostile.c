// SPDX-License-Identifier: BSD-3-Clause
// Regions, tasks and settings that are invalid: every question is answered, nothing hangs or
// crashes, and no memory is lost.
#include "tests/omp/native.h"

#include <string.h>

enum { TEXT = 64 };

static unsigned
ask_icvs(const struct omp_object *object)
{
    unsigned good = 0;
    ompd_word_t value;
    char text[TEXT];
    const struct omp_icv *icv;
    for (unsigned i = 0; (icv = NATIVE(icv, i)); i++) {
        good += ICV_ASK(&native.reader, icv, number, object, &value) == ompd_rc_ok;
        good += ICV_ASK(&native.reader, icv, text, object, sizeof(text), text) == ompd_rc_ok;
    }
    return good;
}

static unsigned
ask_steps(const struct omp_object *object)
{
    const struct backend *backend = native.reader.backend;
    omp_step *const steps[] = {backend->curr_parallel,   backend->enclosing_parallel,
                               backend->task_parallel,   backend->curr_task,
                               backend->generating_task, backend->scheduling_task};
    struct omp_object found;
    unsigned good = 0;
    for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++)
        good += steps[i](native.reader.state, object, &found) == ompd_rc_ok;
    for (int num = -1; num < 6; num++) {
        good += NATIVE(thread_in_parallel, object, num, &found) == ompd_rc_ok;
        good += NATIVE(task_in_parallel, object, num, &found) == ompd_rc_ok;
    }
    return good;
}

// Whatever the object is, every question is put to it.
static unsigned
ask_object(const struct omp_object *object)
{
    struct omp_thread_id id;
    struct omp_task_flags flags;
    ompd_word_t value;
    ompd_wait_id_t wait_id;
    ompd_frame_info_t leave, enter;
    taddr addr;
    unsigned good = ask_icvs(object) + ask_steps(object);
    good += NATIVE(thread_id, object, &id) == ompd_rc_ok;
    good += NATIVE(thread_state, object, &value, &wait_id) == ompd_rc_ok;
    good += NATIVE(task_function, object, &addr) == ompd_rc_ok;
    good += NATIVE(task_frame, object, &leave, &enter) == ompd_rc_ok;
    good += NATIVE(task_flags, object, &flags) == ompd_rc_ok;
    for (int kind = OMP_SPACE; kind <= OMP_TASK; kind++)
        good += NATIVE(tool_data, (enum omp_kind) kind, object, &value, &addr) == ompd_rc_ok;
    return good;
}

static enum status
ignore(struct text_sink *sink, const char *text)
{
    (void) sink;
    (void) text;
    return STATUS_OK;
}

unsigned
native_ask_all(void)
{
    static const struct omp_object strange[] = {
        {0, 0}, {1, 1}, {0x1000, 0}, {FAKE_BASE, 5}, {UINT64_MAX - 7, UINT64_MAX}, {1ULL << 40, 0}};
    const struct snapshot_list *const lists[] = {&native.snapshot.threads, &native.snapshot.regions,
                                                 &native.snapshot.tasks};
    struct text_sink sink = {ignore};
    struct omp_object found;
    unsigned good = 0;
    if (!native.reader.backend)
        return 0;
    for (size_t i = 0; i < sizeof(strange) / sizeof(strange[0]); i++)
        ask_object(&strange[i]);
    for (unsigned i = 0; i < lists[0]->count; i++)
        good += ask_object(native_thread(i));
    for (unsigned i = 0; i < lists[1]->count; i++)
        good += ask_object(native_region(i));
    for (unsigned i = 0; i < lists[2]->count; i++)
        good += ask_object(native_task(i));
    good += NATIVE(find_thread, OMPD_THREAD_ID_LWP, 1003, &found) == ompd_rc_ok;
    return good + (NATIVE(control_vars, &sink) == ompd_rc_ok);
}

// A process with a bit of everything.
struct places {
    taddr team, task, serial_task, explicit, lwt;
};

static struct places
start(enum fake_order order)
{
    struct places places;
    fake_kmp_init(&fake, &omp_models[0], order, FAKE_TABLE);
    fake_kmp_set_entry(&fake, WORD_ompd_state, 1);
    fake_kmp_set_environ(&fake, "OMP_NUM_THREADS=2,2,2");
    places.explicit = fake_kmp_add_task(&fake, 3, fake.tasks[3]);
    places.serial_task = fake_kmp_serialise(&fake, 1, 3, &places.team);
    places.lwt = fake_kmp_lwt(&fake, places.team, 1);
    places.task = fake.tasks[2];
    return places;
}

static taddr
lwt_parent(taddr lwt)
{
    return fake_kmp_field(lwt, OFFSET_ompt_lw_taskteam_t__parent);
}

static const uint64_t nonsense[] = {0,          1,          7,          0x1000,
                                    0x7fffffff, 0x80000000, 0xffffffff, 1ULL << 40,
                                    1ULL << 63, UINT64_MAX, 0x7ffffff0, FAKE_BASE + FAKE_SIZE - 8,
                                    FAKE_BASE};

enum { NONSENSE = sizeof(nonsense) / sizeof(nonsense[0]), PLACES = 24 };

// The fields that questions follow or count by, in a process with a bit of everything.
static void
damage(unsigned number, const struct places *at, uint64_t value)
{
    const struct {
        taddr addr;
        size_t width;
    } fields[PLACES] = {
        {fake_kmp_field(at->team, OFFSET_kmp_base_team_t__ompt_serialized_team_info), 8},
        {fake_kmp_field(at->team, OFFSET_kmp_base_team_t__t_implicit_task_taskdata), 8},
        {fake_kmp_field(at->team, OFFSET_kmp_base_team_t__t_parent), 8},
        {fake_kmp_field(at->team, OFFSET_kmp_base_team_t__t_threads), 8},
        {fake_kmp_field(at->team, OFFSET_kmp_base_team_t__t_level), 4},
        {fake_kmp_field(at->team, OFFSET_kmp_base_team_t__t_nproc), 4},
        {fake_kmp_field(at->team, OFFSET_kmp_base_team_t__t_active_level), 4},
        {fake_kmp_field(fake.root_team, OFFSET_kmp_base_team_t__t_parent), 8},
        {fake_kmp_field(fake.root_team, OFFSET_kmp_base_team_t__t_level), 4},
        {fake_kmp_field(fake.root_team, OFFSET_kmp_base_team_t__t_implicit_task_taskdata), 8},
        {fake_kmp_field(fake.team, OFFSET_kmp_base_team_t__t_implicit_task_taskdata), 8},
        {lwt_parent(at->lwt), 8},
        {lwt_parent(fake_kmp_lwt(&fake, at->team, 3)), 8},
        {fake_kmp_field(at->task, OFFSET_kmp_taskdata_t__td_parent), 8},
        {fake_kmp_field(at->task, OFFSET_kmp_taskdata_t__td_team), 8},
        {fake_kmp_field(at->task, OFFSET_kmp_taskdata_t__td_flags), 4},
        {fake_kmp_field(at->explicit, OFFSET_kmp_taskdata_t__td_parent), 8},
        {fake_kmp_field(at->explicit, OFFSET_kmp_taskdata_t__td_flags), 4},
        {fake_kmp_task_info_field(at->explicit, OFFSET_ompt_task_info_t__scheduling_parent), 8},
        {fake_kmp_icv_field(at->serial_task, OFFSET_kmp_internal_control_t__sched), 4},
        {fake_kmp_field(fake.threads[2], OFFSET_kmp_base_info_t__th_current_task), 8},
        {fake_kmp_variable("__kmp_nested_nth"), 8},
        {fake_kmp_variable("__kmp_nested_nth") + 12, 4},
        {fake_kmp_variable("__kmp_affinity_format"), 8},
    };
    fake_kmp_put(&fake, fields[number].addr, fields[number].width, value);
}

START_TEST(one_bad_field)
{
    for (unsigned i = 0; i < NONSENSE; i++) {
        struct places places = start(FAKE_NAMED);
        damage((unsigned) _i, &places, nonsense[i]);
        native_start();
        native_ask_all();
        native_stop();
        omp_ask();
    }
}
END_TEST

// Chains that lead back to where they came from.
START_TEST(cycles)
{
    struct places at = start(FAKE_FORWARD);
    taddr last = fake_kmp_lwt(&fake, at.team, 3);
    const taddr links[][2] = {
        {lwt_parent(last), at.lwt},
        {lwt_parent(last), last},
        {lwt_parent(at.lwt), at.lwt},
        {fake_kmp_field(fake.root_team, OFFSET_kmp_base_team_t__t_parent), at.team},
        {fake_kmp_field(fake.root_team, OFFSET_kmp_base_team_t__t_parent), fake.root_team},
        {fake_kmp_field(fake.team, OFFSET_kmp_base_team_t__t_parent), fake.team},
        {fake_kmp_field(at.team, OFFSET_kmp_base_team_t__t_parent), at.team},
        {fake_kmp_field(fake.root_task, OFFSET_kmp_taskdata_t__td_parent), at.explicit},
        {fake_kmp_field(fake.root_task, OFFSET_kmp_taskdata_t__td_parent), fake.root_task},
        {fake_kmp_field(fake.root_task, OFFSET_kmp_taskdata_t__td_parent), fake.tasks[0]},
        {fake_kmp_task_info_field(at.explicit, OFFSET_ompt_task_info_t__scheduling_parent),
         at.explicit},
    };
    fake_kmp_put_pointer(&fake, links[_i][0], links[_i][1]);
    native_start();
    native_ask_all();
    native_stop();
    omp_ask();
}
END_TEST

START_TEST(every_read_fails_once)
{
    start(_i ? FAKE_NAMED : FAKE_FORWARD);
    native_start();
    unsigned good = native_ask_all(), reads = fake.reads;
    native_stop();
    for (unsigned i = 1; i <= reads; i++) {
        start(_i ? FAKE_NAMED : FAKE_FORWARD);
        fake.fail_read = i;
        native_start();
        ck_assert_uint_le(native_ask_all(), good);
        native_stop();
    }
}
END_TEST

START_TEST(every_allocation_fails_once)
{
    start(FAKE_FORWARD);
    native_start();
    native_ask_all();
    unsigned allocs = fake_allocs;
    native_stop();
    for (unsigned i = 1; i <= allocs; i++) {
        start(FAKE_FORWARD);
        fake.fail_alloc = i;
        native_start();
        native_ask_all();
        native_stop();
    }
}
END_TEST

// All that can be told is told: the answers above are not all refusals.
START_TEST(nothing_damaged)
{
    start(FAKE_NAMED);
    native_start();
    ck_assert_int_eq(native.snapshot.broken, STATUS_OK);
    ck_assert_uint_eq(native.snapshot.regions.count, 6);
    ck_assert_uint_gt(native_ask_all(), 200);
    native_stop();
}
END_TEST

TCase *
native_hostile(void)
{
    TCase *cases = tcase_create("hostile");
    tcase_set_timeout(cases, 600);
    tcase_add_test(cases, nothing_damaged);
    tcase_add_loop_test(cases, one_bad_field, 0, PLACES);
    tcase_add_loop_test(cases, cycles, 0, 11);
    tcase_add_loop_test(cases, every_read_fails_once, 0, 2);
    tcase_add_test(cases, every_allocation_fails_once);
    return cases;
}
