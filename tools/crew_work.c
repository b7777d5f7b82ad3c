// SPDX-License-Identifier: BSD-3-Clause
// A worker: a copy of this program that looks at one process after the other.
#include "tools/crew.h"

#include "tools/look.h"
#include "tools/reply.h"
#include "tools/say.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

static bool
write_all(int fd, const char *bytes, size_t size)
{
    while (size > 0) {
        ssize_t n = write(fd, bytes, size);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        bytes += n;
        size -= (size_t) n;
    }
    return true;
}

static bool
send_reply(int replies, const struct report *report)
{
    host_count_time();
    char *text = reply_text(report, &host_stats);
    uint64_t size = strlen(text);
    bool sent = write_all(replies, (const char *) &size, sizeof size) &&
                write_all(replies, text, strlen(text));
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
        if (!send_reply(replies, &show->reports[i]))
            break;
        look_close(show, i);
        report_deinit(&show->reports[i]);
        reset_stats();
    }
    _exit(EXIT_SUCCESS);
}
