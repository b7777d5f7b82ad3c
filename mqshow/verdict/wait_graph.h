// SPDX-License-Identifier: BSD-3-Clause
// Who waits for whom: the graph of processes, threads, operations and collectives.
#ifndef MQSHOW_VERDICT_WAIT_GRAPH_H
#define MQSHOW_VERDICT_WAIT_GRAPH_H

#include "mqshow/verdict/collectives.h"
#include "mqshow/verdict/nonblocking.h"

enum what {
    WHAT_PROCESS,     // number: of the process. Any of its threads that may call MPI may act
    WHAT_INSIDE,      // of the process. Any of its threads may act, as those that wait in it need
    WHAT_THREAD,      // of the thread
    WHAT_QUEUES,      // of a process whose threads are not known: what it waits for
    WHAT_OPERATION,   // of the operation
    WHAT_COLLECTIVE,  // of the collective
    WHAT_NONBLOCKING, // of the nonblocking collective in one process
    WHAT_PART,        // of the same: it or its process may send what others need in it
    WHAT_MEMBERS,     // of the communicator: any of its processes may send
    WHAT_REGION,      // of a thread in a parallel region: all of its team come to the barrier
    WHAT_HOLDER,      // of a thread that waits for a lock: whoever of several threads holds it
    WHAT_WORLD,       // of the world: its processes that have not called MPI_Init, or MPI_Finalize
    WHAT_UNSEEN       // 0: somebody who was not read, or something that is not known
};

enum node_state {
    NODE_WAITS,
    NODE_RUNNABLE, // whatever the others do
    NODE_RESTS,    // a thread that may go on whatever the others do, and perhaps does nothing then
    NODE_UNKNOWN   // nobody can tell
};

struct node {
    uint32_t what, number; // enum what, and of which one
    uint32_t first, count; // edges
    uint8_t state;         // enum node_state
    bool any;              // one of the edges suffices
    bool perhaps_all;      // or all are needed: nobody can tell
};

struct edge {
    uint32_t from, to;
};

struct graph {
    struct node *nodes;
    struct edge *edges; // by node once it is complete
    size_t n_nodes, n_edges, nodes_capacity, edges_capacity;
};

/** Adds a node and gives its number. */
uint32_t graph_add(struct graph *graph, uint32_t what, uint32_t number, bool any);

/** @param from waits for @param to */
void graph_connect(struct graph *graph, uint32_t from, uint32_t to);

/** What is taken to go on of the nodes of which that is not known. */
enum { GOES_ON_UNKNOWN = 1, GOES_ON_RESTS = 2 };

/** Finds the nodes that can never go on, in linear time.
 * @param goes_on which of the nodes do of which nobody can tell, or'ed
 * @param parts a number for each node, to see which can never go on for others of their number
 * alone, and for what rests: all else goes on, and of the nodes of NO_COMPONENT what does not wait
 * for what rests; NULL: they are all of one
 * @param ret a mark for each node */
void graph_reduce(const struct graph *graph, unsigned goes_on, const uint32_t *parts, bool *ret);

enum { NO_COMPONENT = 0xffffffff };

/** An operation that a thread waits for, or a process whose threads are not known. */
struct awaited {
    int32_t thread; // NOBODY: not known which
    uint32_t process, op;
    const struct nonblocking *collective; // in the place of `op`; NULL: none
    bool is_part;        // or its call consists of a collective, where it waits for
    uint32_t peer, comm; // that process in that communicator
};

struct waits {
    struct job_index *job;
    struct thread_activity *activities; // by thread
    struct collectives collectives;
    struct nonblockings nonblockings;
    struct graph graph;
    struct awaited *awaited; // by process
    size_t n_awaited, awaited_capacity;
    uint32_t first_inside; // node of WHAT_INSIDE of process 0; those of WHAT_PROCESS begin at 0
    uint32_t first_thread, unseen; // nodes: of thread 0, and of WHAT_UNSEEN
    uint32_t *members;             // node of WHAT_MEMBERS by communicator; 0: none
    bool *blocked;                 // by node: can never go on, if all does that is in `goes_on`
    unsigned goes_on;
};

/** After match_all(). Adds to what could not be seen. */
void waits_init(struct waits *waits, struct job_index *job);
void waits_deinit(struct waits *waits);

/** Node of a thread. */
const struct node *waits_thread(const struct waits *waits, uint32_t thread);

/** The node of WHAT_WORLD that a thread in MPI_Init or MPI_Finalize waits for, whose edges lead to
 * the processes that have not called it; NULL: it waits for none. */
const struct node *waits_world(const struct waits *waits, uint32_t thread);

/** The operation that is awaited; NULL: something else is. */
const struct job_op *waits_op(const struct waits *waits, const struct awaited *awaited);

/** Index of the first awaited operation of a process. */
size_t waits_of_process(const struct waits *waits, uint32_t process);

/** Connects the threads that wait for operations. */
void waits_add_messages(struct waits *waits);

/** Connects the threads that wait for other threads of their process. */
void waits_add_threads(struct waits *waits);

/** Connects the threads that wait in the system with the processes that they wait for. */
void waits_add_outside(struct waits *waits);

/** Whether any other thread of its process may end what a thread waits for. */
bool waits_for_anyone(const struct waits *waits, uint32_t thread);

/** The threads that a thread waits for inside of its process, in rising order, each once, as far as
 * they are known, to free(). @param ret_any whether one of them, nobody can tell which, is enough
 */
uint32_t *
waits_needed(const struct waits *waits, uint32_t thread, size_t *ret_count, bool *ret_any);

#endif
