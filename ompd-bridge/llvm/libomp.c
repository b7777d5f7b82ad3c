// SPDX-License-Identifier: BSD-3-Clause
// The native reader of LLVM's OpenMP runtime: answers from the runtime's memory alone.
#include "ompd-bridge/llvm/libomp.h"

#include "ompd-bridge/llvm/kmp_settings.h"
#include "ompd-bridge/states.h"

#include <stdio.h>
#include <string.h>

static enum status
libomp_refresh(struct backend_state *state)
{
    state->knows_tracking = false;
    return kmp_refresh(&state->kmp);
}

static enum status
libomp_open(struct inferior *inf, struct diagnostics *diagnostics, struct backend_state **ret)
{
    struct backend_state *state = inferior_alloc(inf, sizeof(*state));
    if (!state)
        return trail_begin(&inf->trail, STATUS_NOMEM, "%s", status_text(STATUS_NOMEM));
    memset(state, 0, sizeof(*state));
    state->diagnostics = diagnostics;
    enum status status = kmp_find(inf, &state->kmp);
    if (status == STATUS_OK)
        *ret = state;
    else
        inferior_free(inf, state);
    return status;
}

static void
libomp_close(struct backend_state *state)
{
    if (state)
        inferior_free(state->kmp.inf, state);
}

enum { USUAL_VERSION = 201611 }; // that all known releases name, yyyymm

static int64_t
find_version(const struct kmp *kmp)
{
    taddr addr;
    uint64_t version;
    if (inferior_symbol(kmp->inf, "__kmp_openmp_version", &addr) == STATUS_OK)
        return inferior_read_uint(kmp->inf, addr, 4, &version) == STATUS_OK ? (int64_t) version : 0;
    return kmp->release[0] != '\0' ? USUAL_VERSION : 0;
}

// The state in the record of a thread, whether it is kept up to date or not.
static enum status
read_state(const struct kmp *kmp, taddr thread, uint64_t *ret_state, uint64_t *ret_wait_id)
{
    TRY(kmp_get(kmp, thread, OFFSET_ompt_thread_info_t__state, ret_state));
    return kmp_get(kmp, thread, OFFSET_ompt_thread_info_t__wait_id, ret_wait_id);
}

// Without OMP_DEBUG the runtime keeps states when a tool is loaded in it. Nothing readable says so,
// but then some thread is in a state that the runtime does not set otherwise.
static bool
shows_tracking(const struct kmp *kmp)
{
    for (uint32_t i = 0; i < kmp->capacity; i++) {
        struct kmp_thread thread;
        uint64_t state, wait_id;
        if (kmp_read_thread(kmp, i, &thread) == STATUS_OK &&
            read_state(kmp, thread.addr, &state, &wait_id) == STATUS_OK &&
            state >= OMP_STATE_wait_barrier && state != OMP_STATE_undefined &&
            omp_state_valid((int64_t) state))
            return true;
    }
    return false;
}

// Whether the runtime keeps states; may read all threads, once after a refresh.
static bool
is_tracking(struct backend_state *state)
{
    if (state->knows_tracking)
        return state->tracking;
    state->knows_tracking = true;
    if (state->kmp.table.builtin) // where a tool's records are, the process does not confirm
        return state->tracking = false;
    if (kmp_read_tracking(&state->kmp, &state->tracking) != STATUS_OK || !state->tracking)
        state->tracking = shows_tracking(&state->kmp);
    return state->tracking;
}

// Why what only a runtime that keeps states writes is not known: some keep them on request.
static ompd_rc_t
untracked(const struct backend_state *state)
{
    return state->kmp.table.builtin ? ompd_rc_unsupported : ompd_rc_needs_state_tracking;
}

static enum status
libomp_info(struct backend_state *state, struct omp_info *ret)
{
    memset(ret, 0, sizeof(*ret));
    snprintf(ret->runtime, sizeof(ret->runtime), "LLVM OpenMP");
    snprintf(ret->release, sizeof(ret->release), "%s", state->kmp.release);
    const char *builtin = state->kmp.table.builtin;
    snprintf(ret->backend, sizeof(ret->backend), "libomp %s%s",
             builtin ? "built-in layout " : "table", builtin ? builtin : "");
    ret->tracking = is_tracking(state);
    ret->version = find_version(&state->kmp);
    return STATUS_OK;
}

