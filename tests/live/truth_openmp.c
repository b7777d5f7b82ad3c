// SPDX-License-Identifier: BSD-3-Clause
// The part of the record that is about OpenMP threads; apart, as only OpenMP programs can link it.
#include "truth_record.h"

#include <omp.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

static pthread_mutex_t threads_lock = PTHREAD_MUTEX_INITIALIZER;

void
truth_openmp_thread(const char *state)
{
    struct truth_thread *thread = calloc(1, sizeof *thread);
    if (thread == NULL)
        abort();
    thread->tid = (int) syscall(SYS_gettid);
    thread->thread_num = omp_get_thread_num();
    thread->team_size = omp_get_num_threads();
    thread->level = omp_get_level();
    thread->state = state;
    pthread_mutex_lock(&threads_lock);
    STAILQ_INSERT_TAIL(&truth.threads, thread, next);
    pthread_mutex_unlock(&threads_lock);
}
