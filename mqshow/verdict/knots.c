// SPDX-License-Identifier: BSD-3-Clause
// Knots: sets of processes that wait for each other and for nobody else that could help.
#include "mqshow/verdict/knots.h"

#include "mqshow/base/alloc.h"
#include "mqshow/base/search.h"

#include <stdlib.h>
#include <string.h>

// Strongly connected components of the blocked nodes, by Tarjan's algorithm without recursion.

struct search {
    const struct graph *graph;
    const bool *blocked; // by node
    uint32_t *component; // of each node that is done
    uint32_t *number;    // from 1 in the order of first visit; 0: not visited
    uint32_t *low;       // the lowest number that can be reached
    uint32_t *edge;      // the next edge to follow
    uint32_t *path;      // nodes being visited
    uint32_t *open;      // visited and in no component yet
    size_t n_path, n_open;
    uint32_t visited, found;
};

static void
enter(struct search *search, uint32_t node)
{
    search->number[node] = search->low[node] = ++search->visited;
    search->edge[node] = search->graph->nodes[node].first;
    search->path[search->n_path++] = node;
    search->open[search->n_open++] = node;
}

static bool
waits_for_itself(const struct graph *graph, uint32_t number)
{
    const struct node *node = &graph->nodes[number];
    for (uint32_t i = node->first; i < node->first + node->count; i++)
        if (graph->edges[i].to == number)
            return true;
    return false;
}

/** Takes the component that begins with this node off the open ones. */
static void
close_component(struct search *search, uint32_t node)
{
    bool single = search->open[search->n_open - 1] == node;
    bool is_cycle = !single || waits_for_itself(search->graph, node);
    uint32_t member;
    do {
        member = search->open[--search->n_open];
        search->component[member] = is_cycle ? search->found : NO_COMPONENT;
        search->edge[member] = NO_COMPONENT; // done
    } while (member != node);
    search->found += is_cycle;
}

static void
lower(uint32_t *low, uint32_t other)
{
    if (other < *low)
        *low = other;
}

/** Follows the next edge of the innermost node, or leaves it. */
static void
step(struct search *search)
{
    uint32_t node = search->path[search->n_path - 1];
    const struct node *record = &search->graph->nodes[node];
    if (search->edge[node] < record->first + record->count) {
        uint32_t to = search->graph->edges[search->edge[node]++].to;
        if (!search->blocked[to])
            return;
        if (search->number[to] == 0)
            enter(search, to);
        else if (search->edge[to] != NO_COMPONENT)
            lower(&search->low[node], search->number[to]);
        return;
    }
    search->n_path--;
    if (search->n_path > 0)
        lower(&search->low[search->path[search->n_path - 1]], search->low[node]);
    if (search->low[node] == search->number[node])
        close_component(search, node);
}

/** Takes the component number of each node that is blocked and on some cycle; NO_COMPONENT: none.
 * @return the components' number */
static uint32_t
components_find(const struct waits *waits, uint32_t *ret)
{
    size_t count = waits->graph.n_nodes;
    uint32_t *all = alloc_zeroed(5 * count, sizeof *all);
    struct search search = {.graph = &waits->graph,
                            .blocked = waits->blocked,
                            .component = ret,
                            .number = all,
                            .low = all + count,
                            .edge = all + 2 * count,
                            .path = all + 3 * count,
                            .open = all + 4 * count};
    memset(ret, 0xff, count * sizeof *ret);
    for (uint32_t i = 0; i < count; i++) {
        if (waits->blocked[i] && search.number[i] == 0)
            enter(&search, i);
        while (search.n_path > 0)
            step(&search);
    }
    free(all);
    return search.found;
}

// What is found in a component.

/** How gladly a cycle goes through a node: other processes rather than the threads of one. */
static int
rate(const struct waits *waits, const struct node *node)
{
    if (node->what == WHAT_REGION || node->what == WHAT_HOLDER || node->what == WHAT_INSIDE)
        return 1;
    if (node->what != WHAT_THREAD)
        return 2;
    enum doing doing = waits->activities[node->number].doing;
    return doing == DOING_LOCK ? 0 : doing == DOING_BARRIER || doing == DOING_TASKS ? 1 : 2;
}

