// SPDX-License-Identifier: BSD-3-Clause
// The process of this program that reads, as the one that shows sees it.
#include "mqshow/run/reader.h"

#include "mqshow/base/alloc.h"
#include "mqshow/base/clock.h"
#include "mqshow/base/ending.h"
#include "mqshow/base/escape.h"
#include "mqshow/run/look.h"
#include "mqshow/run/reply.h"
#include "mqshow/base/say.h"
#include "mqshow/mqd/stats.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PATIENCE_S = 10 }; // for the end of a worker that has taken too long

static const uint64_t reply_max = UINT64_C(1) << 32; // bytes of all parts

/** What a reader is made from. */
struct making {
    struct show *show;
    bool cold;
};

static void
work(void *context, int requests, int replies)
{
    const struct making *making = context;
    reader_work(making->show, making->cold, requests, replies);
}

static bool
start(struct show *show, bool cold)
{
    struct making making = {show, cold};
    show->reader_is_cold = cold;
    return child_start(&show->reader, work, &making);
}

/** Ends a reader that has not done what it was to. @return what has happened, to free() */
static char *
give_up_reader(struct show *show, enum packet_event event, const char *work, int seconds)
{
    const char *how = child_kill(&show->reader);
    say_no_progress();
    return event == PACKET_MORE
               ? alloc_format("%s took longer than %d s (--process-timeout allows more)", work,
                              seconds)
               : alloc_format("the program that reads ended while %s: %s", work, how);
}

/** Puts a reader in the place of one that failed, which does not read anything by itself. */
static bool
start_cold(struct show *show, char *why)
{
    if (!show->reader_is_cold)
        say("%s: each process is read by itself", why);
    free(why);
    return !show->reader_is_cold && start(show, true);
}

/** Takes the library that was chosen. @return false after it told the user that there is none */
static bool
take_library(struct show *show, const struct packet *packet)
{
    size_t length = strlen(packet->text);
    if ((int64_t) packet->head.what != READER_LIBRARY || length == packet->head.size) {
        char *escaped = escape_text(packet->text, SIZE_MAX);
        say("%s", escaped);
        free(escaped);
        return false;
    }
    choice_deinit(&show->choice);
    show->choice.path = escape_text(packet->text, SIZE_MAX);
    show->choice.reason = escape_text(packet->text + length + 1, SIZE_MAX);
    return true;
}

bool
reader_begin(struct show *show)
{
    int seconds = show->options->process_timeout;
    for (bool good = start(show, false); good;) {
        enum packet_event event =
            packet_wait(&show->reader.packet, show->reader.replies, clock_after(seconds));
        if (event == PACKET_WHOLE) {
            good = take_library(show, &show->reader.packet);
            if (good && show->options->stats)
                say("%s", show->choice.reason);
            return good;
        }
        good = start_cold(show, give_up_reader(show, event, "opening the processes", seconds));
    }
    say("no process could be started that reads");
    return false;
}

/** A look that is under way. */
struct looking {
    struct show *show;
    bool *answered; // of each process
    size_t count;   // that are answered
    bool ready;     // symbols and types were read
    json_t *parts;  // of the reply that comes in
    size_t of;      // whose it is
    uint64_t size;  // bytes of these parts
};

static void
take_report(struct looking *looking, size_t i)
{
    struct show *show = looking->show;
    if (!reply_take(looking->parts, show->job.items[i].pid, &show->document->reports[i],
                    &host_stats))
        look_give_up(show, i, alloc_text("what was read of it could not be passed on"));
    json_array_clear(looking->parts);
    looking->size = 0;
    looking->answered[i] = true;
    looking->count++;
    say_progress("%zu of %zu processes read", looking->count, show->n_here);
}

