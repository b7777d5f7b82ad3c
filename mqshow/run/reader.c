// SPDX-License-Identifier: BSD-3-Clause
// The process of this program that reads, as the one that shows sees it.
#include "mqshow/run/reader.h"

#include "mqshow/base/alloc.h"
#include "mqshow/base/clock.h"
#include "mqshow/base/signals.h"
#include "mqshow/base/escape.h"
#include "mqshow/run/sample.h"
#include "mqshow/run/worker_msg.h"
#include "mqshow/base/diag.h"
#include "mqshow/mqd/stats.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PATIENCE_S = 10 }; // for the end of a worker that has taken too long

static const uint64_t worker_msg_max = UINT64_C(1) << 32; // bytes of all parts

/** What a reader is made from. */
struct making {
    struct run *run;
    bool cold;
};

static void
work(void *context, int requests, int replies)
{
    const struct making *making = context;
    reader_work(making->run, making->cold, requests, replies);
}

static bool
start(struct run *run, bool cold)
{
    struct making making = {run, cold};
    run->reader_is_cold = cold;
    return child_start(&run->reader, work, &making);
}

/** Ends a reader that has not done what it was to. @return what has happened, to free() */
static char *
give_up_reader(struct run *run, enum packet_event event, const char *work, int seconds)
{
    const char *how = child_kill(&run->reader);
    diag_progress_clear();
    return event == PACKET_MORE
               ? alloc_format("%s took longer than %d s (raise --process-timeout)", work, seconds)
               : alloc_format("the reader process ended while %s: %s", work, how);
}

/** Puts a reader in the place of one that failed, which does not read anything by itself. */
static bool
start_cold(struct run *run, char *why)
{
    if (!run->reader_is_cold)
        diag("%s: now reading each process separately", why);
    free(why);
    return !run->reader_is_cold && start(run, true);
}

/** Takes the library that was chosen. @return false after it printed that none was found */
static bool
take_library(struct run *run, const struct packet *packet)
{
    size_t length = strlen(packet->text);
    if ((int64_t) packet->head.what != READER_LIBRARY || length == packet->head.size) {
        char *escaped = escape_text(packet->text, SIZE_MAX);
        diag("%s", escaped);
        free(escaped);
        return false;
    }
    dll_select_deinit(&run->selected);
    run->selected.path = escape_text(packet->text, SIZE_MAX);
    run->selected.reason = escape_text(packet->text + length + 1, SIZE_MAX);
    return true;
}

bool
reader_begin(struct run *run)
{
    int seconds = run->options->process_timeout;
    for (bool good = start(run, false); good;) {
        enum packet_event event =
            packet_wait(&run->reader.packet, run->reader.replies, clock_after(seconds));
        if (event == PACKET_WHOLE) {
            good = take_library(run, &run->reader.packet);
            if (good && run->options->stats)
                diag("%s", run->selected.reason);
            return good;
        }
        good = start_cold(run, give_up_reader(run, event, "opening the processes", seconds));
    }
    diag("cannot start the reader process");
    return false;
}

/** A sample that is under way. */
struct sampling {
    struct run *run;
    bool *received; // of each process
    size_t count;   // that are answered
    bool ready;     // symbols and types were read
    json_t *parts;  // of the message that comes in
    size_t of;      // whose it is
    uint64_t size;  // bytes of these parts
};

static void
take_report(struct sampling *sampling, size_t i)
{
    struct run *run = sampling->run;
    if (!worker_msg_take(sampling->parts, run->job.items[i].pid, &run->document->reports[i],
                         &host_stats))
        sample_give_up(run, i, alloc_text("the report of its worker process is damaged"));
    json_array_clear(sampling->parts);
    sampling->size = 0;
    sampling->received[i] = true;
    sampling->count++;
    diag_progress("%zu of %zu processes read", sampling->count, run->n_here);
}

/** Takes a part of a message, which ends with an empty one. @return false: it is of another message
 */
