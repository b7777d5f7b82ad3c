// SPDX-License-Identifier: BSD-3-Clause
// Asks for everything through this library's own interface.
#include "bench/ompd_own.h"

#include "bench/ompd_host.h"
#include "ompd-bridge/hybrid.h"
#include "ompd-bridge/readers.h"

#include <stdio.h>

static void
list_icvs(struct omp_process *omp, int scope, int number)
{
    mqs_omp_icv icv;
    if (omp_process_setup_icv_iterator(omp, scope, number) == STATUS_OK)
        while (omp_process_next_icv(omp, &icv) == STATUS_OK)
            ;
}

unsigned
own_list_all(struct inferior *inf, unsigned *ret_threads)
{
    unsigned start = host.reads;
    const char *text;
    mqs_omp_thread thread;
    mqs_omp_region region;
    mqs_omp_task task;
    struct omp_process *omp = omp_process_create(inf);
    *ret_threads = 0;
    if (!omp || omp_process_setup_thread_iterator(omp) != STATUS_OK)
        return 0;
    list_icvs(omp, MQS_OMP_OF_PROCESS, 0);
    for (unsigned i = 0; omp_process_control_var(omp, i, &text) == STATUS_OK; i++)
        ;
    for (; omp_process_next_thread(omp, &thread) == STATUS_OK; (*ret_threads)++)
        list_icvs(omp, MQS_OMP_OF_THREAD, thread.number);
    if (omp_process_setup_region_iterator(omp, MQS_OMP_ALL) == STATUS_OK)
        while (omp_process_next_region(omp, &region) == STATUS_OK)
            list_icvs(omp, MQS_OMP_OF_REGION, region.number);
    if (omp_process_setup_task_iterator(omp, MQS_OMP_ALL_TASKS, 0) == STATUS_OK)
        while (omp_process_next_task(omp, &task) == STATUS_OK)
            list_icvs(omp, MQS_OMP_OF_TASK, task.number);
    omp_process_destroy(omp);
    return host.reads - start;
}

bool
own_find_threads(struct inferior *inf)
{
    struct readers readers;
    readers_init(&readers, inf);
    if (readers_open(&readers) != STATUS_OK) {
        fprintf(stderr, "ompd_reads: %s\n", trail_text(&inf->trail));
        return false;
    }
    for (uint32_t i = 0; i < readers.picture.threads.count && n_threads < THREADS; i++) {
        const struct omp_object *object = &picture_thread(&readers.picture, i)->object;
        struct omp_thread_id id;
        if (readers.native.backend->thread_id(readers.native.state, object, &id) != ompd_rc_ok)
            continue;
        gtids[n_threads] = (uint32_t) object->detail;
        pthreads[n_threads++] = id.pthread;
    }
    readers_deinit(&readers);
    return n_threads > 0;
}
