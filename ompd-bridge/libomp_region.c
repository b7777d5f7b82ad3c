// SPDX-License-Identifier: BSD-3-Clause
// What the native reader of LLVM's runtime says of parallel regions.
#include "ompd-bridge/libomp.h"

ompd_rc_t
libomp_enclosing_parallel(struct backend_state *state, const struct omp_object *object,
                          struct omp_object *ret)
{
    struct libomp_region region;
    struct kmp_team parent;
    taddr lwt;
    ompd_rc_t rc = libomp_read_region(state, object, &region);
    if (rc != ompd_rc_ok)
        return rc;
    enum status status = kmp_lwt_next(&state->kmp, &region.team, region.lwt, &lwt);
    if (status == STATUS_OK && lwt == 0 && region.team.parent == 0)
        return ompd_rc_unavailable;
    if (status == STATUS_OK && lwt == 0)
        status = kmp_read_parent(&state->kmp, &region.team, &parent);
    if (status != STATUS_OK)
        return code_of(status);
    return libomp_region_object(state, lwt != 0 ? region.team.addr : parent.addr, lwt, ret);
}

ompd_rc_t
libomp_thread_in_parallel(struct backend_state *state, const struct omp_object *object, int num,
                          struct omp_object *ret)
{
    struct libomp_region region;
    taddr thread;
    ompd_rc_t rc = libomp_read_region(state, object, &region);
    if (rc != ompd_rc_ok)
        return rc;
    if (num < 0 || num >= libomp_region_size(&region))
        return ompd_rc_bad_input;
    enum status status = kmp_team_member(&state->kmp, &region.team, num, &thread);
    return status == STATUS_OK ? libomp_thread_object(state, thread, ret) : code_of(status);
}

ompd_rc_t
libomp_task_in_parallel(struct backend_state *state, const struct omp_object *object, int num,
                        struct omp_object *ret)
{
    struct libomp_region region;
    taddr task;
    ompd_rc_t rc = libomp_read_region(state, object, &region);
    if (rc != ompd_rc_ok)
        return rc;
    if (num < 0 || num >= libomp_region_size(&region))
        return ompd_rc_bad_input;
    enum status status = kmp_implicit_task(&state->kmp, &region.team, num, &task);
    return status == STATUS_OK ? libomp_task_object(state, task, region.lwt, ret) : code_of(status);
}
