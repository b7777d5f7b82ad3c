// SPDX-License-Identifier: BSD-3-Clause
// A worker: a copy of this program that looks at one process after the other.
#include "tools/crew.h"

#include "tools/packet.h"
#include "tools/look.h"
#include "tools/reply.h"
#include "tools/say.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool
send_reply(int replies, size_t i, const struct report *report)
{
    host_count_time();
    char *text = reply_text(report, &host_stats);
    bool sent = packet_send(replies, i, text, strlen(text));
    free(text);
    return sent;
}

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
        if (!send_reply(replies, i, &show->reports[i]))
            break;
        look_close(show, i);
        report_deinit(&show->reports[i]);
        reset_stats();
    }
    _exit(EXIT_SUCCESS);
}
