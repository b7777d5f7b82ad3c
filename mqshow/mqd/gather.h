// SPDX-License-Identifier: BSD-3-Clause
// Asking a library about one process, in the order of MQD 4.2.
#ifndef MQSHOW_MQD_GATHER_H
#define MQSHOW_MQD_GATHER_H

#include "mqshow/mqd/dll.h"
#include "mqshow/mqd/host.h"
#include "mqshow/report/report.h"
#include "mqshow/base/options.h"

/** One end of a message as a library tells it. */
struct envelope {
    int32_t peer;       // in the communicator
    int32_t world_peer; // in MPI_COMM_WORLD
    int32_t tag;
    int64_t bytes;
};

/** An operation as a library tells it. */
struct seen_operation {
    uint32_t known; // MQS_OP_*
    int status;     // enum mqs_status
    int kind;       // mqs_operation_kind
    bool any_tag, system_buffer, persistent, rendezvous, freed, blocked;
    struct envelope desired, actual;
    uint64_t request, buffer;
    int64_t count;
    char *datatype;   // escaped; NULL: it has no name
    const char *text; // escaped lines, each with its '\n'; NULL: none
};

struct gathering {
    const struct dll *dll;
    const struct options *options;
    struct mqs_process_ *process;
    struct report *report;
    bool queues_are_possible; // what gather_image() found
};

/** Prepares the image of a process; the process may run meanwhile. */
void gather_image(struct gathering *gathering);

/** Reads a process that stands still, after gather_image(). */
void gather_process(struct gathering *gathering);

/** Frees what the library keeps for the process and its image. */
void gather_end(struct gathering *gathering);

// Parts of it.

/** Adds the communicators and their queues. */
void gather_communicators(struct gathering *gathering);

/** Adds one queue of the current communicator. */
void gather_queue(struct gathering *gathering, struct communicator *comm, int op_class);

/** Adds an operation to a queue, what can be told of it. */
void gather_operation(struct operations *queue, const struct seen_operation *seen, int op_class);

/** Adds the numbers of messages to and from the processes of the current communicator. */
void gather_traffic(struct gathering *gathering, struct communicator *comm);

/** Adds the OpenMP threads, regions and tasks, and the variables that were asked for. */
void gather_openmp(struct gathering *gathering);

/** Adds the internal control variables of all that was found, or the display control variables. */
void gather_icvs(struct gathering *gathering);
void gather_control_vars(struct gathering *gathering);

/** Adds the rows of the struct layouts in use. */
void gather_layout(struct gathering *gathering);

/** Notes that a call failed. */
void gather_failure(struct gathering *gathering, const char *what, int code);

/** Adds a message of the library, a format with at most one %s for `name`. */
void gather_message(struct gathering *gathering, const char *format, const char *name, int code);

#endif
