// SPDX-License-Identifier: BSD-3-Clause
// A sample of the processes of a job: its life, and writing it.
#include "mqshow/report/document.h"

#include "mqshow/base/alloc.h"
#include "mqshow/base/escape.h"
#include "mqshow/base/json_out.h"

#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

struct document *
document_create(size_t count)
{
    struct document *document = alloc_zeroed(1, sizeof *document);
    for (size_t i = 0; i < count; i++)
        document_add_report(document);
    return document;
}

void
document_forget_origin(struct document *document)
{
    json_decref(document->stats);
    free(document->time);
    free(document->host);
    free(document->version);
    document->stats = NULL;
    document->time = document->host = document->version = NULL;
}

void
document_set_origin(struct document *document)
{
    char host[HOST_NAME_MAX + 1] = "", text[64];
    struct timespec now;
    struct tm parts;
    document_forget_origin(document);
    clock_gettime(CLOCK_REALTIME, &now);
    gmtime_r(&now.tv_sec, &parts);
    strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &parts);
    document->time = alloc_format("%s.%03ldZ", text, now.tv_nsec / 1000000);
    if (gethostname(host, sizeof host - 1) == 0)
        document->host = escape_text(host, SIZE_MAX);
    document->version = alloc_text(PACKAGE_VERSION);
}

void
document_destroy(struct document *document)
{
    if (document == NULL)
        return;
    document_drop_reports(document, 0);
    free(document->reports);
    free(document->messages.items);
    intern_deinit(&document->texts);
    document_forget_origin(document);
    free(document);
}

struct report *
document_add_report(struct document *document)
{
    struct report *report = ALLOC_ADD(document->reports, document->count, document->capacity);
    report_init(report, &document->texts);
    return report;
}

void
document_drop_reports(struct document *document, size_t first)
{
    while (document->count > first)
        report_deinit(&document->reports[--document->count]);
}

static void
write_processes(struct json_out *json, const struct document *document, bool narrow)
{
    json_out_array(json, "processes");
    for (size_t i = 0; i < document->count; i++) {
        const struct report *report = &document->reports[i];
        const struct record_place place = {.narrow = narrow};
        record_write(json, &report_type, report, &place);
    }
    json_out_close(json, ']');
}

static void
write_messages(struct json_out *json, const struct document *document)
{
    json_out_array(json, "messages");
    for (size_t i = 0; i < document->messages.count; i++)
        json_out_text(json, document->messages.items[i]);
    json_out_close(json, ']');
}

static void
write_samples(struct json_out *json, const struct document *document)
{
    json_out_object(json, "looks");
    json_out_set_integer(json, "count", (int64_t) document->samples);
    json_out_key(json, "seconds");
    json_out_real(json, document->seconds);
    json_out_key(json, "moved");
    json_out_bool(json, document->moved);
    json_out_close(json, '}');
}

void
document_write(struct json_out *json, const struct document *document, bool narrow)
{
    json_out_set_text(json, "schema", "mqs-ompd/1");
    json_out_set_text(json, "time", document->time);
    json_out_set_text(json, "host", document->host);
    json_out_set_text(json, "version", document->version);
    write_processes(json, document, narrow);
    if (document->is_merged || document->messages.count > 0)
        write_messages(json, document);
    if (document->stats != NULL) {
        json_out_key(json, "stats");
        json_out_value(json, document->stats);
    }
    if (document->samples > 0)
        write_samples(json, document);
}
