// SPDX-License-Identifier: BSD-3-Clause
// Why threads of one process wait for each other, in words.
#include "mqshow/verdict/thread_cause.h"

#include "mqshow/base/alloc.h"
#include "mqshow/verdict/cause.h"
#include "mqshow/verdict/thread_text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { CHAIN_SHOWN = 3 };

// Knots of threads.

bool
knot_is_inside(const struct verdict *verdict, const struct knot *knot)
{
    const struct waits *waits = &verdict->waits;
    bool waits_inside = knot->n_processes == 1;
    for (size_t i = 0; i < knot->n_cycle && waits_inside; i++) {
        const struct node *node = &waits->graph.nodes[knot->cycle[i]];
        waits_inside = node->what == WHAT_THREAD
                           ? thread_waits_inside(&waits->activities[node->number])
                           : node->what == WHAT_PROCESS || node->what == WHAT_INSIDE ||
                                 node->what == WHAT_REGION || node->what == WHAT_HOLDER;
    }
    return waits_inside;
}

/** The threads of a process that wait for each other. */
struct chain {
    const struct verdict *verdict;
    uint32_t *threads; // each waits for the next one, the last for the first, if that is known
    size_t count;
    bool known; // that they wait for the next one, and not for any other
};

/** Begins with the first thread of the process, of those that wait for no lock if there are any:
 * what it holds comes with it. */
static void
rotate(struct chain *chain)
{
    const struct thread_activity *activities = chain->verdict->waits.activities;
    uint32_t *turned = alloc_zeroed(chain->count, sizeof *turned);
    size_t first = 0;
    for (size_t i = 1; i < chain->count; i++) {
        uint32_t best = chain->threads[first], thread = chain->threads[i];
        bool of_lock = activities[thread].doing == DOING_LOCK;
        bool best_of_lock = activities[best].doing == DOING_LOCK;
        if (of_lock != best_of_lock ? best_of_lock : thread < best)
            first = i;
    }
    for (size_t i = 0; i < chain->count; i++)
        turned[i] = chain->threads[(first + i) % chain->count];
    free(chain->threads);
    chain->threads = turned;
}

static struct chain
chain_of_knot(const struct verdict *verdict, const struct knot *knot)
{
    struct chain chain = {verdict, alloc_zeroed(knot->n_cycle, sizeof *chain.threads), 0, true};
    for (size_t i = 0; i < knot->n_cycle; i++) {
        const struct node *node = &verdict->waits.graph.nodes[knot->cycle[i]];
        if (node->what == WHAT_THREAD)
            chain.threads[chain.count++] = node->number;
        chain.known &= node->what == WHAT_THREAD || node->what == WHAT_REGION;
    }
    rotate(&chain);
    return chain;
}

/** All of the process that wait inside of it and are blocked. */
static struct chain
chain_of_process(const struct verdict *verdict, uint32_t number)
{
    const struct process_entry *process = &verdict->job.processes[number];
    struct chain chain = {verdict, alloc_zeroed(process->n_threads, sizeof *chain.threads), 0,
                          false};
    for (uint32_t i = process->first_thread; i < process->first_thread + process->n_threads; i++)
        if (thread_waits_inside(&verdict->waits.activities[i]) &&
            verdict->waits.blocked[verdict->waits.first_thread + i])
            chain.threads[chain.count++] = i;
    return chain;
}

static bool
chain_has(const struct chain *chain, uint32_t thread)
{
    for (size_t i = 0; i < chain->count; i++)
        if (chain->threads[i] == thread)
            return true;
    return false;
}

/** "threads 1 and 2 hold locks a and b and wait for each other's" */
static void
add_crossed(const struct chain *chain, struct strbuf *words)
{
    const struct verdict *verdict = chain->verdict;
    strbuf_add(words, "threads ");
    for (size_t i = 0; i < 2; i++)
        strbuf_add(words, "%s%" PRId64, i == 0 ? "" : " and ",
                   verdict->job.threads[chain->threads[i]].openmp->thread_num);
    struct strbuf one = {.text = NULL}, other = {.text = NULL};
    verdict_add_object(verdict, &one, chain->threads[1]);
    verdict_add_object(verdict, &other, chain->threads[0]);
    static const char lock[] = "lock ";
    const char *a = strstr(one.text, lock), *b = strstr(other.text, lock);
    size_t before = a ? (size_t) (a - one.text) : 0;
    if (a && b && (size_t) (b - other.text) == before && strncmp(one.text, other.text, before) == 0)
        strbuf_add(words, " hold %.*slocks %s and %s", (int) before, one.text, a + strlen(lock),
                   b + strlen(lock));
    else
        strbuf_add(words, " hold %s and %s", one.text, other.text);
    strbuf_add(words, " and wait for each other's");
    free(one.text);
    free(other.text);
}

