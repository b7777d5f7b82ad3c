// SPDX-License-Identifier: BSD-3-Clause
// What the processes are in the graph, and ranks in the same situation as one node of it.
#ifndef MQSHOW_HTML_CLUSTER_H
#define MQSHOW_HTML_CLUSTER_H

#include "mqshow/verdict/verdict.h"
#include "mqshow/verdict/wait_list.h"

enum kind { KIND_UNKNOWN, KIND_RUNS, KIND_MPI, KIND_WAITS, KIND_CYCLE, KINDS };

/** A process with a label; what is not known of it is NULL. Texts are the document's. */
struct rank_state {
    const struct process_entry *process;
    int32_t label;
    bool waits;                           // for another process
    char *inside;                         // what a thread waits for that another one of it has
    const struct job_thread *thread;      // that waits, or else that is in MPI, or else any
    const struct collective *not_entered; // by this rank while others wait in it
    const char *call;
    const char *state; // unless it goes on as usual
    enum kind kind;
    uint64_t waits_hash; // equal for equal waits
    size_t cycle;        // place of the first knot that it is on the cycle of, or SIZE_MAX
};

struct rank_states {
    struct rank_state *items; // in the order of their labels
    size_t count;
    size_t *of; // by process: its place in `items`, or `count`
};

struct rank_states rank_states_find(const struct verdict *verdict);

void rank_states_free(struct rank_states *all);

/** Equal for waits for the same processes. */
uint64_t wait_hash(const struct wait *wait);

/** Ranks that are drawn as one. What differs between them is NULL. */
struct cluster {
    size_t count;
    const char *call, *inside, *state;
    const struct frame_record *frame;
    const struct collective *not_entered;
    enum kind kind;
    char *ranks, *place, *entry; // as graph_write() has them; by graph_make()
    char *thread, *wait;         // of a node that is one thread: its name, the text of `inside`
    double x, y, w, h;           // by graph_lay_out()
};

struct clusters {
    struct cluster *items;
    size_t count, capacity;
    size_t *of; // cluster of each rank
};

/** Divides the ranks into nodes, of which there are few however many the ranks are. A small job has
 * a node for each rank; ranks of short cycles always have their own.
 */
struct clusters clusters_find(const struct rank_states *all);

void clusters_free(struct clusters *clusters);

#endif
