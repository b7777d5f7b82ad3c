// SPDX-License-Identifier: BSD-3-Clause
// What the native reader of LLVM's runtime says of tasks.
#include "ompd-bridge/libomp.h"

ompd_rc_t
libomp_task_parallel(struct backend_state *state, const struct omp_object *object,
                     struct omp_object *ret)
{
    struct libomp_task task;
    ompd_rc_t rc = libomp_read_task(state, object, &task);
    if (rc == ompd_rc_ok)
        *ret = (struct omp_object){task.region.team.addr, task.region.lwt};
    return rc;
}

// Implicit tasks of serialised regions hang on the team's own one, from the inside out; explicit
// ones belong to the innermost region.
ompd_rc_t
libomp_generating_task(struct backend_state *state, const struct omp_object *object,
                       struct omp_object *ret)
{
    struct libomp_task task;
    taddr lwt = 0;
    ompd_rc_t rc = libomp_read_task(state, object, &task);
    if (rc != ompd_rc_ok)
        return rc;
    if (kmp_task_is_implicit(&state->kmp, &task.task))
        rc = code_of(kmp_lwt_next(&state->kmp, &task.region.team, task.region.lwt, &lwt));
    if (rc != ompd_rc_ok)
        return rc;
    if (lwt != 0)
        return libomp_task_object(state, task.task.addr, lwt, ret);
    return task.task.parent == 0 ? ompd_rc_unavailable
                                 : libomp_task_object(state, task.task.parent, 0, ret);
}

// The runtime clears this member of an explicit task only while it keeps states. Implicit tasks
// interrupt none.
ompd_rc_t
libomp_scheduling_task(struct backend_state *state, const struct omp_object *object,
                       struct omp_object *ret)
{
    const struct kmp *kmp = &state->kmp;
    struct libomp_task task;
    taddr interrupted;
    ompd_rc_t rc = libomp_read_task(state, object, &task);
    if (rc != ompd_rc_ok)
        return rc;
    if (kmp_task_is_implicit(kmp, &task.task))
        return ompd_rc_unavailable;
    if (!libomp_tracks(state))
        return ompd_rc_needs_state_tracking;
    enum status status = published_read(&kmp->table, kmp->inf, libomp_task_info(kmp, &task),
                                        OFFSET_ompt_task_info_t__scheduling_parent, &interrupted);
    if (status != STATUS_OK)
        return code_of(status);
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
    const struct published *t = &kmp->table;
    taddr behind = task->task.addr + t->values[SIZEOF_kmp_taskdata_t];
    *ret = 0;
    if (!kmp_task_is_implicit(kmp, &task->task))
        return published_read(t, kmp->inf, behind, OFFSET_kmp_task_t__routine, ret);
    if (task->region.lwt != 0 || task->region.team.size == 1)
        return STATUS_OK;
    return published_read(t, kmp->inf,
                          published_addr(t, task->region.team.addr, OFFSET_kmp_team_p__t),
                          OFFSET_kmp_base_team_t__t_pkfn, ret);
}

ompd_rc_t
libomp_task_function(struct backend_state *state, const struct omp_object *object, taddr *ret)
{
    struct libomp_task task;
    taddr function = 0;
    ompd_rc_t rc = libomp_read_task(state, object, &task);
    if (rc == ompd_rc_ok)
        rc = code_of(read_function(&state->kmp, &task, &function));
    if (rc == ompd_rc_ok && function == 0)
        return ompd_rc_unavailable;
    if (rc == ompd_rc_ok)
        *ret = function;
    return rc;
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
read_frame(const struct kmp *kmp, taddr frame, enum published_entry field, unsigned number,
           ompd_frame_info_t *ret)
{
    const struct published *t = &kmp->table;
    uint64_t addr, flags = 0;
    uint64_t behind = t->values[OFFSET_ompt_frame_t__enter_frame] +
                      t->values[WIDTH_ompt_frame_t__enter_frame] +
                      (uint64_t) number * FRAME_FLAGS_WIDTH;
    TRY(published_read(t, kmp->inf, frame, field, &addr));
    if (behind + FRAME_FLAGS_WIDTH <= t->values[WIDTH_ompt_task_info_t__frame])
        TRY(inferior_read_uint(kmp->inf, frame + behind, FRAME_FLAGS_WIDTH, &flags));
    *ret = (ompd_frame_info_t){.frame_address = {0, addr},
                               .frame_flag = addr == 0 ? 0 : flags_of(flags)};
    return STATUS_OK;
}

ompd_rc_t
libomp_task_frame(struct backend_state *state, const struct omp_object *object,
                  ompd_frame_info_t *ret_exit, ompd_frame_info_t *ret_enter)
{
    const struct kmp *kmp = &state->kmp;
    struct libomp_task task;
    ompd_frame_info_t leave, enter;
    ompd_rc_t rc = libomp_read_task(state, object, &task);
    if (rc != ompd_rc_ok)
        return rc;
    if (!libomp_tracks(state))
        return ompd_rc_needs_state_tracking;
    taddr frame =
        published_addr(&kmp->table, libomp_task_info(kmp, &task), OFFSET_ompt_task_info_t__frame);
    enum status status = read_frame(kmp, frame, OFFSET_ompt_frame_t__exit_frame, 0, &leave);
    if (status == STATUS_OK)
        status = read_frame(kmp, frame, OFFSET_ompt_frame_t__enter_frame, 1, &enter);
    if (status == STATUS_OK) {
        *ret_exit = leave;
        *ret_enter = enter;
    }
    return code_of(status);
}

ompd_rc_t
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
    ompd_rc_t rc = libomp_read_task(state, object, &task);
    if (rc != ompd_rc_ok)
        return rc;
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
