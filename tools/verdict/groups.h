// SPDX-License-Identifier: BSD-3-Clause
// Groups of processes as runs of ranks that rise by one; equal groups are kept once.
#ifndef TOOLS_VERDICT_GROUPS_H
#define TOOLS_VERDICT_GROUPS_H

#include "mqs_ext.h"
#include "tools/verdict/intern.h"

#include <jansson.h>
#include <stdbool.h>

enum { GROUP_MEMBERS_MAX = 1 << 24 };

/** Number of the group in an array of ranks, and of texts "first-last" for runs of them.
 * @return -1 when it makes no sense
 */
int32_t group_read(struct intern *groups, const json_t *array);

/** Rank in MPI_COMM_WORLD of the i-th member; -1: none, or a process of another job. */
int64_t group_rank(const struct intern *groups, uint32_t group, int64_t i);

/** Whether there are processes of other jobs among the members. */
bool group_has_others(const struct intern *groups, uint32_t group);

/** The members in ascending order, as labels want them; the runs to free(). */
mqs_ranks group_ranks(const struct intern *groups, uint32_t group);

/** Number of members. */
int64_t group_size(const struct intern *groups, uint32_t group);

#endif
