// SPDX-License-Identifier: BSD-3-Clause
// The tasks, serialised regions and settings of the made-up process.
#include "tests/omp/fake_kmp.h"

#include <string.h>

enum { FUNCTION = 0x4000, FLAG_BIT = 4 }; // the first flag is 1 << 2

taddr
fake_kmp_icv_field(taddr task, enum published_entry field)
{
    return fake_kmp_field(fake_kmp_field(task, OFFSET_kmp_taskdata_t__td_icvs), field);
}

taddr
fake_kmp_task_info_field(taddr task, enum published_entry field)
{
    return fake_kmp_field(fake_kmp_field(task, OFFSET_kmp_taskdata_t__ompt_task_info), field);
}

static uint32_t
flag(const struct fake_kmp *fake, enum published_entry entry)
{
    if (fake->builtin)
        return (uint32_t) fake->builtin[entry];
    return (uint32_t) FLAG_BIT << (entry - PUBLISHED_FIRST_FLAG);
}

static void
make_task(struct fake_kmp *fake, taddr task, taddr team, taddr parent, uint32_t flags)
{
    fake_kmp_put(fake, fake_kmp_field(task, OFFSET_kmp_taskdata_t__td_flags), 4,
                 flags | flag(fake, FLAG_tiedness) | flag(fake, FLAG_started));
    fake_kmp_put_pointer(fake, fake_kmp_field(task, OFFSET_kmp_taskdata_t__td_team), team);
    fake_kmp_put_pointer(fake, fake_kmp_field(task, OFFSET_kmp_taskdata_t__td_parent), parent);
    fake_kmp_put(fake, fake_kmp_icv_field(task, OFFSET_kmp_internal_control_t__nproc), 4, 4);
    fake_kmp_put(fake, fake_kmp_icv_field(task, OFFSET_kmp_internal_control_t__sched), 4, 35);
    fake_kmp_put(fake, fake_kmp_icv_field(task, OFFSET_kmp_internal_control_t__sched) + 4, 4, 7);
}

static void
set_current(struct fake_kmp *fake, unsigned thread, taddr task)
{
    fake_kmp_put_pointer(
        fake, fake_kmp_field(fake->threads[thread], OFFSET_kmp_base_info_t__th_current_task), task);
}

void
fake_kmp_make_tasks(struct fake_kmp *fake)
{
    fake->root_task = fake_kmp_new_object(fake);
    make_task(fake, fake->root_task, fake->root_team, 0, 0);
    for (unsigned i = 0; i <= FAKE_WORKERS; i++) {
        // One behind the other; the sizes of tasks that are published are those of all objects.
        taddr size = fake->builtin ? fake->builtin[SIZEOF_kmp_taskdata_t] : FAKE_OBJECT;
        taddr object = fake_kmp_new_object(fake);
        fake->tasks[i] = i == 0 ? object : fake->tasks[0] + i * size;
        make_task(fake, fake->tasks[i], fake->team, fake->root_task, 0);
        set_current(fake, i, fake->tasks[i]);
    }
    fake_kmp_put_pointer(
        fake, fake_kmp_field(fake->root_team, OFFSET_kmp_base_team_t__t_implicit_task_taskdata),
        fake->root_task);
    fake_kmp_put_pointer(
        fake, fake_kmp_field(fake->team, OFFSET_kmp_base_team_t__t_implicit_task_taskdata),
        fake->tasks[0]);
    fake_kmp_put_pointer(fake, fake_kmp_field(fake->team, OFFSET_kmp_base_team_t__t_pkfn),
                         FAKE_BASE + FUNCTION);
}

taddr
fake_kmp_add_task(struct fake_kmp *fake, unsigned thread, taddr executing)
{
    taddr task = fake_kmp_new_object(fake);
    taddr behind = fake_kmp_new_object(fake);
    make_task(fake, task, fake->team, executing,
              flag(fake, FLAG_tasktype) | flag(fake, FLAG_final));
    fake_kmp_put_pointer(fake,
                         fake_kmp_task_info_field(task, OFFSET_ompt_task_info_t__scheduling_parent),
                         executing);
    fake_kmp_put_pointer(fake, fake_kmp_field(behind, OFFSET_kmp_task_t__routine),
                         FAKE_BASE + FUNCTION + 0x10);
    set_current(fake, thread, task);
    return task;
}

