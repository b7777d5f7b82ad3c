// SPDX-License-Identifier: BSD-3-Clause
// A worker: a copy of this program that looks at one process after the other.
#include "mqshow/run/crew.h"

#include "mqshow/run/look.h"
#include "mqshow/run/reply.h"
#include "mqshow/base/say.h"
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
crew_work(struct show *show, int requests, int replies)
{
    size_t i;
    bool together = show->options->together;
    say_progress_no_more();
    reset_stats();
    for (bool first = true; read(requests, &i, sizeof i) == (ssize_t) sizeof i && i < show->count;
         first = false) {
        if (!together)
            look_alone(show, i);
        else if (first)
            look_together(show);
        stats_count_time();
        if (!reply_send(replies, i, &show->document->reports[i], &host_stats))
            break;
        look_close(show, i);
        report_deinit(&show->document->reports[i]);
        reset_stats();
    }
    _exit(EXIT_SUCCESS);
}
