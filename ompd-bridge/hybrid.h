// SPDX-License-Identifier: BSD-3-Clause
// The OpenMP side of one process, as the mqs_omp_* entry points need it.
#ifndef OMPD_BRIDGE_HYBRID_H
#define OMPD_BRIDGE_HYBRID_H

#include "mqs_omp.h"
#include "target/inferior.h"

/** The OpenMP runtime of one process and all that was seen of it.
 *
 * The inferior is shared with the message queue side: one snapshot, one trail. All functions but
 * _destroy() may be called in any order and at any time the process is stopped. They return what
 * mqs_omp.h says of their namesakes, and
 *   STATUS_ABSENT, with a message for the user: there is no OpenMP runtime, it has not started yet,
 *                  or is none that can be read
 *   STATUS_MISUSE  a `next` function without its set-up, a number that does not exist
 *   STATUS_UNREADABLE, STATUS_CORRUPT, STATUS_NOMEM
 */
struct omp_process;

/** Prepares; reads nothing. `inf` must outlive the result. @return NULL when there is no memory */
struct omp_process *omp_process_create(struct inferior *inf);

/** Frees all; NULL is fine. */
void omp_process_destroy(struct omp_process *omp);

/** Whether the OpenMP state of the process can be read.
 *
 * Looks again on every call until it can: the runtime may be loaded or started in between.
 * @param ret_message set in every case: NULL, or a text for the user that lives until the next call
 *                    with this process; it is plain text without any %
 * @return STATUS_ABSENT without a message when the process has no OpenMP runtime
 */
CHECKED enum status omp_process_has_openmp(struct omp_process *omp, const char **ret_message);

CHECKED enum status omp_process_get_info(struct omp_process *omp, mqs_omp_info *ret);

/** Refreshes the inferior, looks anew and sets the iterator to the first thread.
 * When threads could be read only in part, the iterator gives what went wrong after the last one.
 */
CHECKED enum status omp_process_setup_thread_iterator(struct omp_process *omp);

/** Gives the next thread.
 * @return STATUS_END past the last; before it, once, the status of what hid a thread
 */
CHECKED enum status omp_process_next_thread(struct omp_process *omp, mqs_omp_thread *ret);

CHECKED enum status omp_process_setup_region_iterator(struct omp_process *omp, int thread);
CHECKED enum status omp_process_next_region(struct omp_process *omp, mqs_omp_region *ret);
CHECKED enum status omp_process_setup_task_iterator(struct omp_process *omp, int which, int number);
CHECKED enum status omp_process_next_task(struct omp_process *omp, mqs_omp_task *ret);
CHECKED enum status omp_process_setup_icv_iterator(struct omp_process *omp, int scope, int number);
CHECKED enum status omp_process_next_icv(struct omp_process *omp, mqs_omp_icv *ret);

/** @return STATUS_END past the last; the text lives until the next look */
CHECKED enum status
omp_process_control_var(struct omp_process *omp, unsigned index, const char **ret);

/** @return STATUS_END past the last */
CHECKED enum status omp_process_breakpoint(struct omp_process *omp, unsigned index,
                                           const char **ret_name, taddr *ret_addr);

/** One thing to tell the user: which OMPD library was refused and why, what could not be read.
 * @return NULL past the last; a text that lives until the next call with this process
 */
const char *omp_process_message(struct omp_process *omp, unsigned index);

#endif
