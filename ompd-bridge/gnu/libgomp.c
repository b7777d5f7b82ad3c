// SPDX-License-Identifier: BSD-3-Clause
// The native reader of GNU's OpenMP runtime: threads and regions, and the table of all answers.
#include "ompd-bridge/gnu/libgomp.h"
#include "ompd-bridge/states.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static bool
has_function(struct inferior *inf, const char *name)
{
    taddr addr;
    return inf->target.ops->find_function(inf->target.host, name, &addr) ||
           inf->target.ops->find_symbol(inf->target.host, name, &addr);
}

// LLVM's runtime has most functions of GNU's too, but not those for offload plug-ins.
static enum status
libgomp_detect(struct inferior *inf)
{
    return has_function(inf, "GOMP_parallel") && has_function(inf, "GOMP_offload_register_ver")
               ? STATUS_OK
               : STATUS_ABSENT;
}

static enum status
libgomp_refresh(struct backend_state *state)
{
    return gomp_refresh(&state->gomp);
}

static void
libgomp_close(struct backend_state *state)
{
    if (!state)
        return;
    gomp_deinit(&state->gomp);
    inferior_free(state->gomp.inf, state);
}

static enum status
libgomp_open(struct inferior *inf, struct diagnostics *diagnostics, struct backend_state **ret)
{
    struct backend_state *state = inferior_alloc(inf, sizeof(*state));
    if (!state)
        return trail_begin(&inf->trail, STATUS_NOMEM, "%s", status_text(STATUS_NOMEM));
    enum status status = gomp_find(inf, diagnostics, &state->gomp);
    if (status == STATUS_OK)
        status = libgomp_refresh(state);
    if (status == STATUS_OK)
        *ret = state;
    else
        libgomp_close(state);
    return status;
}

// Layouts of the regions' structs: all from debug information, or some from the code.
static enum status
libgomp_info(struct backend_state *state, struct omp_info *ret)
{
    const struct layout *layout = &state->gomp.layout;
    bool debug = true;
    for (unsigned i = 0; i < NEEDS_STRUCTS; i++)
        debug = debug && layout->structs[i].origin == ORIGIN_DEBUG;
    memset(ret, 0, sizeof(*ret));
    snprintf(ret->runtime, sizeof(ret->runtime), "GNU OpenMP");
    snprintf(ret->backend, sizeof(ret->backend), "libgomp %s",
             debug ? "debug information" : "machine code");
    return STATUS_OK;
}

static struct omp_object
object_of(const struct gomp_thread *thread)
{
    return (struct omp_object){thread->addr, thread->pthread};
}

static enum status
libgomp_threads(struct backend_state *state, struct object_sink *sink)
{
    const struct gomp *gomp = &state->gomp;
    for (unsigned i = 0; i < gomp->n_threads; i++) {
        const struct gomp_thread *thread = &gomp->threads[i];
        struct omp_object object = object_of(thread);
        if (thread->addr != 0)
            TRY(sink->emit(sink, &object));
        else
            sink->broken(sink, STATUS_CORRUPT);
    }
    if (gomp->broken != STATUS_OK)
        sink->broken(sink, gomp->broken);
    return STATUS_OK;
}

ompd_rc_t
libgomp_rc(enum status status)
{
    bool is_lacking = status == STATUS_ABSENT || status == STATUS_UNSUPPORTED;
    return is_lacking ? ompd_rc_unsupported : rc_of(status);
}

ompd_rc_t
libgomp_thread(struct backend_state *state, const struct omp_object *thread,
               const struct gomp_thread **ret)
{
    const struct gomp_thread *found = gomp_find_thread(&state->gomp, thread->detail);
    if (!found || found->addr != thread->addr)
        return ompd_rc_stale_handle;
    *ret = found;
    return ompd_rc_ok;
}

struct omp_object
libgomp_initial(const struct gomp_thread *thread)
{
    return (struct omp_object){thread->pthread, 1};
}

ompd_rc_t
libgomp_team(struct backend_state *state, const struct omp_object *region, struct gomp_team *ret)
{
    if (region->detail != 0) {
        if (!gomp_find_thread(&state->gomp, region->addr))
            return ompd_rc_stale_handle;
        *ret = (struct gomp_team){.size = 1};
        return ompd_rc_ok;
    }
    if (!gomp_find_member(&state->gomp, region->addr, 0))
        return ompd_rc_stale_handle;
    return libgomp_rc(gomp_read_team(&state->gomp, region->addr, ret));
}

static ompd_rc_t
libgomp_thread_id(struct backend_state *state, const struct omp_object *object,
                  struct omp_thread_id *ret)
{
    const struct gomp_thread *thread = NULL;
    RC_TRY(libgomp_thread(state, object, &thread));
    *ret = (struct omp_thread_id){.pthread = thread->pthread};
    if (nptl_tid(&state->gomp.nptl, state->gomp.inf, thread->pthread, &ret->tid) != STATUS_OK)
        ret->tid = 0;
    return ompd_rc_ok;
}

static ompd_rc_t
libgomp_find_thread(struct backend_state *state, ompd_thread_id_t kind, uint64_t id,
                    struct omp_object *ret)
{
    const struct gomp *gomp = &state->gomp;
    if (kind != OMPD_THREAD_ID_PTHREAD && kind != OMPD_THREAD_ID_LWP)
        return ompd_rc_unsupported;
    const struct gomp_thread *found =
        kind == OMPD_THREAD_ID_PTHREAD ? gomp_find_thread(gomp, id) : NULL;
    for (unsigned i = 0; kind == OMPD_THREAD_ID_LWP && !found && i < gomp->n_threads; i++) {
        const struct gomp_thread *thread = &gomp->threads[i];
        int64_t tid;
        if (thread->addr != 0 &&
            nptl_tid(&gomp->nptl, gomp->inf, thread->pthread, &tid) == STATUS_OK &&
            (uint64_t) tid == id)
            found = thread;
    }
    if (!found || id == 0)
        return ompd_rc_unavailable;
    *ret = object_of(found);
    return ompd_rc_ok;
}