static bool
joins(const struct chain *chain, size_t i)
{
    return thread_joins(chain->verdict->job.threads[chain->threads[i]].record);
}

/** "thread 0 holds critical (x) and waits at the barrier at x.c:10 for thread 2, which waits for
 * critical (x)" */
static void
add_chain(const struct chain *chain, struct strbuf *words, enum detail detail)
{
    const struct verdict *verdict = chain->verdict;
    uint32_t last = chain->threads[chain->count - 1];
    verdict_add_thread_name(verdict, words, chain->threads[0]);
    if (thread_holder(verdict, last) != NOBODY && !joins(chain, chain->count - 1)) {
        strbuf_add(words, " holds ");
        verdict_add_object(verdict, words, last);
        strbuf_add(words, " and");
    }
    for (size_t i = 0; i < chain->count; i++) {
        uint32_t thread = chain->threads[i];
        bool of_lock = verdict->waits.activities[thread].doing == DOING_LOCK;
        strbuf_add(words, i == 0 ? " waits " : ", which waits ");
        thread_add_wait(verdict, words, thread, detail);
        const char *to = joins(chain, i) ? ", " : of_lock ? " of " : " for ";
        strbuf_add(words, "%s", i + 1 < chain->count || !of_lock || joins(chain, i) ? to : "");
        if (i + 1 < chain->count)
            verdict_add_thread_name(verdict, words, chain->threads[i + 1]);
        else if (!of_lock || joins(chain, i))
            strbuf_add(words, "it");
    }
}

/** "thread 1 waits for lock a, which it holds itself" */
static void
add_single(const struct chain *chain, struct strbuf *words, enum detail detail)
{
    verdict_add_thread_name(chain->verdict, words, chain->threads[0]);
    strbuf_add(words, " waits ");
    thread_add_wait(chain->verdict, words, chain->threads[0], detail);
    if (chain->verdict->waits.activities[chain->threads[0]].doing == DOING_BARRIER &&
        thread_waits_for_absent(chain->verdict, chain->threads[0]))
        thread_add_absent(chain->verdict, words, chain->threads[0]);
    if (thread_waits_for_missing(chain->verdict, chain->threads[0])) {
        strbuf_add(words, ", ");
        thread_add_missing(chain->verdict, words, chain->threads[0]);
    } else if (thread_holder(chain->verdict, chain->threads[0]) != NOBODY) {
        strbuf_add(words, ", which it holds itself");
    }
}

/** Appends what threads wait for, those of the same together: "threads 1,2 wait for critical (x)".
 * @param but not these */
static void
add_groups(const struct chain *chain, struct strbuf *words, enum detail detail,
           const struct chain *but)
{
    char **texts = alloc_zeroed(chain->count, sizeof *texts);
    uint32_t *alike = alloc_zeroed(chain->count, sizeof *alike);
    const char *separator = "";
    for (size_t i = 0; i < chain->count; i++) {
        struct strbuf text = {.text = NULL};
        if (!but || !chain_has(but, chain->threads[i]))
            thread_add_wait(chain->verdict, &text, chain->threads[i], detail);
        texts[i] = strbuf_take(&text);
    }
    for (size_t i = 0; i < chain->count; i++) {
        size_t count = 0;
        for (size_t k = i; k < chain->count && *texts[i] != '\0'; k++) {
            if (strcmp(texts[k], texts[i]) != 0)
                continue;
            alike[count++] = chain->threads[k];
            if (k > i)
                *texts[k] = '\0'; // said
        }
        if (count == 0)
            continue;
        strbuf_add(words, "%s", separator);
        verdict_add_thread_names(chain->verdict, words, alike, count);
        strbuf_add(words, " %s %s", count == 1 ? "waits" : "wait", texts[i]);
        separator = ", ";
    }
    for (size_t i = 0; i < chain->count; i++)
        free(texts[i]);
    free(texts);
    free(alike);
}