/** Where a cycle goes on within its component. @param from the process that it is in */
static uint32_t
next_of(const struct waits *waits, const uint32_t *component, uint32_t number, uint32_t from)
{
    const struct graph *graph = &waits->graph;
    const struct node *node = &graph->nodes[number];
    uint32_t best = number;
    int best_rate = -1;
    for (uint32_t i = node->first; i < node->first + node->count; i++) {
        uint32_t to = graph->edges[i].to;
        int rated = to == from ? 0 : rate(waits, &graph->nodes[to]);
        if (component[to] == component[number] && rated > best_rate) {
            best = to;
            best_rate = rated;
        }
    }
    return best;
}

/** Walks from a node of a knot of `size` nodes until it comes around. The cycle begins with its
 * process of the lowest number. @param step all 0 */
static void
find_cycle(const struct waits *waits, const uint32_t *component, uint32_t start, size_t size,
           uint32_t *step, struct knot *ret)
{
    const struct node *nodes = waits->graph.nodes;
    uint32_t node = start, process = NO_COMPONENT, lowest = UINT32_MAX;
    uint32_t *path = alloc_zeroed(size, sizeof *path);
    size_t count = 0, best = 0;
    for (; step[node] == 0; node = next_of(waits, component, node, process)) {
        if (nodes[node].what == WHAT_PROCESS)
            process = node;
        path[count++] = node;
        step[node] = (uint32_t) count;
    }
    size_t first = step[node] - 1;
    ret->n_cycle = count - first;
    ret->cycle = alloc_zeroed(ret->n_cycle, sizeof *ret->cycle);
    ret->ring = alloc_zeroed(ret->n_cycle, sizeof *ret->ring);
    for (size_t i = 0; i < ret->n_cycle; i++) {
        const struct node *at = &nodes[path[first + i]];
        if (at->what != WHAT_PROCESS || at->number >= lowest)
            continue;
        lowest = at->number;
        best = i;
    }
    for (size_t i = 0; i < ret->n_cycle; i++) {
        ret->cycle[i] = path[first + (best + i) % ret->n_cycle];
        if (nodes[ret->cycle[i]].what == WHAT_PROCESS)
            ret->ring[ret->n_ring++] = nodes[ret->cycle[i]].number;
    }
    for (size_t i = 0; i < count; i++)
        step[path[i]] = 0;
    free(path);
}

/** Whether a thread waits for what another one holds: it would hold it, if it were about to go on.
 */
static bool
waits_for_holder(const struct job_index *job, const struct job_thread *thread)
{
    const struct omp_wait_record *wait = thread_wait(job, thread);
    return !thread->call && wait && HAS(wait, OMP_WAIT_HOLDER) &&
           wait->holder != thread->openmp->number;
}

static bool
is_certain_thread(const struct waits *waits, uint32_t number)
{
    const struct job_thread *thread = &waits->job->threads[number];
    return waits->job->processes[thread->process].settled ||
           (HAS(thread->record, THREAD_SETTLED) && thread->record->settled) ||
           waits->activities[number].doing == DOING_MESSAGES ||
           waits_for_holder(waits->job, thread);
}

/** Whoever has not begun one is known; that its messages have not come proves nothing yet. */
static bool
is_certain_nonblocking(const struct job_index *job, const struct nonblocking *item)
{
    return !nonblocking_is_unmatched(item) || job->processes[item->process].settled;
}

/** Whether a node of a knot waits for sure, whatever is on its way and whoever was read first.
 * Of a process that several samples saw do the same, everything is sure. */
static bool
is_certain(const struct waits *waits, const struct node *node)
{
    const struct job_index *job = waits->job;
    switch (node->what) {
    case WHAT_PROCESS:
    case WHAT_INSIDE:
        return job->processes[node->number].settled || job->processes[node->number].has_threads;
    case WHAT_THREAD:
        return is_certain_thread(waits, node->number);
    case WHAT_OPERATION:
        return job->processes[job->ops[node->number].process].settled ||
               job->ops[node->number].certain;
    case WHAT_NONBLOCKING:
        return is_certain_nonblocking(job, &waits->nonblockings.items[node->number]);
    case WHAT_COLLECTIVE:
    case WHAT_PART:
    case WHAT_MEMBERS:
    case WHAT_REGION:
    case WHAT_HOLDER:
        return true; // as sure as the processes in them
    default:
        return false;
    }
}

