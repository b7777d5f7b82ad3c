// SPDX-License-Identifier: BSD-3-Clause
// What a worker sends of one process.
#include "tools/reply.h"

#include "tools/alloc.h"
#include "tools/json.h"
#include "tools/parse.h"
#include "tools/print.h"

#include <stdlib.h>

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
reply_counts(const struct host_stats *stats)
{
    json_t *counts = counts_json(stats);
    char *text = json_dumps(counts, JSON_COMPACT);
    json_decref(counts);
    return text != NULL ? text : alloc_text("[]");
}

void
reply_take_counts(const char *text, size_t size, struct host_stats *stats)
{
    json_t *counts = json_loadb(text, size, 0, NULL);
    add_counts(stats, counts);
    json_decref(counts);
}

char *
reply_text(const struct report *report, const struct host_stats *stats)
{
    json_t *reply = json_object();
    json_object_set_new(reply, "process", json_report(report));
    json_set_bool(reply, "has_mpi", true, report->has_mpi);
    json_set_text(reply, "layout_rows", report->layout_rows);
    json_object_set_new(reply, "stats", counts_json(stats));
    char *text = json_dumps(reply, JSON_COMPACT | JSON_REAL_PRECISION(6));
    json_decref(reply);
    return text != NULL ? text : alloc_text("");
}

/** What every form of output needs. */
static void
read_outline(struct report *report, const json_t *process)
{
    int64_t rank = -1;
    *report = (struct report){.pid = (pid_t) json_integer_value(json_object_get(process, "pid"))};
    parse_integer(process, "rank", &rank);
    report->rank = (int) rank;
    report->image = parse_text(process, "image");
    report->has_openmp = json_object_get(process, "openmp") != NULL;
    double ms = json_number_value(json_object_get(process, "stopped_ms"));
    report->stopped_us = (int64_t) (ms * 1000 + 0.5);
    report->incomplete = json_is_true(json_object_get(process, "incomplete"));
}

bool
reply_take(const char *text, size_t size, bool shown, struct report *report,
           struct host_stats *stats)
{
    json_t *reply = json_loadb(text, size, 0, NULL);
    json_t *process = json_object_get(reply, "process");
    if (!json_is_object(process)) {
        json_decref(reply);
        return false;
    }
    report_deinit(report);
    if (shown)
        parse_report(report, process);
    else
        read_outline(report, process);
    report->has_mpi = json_is_true(json_object_get(reply, "has_mpi"));
    report->layout_rows = alloc_text(json_string_value(json_object_get(reply, "layout_rows")));
    report->document = json_incref(process);
    add_counts(stats, json_object_get(reply, "stats"));
    json_decref(reply);
    return true;
}
