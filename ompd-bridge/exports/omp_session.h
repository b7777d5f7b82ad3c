// SPDX-License-Identifier: BSD-3-Clause
// The OpenMP side of one process, as the mqs_omp_* entry points need it.
#ifndef OMPD_BRIDGE_EXPORTS_OMP_SESSION_H
#define OMPD_BRIDGE_EXPORTS_OMP_SESSION_H

#include "mqs_omp.h"
#include "target/inferior.h"

/** The OpenMP runtime of one process and what was read of it.
 *
 * The inferior is shared with the message queue side: one snapshot, one trail. All functions but
 * _destroy() may be called in any order and at any time the process is stopped. They return what
 * mqs_omp.h says of their namesakes, and
 *   STATUS_ABSENT, with a message for the user: there is no OpenMP runtime that can be read
 *   STATUS_UNUSED, likewise: it has not started yet, or has ended
 *   STATUS_MISUSE  a `next` function without its set-up, a number that does not exist
 *   STATUS_UNREADABLE, STATUS_CORRUPT, STATUS_NOMEM
 */
struct omp_session;

/** Prepares; reads nothing. `inf` must outlive the result. @return NULL when there is no memory */
struct omp_session *omp_session_create(struct inferior *inf);

/** Frees all; NULL is fine. */
void omp_session_destroy(struct omp_session *omp);

/** Whether the OpenMP state of the process can be read.
 *
 * Searches again on every call until it can: the runtime may be loaded or started in between.
 * @param ret_message set in every case: NULL, or a text for the user that lives until the next call
 *                    with this process; it is plain text without any %
 * @return STATUS_ABSENT without a message when the process has no OpenMP runtime
 */
CHECKED enum status omp_session_has_openmp(struct omp_session *omp, const char **ret_message);

CHECKED enum status omp_session_get_info(struct omp_session *omp, mqs_omp_info *ret);

/** Refreshes the inferior, takes a snapshot and sets the iterator to the first thread.
 * When threads could be read only in part, the iterator gives what went wrong after the last one.
 */
CHECKED enum status omp_session_setup_thread_iterator(struct omp_session *omp);

/** Gives the next thread.
 * @return STATUS_END past the last; before it, once, the status of what hid a thread
 */
CHECKED enum status omp_session_next_thread(struct omp_session *omp, mqs_omp_thread *ret);

CHECKED enum status omp_session_setup_region_iterator(struct omp_session *omp, int thread);
CHECKED enum status omp_session_next_region(struct omp_session *omp, mqs_omp_region *ret);
CHECKED enum status omp_session_setup_task_iterator(struct omp_session *omp, int which, int number);
CHECKED enum status omp_session_next_task(struct omp_session *omp, mqs_omp_task *ret);
CHECKED enum status omp_session_setup_icv_iterator(struct omp_session *omp, int scope, int number);
CHECKED enum status omp_session_next_icv(struct omp_session *omp, mqs_omp_icv *ret);

/** @return STATUS_END past the last; the text lives until the next snapshot */
CHECKED enum status
omp_session_control_var(struct omp_session *omp, unsigned index, const char **ret);

/** @return STATUS_END past the last */
CHECKED enum status omp_session_breakpoint(struct omp_session *omp, unsigned index,
                                           const char **ret_name, taddr *ret_addr);

/** One message for the user: which OMPD library was refused and why, what could not be read.
 * @return NULL past the last; a text that lives until the next call with this process
 */
const char *omp_session_message(struct omp_session *omp, unsigned index);

#endif