// Threads

static enum status
libomp_threads(struct backend_state *state, struct object_sink *sink)
{
    for (uint32_t i = 0; i < state->kmp.capacity; i++) {
        struct kmp_thread thread;
        enum status status = kmp_read_thread(&state->kmp, i, &thread);
        if (status == STATUS_OK) {
            struct omp_object object = {thread.addr, i};
            TRY(sink->emit(sink, &object));
        } else if (status != STATUS_ABSENT) {
            diagnostics_add(state->diagnostics, "%s", trail_text(&state->kmp.inf->trail));
            sink->broken(sink, status);
        }
    }
    return STATUS_OK;
}

static struct omp_thread_id
id_of(const struct kmp *kmp, const struct kmp_thread *thread)
{
    struct omp_thread_id id = {.pthread = thread->pthread};
    if (thread->pthread != 0 && kmp->has_nptl &&
        nptl_tid(&kmp->nptl, kmp->inf, thread->pthread, &id.tid) != STATUS_OK)
        id.tid = 0;
    return id;
}

static bool
has_id(const struct kmp *kmp, const struct kmp_thread *thread, ompd_thread_id_t kind, uint64_t id)
{
    if (kind == OMPD_THREAD_ID_PTHREAD)
        return thread->pthread == id;
    return (uint64_t) id_of(kmp, thread).tid == id;
}

// Debuggers ask for one thread after the other, so the search begins where the last one ended.
static ompd_rc_t
libomp_find_thread(struct backend_state *state, ompd_thread_id_t kind, uint64_t id,
                   struct omp_object *ret)
{
    const struct kmp *kmp = &state->kmp;
    if ((kind != OMPD_THREAD_ID_PTHREAD && kind != OMPD_THREAD_ID_LWP) ||
        (kind == OMPD_THREAD_ID_LWP && !kmp->has_nptl))
        return ompd_rc_unsupported;
    for (uint32_t i = 0; i < kmp->capacity && id != 0; i++) {
        uint32_t place = (state->found + i) % kmp->capacity;
        struct kmp_thread thread;
        if (kmp_read_thread(kmp, place, &thread) == STATUS_OK && has_id(kmp, &thread, kind, id)) {
            *ret = (struct omp_object){thread.addr, place};
            state->found = place;
            return ompd_rc_ok;
        }
    }
    return ompd_rc_unavailable;
}

// A host that names one of the runtime's own variables has its table of symbols, and so all names.
static const char *
libomp_own_variable(struct backend_state *state)
{
    return state->kmp.named_capacity != 0 ? "__kmp_gtid" : NULL;
}

// It has the thread's place in the array; a negative one in threads that are not of OpenMP.
static ompd_rc_t
libomp_thread_of_variable(struct backend_state *state, taddr variable, struct omp_object *ret)
{
    struct kmp_thread thread;
    uint64_t place;
    RC_TRY(rc_of(inferior_read_uint(state->kmp.inf, variable, 4, &place)));
    if (place >= state->kmp.capacity)
        return ompd_rc_unavailable;
    enum status status = kmp_read_thread(&state->kmp, (uint32_t) place, &thread);
    *ret = (struct omp_object){thread.addr, place};
    return status == STATUS_ABSENT ? ompd_rc_unavailable : rc_of(status);
}

static ompd_rc_t
libomp_thread_id(struct backend_state *state, const struct omp_object *object,
                 struct omp_thread_id *ret)
{
    struct kmp_thread thread;
    RC_TRY(libomp_read_thread(state, object, &thread));
    *ret = id_of(&state->kmp, &thread);
    return ompd_rc_ok;
}

