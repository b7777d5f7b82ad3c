// SPDX-License-Identifier: BSD-3-Clause
// A worker: a copy of this program that reads one process after the other.
#include "mqshow/run/worker_pool.h"

#include "mqshow/run/sample.h"
#include "mqshow/run/worker_msg.h"
#include "mqshow/base/diag.h"
#include "mqshow/mqd/stats.h"

#include <stdlib.h>
#include <unistd.h>

/** Counts what one process costs. */
static void
reset_stats(void)
{
    host_stats = (struct host_stats){.held = host_stats.held, .peak = host_stats.held};
}

_Noreturn void
worker_main(struct run *run, int requests, int replies)
{
    size_t i;
    bool together = run->options->together;
    diag_progress_disable();
    reset_stats();
    for (bool first = true; read(requests, &i, sizeof i) == (ssize_t) sizeof i && i < run->count;
         first = false) {
        if (!together)
            sample_one(run, i);
        else if (first)
            sample_together(run);
        stats_count_time();
        if (!worker_msg_send(replies, i, &run->document->reports[i], &host_stats))
            break;
        sample_close(run, i);
        report_deinit(&run->document->reports[i]);
        reset_stats();
    }
    _exit(EXIT_SUCCESS);
}
