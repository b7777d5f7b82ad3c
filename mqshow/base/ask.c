// SPDX-License-Identifier: BSD-3-Clause
// What a program prints: a question to a resource manager.
#include "mqshow/base/ask.h"

#include "mqshow/base/alloc.h"
#include "mqshow/base/clock.h"
#include "mqshow/base/strbuf.h"
#include "mqshow/base/subprocess.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TEXT_MAX = 16 << 20, COMPLAINT_MAX = 300 };

bool
ask_is_there(const char *program)
{
    const char *path = getenv("PATH");
    char *copy = alloc_text(path != NULL ? path : "/usr/bin:/bin"), *rest = copy;
    bool found = false;
    for (char *folder; !found && (folder = strsep(&rest, ":")) != NULL;) {
        char *file = alloc_format("%s/%s", *folder != '\0' ? folder : ".", program);
        found = access(file, X_OK) == 0;
        free(file);
    }
    free(copy);
    return found;
}

/** What has come so far. */
struct heard {
    struct strbuf text, complaint;
};

static void
take_line(void *context, const struct subprocess *subprocess, bool is_error, char *line)
{
    struct heard *heard = context;
    (void) subprocess;
    if (!is_error && heard->text.length + strlen(line) < TEXT_MAX)
        strbuf_add(&heard->text, "%s\n", line);
    if (!is_error || heard->complaint.length >= COMPLAINT_MAX || *line == '\0')
        return;
    strbuf_add(&heard->complaint, "%s%.*s", heard->complaint.length > 0 ? "; " : "",
               (int) (COMPLAINT_MAX - heard->complaint.length), line);
}

/** Takes what comes until both outputs have ended. @return false when it takes too long */
static bool
listen_until(struct subprocess *subprocess, int64_t deadline, struct heard *heard)
{
    while (!subprocess_is_over(subprocess)) {
        struct pollfd polls[2];
        int64_t left = (deadline - clock_us()) / 1000;
        for (int i = 0; i < 2; i++)
            polls[i] = (struct pollfd){.fd = subprocess->streams[i].fd, .events = POLLIN};
        int ready = left > 0 ? poll(polls, 2, (int) left) : 0;
        if (ready == 0)
            return false;
        for (int i = 0; i < 2 && ready > 0; i++)
            if (polls[i].revents != 0)
                subprocess_receive(subprocess, i, take_line, heard);
    }
    return true;
}

struct answer
ask(struct arguments *words, int seconds)
{
    struct heard heard = {.text = {.text = NULL}};
    struct subprocess subprocess = {.end_signal = SIGTERM};
    int64_t deadline = clock_us() + (int64_t) seconds * 1000000;
    if (!subprocess_start(&subprocess, words->items))
        strbuf_add(&heard.complaint, "%s: %s", words->items[0], strerror(errno));
    else if (!listen_until(&subprocess, deadline, &heard))
        strbuf_add(&heard.complaint, "%s%s does not answer within %d s",
                   heard.complaint.length > 0 ? "; " : "", words->items[0], seconds);
    subprocess_end(&subprocess);
    arguments_deinit(words);
    bool complained = heard.complaint.length > 0;
    struct answer answer = {.text = strbuf_take(&heard.text)};
    answer.complaint = complained ? strbuf_take(&heard.complaint) : NULL;
    return answer;
}

void
answer_deinit(struct answer *answer)
{
    free(answer->text);
    free(answer->complaint);
    *answer = (struct answer){.text = NULL};
}