static bool
take_part(struct sampling *sampling, size_t i, const struct packet *packet)
{
    sampling->size += packet->head.size;
    if ((json_array_size(sampling->parts) > 0 && sampling->of != i) ||
        sampling->size > worker_msg_max)
        return false;
    sampling->of = i;
    if (packet->head.size > 1)
        return json_array_append(sampling->parts, packet->kept) == 0;
    take_report(sampling, i);
    return true;
}

static bool
is_awaited(const struct sampling *sampling, uint64_t i)
{
    const struct run *run = sampling->run;
    return i < run->count && run->job.items[i].node < 0 && !sampling->received[i];
}

/** Takes what the reader sends until the sample is over. @return how that ended: PACKET_WHOLE is
 * good
 */
static enum packet_event
follow(struct sampling *sampling)
{
    struct run *run = sampling->run;
    const struct packet *packet = &run->reader.packet;
    int seconds = run->options->process_timeout;
    json_array_clear(sampling->parts); // of a reader before
    sampling->size = 0;
    // If it has died, the end of its replies shows it; so it does of one that cannot be asked.
    if (write(run->reader.requests, "", 1) != 1)
        kill(run->reader.pid, SIGKILL);
    for (;;) {
        int more = sampling->ready && seconds > 0 ? PATIENCE_S : 0;
        enum packet_event event =
            packet_wait(&run->reader.packet, run->reader.replies, clock_after(seconds + more));
        if (event != PACKET_WHOLE)
            return event;
        if ((int64_t) packet->head.what == READER_LIBRARY) {
            take_library(run, packet); // of one that was put in the place of another
        } else if ((int64_t) packet->head.what == READER_READY) {
            sampling->ready = true;
        } else if ((int64_t) packet->head.what == READER_SAMPLED) {
            worker_msg_take_counts(packet->text, packet->head.size, &host_stats);
            return PACKET_WHOLE;
        } else if (is_awaited(sampling, packet->head.what)) {
            if (!take_part(sampling, packet->head.what, packet))
                return PACKET_ENDED;
        } else {
            return PACKET_ENDED;
        }
    }
}

/** Has the reader sample, or another one when it fails before it begins. @return NULL, or why not
 * all were read, to free()
 */
static char *
sample_with_any_reader(struct sampling *sampling)
{
    struct run *run = sampling->run;
    if (run->reader.pid == 0 && !start(run, true))
        return alloc_text("cannot start the reader process");
    enum packet_event event;
    while ((event = follow(sampling)) != PACKET_WHOLE && !signals_pending()) {
        bool begun = sampling->ready || run->reader_is_cold;
        char *why = give_up_reader(run, event, begun ? "reading" : "reading symbols and types",
                                   run->options->process_timeout);
        if (begun || !start_cold(run, why))
            return begun ? why : alloc_text("cannot start the reader process");
    }
    return NULL;
}

/** Answers for those of this machine that are not answered. */
static void
give_up_rest(const struct sampling *sampling, const char *why)
{
    struct run *run = sampling->run;
    for (size_t i = 0; i < run->count; i++)
        if (is_awaited(sampling, i))
            sample_give_up(run, i, alloc_text(why));
}

/** Ends the reader, which lets its processes go on, before this program ends itself. */
static void
end_early(struct run *run)
{
    kill(run->reader.pid, SIGTERM);
    child_end(&run->reader);
}

void
reader_sample(struct run *run)
{
    struct sampling sampling = {.run = run, .parts = json_array()};
    sampling.received = alloc_zeroed(run->count, sizeof *sampling.received);
    void (*before)(int) = signal(SIGPIPE, SIG_IGN);
    signals_block();
    diag_progress("reading symbols and types");
    char *why = sample_with_any_reader(&sampling);
    give_up_rest(&sampling, why != NULL ? why : "the reader process did not report it");
    diag_progress_clear();
    if (signals_pending() && run->reader.pid != 0)
        end_early(run);
    signal(SIGPIPE, before);
    signals_unblock();
    free(why);
    free(sampling.received);
    json_decref(sampling.parts);
}

void
reader_end(struct run *run)
{
    child_end(&run->reader);
}
