// SPDX-License-Identifier: BSD-3-Clause
// What the made-up reader says of threads, tasks and variables.
#include "tests/omp/made_up_values.h"
#include "tests/omp/made_up.h"

#include <stdio.h>
#include <string.h>

ompd_rc_t
made_up_task_function(struct backend_state *state, const struct omp_object *task, taddr *ret)
{
    (void) state;
    *ret = 0x4000 + task->detail;
    return ompd_rc_ok;
}

ompd_rc_t
made_up_task_frame(struct backend_state *state, const struct omp_object *task,
                   ompd_frame_info_t *ret_exit, ompd_frame_info_t *ret_enter)
{
    (void) state;
    *ret_exit = (ompd_frame_info_t){{0, 0x5000 + task->detail}, 0x10};
    *ret_enter = (ompd_frame_info_t){{0, 0x6000 + task->detail}, 0x10};
    return ompd_rc_ok;
}

ompd_rc_t
made_up_thread_state(struct backend_state *state, const struct omp_object *thread,
                     ompd_word_t *ret_state, ompd_wait_id_t *ret_wait_id)
{
    (void) state;
    *ret_state = thread->detail >= MADE_UP_TEAM ? 0x100 : 1;
    *ret_wait_id = thread->detail;
    return ompd_rc_ok;
}

const struct omp_icv *
made_up_icv(struct backend_state *state, unsigned number)
{
    static const struct omp_icv icvs[] = {
        {"thread-num-var", ompd_scope_thread},       {"team-size-var", ompd_scope_parallel},
        {"levels-var", ompd_scope_parallel},         {"run-sched-var", ompd_scope_task},
        {"implicit-task-var", ompd_scope_task},      {"bind-var", ompd_scope_task},
        {"num-procs-var", ompd_scope_address_space}, {"final-task-var", ompd_scope_task},
        {"stacksize-var", ompd_scope_address_space},
    };
    (void) state;
    return number < sizeof(icvs) / sizeof(icvs[0]) ? &icvs[number] : NULL;
}

static const char *
name_of(struct backend_state *state, unsigned number)
{
    const struct omp_icv *icv = made_up_icv(state, number);
    return icv ? icv->name : "";
}

// run-sched-var is a text, bind-var a list.
ompd_rc_t
made_up_icv_value(struct backend_state *state, const struct omp_object *object, unsigned number,
                  ompd_word_t *ret)
{
    const char *name = name_of(state, number);
    if (strcmp(name, "run-sched-var") == 0)
        return ompd_rc_incompatible;
    if (strcmp(name, "team-size-var") == 0)
        *ret = object->detail == 0 ? 1 : MADE_UP_TEAM;
    else if (strcmp(name, "thread-num-var") == 0)
        *ret = (ompd_word_t) object->detail;
    else
        *ret = (ompd_word_t) number;
    return strcmp(name, "bind-var") == 0 ? ompd_rc_incomplete : ompd_rc_ok;
}

ompd_rc_t
made_up_icv_text(struct backend_state *state, const struct omp_object *object, unsigned number,
                 size_t size, char *ret)
{
    const char *name = name_of(state, number);
    (void) object;
    if (strcmp(name, "run-sched-var") != 0 && strcmp(name, "bind-var") != 0)
        return ompd_rc_incompatible;
    snprintf(ret, size, "text of %s", name);
    return ompd_rc_ok;
}

ompd_rc_t
made_up_control_vars(struct backend_state *state, struct text_sink *sink)
{
    (void) state;
    return sink->emit(sink, "A=1") == STATUS_OK && sink->emit(sink, "B=") == STATUS_OK
               ? ompd_rc_ok
               : ompd_rc_nomem;
}

ompd_rc_t
made_up_tool_data(struct backend_state *state, enum omp_kind kind, const struct omp_object *object,
                  ompd_word_t *ret_value, taddr *ret_ptr)
{
    (void) state;
    *ret_value = (ompd_word_t) kind;
    *ret_ptr = object->detail;
    return ompd_rc_ok;
}