static void
add_knot(const struct chain *chain, struct strbuf *words, enum detail detail)
{
    const struct verdict *verdict = chain->verdict;
    bool crossed = chain->count == 2 && !joins(chain, 0) && !joins(chain, 1) &&
                   thread_has_unique_number(verdict, chain->threads[0]) &&
                   thread_has_unique_number(verdict, chain->threads[1]) &&
                   thread_holder(verdict, chain->threads[0]) != NOBODY &&
                   thread_holder(verdict, chain->threads[1]) != NOBODY;
    if (chain->count == 1 && detail != ONLY_NAMES) {
        add_single(chain, words, detail);
    } else if (chain->known && crossed && detail != ONLY_NAMES) {
        add_crossed(chain, words);
    } else if (chain->known && chain->count <= CHAIN_SHOWN && detail != ONLY_NAMES) {
        add_chain(chain, words, detail);
    } else if (detail == ONLY_NAMES) {
        verdict_add_thread_names(verdict, words, chain->threads, chain->count);
        strbuf_add(words, chain->count > 1 ? " wait for each other" : " waits for itself");
    } else {
        add_groups(chain, words, detail, NULL);
    }
}

void
thread_add_process(const struct verdict *verdict, struct strbuf *words, uint32_t process)
{
    if (verdict->job.n_processes == 1 && verdict->job.is_plain)
        return;
    verdict_add_process(verdict, words, process);
    strbuf_add(words, ": ");
}

/** The threads of a knot; where it is not known who waits for whom, all that are blocked. */
static struct chain
chain_find(const struct verdict *verdict, const struct knot *knot)
{
    struct chain chain = chain_of_knot(verdict, knot);
    if (chain.known)
        return chain;
    free(chain.threads);
    return chain_of_process(verdict, knot->processes[0]);
}

uint32_t *
thread_knot_chain(const struct verdict *verdict, const struct knot *knot, size_t *ret_count)
{
    struct chain chain = chain_find(verdict, knot);
    *ret_count = chain.count;
    return chain.threads;
}

bool
thread_knot_explain(const struct verdict *verdict, const struct knot *knot, struct strbuf *full,
                    struct strbuf *brief)
{
    if (!knot_is_inside(verdict, knot))
        return false;
    struct chain chain = chain_find(verdict, knot);
    size_t start = brief->length;
    thread_add_process(verdict, full, knot->processes[0]);
    add_knot(&chain, full, WITH_PLACES);
    for (int detail = WITHOUT_PLACES; detail < DETAILS; detail++) {
        brief->length = start;
        thread_add_process(verdict, brief, knot->processes[0]);
        add_knot(&chain, brief, (enum detail) detail);
        if (brief->length <= cause_line_bytes(verdict))
            break;
    }
    free(chain.threads);
    return true;
}

void
thread_add_starved(struct verdict *verdict, const uint32_t *threads, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct job_thread *thread = &verdict->job.threads[threads[i]];
        const uint32_t needed = MQS_OMP_TEAM_SIZE | MQS_OMP_LEVEL;
        struct strbuf words = {.text = NULL};
        if (!thread->openmp || (thread->openmp->known & needed) != needed ||
            thread->openmp->level < 2 || thread->openmp->team_size != 1)
            continue;
        verdict_add_thread_name(verdict, &words, threads[i]);
        strbuf_add(&words, " is alone in a nested region");
        thread_add_region_place(verdict, &words, thread);
        strbuf_add(&words, ": max-active-levels-var or thread-limit-var allowed no more threads");
        cause_add_fact(verdict, &words);
        return;
    }
}

/** Threads of a team that do not exist. */
static void
add_absent(struct verdict *verdict, const struct chain *chain)
{
    for (size_t i = 0; i < chain->count; i++) {
        const struct job_thread *of = &verdict->job.threads[chain->threads[i]];
        const struct report *report = verdict->job.processes[of->process].report;
        struct strbuf words = {.text = NULL};
        if (!thread_waits_for_absent(verdict, chain->threads[i]) ||
            (HAS(report, PROCESS_FORKED) && !report->forked))
            continue;
        strbuf_add(&words,
                   "most probably this process was forked after OpenMP had started threads, "
                   "which are its parent's alone");
        cause_add_fact(verdict, &words);
        return;
    }
}

