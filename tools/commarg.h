// SPDX-License-Identifier: BSD-3-Clause
// The communicator that a call is given, as its arguments tell.
#ifndef TOOLS_COMMARG_H
#define TOOLS_COMMARG_H

struct image;
struct report;

/** Finds the communicators of the calls that threads are in, after awaits_gather(); the process
 * must stand still, and its communicators have been read. What is not known stays 0.
 */
void commarg_gather(struct report *report, const struct image *image);

#endif
