// SPDX-License-Identifier: BSD-3-Clause
// Threads of OpenMP are put where the region was begun that they run a part of.
#include "mqshow/tree/paths.h"

#include "mqshow/symbols/names.h"

#include <stdlib.h>
#include <string.h>

enum { NESTING_MAX = 64 }; // regions in regions whose begin is looked for

/** The threads of a process while they are put. */
struct team_search {
    struct paths *paths;
    const struct process_entry *process;
    const struct openmp *omp;
    uint32_t *of_openmp; // number in the job of a thread of `omp`, +1; 0: none
    bool *put;           // by number in the process
};

/** The number in the job of a thread of OpenMP; NOBODY: there is none. */
static int32_t
job_thread_of(const struct team_search *search, int32_t number)
{
    const mqs_omp_thread *thread = openmp_thread(search->omp, number);
    return thread ? (int32_t) search->of_openmp[thread - search->omp->threads] - 1 : NOBODY;
}

/** The innermost region that a thread is in and has not begun itself; NULL: none is known. */
static const mqs_omp_region *
region_of(const struct team_search *search, uint32_t number)
{
    const mqs_omp_thread *thread = search->paths->verdict->job.threads[number].openmp;
    if (!thread || openmp_is_idle(thread) || (thread->known & MQS_OMP_REGION) == 0)
        return NULL;
    const mqs_omp_region *region = openmp_region(search->omp, thread->region);
    for (int i = 0; region && i < NESTING_MAX; i++) {
        if ((region->known & MQS_OMP_PRIMARY) == 0)
            return NULL;
        if (job_thread_of(search, region->primary) != (int32_t) number)
            return region;
        region = (region->known & MQS_OMP_PARENT) != 0 ? openmp_region(search->omp, region->parent)
                                                       : NULL;
    }
    return NULL;
}

/** The name of the function that a compiler made of a region, as that of a step, for free(); NULL:
 * not known. */
static char *
function_name(const struct openmp *omp, const mqs_omp_region *region)
{
    const struct symbolized *function =
        (region->known & MQS_OMP_FUNCTION) != 0 ? openmp_symbolized(omp, region->function) : NULL;
    if (!function || !function->function || !function->symbol)
        return NULL;
    char *construct = names_construct(function->symbol, function->file, function->line);
    char *ret = paths_function_name(function->function, construct);
    free(construct);
    return ret;
}

/** Steps before the only place where a function is, or is called by itself; 0: there is none. */
static size_t
find_function(const struct paths *paths, uint32_t path, const char *name)
{
    size_t count, found = 0, times = 0;
    const uint32_t *steps = paths_get(paths, path, &count);
    bool was_it = false;
    for (size_t i = 0; i < count; i++) {
        const struct step *step = &paths->steps[steps[i]];
        bool is_it = step->kind == STEP_FUNCTION && strcmp(step->name, name) == 0;
        found = is_it && !was_it ? i : found;
        times += is_it && !was_it;
        was_it = is_it;
    }
    return times == 1 ? found : 0;
}

/** Steps of its first thread before the function of a region, or before the wait at its end; 0: not
 * known. */
static size_t
steps_before(const struct team_search *search, const mqs_omp_region *region, uint32_t own_first,
             uint32_t primary)
{
    const struct paths *paths = search->paths;
    const struct step *steps = paths->steps, *first = &steps[own_first];
    const mqs_omp_thread *thread = paths->verdict->job.threads[primary].openmp;
    char *name =
        first->kind == STEP_FUNCTION ? alloc_text(first->name) : function_name(search->omp, region);
    size_t found = name ? find_function(paths, paths->of_thread[primary], name) : 0, count;
    free(name);
    if (found > 0)
        return found;
    const uint32_t *path = paths_get(paths, paths->of_thread[primary], &count);
    bool waits = count > 0 && steps[path[count - 1]].kind == STEP_WAIT;
    bool is_in = thread && (thread->known & MQS_OMP_REGION) != 0 &&
                 openmp_region(search->omp, thread->region) == region;
    return waits && is_in ? count - 1 : 0;
}

static void
put_thread(struct team_search *search, uint32_t number, int depth)
{
    struct paths *paths = search->paths;
    if (search->put[number - search->process->first_thread] || depth > NESTING_MAX)
        return;
    search->put[number - search->process->first_thread] = true;
    const mqs_omp_region *region = region_of(search, number);
    int32_t primary = region ? job_thread_of(search, region->primary) : NOBODY;
    if (primary == NOBODY || primary == (int32_t) number)
        return;
    put_thread(search, (uint32_t) primary, depth + 1);
    size_t n_own, n_all;
    const uint32_t *own = paths_get(paths, paths->of_thread[number], &n_own);
    size_t before = n_own > 0 ? steps_before(search, region, *own, (uint32_t) primary) : 0;
    if (before == 0)
        return;
    const uint32_t *all = paths_get(paths, paths->of_thread[primary], &n_all);
    uint32_t *made = alloc_zeroed(before + n_own, sizeof *made);
    memcpy(made, all, before * sizeof *made);
    memcpy(made + before, own, n_own * sizeof *made);
    paths->of_thread[number] = intern_bytes(&paths->all, made, (before + n_own) * sizeof *made);
    free(made);
}

static void
put_process(struct paths *paths, const struct process_entry *process)
{
    const struct openmp *omp = &process->report->omp;
    const struct job_thread *threads = paths->verdict->job.threads;
    uint32_t end = process->first_thread + process->n_threads;
    struct team_search search = {paths, process, omp,
                                 alloc_zeroed(omp->n_threads + 1, sizeof(uint32_t)),
                                 alloc_zeroed(process->n_threads + 1, sizeof(bool))};
    for (uint32_t i = process->first_thread; i < end; i++)
        if (threads[i].openmp)
            search.of_openmp[threads[i].openmp - omp->threads] = i + 1;
    for (uint32_t i = process->first_thread; i < end; i++)
        put_thread(&search, i, 0);
    free(search.of_openmp);
    free(search.put);
}

void
paths_begin_regions(struct paths *paths)
{
    for (size_t i = 0; i < paths->verdict->job.n_processes; i++)
        if (paths->verdict->job.processes[i].report->omp.n_threads > 0)
            put_process(paths, &paths->verdict->job.processes[i]);
}