/** A thread that does not exist and holds what others wait for. */
static void
add_missing(struct verdict *verdict, const struct chain *chain)
{
    for (size_t i = 0; i < chain->count; i++) {
        uint32_t thread = chain->threads[i];
        const struct job_thread *of = &verdict->job.threads[thread];
        const struct report *report = verdict->job.processes[of->process].report;
        struct strbuf words = {.text = NULL};
        if (!thread_waits_for_missing(verdict, thread) || !HAS(report, PROCESS_FORKED))
            continue;
        strbuf_add(&words,
                   report->forked ? "most probably this process was forked while thread %" PRId64
                                    ", which is its parent's alone, held "
                                  : "thread %" PRId64 " has ended and still holds ",
                   of->record->kernel.owner);
        verdict_add_object(verdict, &words, thread);
        cause_add_fact(verdict, &words);
        return;
    }
}

/** Whether a thread waits for something of which it is known what it is. */
static bool
has_object(const struct verdict *verdict, uint32_t thread)
{
    const struct job_thread *of = &verdict->job.threads[thread];
    const struct omp_wait_record *wait = thread_wait(&verdict->job, of);
    return wait ? HAS(wait, OMP_WAIT_OBJECT) : thread_has_object(of->record);
}

/** Whether nothing says which thread is to end a wait, or another one of the process could. */
static bool
lacks_holder(const struct verdict *verdict, uint32_t thread)
{
    const struct job_thread *of = &verdict->job.threads[thread];
    bool is_alone = verdict->job.processes[of->process].n_threads == 1;
    size_t count;
    bool any;
    if (verdict->waits.activities[thread].doing != DOING_LOCK ||
        thread_waits_for_missing(verdict, thread) || thread_joins(of->record))
        return false;
    free(waits_needed(&verdict->waits, thread, &count, &any));
    return count == 0 && (is_alone || has_object(verdict, thread));
}

/** In a process that was forked, the thread that is to end a wait may have stayed behind. */
static void
add_left_behind(struct verdict *verdict, const struct chain *chain)
{
    for (size_t i = 0; i < chain->count; i++) {
        uint32_t thread = chain->threads[i];
        const struct job_thread *of = &verdict->job.threads[thread];
        const struct report *report = verdict->job.processes[of->process].report;
        struct strbuf words = {.text = NULL};
        if (!HAS(report, PROCESS_FORKED) || !report->forked || !lacks_holder(verdict, thread))
            continue;
        strbuf_add(&words, "perhaps this process was forked ");
        strbuf_add(&words, has_object(verdict, thread)
                               ? "while a thread that is its parent's alone held "
                               : "and waits for a thread that is its parent's alone");
        if (has_object(verdict, thread))
            verdict_add_object(verdict, &words, thread);
        cause_add_fact(verdict, &words);
        return;
    }
}

void
thread_knot_add_facts(struct verdict *verdict, const struct knot *knot)
{
    if (!knot_is_inside(verdict, knot))
        return;
    struct chain chain = chain_of_knot(verdict, knot);
    struct chain all = chain_of_process(verdict, knot->processes[0]);
    struct strbuf words = {.text = NULL};
    if (chain.known)
        add_groups(&all, &words, WITH_PLACES, &chain);
    cause_add_fact(verdict, &words);
    thread_add_starved(verdict, all.threads, all.count);
    add_absent(verdict, &all);
    add_missing(verdict, &all);
    add_left_behind(verdict, &all);
    free(chain.threads);
    free(all.threads);
}

// Threads of which too little is known.

enum verdict_kind
judge_unknown_threads(struct verdict *verdict)
{
    struct strbuf full = {.text = NULL}, brief = {.text = NULL};
    uint32_t *threads = alloc_zeroed(verdict->job.n_threads, sizeof *threads);
    size_t count = 0;
    for (uint32_t i = 0; i < verdict->job.n_threads; i++)
        if (thread_waits_inside(&verdict->waits.activities[i]))
            threads[count++] = i;
    struct chain chain = {verdict, threads, count, false};
    strbuf_add(&full, "cannot tell whether this is a deadlock");
    strbuf_add(&brief, "%s", full.text);
    if (count > 0) {
        strbuf_add(&full, ": ");
        strbuf_add(&brief, ": ");
        add_groups(&chain, &full, WITH_PLACES, NULL);
        verdict_add_thread_names(verdict, &brief, threads, count);
        strbuf_add(&brief, count == 1 ? " waits" : " wait");
    }
    cause_set_line(verdict, &full, &brief);
    add_left_behind(verdict, &chain);
    free(threads);
    return VERDICT_UNKNOWN;
}
