// SPDX-License-Identifier: BSD-3-Clause
// What a process is in the graph: whether it waits, in which call, for whom.
#include "mqshow/html/rank_state.h"

#include "mqshow/base/alloc.h"

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
        if (!one->inside && wait->any)
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

/** The thread that says most of where the process is. */
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
