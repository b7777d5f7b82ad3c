// SPDX-License-Identifier: BSD-3-Clause
// What an OMPT tool has attached to threads, regions and tasks of LLVM's runtime.
#include "ompd-bridge/libomp.h"

static taddr
of_region(const struct kmp *kmp, const struct libomp_region *region)
{
    const struct published *t = &kmp->table;
    taddr info =
        region->lwt != 0
            ? published_addr(t, region->lwt, OFFSET_ompt_lw_taskteam_t__ompt_team_info)
            : kmp_team_field(kmp, region->team.addr, OFFSET_kmp_base_team_t__ompt_team_info);
    return published_addr(t, info, OFFSET_ompt_team_info_t__parallel_data);
}

// Where the tool's data of an object is.
static ompd_rc_t
find_data(struct backend_state *state, enum omp_kind kind, const struct omp_object *object,
          taddr *ret)
{
    const struct kmp *kmp = &state->kmp;
    struct kmp_thread thread;
    struct libomp_region region;
    struct libomp_task task;
    ompd_rc_t rc = ompd_rc_bad_input;
    if (kind == OMP_THREAD) {
        rc = libomp_read_thread(state, object, &thread);
        *ret = published_addr(
            &kmp->table,
            kmp_thread_field(kmp, object->addr, OFFSET_kmp_base_info_t__ompt_thread_info),
            OFFSET_ompt_thread_info_t__thread_data);
    } else if (kind == OMP_PARALLEL) {
        rc = libomp_read_region(state, object, &region);
        if (rc == ompd_rc_ok)
            *ret = of_region(kmp, &region);
    } else if (kind == OMP_TASK) {
        rc = libomp_read_task(state, object, &task);
        if (rc == ompd_rc_ok)
            *ret = published_addr(&kmp->table, libomp_task_info(kmp, &task),
                                  OFFSET_ompt_task_info_t__task_data);
    }
    return rc;
}

// Unless the runtime keeps states, it does not even clear these members.
ompd_rc_t
libomp_tool_data(struct backend_state *state, enum omp_kind kind, const struct omp_object *object,
                 ompd_word_t *ret_value, taddr *ret_ptr)
{
    const struct kmp *kmp = &state->kmp;
    uint64_t value, ptr;
    taddr data;
    ompd_rc_t rc = find_data(state, kind, object, &data);
    if (rc != ompd_rc_ok)
        return rc;
    if (!libomp_tracks(state))
        return ompd_rc_unavailable;
    enum status status =
        published_read(&kmp->table, kmp->inf, data, OFFSET_ompt_data_t__value, &value);
    if (status == STATUS_OK)
        status = published_read(&kmp->table, kmp->inf, data, OFFSET_ompt_data_t__ptr, &ptr);
    if (status == STATUS_OK) {
        *ret_value = (ompd_word_t) value;
        *ret_ptr = ptr;
    }
    return code_of(status);
}
