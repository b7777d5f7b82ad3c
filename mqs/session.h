// SPDX-License-Identifier: BSD-3-Clause
// What the library hangs onto a debugger's process: what was read of it, and the iterators.
#ifndef MQS_SESSION_H
#define MQS_SESSION_H

#include "mqs/comm_table.h"
#include "mqs/image.h"
#include "mqs/messages.h"
#include "mqs/nonblocking.h"
#include "mqs/objects.h"
#include "mqs/op_table.h"

struct omp_session;

enum { SESSION_TEXT = 512 };

/** mqs_process_info of the debugger is a pointer to this.
 *
 * Everything read is valid from one refresh to the next. A refresh marks it stale; it is read anew
 * when it is first needed.
 */
struct session {
    unsigned interfaces; // of the debugger that use it, bits of enum interface
    struct mqs_host host;
    struct image *image;
    struct inferior inf;
    struct mpi mpi;
    struct omp_session *omp;
    struct messages messages;

    // Known from attaching.
    char version[32];
    char transport[32];
    char limit[SESSION_TEXT]; // what cannot be seen; "" when nothing is hidden
    enum status transport_status;
    unsigned hidden; // classes that cannot be seen, bits 1 << enum op_class

    // Known since the last refresh.
    bool comms_valid;
    enum status comms_status;
    struct comm_table comms;
    int64_t own; // rank in MPI_COMM_WORLD; NO_RANK: not known
    bool ops_valid;
    enum status ops_status;
    struct op_table ops;
    struct nonblocking_table nonblocking;

    // What was asked for last.
    struct found_list objects;
    struct found_list members;

    // Iterators.
    bool iterating;   // mqs_setup_communicator_iterator() was called
    uint32_t current; // number of the current communicator
    taddr current_addr;
    uint64_t current_id;
    bool op_iterating;
    enum op_class op_class;
    struct op_range range;
    enum status op_tail; // given after the last operation, once: what broke the walk
    bool have_op;        // `op` is what was given last
    struct op op;
    bool op_world; // its ranks in MPI_COMM_WORLD are known

    char text[SESSION_TEXT]; // message given to the debugger
};

/** @return STATUS_NOMEM, or STATUS_UNSUPPORTED when the host's data model is not one of C's */
CHECKED enum status session_create(struct image *image, mqs_process *process,
                                   const mqs_process_callbacks *calls, struct session **ret);

/** Frees the session; NULL is fine. */
void session_destroy(struct session *session);

/** What the library knows of a debugger's process; NULL before mqs_setup_process(), and when its
 * image was destroyed.
 */
struct session *session_of(mqs_process *process);

/** Finds out about the MPI library, unless that is done. */
CHECKED enum status session_attach(struct session *session);

/** Finds out what does the matching, and what cannot be seen for that reason; after attaching. */
CHECKED enum status session_read_transport(struct session *session);

/** Marks all that was read as stale. */
void session_refresh(struct session *session);

/** Reads the communicators, if they are stale, and finds the current one again.
 * @return STATUS_OK also when some could not be read: those that could are in the table, and the
 * others in the messages
 */
CHECKED enum status session_need_comms(struct session *session);

/** Reads the operations, if they are stale. */
CHECKED enum status session_need_ops(struct session *session);

/** Makes a communicator the current one. @param number may be the table's count: none is */
void session_select(struct session *session, uint32_t number);

/** The current communicator. @return NULL when the iterator is past the last */
const struct comm *session_current(struct session *session);

/** Ranks in MPI_COMM_WORLD of a group of the current communicator. What goes wrong is noted.
 * @return STATUS_CORRUPT also when this process is not where its communicator says */
CHECKED enum status
session_group(struct session *session, taddr group, int64_t size, struct group *ret);

/** Keeps what is in the trail as a message for the user. */
void session_note_trail(struct session *session, const char *what, enum status status);

#endif
