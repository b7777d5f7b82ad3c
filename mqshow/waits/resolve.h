// SPDX-License-Identifier: BSD-3-Clause
// What the stacks of a process say of its report: its threads, what they wait for, the functions of
// regions.
#ifndef MQSHOW_WAITS_RESOLVE_H
#define MQSHOW_WAITS_RESOLVE_H

#include "mqs.h"

struct dll;
struct image;
struct report;
struct threads;

/** Adds what stacks and memory say, after the queues were read; the process may run again if its
 * stacks were copied.
 * @param dll the library, which knows the process
 */
void resolve_stacks(struct report *report, struct threads *threads, struct image *image,
                    const struct dll *dll, mqs_process *process);

/** Adds functions and lines, and the threads to the report, after resolve_stacks(); the process may
 * run. */
void resolve_addresses(struct report *report, struct threads *threads, const struct image *image);

#endif
