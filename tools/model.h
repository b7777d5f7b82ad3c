// SPDX-License-Identifier: BSD-3-Clause
// What was seen of a process: plain data, complete before anything is printed, so that the process
// goes on while its output waits for a reader. Texts are escaped already.
#ifndef TOOLS_MODEL_H
#define TOOLS_MODEL_H

#include "mqs_ext.h"
#include "tools/openmp.h"
#include "tools/operations.h"
#include "tools/state.h"
#include "tools/threads.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct json_t;

struct queue {
    bool known;      // the library can show it
    bool incomplete; // there may be more than these
    struct operations operations;
};

/** Numbers of messages to and from a process, modulo 65536. */
struct traffic {
    int rank; // in MPI_COMM_WORLD
    int sent, received;
};

struct communicator {
    char *name;
    char *label;   // what people read; NULL: not known yet
    bool left_out; // was not asked for
    uint64_t id;
    int64_t size;
    int64_t rank;
    uint32_t known; // MQS_COMM_*
    bool inter;
    bool freed;
    int64_t remote_size;
    uint64_t address;        // of the object
    int *group;              // `size` ranks; NULL: not known
    int *remote_group;       // likewise, `remote_size` ranks
    struct traffic *traffic; // with those that there was any; NULL: not known
    size_t n_traffic;
    struct queue queues[QUEUES]; // by mqs_op_class
    uint32_t collectives;        // 1 << mqs_comm_class of those in progress
    struct coll_peer {
        int comm_class, peer;
    } * coll_peers; // whom this process waits for in them, where all are known
    size_t n_coll_peers, coll_peers_capacity;
};

/** A report about one process. */
struct report {
    pid_t pid;
    int rank;
    char *world; // which MPI_COMM_WORLD the rank counts in; NULL: there is but one
    char *host;  // where it runs; NULL: on this machine
    char *image;
    char *core;         // path of the core it was read from; NULL: none
    struct state state; // before it was stopped to be read
    int64_t stopped_us; // for how long it stood still; 0: not known
    bool has_mpi;
    char *implementation, *version, *layout, *transport; // NULL: not known
    int phase;                                           // mqs_mpi_phase
    bool has_progress;
    uint64_t progress; // as of mqs_get_mpi_progress()
    struct communicator *comms;
    size_t n_comms, comms_capacity;
    struct threads threads;
    bool has_openmp;
    struct openmp omp;
    char **messages; // what could not be shown, and other remarks
    size_t n_messages, messages_capacity;
    bool incomplete;         // something could not be shown
    char *layout_rows;       // for --print-layout; NULL: none
    struct json_t *document; // what another mqshow made of it, which may tell more; NULL: none
};

/** Adds a message, once, taking it over. */
void report_message(struct report *report, char *message);

/** Like report_message() for something that could not be shown. */
void report_problem(struct report *report, char *message);

/** Forgets the messages, and that something could not be shown. */
void report_forget_messages(struct report *report);

/** Whether there is anything to show. */
bool report_has_something(const struct report *report);

/** Takes the labels of the communicators from the process in the document of the reports. */
void report_set_labels(struct report *report, const struct json_t *process);

/** What people read for a communicator. */
const char *communicator_label(const struct communicator *comm);

/** Frees all of it. */
void report_deinit(struct report *report);

/** Name of a queue for people, of a collective. */
const char *queue_name(int op_class);
const char *collective_name(int comm_class);

#endif
