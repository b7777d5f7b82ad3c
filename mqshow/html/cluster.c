// SPDX-License-Identifier: BSD-3-Clause
// What the processes are in the graph, and ranks in the same situation as one node of it.
#include "mqshow/html/cluster.h"

#include "mqshow/base/alloc.h"
#include "mqshow/base/escape.h"
#include "mqshow/report/place.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static int
compare(const void *left, const void *right)
{
    const struct rank_state *a = left, *b = right;
    return (a->label > b->label) - (a->label < b->label);
}

/** Lists the processes that have labels. */
static void
list_processes(struct rank_states *all, const struct job_index *job)
{
    all->items = alloc_zeroed(job->n_processes, sizeof *all->items);
    all->of = alloc_zeroed(job->n_processes, sizeof *all->of);
    for (uint32_t i = 0; i < job->n_processes; i++)
        if (job->processes[i].label != NOBODY)
            all->items[all->count++] = (struct rank_state){
                .process = &job->processes[i], .label = job->processes[i].label, .cycle = SIZE_MAX};
    qsort(all->items, all->count, sizeof *all->items, compare);
    for (uint32_t i = 0; i < job->n_processes; i++)
        all->of[i] = all->count;
    for (size_t i = 0; i < all->count; i++)
        all->of[all->items[i].process - job->processes] = i;
}

/** Mixes bytes into a hash (FNV-1a). */
static uint64_t
mix(uint64_t hash, const void *data, size_t size)
{
    const unsigned char *bytes = data;
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ bytes[i]) * 0x100000001b3;
    return hash;
}

uint64_t
wait_hash(const struct wait *wait)
{
    return mix(0xcbf29ce484222325, wait->targets, wait->n_targets * sizeof *wait->targets) ^
           wait->any;
}

/** What is known while states are found. */
struct search {
    struct rank_states *all;
    const struct verdict *verdict;
};

/** What a thread waits for, without where: "waits for critical (a)". */
static char *
inside_text(const struct verdict *verdict, int32_t thread)
{
    struct strbuf words = {.text = NULL};
    verdict_add_thread(verdict, &words, (uint32_t) thread);
    char *text = strbuf_take(&words);
    char *place = strstr(text, " in ");
    if (place)
        *place = '\0';
    return text;
}

/** Of threads that wait for another one of their process, the first that waits for a lock is shown,
 * for in a barrier they wait all the time. */
static void
take_wait(void *context, const struct wait *wait)
{
    const struct search *search = context;
    const struct job_index *job = &search->verdict->job;
    size_t place = search->all->of[wait->process];
    if (place == search->all->count)
        return;
    struct rank_state *one = &search->all->items[place];
    if (wait->inside) {
        if (!one->inside && search->verdict->waits.activities[wait->thread].doing != DOING_BARRIER)
            one->inside = inside_text(search->verdict, wait->thread);
        return;
    }
    uint64_t hash = wait_hash(wait);
    one->waits_hash = mix(one->waits_hash, &hash, sizeof hash);
    if (!one->waits && wait->thread != NOBODY) {
        one->thread = &job->threads[wait->thread];
        one->call = one->thread->call;
    }
    one->waits = true;
}

static void
mark_cycles(struct rank_states *all, const struct verdict *verdict)
{
    for (size_t i = 0; i < verdict->knots.count; i++)
        for (size_t k = 0; k < verdict->knots.items[i].n_ring; k++) {
            size_t place = all->of[verdict->knots.items[i].ring[k]];
            if (place < all->count)
                all->items[place].cycle = i;
        }
}

static void
mark_not_entered(struct rank_states *all, const struct verdict *verdict)
{
    const struct collectives *collectives = &verdict->waits.collectives;
    for (size_t i = 0; i < collectives->count; i++) {
        const struct collective *item = &collectives->items[i];
        for (size_t k = 0; k < item->n_missing && item->certain && item->sure; k++) {
            size_t place = all->of[item->missing[k]];
            if (place < all->count && all->items[place].not_entered == NULL)
                all->items[place].not_entered = item;
        }
    }
}

/** The thread that shows best where the process is. */
static const struct job_thread *
telling_thread(const struct job_index *job, const struct process_entry *process)
{
    const struct job_thread *best = NULL;
    int best_points = 0;
    for (uint32_t i = 0; i < process->n_threads; i++) {
        const struct job_thread *thread = &job->threads[process->first_thread + i];
        int points = thread->call ? 3 : HAS(thread->record, THREAD_FRAME) ? 2 : 1;
        if (points > best_points) {
            best = thread;
            best_points = points;
        }
    }
    return best;
}

static void
judge(struct rank_state *one, const struct job_index *job)
{
    if (!one->thread)
        one->thread = telling_thread(job, one->process);
    if (!one->call && one->thread)
        one->call = one->thread->call;
    one->state = HAS(one->process->report, PROCESS_STATE)    ? state_name(one->process->state)
                 : HAS(one->process->report, PROCESS_TRACER) ? state_name(STATE_TRACED)
                                                             : NULL;
    one->kind = one->cycle != SIZE_MAX ? KIND_CYCLE
                : one->waits           ? KIND_WAITS
                : one->call            ? KIND_MPI
                : one->thread          ? KIND_RUNS
                                       : KIND_UNKNOWN;
}

