// SPDX-License-Identifier: BSD-3-Clause
// Reading documents "mqs-ompd/1" from files.
#include "mqshow/report/document.h"

#include "mqshow/base/alloc.h"
#include "mqshow/base/escape.h"
#include "mqshow/base/json_get.h"
#include "mqshow/report/sieve.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char schema[] = "mqs-ompd/1";

enum { PROCESSES_MAX = 1 << 20 };
static const uint64_t file_max = UINT64_C(1) << 33;

static char *
escaped_format(char *text)
{
    char *escaped = escape_text(text, SIZE_MAX);
    free(text);
    return escaped;
}

/** What is wrong with a document itself; NULL: nothing. */
static char *
check(const json_t *document, const char *name)
{
    const char *says = json_get_text(document, "schema");
    const json_t *processes = json_object_get(document, "processes");
    if (says == NULL)
        return escaped_format(alloc_format("%s: not a document of mqshow: no \"schema\"", name));
    if (strcmp(says, schema) != 0)
        return escaped_format(alloc_format("%s: unknown schema \"%.64s\"; only \"%s\" is supported",
                                           name, says, schema));
    if (!json_is_array(processes))
        return escaped_format(
            alloc_format("%s: not a document of mqshow: no array \"processes\"", name));
    if (json_array_size(processes) > PROCESSES_MAX)
        return escaped_format(alloc_format("%s: more than %d processes", name, PROCESSES_MAX));
    for (size_t i = 0; i < json_array_size(processes); i++)
        if (!json_is_object(json_array_get(processes, i)))
            return escaped_format(alloc_format("%s: process %zu is not an object", name, i));
    return NULL;
}

/** Reads a file. @param ret_rest what is not of a process, to json_decref() */
static char *
read_file(const char *path, struct document *ret, json_t **ret_rest)
{
    bool is_stdin = strcmp(path, "-") == 0;
    const char *name = is_stdin ? "standard input" : path;
    FILE *file = is_stdin ? stdin : fopen(path, "re");
    uint64_t left = file_max;
    if (file == NULL)
        return escaped_format(alloc_format("cannot read %s: %s", path, strerror(errno)));
    json_error_t error;
    *ret_rest = sieve_load(file, &left, ret, &error);
    char *problem = NULL;
    if (*ret_rest == NULL && left == 0)
        problem = alloc_format("%s: too long", name);
    else if (*ret_rest == NULL)
        problem = alloc_format("%s:%d: invalid JSON: %s", name, error.line, error.text);
    if (!is_stdin)
        fclose(file);
    return problem != NULL ? escaped_format(problem) : check(*ret_rest, name);
}

/** "host pid", by which a process is known; to free(). NULL: it cannot be distinguished from
 * others. */
static char *
identity(const struct report *report)
{
    // Without a host, equal pids may be of different machines.
    int rank = report->host == NULL ? report->rank : -1;
    if (report->pid <= 0)
        return NULL;
    return alloc_format("%s %d %d %s", report->host != NULL ? report->host : "", report->pid, rank,
                        report->core != NULL ? report->core : "");
}

static void
add_message(struct document *document, char *text)
{
    document->messages.items =
        alloc_grow(document->messages.items, document->messages.count, &document->messages.capacity,
                   sizeof *document->messages.items);
    document->messages.items[document->messages.count++] = document_keep(document, text);
    free(text);
}

static void
note_replaced(struct document *document, const struct report *report, const char *path)
{
    add_message(document,
                escaped_format(alloc_format(
                    "process %d%s%s is in several documents: the one in %s is used", report->pid,
                    report->host != NULL ? " of " : "", report->host != NULL ? report->host : "",
                    strcmp(path, "-") == 0 ? "standard input" : path)));
}

/** Lets the processes from `first` on take the places of the same ones before them. */
static void
replace_older(struct document *document, size_t first, const char *path)
{
    json_t *places = json_object();
    size_t kept = 0;
    for (size_t i = 0; i < document->count; i++) {
        struct report report = document->reports[i];
        char *key = identity(&report);
        json_t *place = key != NULL ? json_object_get(places, key) : NULL;
        if (place != NULL && i >= first) {
            size_t older = (size_t) json_integer_value(place);
            report_deinit(&document->reports[older]);
            document->reports[older] = report;
            note_replaced(document, &report, path);
        } else {
            if (key != NULL)
                json_object_set_new_nocheck(places, key, json_integer((json_int_t) kept));
            document->reports[kept++] = report;
        }
        free(key);
    }
    document->count = kept;
    json_decref(places);
}

char *
document_add_file(struct document *document, const char *path)
{
    size_t first = document->count;
    json_t *rest = NULL;
    char *problem = read_file(path, document, &rest);
    if (problem != NULL)
        document_drop_reports(document, first);
    document->is_merged = true;
    if (problem == NULL) {
        size_t i;
        json_t *message;
        replace_older(document, first, path);
        json_array_foreach (json_object_get(rest, "messages"), i, message)
            if (json_is_string(message))
                add_message(document, escape_text(json_string_value(message), SIZE_MAX));
    }
    json_decref(rest);
    return problem;
}
