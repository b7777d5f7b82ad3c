// SPDX-License-Identifier: BSD-3-Clause
// The wait-for graph of one process without MPI.
#include "mqshow/html/thread_graph.h"

#include "mqshow/base/alloc.h"
#include "mqshow/report/place.h"
#include "mqshow/verdict/thread_cause.h"
#include "mqshow/verdict/thread_text.h"

#include <stdlib.h>

enum { MANY_THREADS = 24 }; // more cannot be read

/** What is known while the graph is made. */
struct search {
    const struct verdict *verdict;
    struct drawn_graph *graph;
    int32_t *nodes; // by thread; NOBODY: none yet
    int32_t *next;  // by thread: the one that it waits for in a cycle; NOBODY
};

static char *
text_of(void (*add)(const struct verdict *, struct strbuf *, uint32_t),
        const struct verdict *verdict, uint32_t thread)
{
    struct strbuf words = {.text = NULL};
    add(verdict, &words, thread);
    return strbuf_take(&words);
}

/** The node of a thread, a new one if need be. */
static size_t
node_of(struct search *search, uint32_t thread)
{
    struct clusters *nodes = &search->graph->nodes;
    const struct verdict *verdict = search->verdict;
    if (search->nodes[thread] == NOBODY) {
        const struct thread_record *record = verdict->job.threads[thread].record;
        char *wait = verdict_waits_inside(verdict, thread)
                         ? text_of(verdict_add_wait, verdict, thread)
                         : NULL;
        search->nodes[thread] = (int32_t) nodes->count;
        *ALLOC_ADD(nodes->items, nodes->count, nodes->capacity) = (struct cluster){
            .count = 1,
            .thread = text_of(verdict_add_thread_name, verdict, thread),
            .wait = wait,
            .inside = wait,
            .frame = place_of(record).frame,
            .kind = search->next[thread] != NOBODY ? KIND_CYCLE
                    : wait                         ? KIND_WAITS
                                                   : KIND_RUNS,
        };
    }
    return (size_t) search->nodes[thread];
}

static void
add_wait(void *context, const struct wait *wait)
{
    struct search *search = context;
    struct drawn_graph *graph = search->graph;
    for (size_t i = 0; i < wait->n_threads && graph->nodes.count <= MANY_THREADS; i++) {
        int32_t next = search->next[wait->thread];
        struct drawn_edge edge = {.from = node_of(search, (uint32_t) wait->thread),
                                  .to = node_of(search, wait->threads[i]),
                                  .any = wait->any && wait->n_threads > 1,
                                  .cycle = next == (int32_t) wait->threads[i]};
        *ALLOC_ADD(graph->edges, graph->n_edges, graph->edges_capacity) = edge;
    }
}

static void
mark_cycles(const struct search *search)
{
    const struct verdict *verdict = search->verdict;
    for (size_t i = 0; i < verdict->knots.count; i++) {
        size_t count = 0;
        uint32_t *threads = knot_is_inside(verdict, &verdict->knots.items[i])
                                ? thread_knot_chain(verdict, &verdict->knots.items[i], &count)
                                : NULL;
        for (size_t k = 0; k < count; k++)
            search->next[threads[k]] = (int32_t) threads[(k + 1) % count];
        free(threads);
    }
}

static int32_t *
nobody(size_t count)
{
    int32_t *ret = alloc_zeroed(count + 1, sizeof *ret);
    for (size_t i = 0; i < count; i++)
        ret[i] = NOBODY;
    return ret;
}

bool
thread_graph_make(struct drawn_graph *graph, const struct verdict *verdict)
{
    const struct job_index *job = &verdict->job;
    if (!job->is_plain || job->n_processes != 1)
        return false;
    struct search search = {verdict, graph, nobody(job->n_threads), nobody(job->n_threads)};
    mark_cycles(&search);
    wait_list_each(verdict, add_wait, &search);
    free(search.nodes);
    free(search.next);
    bool fits = graph->nodes.count > 0 && graph->nodes.count <= MANY_THREADS;
    if (!fits) {
        clusters_free(&graph->nodes);
        graph->nodes = (struct clusters){.items = NULL};
        graph->n_edges = 0;
    }
    return fits;
}
