// SPDX-License-Identifier: BSD-3-Clause
// What holds of every operation, whatever the MPI: values that break it were read by the layout of
// another release, or are damaged.
#ifndef MQS_OP_RULES_H
#define MQS_OP_RULES_H

#include "mqs/adapter.h"

/** Checks the members of an operation that are known.
 * @return STATUS_CORRUPT when one cannot be; the trail says which */
CHECKED enum status op_check(struct trail *trail, const struct comm *comm, const struct op *op);

#endif
