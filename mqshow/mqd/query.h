// SPDX-License-Identifier: BSD-3-Clause
// Queries a library about one process, in the order of MQD 4.2.
#ifndef MQSHOW_MQD_QUERY_H
#define MQSHOW_MQD_QUERY_H

#include "mqshow/mqd/dll.h"
#include "mqshow/mqd/host.h"
#include "mqshow/report/report.h"
#include "mqshow/base/options.h"

/** One end of a message as a library reports it. */
struct envelope {
    int32_t peer;       // in the communicator
    int32_t world_peer; // in MPI_COMM_WORLD
    int32_t tag;
    int64_t bytes;
};

/** An operation as a library reports it. */
struct seen_operation {
    uint32_t known; // MQS_OP_*
    int status;     // enum mqs_status
    int kind;       // mqs_operation_kind
    bool any_tag, system_buffer, persistent, rendezvous, freed, blocked, unseen;
    struct envelope desired, actual;
    uint64_t request, buffer;
    int64_t count;
    char *datatype;   // escaped; NULL: it has no name
    const char *text; // escaped lines, each with its '\n'; NULL: none
};

struct query {
    const struct dll *dll;
    const struct options *options;
    struct mqs_process_ *process;
    struct report *report;
    const struct layout_row
        *moved; // a member that is read elsewhere, to see what comes of it; NULL: none
    bool queues_are_possible; // what query_image() found
};

/** Prepares the image of a process; the process may run meanwhile. */
void query_image(struct query *query);

/** Reads a process that stands still, after query_image(); also again, of another moment. */
void query_process(struct query *query);

/** Frees what the library keeps for the process and its image. */
void query_end(struct query *query);

// Parts of it.

/** Adds the MPI library, and its communicators and queues. @return whether there are any */
bool query_queues(struct query *query);

/** Adds the struct layouts in use, and what confirms them in this process: of a built-in layout it
 * is read again and again, each time with a member elsewhere. After all else of the process was
 * read. */
void query_layout(struct query *query);

/** Adds the communicators and their queues. */
void query_communicators(struct query *query);

/** Adds one queue of the current communicator. */
void query_queue(struct query *query, struct communicator *comm, int op_class);

/** Adds an operation to a queue, what is known of it. */
void query_operation(struct operations *queue, const struct seen_operation *seen, int op_class);

/** Adds the OpenMP threads, regions and tasks, and the variables that were asked for. */
void query_openmp(struct query *query);

/** Adds the MPI objects that the options ask for. */
void query_handles(struct query *query);

/** Notes that a call failed. */
void query_add_failure(struct query *query, const char *what, int code);

/** Adds a message of the library, a format with at most one %s for `name`. */
void query_add_message(struct query *query, const char *format, const char *name, int code);

#endif
