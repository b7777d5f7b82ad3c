// SPDX-License-Identifier: BSD-3-Clause
// The processes of groups and windows, as the library explains their handles.
#ifndef MQSHOW_WAITS_HANDLE_PARTNERS_H
#define MQSHOW_WAITS_HANDLE_PARTNERS_H

#include "mqshow/stack/threads.h"
#include "mqshow/waits/request_handles.h"

/** Adds the ranks in MPI_COMM_WORLD of all processes of a group, in ascending order; nothing where
 * one of them is not known. */
void partners_of_group(const struct request_handles *handles, uint64_t group, struct partners *ret);

/** Likewise, of all but the own process of a window.
 * @param window NULL: of any of the windows
 * @param exposed of the group of the window's exposure epoch only, where that is known
 */
void partners_of_window(const struct request_handles *handles, const uint64_t *window, bool exposed,
                        struct partners *ret);

/** Rank in MPI_COMM_WORLD of a rank of a window; -1: not known. */
int32_t
partner_in_window(const struct request_handles *handles, const mqs_object *window, int rank);

#endif
