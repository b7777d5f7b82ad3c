// SPDX-License-Identifier: BSD-3-Clause
// Answers as a reader does, and counts the objects that it gave.
#include "tests/omp/made_up.h"
#include "tests/omp/made_up_values.h"
#include "tests/omp/ompd_tool.h"

#include "ompd-bridge/exports/host_ompd.h"

#include <string.h>

struct backend_state {
    struct inferior *inf;
    struct made_up *made_up;
};

static bool
no_read(void *host, taddr addr, size_t size, void *ret)
{
    (void) host;
    (void) addr;
    (void) size;
    (void) ret;
    return false;
}

static bool
find_symbol(void *host, const char *name, taddr *ret)
{
    const struct made_up *made_up = host;
    *ret = 0x1000;
    return made_up->loaded && strcmp(name, "made_up") == 0;
}

static bool
data_model(void *host, struct datamodel *ret)
{
    (void) host;
    *ret = (struct datamodel){.short_size = 2,
                              .int_size = 4,
                              .long_size = 8,
                              .long_long_size = 8,
                              .pointer_size = 8,
                              .bool_size = 1,
                              .size_t_size = 8};
    return true;
}

struct target
made_up_target(struct made_up *made_up)
{
    static const struct target_ops ops = {.read = no_read,
                                          .find_symbol = find_symbol,
                                          .find_function = find_symbol,
                                          .data_model = data_model};
    return (struct target){&ops, made_up};
}

static enum status
made_up_detect(struct inferior *inf)
{
    taddr addr;
    return inferior_symbol(inf, "made_up", &addr);
}

static struct made_up *
made_up_of(struct inferior *inf)
{
    const struct ompd_host *host = inf->target.host;
    return ((const struct tool_context *) host->context)->target.host;
}

static enum status
made_up_open(struct inferior *inf, struct diagnostics *diagnostics, struct backend_state **ret)
{
    struct made_up *made_up = made_up_of(inf);
    if (!made_up->started)
        return trail_begin(&inf->trail, STATUS_UNUSED, "OpenMP not started");
    struct backend_state *state = inferior_alloc(inf, sizeof(*state));
    if (!state)
        return STATUS_NOMEM;
    *state = (struct backend_state){inf, made_up};
    made_up->states++;
    diagnostics_add(diagnostics, "a note");
    *ret = state;
    return STATUS_OK;
}

static enum status
native_open(struct inferior *inf, struct diagnostics *diagnostics, struct backend_state **ret)
{
    if (made_up_of(inf)->unknown)
        return trail_begin(&inf->trail, STATUS_UNSUPPORTED, "a release to come");
    return made_up_open(inf, diagnostics, ret);
}

static enum status
library_open(struct inferior *inf, struct diagnostics *diagnostics, struct backend_state **ret)
{
    made_up_of(inf)->libraries++;
    return made_up_open(inf, diagnostics, ret);
}

static void
made_up_close(struct backend_state *state)
{
    if (!state)
        return;
    state->made_up->states--;
    inferior_free(state->inf, state);
}

static enum status
made_up_refresh(struct backend_state *state)
{
    state->made_up->refreshs++;
    return state->made_up->refresh;
}

static enum status
made_up_info(struct backend_state *state, struct omp_info *ret)
{
    (void) state;
    *ret = (struct omp_info){.runtime = "Made up", .backend = "itself", .version = 201811};
    return STATUS_OK;
}

static enum status
library_detect(struct inferior *inf)
{
    return made_up_of(inf)->has_library ? STATUS_OK : STATUS_ABSENT;
}

static enum status
library_info(struct backend_state *state, struct omp_info *ret)
{
    (void) state;
    *ret = (struct omp_info){.runtime = "Made up", .backend = "its library"};
    return STATUS_OK;
}

static struct omp_object
give(struct backend_state *state, uint64_t number)
{
    state->made_up->objects++;
    return (struct omp_object){.addr = 0x1000, .detail = number};
}

static void
made_up_release(struct backend_state *state, enum omp_kind kind, struct omp_object *object)
{
    (void) kind;
    (void) object;
    state->made_up->objects--;
}

