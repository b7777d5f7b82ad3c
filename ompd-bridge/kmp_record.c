// SPDX-License-Identifier: BSD-3-Clause
// Who a thread is, and that it is idle.
#include "ompd-bridge/kmp_record.h"

#include "ompd-bridge/states.h"

#include <string.h>

const char kmp_note_tracking[] = "needs OMP_DEBUG=enabled";

void
kmp_start_record(const struct kmp *kmp, taddr pthread, struct omp_thread *ret)
{
    memset(ret, 0, sizeof(*ret));
    ret->note = "";
    if (pthread == 0)
        return;
    ret->pthread = pthread;
    ret->known |= OMP_KNOWS_PTHREAD;
    if (!kmp->has_nptl)
        ret->note = "the C library does not tell thread ids";
    else if (nptl_tid(&kmp->nptl, kmp->inf, pthread, &ret->tid) == STATUS_OK)
        ret->known |= OMP_KNOWS_TID;
}

void
kmp_record_idle(struct omp_thread *ret)
{
    ret->state = OMP_STATE_idle;
    ret->known |= OMP_KNOWS_STATE;
}
