// SPDX-License-Identifier: BSD-3-Clause
// The part of the record that is about OpenMP threads; apart, as only OpenMP programs can link it.
#include "truth_record.h"
#include "truth_verdict.h"

#include <omp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static pthread_mutex_t threads_lock = PTHREAD_MUTEX_INITIALIZER;

// What the runtimes remember; of GNU's, functions of tasks that are not executed at once are.
#ifdef __clang__
static const char runtime[] = "LLVM OpenMP";
enum { KEEPS_STATES = true, KEEPS_FUNCTIONS = true };
#else
static const char runtime[] = "GNU OpenMP";
enum { KEEPS_STATES = false, KEEPS_FUNCTIONS = false };
#endif

// Without OMP_DEBUG=enabled no runtime keeps states.
static bool
has_states(void)
{
    const char *debug = getenv("OMP_DEBUG");
    return KEEPS_STATES && debug != NULL && strcmp(debug, "enabled") == 0;
}

// The construct as mqshow names it.
static void
print_critical(char *ret, size_t size, const char *name)
{
    bool has_name = name != NULL && *name != '\0';
    snprintf(ret, size, "critical%s%s%s", has_name ? " (" : "", has_name ? name : "",
             has_name ? ")" : "");
}

static struct truth_region *
record_region(int level, const struct truth_directive *directive)
{
    struct truth_region *region = calloc(1, sizeof *region);
    if (region == NULL)
        abort();
    region->level = level;
    region->team_size = omp_get_team_size(level);
    region->directive = directive;
    if (level > 0)
        region->parent = record_region(level - 1, directive != NULL ? directive->around : NULL);
    return region;
}

void
truth_openmp_thread(const struct truth_place *place, const char *state)
{
    struct truth_thread *thread = calloc(1, sizeof *thread);
    if (thread == NULL)
        abort();
    thread->tid = (int) syscall(SYS_gettid);
    thread->thread_num = omp_get_thread_num();
    thread->team_size = omp_get_num_threads();
    thread->level = omp_get_level();
    thread->active_level = omp_get_active_level();
    thread->region = record_region(thread->level, place->region);
    thread->task = place->task;
    thread->state = has_states() ? state : NULL;
    if (has_states() && place->critical != NULL)
        print_critical(thread->critical, sizeof thread->critical, place->critical);
    pthread_mutex_lock(&threads_lock);
    truth.openmp = runtime;
    truth.keeps_states = has_states();
    truth.keeps_functions = KEEPS_FUNCTIONS;
    STAILQ_INSERT_TAIL(&truth.threads, thread, next);
    pthread_mutex_unlock(&threads_lock);
}

void
truth_wait_inside(const char *critical, const char *function)
{
    char construct[64], what[96];
    print_critical(construct, sizeof construct, critical);
    snprintf(what, sizeof what, "waits for %s", construct);
    if (critical != NULL)
        truth_add_inside("any", what, function);
    else
        truth_add_inside("all", "at a barrier of its parallel region", function);
}