taddr
fake_kmp_serialise(struct fake_kmp *fake, unsigned thread, unsigned nested, taddr *ret_team)
{
    taddr team = fake_kmp_new_object(fake), members = fake_kmp_new_object(fake);
    taddr task = fake_kmp_new_object(fake);
    taddr link = fake_kmp_field(team, OFFSET_kmp_base_team_t__ompt_serialized_team_info);
    fake_kmp_put_pointer(fake, members, fake->threads[thread]);
    fake_kmp_put_pointer(fake, fake_kmp_field(team, OFFSET_kmp_base_team_t__t_threads), members);
    fake_kmp_put_pointer(fake, fake_kmp_field(team, OFFSET_kmp_base_team_t__t_parent), fake->team);
    fake_kmp_put_pointer(
        fake, fake_kmp_field(team, OFFSET_kmp_base_team_t__t_implicit_task_taskdata), task);
    fake_kmp_put(fake, fake_kmp_field(team, OFFSET_kmp_base_team_t__t_nproc), 4, 1);
    fake_kmp_put(fake, fake_kmp_field(team, OFFSET_kmp_base_team_t__t_level), 4, 2 + nested);
    fake_kmp_put(fake, fake_kmp_field(team, OFFSET_kmp_base_team_t__t_active_level), 4, 1);
    for (unsigned i = 0; i < nested; i++) {
        taddr lwt = fake_kmp_new_object(fake);
        fake_kmp_put_pointer(fake, link, lwt);
        link = fake_kmp_field(lwt, OFFSET_ompt_lw_taskteam_t__parent);
    }
    make_task(fake, task, team, fake->tasks[thread], 0);
    fake_kmp_put_pointer(
        fake, fake_kmp_field(fake->threads[thread], OFFSET_kmp_base_info_t__th_team), team);
    fake_kmp_put(fake, fake_kmp_tid_field(fake->threads[thread]), 4, 0);
    set_current(fake, thread, task);
    *ret_team = team;
    return task;
}

static taddr
get_pointer(const struct fake_kmp *fake, taddr addr)
{
    return datamodel_uint(&fake->model, fake->memory + (addr - FAKE_BASE),
                          fake->model.pointer_size);
}

taddr
fake_kmp_lwt(struct fake_kmp *fake, taddr team, unsigned number)
{
    taddr link = fake_kmp_field(team, OFFSET_kmp_base_team_t__ompt_serialized_team_info);
    taddr lwt = get_pointer(fake, link);
    for (unsigned i = 1; i < number; i++)
        lwt = get_pointer(fake, fake_kmp_field(lwt, OFFSET_ompt_lw_taskteam_t__parent));
    return lwt;
}

enum { LIST = 0x10, TEXTS = 0x400, TEXT = 0x80 };

void
fake_kmp_set_environ(struct fake_kmp *fake, const char *setting)
{
    taddr list = FAKE_BASE + FAKE_ENVIRON + LIST;
    taddr text = FAKE_BASE + FAKE_ENVIRON + TEXTS + (taddr) fake->n_settings * TEXT;
    memcpy(fake->memory + (text - FAKE_BASE), setting, strlen(setting) + 1);
    fake_kmp_put_pointer(fake, FAKE_BASE + FAKE_ENVIRON, list);
    fake_kmp_put_pointer(fake, list + fake->n_settings * (taddr) fake->model.pointer_size, text);
    fake->n_settings++;
}

taddr
fake_kmp_variable(const char *name)
{
    static const char *const names[] = {
#define VARIABLE(id, name, size, function) name,
#include "ompd-bridge/llvm/kmp_variables.def"
#undef VARIABLE
    };
    for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (strcmp(names[i], name) == 0)
            return FAKE_BASE + FAKE_VARIABLES + i * (taddr) FAKE_VARIABLE;
    return 0;
}