static ompd_rc_t
libomp_thread_state(struct backend_state *state, const struct omp_object *object,
                    ompd_word_t *ret_state, ompd_wait_id_t *ret_wait_id)
{
    struct kmp_thread thread;
    uint64_t number;
    RC_TRY(libomp_read_thread(state, object, &thread));
    if (!is_tracking(state))
        return untracked(state);
    RC_TRY(rc_of(read_state(&state->kmp, object->addr, &number, ret_wait_id)));
    *ret_state = (ompd_word_t) number;
    return omp_state_valid(*ret_state) ? ompd_rc_ok : ompd_rc_error;
}

ompd_rc_t
libomp_curr_parallel(struct backend_state *state, const struct omp_object *object,
                     struct omp_object *ret)
{
    struct kmp_thread thread;
    struct kmp_team team;
    bool in_team;
    RC_TRY(libomp_read_thread(state, object, &thread));
    if (thread.team == 0)
        return ompd_rc_unavailable;
    RC_TRY(rc_of(kmp_read_team(&state->kmp, thread.team, &team)));
    RC_TRY(rc_of(kmp_in_team(&state->kmp, &thread, &team, &in_team)));
    *ret = (struct omp_object){.addr = team.addr};
    return in_team ? ompd_rc_ok : ompd_rc_unavailable;
}

ompd_rc_t
libomp_curr_task(struct backend_state *state, const struct omp_object *object,
                 struct omp_object *ret)
{
    struct omp_object region;
    taddr task;
    RC_TRY(libomp_curr_parallel(state, object, &region));
    RC_TRY(
        rc_of(kmp_get(&state->kmp, object->addr, OFFSET_kmp_base_info_t__th_current_task, &task)));
    return libomp_task_object(state, task, 0, ret);
}

// Regions

static ompd_rc_t
libomp_enclosing_parallel(struct backend_state *state, const struct omp_object *object,
                          struct omp_object *ret)
{
    struct libomp_region region;
    struct kmp_team parent;
    taddr lwt;
    RC_TRY(libomp_read_region(state, object, &region));
    RC_TRY(rc_of(kmp_lwt_next(&state->kmp, &region.team, region.lwt, &lwt)));
    if (lwt != 0)
        return libomp_region_object(state, region.team.addr, lwt, ret);
    if (region.team.parent == 0)
        return ompd_rc_unavailable;
    RC_TRY(rc_of(kmp_read_parent(&state->kmp, &region.team, &parent)));
    return libomp_region_object(state, parent.addr, 0, ret);
}

// The region that has a thread of that number.
static ompd_rc_t
read_region_with(struct backend_state *state, const struct omp_object *object, int num,
                 struct libomp_region *ret)
{
    RC_TRY(libomp_read_region(state, object, ret));
    return num >= 0 && num < libomp_region_size(ret) ? ompd_rc_ok : ompd_rc_bad_input;
}

static ompd_rc_t
libomp_thread_in_parallel(struct backend_state *state, const struct omp_object *object, int num,
                          struct omp_object *ret)
{
    struct libomp_region region;
    taddr thread;
    RC_TRY(read_region_with(state, object, num, &region));
    RC_TRY(rc_of(kmp_team_member(&state->kmp, &region.team, num, &thread)));
    return libomp_thread_object(state, thread, ret);
}

static ompd_rc_t
libomp_task_in_parallel(struct backend_state *state, const struct omp_object *object, int num,
                        struct omp_object *ret)
{
    struct libomp_region region;
    taddr task;
    RC_TRY(read_region_with(state, object, num, &region));
    RC_TRY(rc_of(kmp_implicit_task(&state->kmp, &region.team, num, &task)));
    return libomp_task_object(state, task, region.lwt, ret);
}

// Tasks

static ompd_rc_t
libomp_task_parallel(struct backend_state *state, const struct omp_object *object,
                     struct omp_object *ret)
{
    struct libomp_task task;
    RC_TRY(libomp_read_task(state, object, &task));
    *ret = (struct omp_object){task.region.team.addr, task.region.lwt};
    return ompd_rc_ok;
}