struct rank_states
rank_states_find(const struct verdict *verdict)
{
    struct rank_states all = {.items = NULL};
    struct search search = {&all, verdict};
    list_processes(&all, &verdict->job);
    wait_list_each(verdict, take_wait, &search);
    mark_cycles(&all, verdict);
    mark_not_entered(&all, verdict);
    for (size_t i = 0; i < all.count; i++)
        judge(&all.items[i], &verdict->job);
    return all;
}

void
rank_states_free(struct rank_states *all)
{
    for (size_t i = 0; i < all->count; i++)
        free(all->items[i].inside);
    free(all->items);
    free(all->of);
}

enum {
    EACH_ALONE = 8,    // jobs of this size have a node for each rank
    MANY_NODES = 60,   // more cannot be read
    CYCLES_ALONE = 24, // ranks in cycles have their own nodes when there are no more
};

/** How much ranks must have in common, from all to little. */
enum level { LEVEL_RANK, LEVEL_WAITS, LEVEL_GROUP, LEVEL_CALL, LEVEL_KIND, LEVELS };

/** A text that is equal for ranks that may be one node, for free(). */
static char *
common_text(const struct rank_state *one, enum level level, bool cycles_alone)
{
    if (level == LEVEL_RANK || (cycles_alone && one->kind == KIND_CYCLE))
        return alloc_format("%d", one->label);
    const char *call = one->call ? one->call : "";
    const char *state = one->state ? one->state : "";
    bool has_not_entered = one->not_entered != NULL;
    switch (level) {
    case LEVEL_WAITS:
        return alloc_format("w%d %d %zu %" PRIx64 " %s %s", one->kind, has_not_entered,
                            (size_t) one->process->group, one->waits_hash, state, call);
    case LEVEL_GROUP:
        return alloc_format("g%d %d %zu %s %s", one->kind, has_not_entered,
                            (size_t) one->process->group, state, call);
    case LEVEL_CALL:
        return alloc_format("c%d %d %s %s", one->kind, has_not_entered, state, call);
    default:
        return alloc_format("k%d %s", one->kind, state);
    }
}

/** Where its thread is in the program's own code; NULL: not known. */
static const struct frame_record *
frame_of(const struct rank_state *one)
{
    return one->thread ? place_of(one->thread->record).frame : NULL;
}

static bool
is_same_frame(const struct frame_record *a, const struct frame_record *b)
{
    // Texts of one document are kept once.
    return a && b && a->function == b->function && a->file == b->file &&
           HAS(a, FRAME_LINE) == HAS(b, FRAME_LINE) && a->line == b->line;
}

static struct cluster
cluster_of(const struct rank_state *one)
{
    return (struct cluster){.call = one->call,
                            .inside = one->inside,
                            .state = one->state,
                            .frame = frame_of(one),
                            .not_entered = one->not_entered,
                            .kind = one->kind};
}

static void
join(struct cluster *node, const struct rank_state *one)
{
    node->count++;
    if (!text_equals(node->call, one->call))
        node->call = NULL;
    if (!text_equals(node->inside, one->inside))
        node->inside = NULL;
    if (!text_equals(node->state, one->state))
        node->state = NULL;
    if (!is_same_frame(node->frame, frame_of(one)))
        node->frame = NULL;
    if (node->not_entered != one->not_entered)
        node->not_entered = NULL;
}

static struct clusters
divide(const struct rank_states *all, enum level level, bool cycles_alone)
{
    struct clusters nodes = {.of = alloc_zeroed(all->count + 1, sizeof *nodes.of)};
    struct intern texts = {.items = NULL};
    for (size_t i = 0; i < all->count; i++) {
        char *text = common_text(&all->items[i], level, cycles_alone);
        nodes.of[i] = intern_text(&texts, text);
        if (nodes.of[i] == nodes.count)
            *ALLOC_ADD(nodes.items, nodes.count, nodes.capacity) = cluster_of(&all->items[i]);
        join(&nodes.items[nodes.of[i]], &all->items[i]);
        free(text);
    }
    intern_deinit(&texts);
    return nodes;
}

static size_t
count_in_cycles(const struct rank_states *all)
{
    size_t count = 0;
    for (size_t i = 0; i < all->count; i++)
        count += all->items[i].kind == KIND_CYCLE;
    return count;
}

struct clusters
clusters_find(const struct rank_states *all)
{
    bool cycles_alone = count_in_cycles(all) <= CYCLES_ALONE;
    enum level level = all->count <= EACH_ALONE ? LEVEL_RANK : LEVEL_WAITS;
    for (;; level++) {
        struct clusters nodes = divide(all, level, cycles_alone);
        if (nodes.count <= MANY_NODES || level + 1 == LEVELS)
            return nodes;
        clusters_free(&nodes);
    }
}

void
clusters_free(struct clusters *clusters)
{
    for (size_t i = 0; i < clusters->count; i++) {
        free(clusters->items[i].ranks);
        free(clusters->items[i].place);
        free(clusters->items[i].entry);
        free(clusters->items[i].thread);
        free(clusters->items[i].wait);
    }
    free(clusters->items);
    free(clusters->of);
}