/** Takes a part of a reply, which ends with an empty one. @return false: it is of another reply */
static bool
take_part(struct looking *looking, size_t i, const struct packet *packet)
{
    looking->size += packet->head.size;
    if ((json_array_size(looking->parts) > 0 && looking->of != i) || looking->size > reply_max)
        return false;
    looking->of = i;
    if (packet->head.size > 1)
        return json_array_append(looking->parts, packet->kept) == 0;
    take_report(looking, i);
    return true;
}

static bool
is_awaited(const struct looking *looking, uint64_t i)
{
    const struct show *show = looking->show;
    return i < show->count && show->job.items[i].node < 0 && !looking->answered[i];
}

/** Takes what the reader sends until the look is over. @return how that ended: PACKET_WHOLE is good
 */
static enum packet_event
follow(struct looking *looking)
{
    struct show *show = looking->show;
    const struct packet *packet = &show->reader.packet;
    int seconds = show->options->process_timeout;
    json_array_clear(looking->parts); // of a reader before
    looking->size = 0;
    // If it has died, the end of its replies tells; so it does of one that cannot be asked.
    if (write(show->reader.requests, "", 1) != 1)
        kill(show->reader.pid, SIGKILL);
    for (;;) {
        int more = looking->ready && seconds > 0 ? PATIENCE_S : 0;
        enum packet_event event =
            packet_wait(&show->reader.packet, show->reader.replies, clock_after(seconds + more));
        if (event != PACKET_WHOLE)
            return event;
        if ((int64_t) packet->head.what == READER_LIBRARY) {
            take_library(show, packet); // of one that was put in the place of another
        } else if ((int64_t) packet->head.what == READER_READY) {
            looking->ready = true;
        } else if ((int64_t) packet->head.what == READER_LOOKED) {
            reply_take_counts(packet->text, packet->head.size, &host_stats);
            return PACKET_WHOLE;
        } else if (is_awaited(looking, packet->head.what)) {
            if (!take_part(looking, packet->head.what, packet))
                return PACKET_ENDED;
        } else {
            return PACKET_ENDED;
        }
    }
}

/** Has the reader look, or another one when it fails before it begins. @return NULL, or why not
 * all were read, to free()
 */
static char *
look_somehow(struct looking *looking)
{
    struct show *show = looking->show;
    if (show->reader.pid == 0 && !start(show, true))
        return alloc_text("no process could be started that reads it");
    enum packet_event event;
    while ((event = follow(looking)) != PACKET_WHOLE && !ending_is_near()) {
        bool begun = looking->ready || show->reader_is_cold;
        char *why = give_up_reader(show, event, begun ? "reading" : "reading symbols and types",
                                   show->options->process_timeout);
        if (begun || !start_cold(show, why))
            return begun ? why : alloc_text("no process could be started that reads it");
    }
    return NULL;
}

/** Answers for those of this machine that are not answered. */
static void
give_up_rest(const struct looking *looking, const char *why)
{
    struct show *show = looking->show;
    for (size_t i = 0; i < show->count; i++)
        if (is_awaited(looking, i))
            look_give_up(show, i, alloc_text(why));
}

/** Ends the reader, which lets its processes go on, before this program ends itself. */
static void
end_early(struct show *show)
{
    kill(show->reader.pid, SIGTERM);
    child_end(&show->reader);
}

void
reader_look(struct show *show)
{
    struct looking looking = {.show = show, .parts = json_array()};
    looking.answered = alloc_zeroed(show->count, sizeof *looking.answered);
    void (*before)(int) = signal(SIGPIPE, SIG_IGN);
    ending_put_off();
    say_progress("reading symbols and types");
    char *why = look_somehow(&looking);
    give_up_rest(&looking, why != NULL ? why : "the program that reads has left it out");
    say_no_progress();
    if (ending_is_near() && show->reader.pid != 0)
        end_early(show);
    signal(SIGPIPE, before);
    ending_let();
    free(why);
    free(looking.answered);
    json_decref(looking.parts);
}

void
reader_end(struct show *show)
{
    child_end(&show->reader);
}
