// SPDX-License-Identifier: BSD-3-Clause
// Asks for everything through this library's own interface.
#include "bench/ompd_own.h"

#include "bench/ompd_host.h"
#include "ompd-bridge/exports/omp_session.h"
#include "ompd-bridge/exports/omp_snapshot.h"

#include <stdio.h>

static void
list_icvs(struct omp_session *omp, int scope, int number)
{
    mqs_omp_icv icv;
    if (omp_session_setup_icv_iterator(omp, scope, number) == STATUS_OK)
        while (omp_session_next_icv(omp, &icv) == STATUS_OK)
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
    struct omp_session *omp = omp_session_create(inf);
    *ret_threads = 0;
    if (!omp || omp_session_setup_thread_iterator(omp) != STATUS_OK)
        return 0;
    list_icvs(omp, MQS_OMP_OF_PROCESS, 0);
    for (unsigned i = 0; omp_session_control_var(omp, i, &text) == STATUS_OK; i++)
        ;
    for (; omp_session_next_thread(omp, &thread) == STATUS_OK; (*ret_threads)++)
        list_icvs(omp, MQS_OMP_OF_THREAD, thread.number);
    if (omp_session_setup_region_iterator(omp, MQS_OMP_ALL) == STATUS_OK)
        while (omp_session_next_region(omp, &region) == STATUS_OK)
            list_icvs(omp, MQS_OMP_OF_REGION, region.number);
    if (omp_session_setup_task_iterator(omp, MQS_OMP_ALL_TASKS, 0) == STATUS_OK)
        while (omp_session_next_task(omp, &task) == STATUS_OK)
            list_icvs(omp, MQS_OMP_OF_TASK, task.number);
    omp_session_destroy(omp);
    return host.reads - start;
}

bool
own_find_threads(struct inferior *inf)
{
    struct diagnostics diagnostics = {.count = 0};
    struct reader reader = {.backend = &backend_libomp};
    struct omp_snapshot snapshot;
    omp_snapshot_init(&snapshot, inf);
    if (backend_libomp.open(inf, &diagnostics, &reader.state) != STATUS_OK ||
        omp_snapshot_take(&snapshot, &reader, &diagnostics) != STATUS_OK) {
        fprintf(stderr, "ompd_reads: %s\n", trail_text(&inf->trail));
        return false;
    }
    for (uint32_t i = 0; i < snapshot.threads.count && n_threads < THREADS; i++) {
        const struct omp_object *object = &snapshot_thread(&snapshot, i)->object;
        struct omp_thread_id id;
        if (backend_libomp.thread_id(reader.state, object, &id) != ompd_rc_ok)
            continue;
        gtids[n_threads] = (uint32_t) object->detail;
        pthreads[n_threads++] = id.pthread;
    }
    omp_snapshot_deinit(&snapshot);
    backend_libomp.close(reader.state);
    return n_threads > 0;
}
