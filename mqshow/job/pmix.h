// SPDX-License-Identifier: BSD-3-Clause
// The processes of a job of PRRTE (Open MPI 5 and later), whose starter has no MPIR_proctable: by
// the tool interface of PMIx.
#ifndef MQSHOW_JOB_PMIX_H
#define MQSHOW_JOB_PMIX_H

#include "mqshow/process/child.h"

/** Whether a process is a starter of PRRTE with ranks on other machines: what runs below it says
 * nothing of these. @param below its descendants */
bool pmix_is_needed(pid_t starter, const pid_t *below, size_t n_below);

/** Asks a starter in a child, which libpmix may block or crash: its packet has what a
 * proctable's has, an array of entries and one more.
 * @return NULL, or why it has no packet, to free(); the child is to be killed in both cases
 */
char *pmix_ask(struct child *child, pid_t starter);

#endif
