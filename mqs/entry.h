// SPDX-License-Identifier: BSD-3-Clause
// Shared by the files that hold the exported functions.
#ifndef MQS_ENTRY_H
#define MQS_ENTRY_H

#include "mqs/session.h"

#define EXPORT __attribute__((visibility("default")))

/** The result that a status is to a debugger. */
int entry_result(enum status status);

/** Sets up an image for an interface; for another one than before it is the same. @return
 * STATUS_MISUSE, STATUS_NOMEM */
CHECKED enum status
entry_setup_image(mqs_image *image, const mqs_image_callbacks *cb, enum interface interface);

/** Sets up a process, after its image. */
CHECKED enum status entry_setup_process(mqs_process *process, const mqs_process_callbacks *cb,
                                        enum interface interface);

/** The end of an interface's use of a process; NULL is fine. */
void entry_leave_process(struct session *session, enum interface interface);

/** The session of a process whose library is known. After the process has run, what was read of it
 * is stale: a debugger says so by mqs_update_communicator_list() or mqs_process_has_queues().
 * @return STATUS_MISUSE before the process is set up */
CHECKED enum status entry_attached(mqs_process *process, struct session **ret);

/** What a handle is. @param kind, form of mqs_object_kind, mqs_handle_form
 * @return STATUS_ABSENT: none of this kind */
CHECKED enum status
entry_query(struct session *session, int kind, int form, uint64_t value, struct object *ret);

/** The session of a process and its current communicator.
 * @return STATUS_MISUSE before the process or the iterator is set up, STATUS_END past the last
 */
CHECKED enum status
entry_current(mqs_process *process, struct session **ret_session, const struct comm **ret_comm);

/** Copies a message for the debugger to print with at most one %s in it: there is none.
 * @return `to`, or NULL when the text is empty
 */
char *entry_message(char *to, size_t size, const char *text);

#endif
