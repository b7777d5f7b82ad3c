// SPDX-License-Identifier: BSD-3-Clause
// What a worker sends of one process.
#include "mqshow/run/worker_msg.h"

#include "mqshow/base/alloc.h"
#include "mqshow/base/draft.h"
#include "mqshow/base/json_out.h"
#include "mqshow/process/packet.h"
#include "mqshow/report/report.h"
#include "mqshow/text/print.h"
#include "mqshow/mqd/stats.h"
#include "mqshow/report/report.h"

#include <stdlib.h>
#include <string.h>

static json_t *
counts_json(const struct host_stats *stats)
{
    json_t *counts = json_array();
    for (unsigned i = 0; stats_name(i) != NULL; i++)
        json_array_append_new(counts, json_integer((json_int_t) stats_value(stats, i)));
    return counts;
}

static void
add_counts(struct host_stats *stats, const json_t *counts)
{
    for (unsigned i = 0; stats_name(i) != NULL; i++)
        stats_add(stats, i, (uint64_t) json_integer_value(json_array_get(counts, i)));
}

char *
worker_msg_counts(const struct host_stats *stats)
{
    json_t *counts = counts_json(stats);
    char *text = json_dumps(counts, JSON_COMPACT);
    json_decref(counts);
    return text != NULL ? text : alloc_text("[]");
}

void
worker_msg_take_counts(const char *text, size_t size, struct host_stats *stats)
{
    json_t *counts = json_loadb(text, size, 0, NULL);
    add_counts(stats, counts);
    json_decref(counts);
}

static char *
outline_text(const struct report *report, const struct host_stats *stats)
{
    const struct record_place outline = {.outline = true};
    json_t *counts = counts_json(stats);
    struct draft draft;
    struct json_out json;
    json_out_begin(&json, draft_open(&draft), JSON_COMPACT | JSON_REAL_PRECISION(6));
    json_out_open(&json, '{');
    json_out_key(&json, "process");
    record_write(&json, &report_type, report, &outline);
    json_out_key(&json, "has_mpi");
    json_out_bool(&json, report->has_mpi);
    json_out_key(&json, "stats");
    json_out_value(&json, counts);
    json_out_close(&json, '}');
    json_out_end(&json);
    json_decref(counts);
    return draft_close(&draft);
}

/** Where a message goes: at first nowhere, while its size is counted. */
struct sink {
    int fd;
    uint64_t size;
    bool counts, failed;
};

static void
put(struct sink *sink, const void *bytes, size_t size)
{
    sink->size += size;
    if (!sink->counts && !sink->failed)
        sink->failed = !packet_send_piece(sink->fd, bytes, size);
}

static void
put_size(struct sink *sink, uint64_t size)
{
    put(sink, &size, sizeof size);
}

static void
put_operations(struct sink *sink, const struct operations *operations)
{
    struct packed_head head = operations_head(operations);
    size_t items = operations->count * sizeof *operations->items;
    size_t mores = operations->n_mores * sizeof *operations->mores;
    put_size(sink, sizeof head + items + mores + operations->texts_size);
    put(sink, &head, sizeof head);
    put(sink, operations->items, items);
    put(sink, operations->mores, mores);
    put(sink, operations->texts, operations->texts_size);
}

static void
put_message(struct sink *sink, const struct report *report, const char *outline)
{
    put_size(sink, strlen(outline));
    put(sink, outline, strlen(outline));
    for (size_t i = 0; i < report->comms.count; i++)
        for (int k = 0; k < QUEUES; k++)
            if (communicator_has_queue(&report->comms.items[i], k))
                put_operations(sink, communicator_operations(&report->comms.items[i], k));
}

bool
worker_msg_send(int fd, uint64_t what, const struct report *report, const struct host_stats *stats)
{
    struct sink counting = {.counts = true}, sink = {.fd = fd};
    char *outline = outline_text(report, stats);
    put_message(&counting, report, outline);
    sink.failed = !packet_begin(fd, what, counting.size);
    put_message(&sink, report, outline);
    free(outline);
    return !sink.failed;
}

void
worker_msg_send_outline(int fd, uint64_t what, const struct report *report,
                        const struct host_stats *stats)
{
    char *outline = outline_text(report, stats);
    packet_send_or_exit(fd, what, outline, strlen(outline));
    packet_send_or_exit(fd, what, "", 1);
    free(outline);
}

/** What is left of a message. */
struct source {
    const char *bytes;
    size_t left;
};

/** Takes the next part. @return NULL: it is not there */
static const char *
next_part(struct source *source, size_t *ret_size)
{
    uint64_t size;
    if (source->left < sizeof size)
        return NULL;
    memcpy(&size, source->bytes, sizeof size);
    if (size > source->left - sizeof size)
        return NULL;
    const char *part = source->bytes + sizeof size;
    source->bytes = part + size;
    source->left -= sizeof size + size;
    *ret_size = size;
    return part;
}

bool
worker_msg_pass_on(int fd, uint64_t what, const char *bytes, size_t size)
{
    struct source source = {bytes, size}, again = source;
    const char *part;
    size_t length;
    while (next_part(&source, &length) != NULL && length > 1)
        continue;
    if (source.left > 0 || size == 0)
        return false;
    while ((part = next_part(&again, &length)) != NULL)
        packet_send_or_exit(fd, what, part, length);
    packet_send_or_exit(fd, what, "", 1);
    return true;
}

/** Puts the queues in their places. @return false when they do not fit or are invalid */
static bool
fill_queues(const json_t *parts, struct report *report)
{
    size_t next = 1;
    for (size_t i = 0; i < report->comms.count; i++)
        for (int k = 0; k < QUEUES; k++) {
            json_t *part = json_array_get(parts, next);
            if (!communicator_has_queue(&report->comms.items[i], k))
                continue;
            if (!operations_take(communicator_queue(&report->comms.items[i], k), part))
                return false;
            next++;
        }
    return next == json_array_size(parts);
}

bool
worker_msg_take(const json_t *parts, pid_t pid, struct report *report, struct host_stats *stats)
{
    struct report read;
    const json_t *first = json_array_get(parts, 0);
    json_t *outline = first != NULL
                          ? json_loadb(json_string_value(first), json_string_length(first), 0, NULL)
                          : NULL;
    report_init(&read, report->texts);
    // A core may be of a process whose id is not known.
    report_read(&read, json_object_get(outline, "process"));
    if (outline == NULL || read.pid != pid || !fill_queues(parts, &read)) {
        report_deinit(&read);
        json_decref(outline);
        return false;
    }
    report_deinit(report);
    *report = read;
    report->has_mpi = json_is_true(json_object_get(outline, "has_mpi"));
    add_counts(stats, json_object_get(outline, "stats"));
    json_decref(outline);
    return true;
}