// Implicit tasks of serialised regions hang on the team's own one, from the inside out; explicit
// ones belong to the innermost region.
static ompd_rc_t
libomp_generating_task(struct backend_state *state, const struct omp_object *object,
                       struct omp_object *ret)
{
    struct libomp_task task;
    taddr lwt = 0;
    RC_TRY(libomp_read_task(state, object, &task));
    if (kmp_task_is_implicit(&state->kmp, &task.task))
        RC_TRY(rc_of(kmp_lwt_next(&state->kmp, &task.region.team, task.region.lwt, &lwt)));
    if (lwt != 0)
        return libomp_task_object(state, task.task.addr, lwt, ret);
    return task.task.parent == 0 ? ompd_rc_unavailable
                                 : libomp_task_object(state, task.task.parent, 0, ret);
}

// The runtime clears this member of an explicit task only while it keeps states. Implicit tasks
// interrupt none.
static ompd_rc_t
libomp_scheduling_task(struct backend_state *state, const struct omp_object *object,
                       struct omp_object *ret)
{
    struct libomp_task task;
    taddr interrupted;
    RC_TRY(libomp_read_task(state, object, &task));
    if (kmp_task_is_implicit(&state->kmp, &task.task))
        return ompd_rc_unavailable;
    if (!is_tracking(state))
        return untracked(state);
    RC_TRY(rc_of(kmp_get(&state->kmp, object->addr, OFFSET_ompt_task_info_t__scheduling_parent,
                         &interrupted)));
    if (interrupted == 0)
        return ompd_rc_unavailable;
    return interrupted == object->addr ? ompd_rc_error
                                       : libomp_task_object(state, interrupted, 0, ret);
}

// The function behind an explicit task's record. That of a region stands in its team, but not when
// it is serialised: then nobody writes it, and an earlier region's may stand there.
static enum status
read_function(const struct kmp *kmp, const struct libomp_task *task, taddr *ret)
{
    taddr behind = task->task.addr + kmp->table.values[SIZEOF_kmp_taskdata_t];
    *ret = 0;
    if (!kmp_task_is_implicit(kmp, &task->task))
        return kmp_get(kmp, behind, OFFSET_kmp_task_t__routine, ret);
    if (task->region.lwt != 0 || task->region.team.size == 1)
        return STATUS_OK;
    return kmp_get(kmp, task->region.team.addr, OFFSET_kmp_base_team_t__t_pkfn, ret);
}

static ompd_rc_t
libomp_task_function(struct backend_state *state, const struct omp_object *object, taddr *ret)
{
    struct libomp_task task;
    RC_TRY(libomp_read_task(state, object, &task));
    RC_TRY(rc_of(read_function(&state->kmp, &task, ret)));
    return *ret ? ompd_rc_ok : ompd_rc_unavailable;
}

enum { FRAME_FLAGS_WIDTH = 4 };

// OMPT's flags of a frame: whose it is, and what of it the address is. The runtime does not set
// them in serialised regions, nor clears them, so that what cannot be flags is none.
static ompd_word_t
flags_of(uint64_t value)
{
    enum { APPLICATION = 0x01, CFA = 0x10, FRAME_POINTER = 0x20, STACK_ADDRESS = 0x30 };
    uint64_t position = value & ~(uint64_t) APPLICATION;
    bool known = position == CFA || position == FRAME_POINTER || position == STACK_ADDRESS;
    return known ? (ompd_word_t) value : 0;
}

// OMPT's header fixes what is in its frame record: two addresses, then the flags of each.
static enum status
read_frame(const struct kmp *kmp, const struct libomp_task *task, enum published_entry field,
           unsigned number, ompd_frame_info_t *ret)
{
    const struct published *t = &kmp->table;
    taddr frame = libomp_task_info(kmp, task, OFFSET_ompt_task_info_t__frame);
    uint64_t addr, flags = 0;
    uint64_t behind = t->values[OFFSET_ompt_frame_t__enter_frame] +
                      t->values[WIDTH_ompt_frame_t__enter_frame] +
                      (uint64_t) number * FRAME_FLAGS_WIDTH;
    TRY(inferior_read_uint(kmp->inf, frame + t->values[field],
                           (size_t) t->values[field + PUBLISHED_FIELDS], &addr));
    if (behind + FRAME_FLAGS_WIDTH <= t->values[WIDTH_ompt_task_info_t__frame])
        TRY(inferior_read_uint(kmp->inf, frame + behind, FRAME_FLAGS_WIDTH, &flags));
    *ret = (ompd_frame_info_t){.frame_address = {0, addr},
                               .frame_flag = addr == 0 ? 0 : flags_of(flags)};
    return STATUS_OK;
}

