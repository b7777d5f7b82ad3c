// SPDX-License-Identifier: BSD-3-Clause
// Sends, unexpected messages and receives put together as MPI would match them.
#ifndef MQSHOW_VERDICT_MATCH_H
#define MQSHOW_VERDICT_MATCH_H

#include "mqshow/verdict/traffic.h"

/** Sets fate, certain, match, paired and too_long of all operations. */
void match_all(struct job_index *job, const struct channels *channels);

#endif