/** Of threads that wait for each other and for no process, those that they are of. */
static void
add_processes_of_threads(const struct waits *waits, struct knot *knot)
{
    size_t kept = 0;
    for (size_t i = 0; i < knot->n_cycle; i++) {
        const struct node *node = &waits->graph.nodes[knot->cycle[i]];
        if (node->what != WHAT_THREAD)
            continue;
        uint32_t process = waits->job->threads[node->number].process;
        knot->processes[knot->n_processes++] = process;
        if (knot->n_ring == 0 || knot->ring[knot->n_ring - 1] != process)
            knot->ring[knot->n_ring++] = process;
    }
    if (knot->n_ring > 1 && knot->ring[knot->n_ring - 1] == knot->ring[0])
        knot->n_ring--;
    if (knot->n_processes > 0)
        qsort(knot->processes, knot->n_processes, sizeof *knot->processes, compare_int32);
    for (size_t i = 0; i < knot->n_processes; i++)
        if (i == 0 || knot->processes[i] != knot->processes[i - 1])
            knot->processes[kept++] = knot->processes[i];
    knot->n_processes = kept;
}

static void
finish_knot(const struct waits *waits, const uint32_t *component, const uint32_t *nodes,
            size_t count, uint32_t *step, struct knot *knot)
{
    *knot = (struct knot){.certain = true};
    knot->processes = alloc_zeroed(count, sizeof *knot->processes);
    for (size_t i = 0; i < count; i++) {
        const struct node *node = &waits->graph.nodes[nodes[i]];
        if (node->what == WHAT_PROCESS)
            knot->processes[knot->n_processes++] = node->number;
        knot->certain &= is_certain(waits, node);
    }
    find_cycle(waits, component, nodes[0], count, step, knot);
    if (knot->n_processes == 0)
        add_processes_of_threads(waits, knot);
}

static int
compare_knots(const void *left, const void *right)
{
    const struct knot *a = left, *b = right;
    return COMPARE(
        {a->n_processes > 0 ? a->processes[0] : 0, b->n_processes > 0 ? b->processes[0] : 0});
}

void
knots_init(struct knots *knots, const struct waits *waits)
{
    size_t n_nodes = waits->graph.n_nodes;
    uint32_t *component = alloc_zeroed(n_nodes, sizeof *component);
    uint32_t *step = alloc_zeroed(n_nodes, sizeof *step);
    bool *held = alloc_zeroed(n_nodes, sizeof *held);
    uint32_t count = components_find(waits, component);
    struct by_key nodes;
    *knots = (struct knots){.items = NULL};
    graph_reduce(&waits->graph, waits->goes_on, component, held);
    for (size_t i = 0; i < n_nodes; i++)
        component[i] = held[i] ? component[i] : NO_COMPONENT;
    by_key_init(&nodes, component, sizeof *component, 0, n_nodes, count);
    for (uint32_t i = 0; i < count; i++)
        if (nodes.first[i] < nodes.first[i + 1])
            finish_knot(waits, component, nodes.items + nodes.first[i],
                        nodes.first[i + 1] - nodes.first[i], step,
                        ALLOC_ADD(knots->items, knots->count, knots->capacity));
    if (knots->count > 0)
        qsort(knots->items, knots->count, sizeof *knots->items, compare_knots);
    by_key_deinit(&nodes);
    free(held);
    free(step);
    free(component);
}

void
knots_deinit(struct knots *knots)
{
    for (size_t i = 0; i < knots->count; i++) {
        free(knots->items[i].cycle);
        free(knots->items[i].ring);
        free(knots->items[i].processes);
    }
    free(knots->items);
}

bool
knot_has(const struct knot *knot, uint32_t process)
{
    size_t at =
        search_first(&process, knot->processes, knot->n_processes, sizeof process, compare_int32);
    return at < knot->n_processes && knot->processes[at] == process;
}