static ompd_rc_t
libomp_task_frame(struct backend_state *state, const struct omp_object *object,
                  ompd_frame_info_t *ret_exit, ompd_frame_info_t *ret_enter)
{
    const struct kmp *kmp = &state->kmp;
    struct libomp_task task;
    RC_TRY(libomp_read_task(state, object, &task));
    if (!is_tracking(state))
        return untracked(state);
    RC_TRY(rc_of(read_frame(kmp, &task, OFFSET_ompt_frame_t__exit_frame, 0, ret_exit)));
    return rc_of(read_frame(kmp, &task, OFFSET_ompt_frame_t__enter_frame, 1, ret_enter));
}

static ompd_rc_t
libomp_task_flags(struct backend_state *state, const struct omp_object *object,
                  struct omp_task_flags *ret)
{
    static const struct {
        unsigned flag;
        enum published_entry published;
        bool inverse;
        bool of_implicit;
    } flags[] = {
        {OMP_TASK_IMPLICIT, FLAG_tasktype, true, true},
        {OMP_TASK_UNTIED, FLAG_tiedness, true, true},
        {OMP_TASK_FINAL, FLAG_final, false, true},
        {OMP_TASK_UNDEFERRED, FLAG_task_serial, false, false},
        {OMP_TASK_STARTED, FLAG_started, false, true},
        {OMP_TASK_COMPLETE, FLAG_complete, false, true},
    };
    const struct kmp *kmp = &state->kmp;
    struct libomp_task task;
    RC_TRY(libomp_read_task(state, object, &task));
    *ret = (struct omp_task_flags){0};
    for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]); i++) {
        bool set = kmp_task_is(kmp, &task.task, flags[i].published) != flags[i].inverse;
        if (!flags[i].of_implicit && kmp_task_is_implicit(kmp, &task.task))
            continue;
        ret->known |= flags[i].flag;
        ret->set |= set ? flags[i].flag : 0;
    }
    return ompd_rc_ok;
}

// Unless the runtime keeps states, it does not even clear these members.
static ompd_rc_t
libomp_tool_data(struct backend_state *state, enum omp_kind kind, const struct omp_object *object,
                 ompd_word_t *ret_value, taddr *ret_ptr)
{
    uint64_t value;
    taddr data;
    RC_TRY(libomp_tool_data_at(state, kind, object, &data));
    if (!is_tracking(state))
        return ompd_rc_unavailable;
    RC_TRY(rc_of(kmp_get(&state->kmp, data, OFFSET_ompt_data_t__value, &value)));
    *ret_value = (ompd_word_t) value;
    return rc_of(kmp_get(&state->kmp, data, OFFSET_ompt_data_t__ptr, ret_ptr));
}

static ompd_rc_t
libomp_control_vars(struct backend_state *state, struct text_sink *sink)
{
    enum status status = kmp_control_vars(&state->kmp, sink);
    return status == STATUS_UNSUPPORTED ? ompd_rc_unavailable : rc_of(status);
}

const struct backend backend_libomp = {
    .name = "libomp table",
    .detect = kmp_detect,
    BACKEND_MEMBERS(libomp),
    .own_variable = libomp_own_variable,
    .thread_of_variable = libomp_thread_of_variable,
    .scheduling_task = libomp_scheduling_task,
    .task_frame = libomp_task_frame,
    .control_vars = libomp_control_vars,
    .tool_data = libomp_tool_data,
    .task_flags = libomp_task_flags,
};
