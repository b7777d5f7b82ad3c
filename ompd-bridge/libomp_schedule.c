// SPDX-License-Identifier: BSD-3-Clause
// The text of run-sched-var.
#include "ompd-bridge/libomp_icv.h"

#include <inttypes.h>
#include <stdio.h>

// Bits beside the kind; the kinds are the runtime's interface to compilers.
enum { MONOTONIC = 1 << 29, NONMONOTONIC = 1 << 30 };

static const struct {
    const char *name; // of no kind: NULL
    bool has_chunk;
} kinds[] = {
    [33] = {"static", true},  [34] = {"static", false},      [35] = {"dynamic", true},
    [36] = {"guided", true},  [38] = {"auto", true},         [39] = {"trapezoidal", true},
    [40] = {"static", false}, [41] = {"static", false},      [42] = {"guided", true},
    [43] = {"guided", true},  [44] = {"static_steal", true},
};

static ompd_rc_t
print(int32_t type, int32_t chunk, size_t size, char *ret)
{
    uint32_t kind = (uint32_t) type & ~(uint32_t) (MONOTONIC | NONMONOTONIC);
    if (kind >= sizeof(kinds) / sizeof(kinds[0]) || !kinds[kind].name)
        return ompd_rc_error;
    snprintf(ret, size, "%s%s,%" PRId32,
             type & MONOTONIC      ? "monotonic:"
             : type & NONMONOTONIC ? "nonmonotonic:"
                                   : "",
             kinds[kind].name, kinds[kind].has_chunk ? chunk : 0);
    return ompd_rc_ok;
}

ompd_rc_t
libomp_schedule_text(const struct icv_question *question, size_t size, char *ret)
{
    const struct kmp *kmp = &question->state->kmp;
    struct libomp_task task;
    uint64_t type, chunk;
    ompd_rc_t rc = libomp_read_task(question->state, question->object, &task);
    if (rc != ompd_rc_ok)
        return rc;
    taddr schedule = kmp_task_icv(kmp, task.task.addr, OFFSET_kmp_internal_control_t__sched);
    enum status status =
        published_read(&kmp->table, kmp->inf, schedule, OFFSET_kmp_r_sched_t__r_sched_type, &type);
    if (status == STATUS_OK)
        status =
            published_read(&kmp->table, kmp->inf, schedule, OFFSET_kmp_r_sched_t__chunk, &chunk);
    return status == STATUS_OK ? print((int32_t) type, (int32_t) chunk, size, ret)
                               : code_of(status);
}