static ompd_rc_t
libgomp_curr_parallel(struct backend_state *state, const struct omp_object *object,
                      struct omp_object *ret)
{
    const struct gomp_thread *thread = NULL;
    RC_TRY(libgomp_thread(state, object, &thread));
    if (thread->idle)
        return ompd_rc_unavailable;
    *ret =
        thread->place.team ? (struct omp_object){thread->place.team, 0} : libgomp_initial(thread);
    return ompd_rc_ok;
}

ompd_rc_t
libgomp_enclosing_parallel(struct backend_state *state, const struct omp_object *region,
                           struct omp_object *ret)
{
    struct gomp_team team;
    RC_TRY(libgomp_team(state, region, &team));
    if (region->detail != 0)
        return ompd_rc_unavailable;
    const struct gomp_member *master = gomp_find_member(&state->gomp, region->addr, 0);
    if (team.prev.team == 0 && !master)
        return ompd_rc_stale_handle;
    *ret =
        team.prev.team ? (struct omp_object){team.prev.team, 0} : libgomp_initial(master->thread);
    return ompd_rc_ok;
}

static ompd_rc_t
libgomp_thread_in_parallel(struct backend_state *state, const struct omp_object *region, int num,
                           struct omp_object *ret)
{
    struct gomp_team team;
    RC_TRY(libgomp_team(state, region, &team));
    if (num < 0 || (uint32_t) num >= team.size)
        return ompd_rc_bad_input;
    const struct gomp_thread *thread = gomp_find_thread(&state->gomp, region->addr);
    const struct gomp_member *member = gomp_find_member(&state->gomp, region->addr, (uint32_t) num);
    if (region->detail == 0)
        thread = member ? member->thread : NULL;
    if (!thread)
        return ompd_rc_unsupported; // it has just been made, or is going
    *ret = object_of(thread);
    return ompd_rc_ok;
}

// Nothing distinguishes a thread that works from one that waits at a barrier or for a lock.
static ompd_rc_t
libgomp_thread_state(struct backend_state *state, const struct omp_object *object,
                     ompd_word_t *ret_state, ompd_wait_id_t *ret_wait_id)
{
    const struct gomp_thread *thread = NULL;
    struct omp_object task;
    struct omp_task_flags flags = {0, 0};
    RC_TRY(libgomp_thread(state, object, &thread));
    if (thread->idle && (state->gomp.lacks_threads || state->gomp.broken != STATUS_OK))
        return ompd_rc_unavailable; // its master may be among those that were not found
    if (!thread->idle) {
        RC_TRY(libgomp_curr_task(state, object, &task));
        RC_TRY(libgomp_task_flags(state, &task, &flags));
        if (!(flags.set & (OMP_TASK_IN_TASKWAIT | OMP_TASK_IN_TASKGROUP_END)))
            return ompd_rc_unsupported;
    }
    *ret_state = thread->idle                       ? OMP_STATE_idle
                 : flags.set & OMP_TASK_IN_TASKWAIT ? OMP_STATE_wait_taskwait
                                                    : OMP_STATE_wait_taskgroup;
    *ret_wait_id = 0;
    return ompd_rc_ok;
}

// Threads of the team that execute an explicit task now. The runtime's own counter leaves out those
// that execute one while they wait in a taskwait or taskgroup.
static ompd_rc_t
count_running(struct backend_state *state, taddr team, uint32_t size, int64_t *ret)
{
    *ret = 0;
    for (uint32_t i = 0; i < size; i++) {
        const struct gomp_member *member = gomp_find_member(&state->gomp, team, i);
        taddr task = 0;
        enum gomp_task_kind kind = GOMP_IMPLICIT;
        if (!member)
            continue;
        RC_TRY(libgomp_rc(gomp_member_task(&state->gomp, member, &task)));
        if (task != 0)
            RC_TRY(libgomp_rc(gomp_task_kind(&state->gomp, task, &kind)));
        *ret += kind != GOMP_IMPLICIT;
    }
    return ompd_rc_ok;
}

static ompd_rc_t
libgomp_task_counts(struct backend_state *state, const struct omp_object *region,
                    struct omp_task_counts *ret)
{
    struct gomp_team team;
    uint64_t queued = 0, all = 0;
    const struct gomp *gomp = &state->gomp;
    RC_TRY(libgomp_team(state, region, &team));
    if (region->detail != 0)
        return ompd_rc_unsupported;
    RC_TRY(libgomp_rc(gomp_read_field(gomp, team.addr, F(gomp_team, task_queued_count), &queued)));
    RC_TRY(libgomp_rc(gomp_read_field(gomp, team.addr, F(gomp_team, task_count), &all)));
    if (queued > all)
        return ompd_rc_error;
    ret->queued = (int64_t) queued;
    return count_running(state, team.addr, team.size, &ret->running);
}

const struct backend backend_libgomp = {
    .name = "libgomp",
    .detect = libgomp_detect,
    BACKEND_MEMBERS(libgomp),
    .scheduling_task = libgomp_scheduling_task,
    .task_flags = libgomp_task_flags,
    .task_counts = libgomp_task_counts,
};