static enum status
made_up_threads(struct backend_state *state, struct object_sink *sink)
{
    for (uint64_t i = 0; i < MADE_UP_THREADS; i++) {
        struct omp_object object = give(state, i);
        TRY(sink->emit(sink, &object));
    }
    return STATUS_OK;
}

static ompd_rc_t
made_up_thread_id(struct backend_state *state, const struct omp_object *thread,
                  struct omp_thread_id *ret)
{
    (void) state;
    *ret = (struct omp_thread_id){.pthread = MADE_UP_PTHREAD + thread->detail,
                                  .tid = MADE_UP_TID + (int64_t) thread->detail};
    return ompd_rc_ok;
}

static ompd_rc_t
made_up_find_thread(struct backend_state *state, ompd_thread_id_t kind, uint64_t id,
                    struct omp_object *ret)
{
    const uint64_t number = id - (kind == OMPD_THREAD_ID_LWP ? MADE_UP_TID : MADE_UP_PTHREAD);
    if (number >= MADE_UP_THREADS)
        return ompd_rc_unavailable;
    *ret = give(state, number);
    return ompd_rc_ok;
}

static ompd_rc_t
made_up_curr_parallel(struct backend_state *state, const struct omp_object *thread,
                      struct omp_object *ret)
{
    if (thread->detail >= MADE_UP_TEAM)
        return ompd_rc_unavailable;
    *ret = give(state, 1);
    return ompd_rc_ok;
}

static ompd_rc_t
made_up_enclosing_parallel(struct backend_state *state, const struct omp_object *parallel,
                           struct omp_object *ret)
{
    if (parallel->detail == 0)
        return ompd_rc_unavailable;
    *ret = give(state, 0);
    return ompd_rc_ok;
}

static ompd_rc_t
made_up_task_parallel(struct backend_state *state, const struct omp_object *task,
                      struct omp_object *ret)
{
    *ret = give(state, task->detail == 99 ? 0 : 1);
    return ompd_rc_ok;
}

static ompd_rc_t
made_up_curr_task(struct backend_state *state, const struct omp_object *thread,
                  struct omp_object *ret)
{
    if (thread->detail >= MADE_UP_TEAM)
        return ompd_rc_unavailable;
    *ret = give(state, thread->detail);
    return ompd_rc_ok;
}

// Task 99 is the initial one.
static ompd_rc_t
made_up_generating_task(struct backend_state *state, const struct omp_object *task,
                        struct omp_object *ret)
{
    if (task->detail == 99)
        return ompd_rc_unavailable;
    *ret = give(state, 99);
    return ompd_rc_ok;
}

static ompd_rc_t
made_up_in_parallel(struct backend_state *state, const struct omp_object *parallel, int num,
                    struct omp_object *ret)
{
    if (num < 0 || num >= (parallel->detail == 0 ? 1 : MADE_UP_TEAM))
        return ompd_rc_bad_input;
    *ret = give(state, (uint64_t) num);
    return ompd_rc_ok;
}

#define MADE_UP_FUNCTIONS                                                                     \
    .close = made_up_close, .refresh = made_up_refresh, .threads = made_up_threads,           \
    .thread_id = made_up_thread_id, .find_thread = made_up_find_thread,                       \
    .curr_parallel = made_up_curr_parallel, .enclosing_parallel = made_up_enclosing_parallel, \
    .task_parallel = made_up_task_parallel, .curr_task = made_up_curr_task,                   \
    .generating_task = made_up_generating_task, .scheduling_task = made_up_generating_task,   \
    .thread_in_parallel = made_up_in_parallel, .task_in_parallel = made_up_in_parallel,       \
    .task_function = made_up_task_function, .task_frame = made_up_task_frame,                 \
    .thread_state = made_up_thread_state, .icv = made_up_icv,                                 \
    .control_vars = made_up_control_vars, .tool_data = made_up_tool_data,                     \
    .release = made_up_release

const struct backend backend_libomp = {
    .name = "made up",
    .detect = made_up_detect,
    .open = native_open,
    .info = made_up_info,
    MADE_UP_FUNCTIONS,
};

const struct backend backend_library = {
    .name = "made-up library",
    .detect = library_detect,
    .open = library_open,
    .info = library_info,
    MADE_UP_FUNCTIONS,
};
