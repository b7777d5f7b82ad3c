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

// run-sched-var is a text, bind-var a list.
static ompd_rc_t
read_number(const struct icv_question *question, ompd_word_t *ret)
{
    const char *name = question->icv->name;
    if (strcmp(name, "run-sched-var") == 0)
        return ompd_rc_incompatible;
    if (strcmp(name, "team-size-var") == 0)
        *ret = question->object->detail == 0 ? 1 : MADE_UP_TEAM;
    else if (strcmp(name, "thread-num-var") == 0)
        *ret = (ompd_word_t) question->object->detail;
    else
        *ret = (ompd_word_t) question->icv->what;
    return strcmp(name, "bind-var") == 0 ? ompd_rc_incomplete : ompd_rc_ok;
}

static ompd_rc_t
read_text(const struct icv_question *question, size_t size, char *ret)
{
    const char *name = question->icv->name;
    if (strcmp(name, "run-sched-var") != 0 && strcmp(name, "bind-var") != 0)
        return ompd_rc_incompatible;
    snprintf(ret, size, "text of %s", name);
    return ompd_rc_ok;
}

const struct omp_icv *
made_up_icv(struct backend_state *state, unsigned number)
{
#define ICV(number, name, scope)                                 \
    {                                                            \
        name, ompd_scope_##scope, read_number, read_text, number \
    }
    static const struct omp_icv icvs[] = {
        ICV(0, "thread-num-var", thread),       ICV(1, "team-size-var", parallel),
        ICV(2, "levels-var", parallel),         ICV(3, "run-sched-var", task),
        ICV(4, "implicit-task-var", task),      ICV(5, "bind-var", task),
        ICV(6, "num-procs-var", address_space), ICV(7, "final-task-var", task),
        ICV(8, "stacksize-var", address_space),
    };
#undef ICV
    (void) state;
    return number < sizeof(icvs) / sizeof(icvs[0]) ? &icvs[number] : NULL;
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
