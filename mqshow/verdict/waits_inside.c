// SPDX-License-Identifier: BSD-3-Clause
// What the threads of one process wait for from each other: barriers of parallel regions, locks.
#include "mqshow/base/alloc.h"
#include "mqshow/verdict/waits.h"

#include <stdlib.h>
#include <string.h>

/** Whether two threads of a process are in the same parallel region, as far as is known. */
static bool
share_region(const struct jobview *view, uint32_t a, uint32_t b)
{
    const mqs_omp_thread *one = view->threads[a].openmp, *other = view->threads[b].openmp;
    return one != NULL && other != NULL && (one->known & other->known & MQS_OMP_REGION) != 0 &&
           one->region != MQS_OMP_NONE && one->region == other->region;
}

/** A node for the barrier that a thread is at: those of its team who are not there.
 *
 * Who of the team is in an inner region is not looked for: any thread of the process may be.
 */
static uint32_t
region_node(struct waits *waits, uint32_t number)
{
    const struct jobview *view = waits->view;
    const struct jv_process *process = &view->processes[view->threads[number].process];
    const mqs_omp_thread *thread = view->threads[number].openmp;
    bool has_team = thread != NULL && (thread->known & MQS_OMP_TEAM_SIZE) != 0;
    int64_t team = has_team && thread->team_size > 0 ? thread->team_size : 0;
    int64_t found = 0;
    uint32_t node = graph_add(&waits->graph, WHAT_REGION, number, false);
    for (uint32_t i = process->first_thread; i < process->first_thread + process->n_threads; i++) {
        enum doing doing = waits->situations[i].doing;
        if (!share_region(view, number, i))
            continue;
        found++;
        if (doing != DOING_BARRIER && doing != DOING_IDLE && doing != DOING_HELP)
            graph_connect(&waits->graph, node, waits->first_thread + i);
    }
    if (found < team || team == 0)
        graph_connect(&waits->graph, node, view->threads[number].process);
    return node;
}

/** The node of the barrier of a thread's region, made once for each region. */
static uint32_t
barrier_node(struct waits *waits, uint32_t number, uint32_t *nodes)
{
    const struct jobview *view = waits->view;
    uint32_t first = view->processes[view->threads[number].process].first_thread;
    for (uint32_t i = first; i < number; i++)
        if (nodes[i] != 0 && share_region(view, i, number))
            return nodes[i];
    return region_node(waits, number);
}

void
waits_add_inside(struct waits *waits)
{
    const struct jobview *view = waits->view;
    uint32_t *nodes = alloc_zeroed(view->n_threads, sizeof *nodes);
    for (uint32_t i = 0; i < view->n_threads; i++) {
        uint32_t node = waits->first_thread + i;
        if (waits->situations[i].doing == DOING_BARRIER) {
            nodes[i] = barrier_node(waits, i, nodes);
            graph_connect(&waits->graph, node, nodes[i]);
        } else if (waits->situations[i].doing == DOING_LOCK) {
            graph_connect(&waits->graph, node, view->threads[i].process);
        }
    }
    free(nodes);
}
