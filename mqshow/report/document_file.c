// SPDX-License-Identifier: BSD-3-Clause
// Reading documents "mqs-ompd/1" from files, which may have very many operations.
//
// As a tree an operation takes thirty times the memory of its record. So jansson gets the document
// value by value: the members of a process and of a communicator, and each operation of a queue, by
// itself. What judges the document is left out, because nobody reads it.
#include "mqshow/report/document.h"

#include "mqshow/base/alloc.h"
#include "mqshow/base/escape.h"
#include "mqshow/base/json_get.h"
#include "mqshow/base/packed.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    CHUNK = 1 << 16,
    ELEMENT_MAX = 1 << 24, // bytes of an operation
    PROCESS_MAX = 1 << 30, // of a process without its operations
    SKIPPED_DEPTH = 16     // containers in what is left out that are not held in memory
};

struct loader {
    FILE *file;
    uint64_t *left;
    uint64_t room; // bytes that may come before there are too many of this kind
    struct document *document;
    json_error_t *error;
    bool failed;
    char in[CHUNK];
    size_t at, got;
    int line; // from 1
};

/** The next byte; EOF: there is none. */
static int
next_byte(struct loader *in)
{
    if (in->room == 0)
        return EOF;
    if (in->at == in->got) {
        in->at = 0;
        in->got = fread(in->in, 1, *in->left < CHUNK ? (size_t) *in->left : CHUNK, in->file);
        *in->left -= in->got;
    }
    if (in->got == 0)
        return EOF;
    in->room--;
    in->line += in->in[in->at] == '\n';
    return (unsigned char) in->in[in->at++];
}

/** Takes back the last byte. */
static void
put_back(struct loader *in)
{
    in->room++;
    in->line -= in->in[--in->at] == '\n';
}

/** Goes to the next byte that is not blank. @return it; EOF: there is none */
static int
peek(struct loader *in)
{
    int c;
    do
        c = next_byte(in);
    while (c == ' ' || c == '\t' || c == '\r' || c == '\n');
    if (c != EOF)
        put_back(in);
    return c;
}

/** Says what is wrong at the next byte. @return NULL */
static json_t *
fail(struct loader *in, const char *text)
{
    int c = peek(in);
    if (in->failed)
        return NULL;
    in->failed = true;
    in->error->line = in->line;
    if (c == EOF)
        snprintf(in->error->text, sizeof in->error->text, "%s near end of file", text);
    else
        snprintf(in->error->text, sizeof in->error->text, "%s near '%c'", text, c);
    return NULL;
}

static size_t
feed(void *buffer, size_t size, void *data)
{
    int c = next_byte(data);
    (void) size; // jansson must not keep what follows the value
    *(char *) buffer = (char) c;
    return c != EOF;
}

/** Loads the next value. @return NULL: it is no JSON */
static json_t *
load(struct loader *in)
{
    json_error_t error;
    int c = peek(in), line = in->line;
    if (in->failed)
        return NULL;
    json_t *value = json_load_callback(feed, in, JSON_DECODE_ANY | JSON_DISABLE_EOF_CHECK, &error);
    if (value == NULL) {
        in->failed = true;
        *in->error = error;
        in->error->line += line - 1;
    } else if (strchr("{[\"", c) == NULL && in->got > 0) {
        put_back(in); // jansson knows by it that a number has ended
    }
    return value;
}

/** Goes to the next item of a container. @param begun whether there was one; else it is at the
 * bracket. @return false: it has ended, or is no JSON */
static bool
next_item(struct loader *in, bool begun, char bracket)
{
    if (in->failed)
        return false;
    if (!begun)
        next_byte(in);
    int c = peek(in);
    if (c == bracket || (begun && c == ','))
        next_byte(in);
    else if (begun)
        fail(in, bracket == ']' ? "']' expected" : "'}' expected");
    return c != bracket && !in->failed;
}

/** Goes to the value of the next member. @param key of the one before, NULL: it is at the bracket
 * @return its key; NULL: the object has ended, or is no JSON */
static json_t *
next_key(struct loader *in, json_t *key)
{
    bool more = next_item(in, key != NULL, '}');
    json_decref(key);
    if (!more)
        return NULL;
    key = peek(in) == '"' ? load(in) : fail(in, "string or '}' expected");
    if (key != NULL && peek(in) == ':') {
        next_byte(in);
        return key;
    }
    json_decref(key);
    return fail(in, "':' expected");
}

/** Loads the operations of a queue. */
static void
load_queue(struct loader *in, struct operations *operations)
{
    uint64_t room = in->room;
    for (bool begun = false; next_item(in, begun, ']'); begun = true) {
        in->room = ELEMENT_MAX;
        json_t *object = load(in);
        if (json_is_object(object))
            operations_read(operations, object);
        json_decref(object);
        in->room = room;
    }
    operations_end(operations);
}

static void load_communicators(struct loader *in, struct report *report);

/** Loads the object of a process or communicator. @return its members, but for communicators and
 * operations, which are in the record */
static json_t *
load_members(struct loader *in, const struct record_type *type, void *record)
{
    json_t *members = json_object(), *key = NULL;
    while ((key = next_key(in, key)) != NULL) {
        const struct field *field = record_field(type, json_string_value(key));
        bool is_queue = field != NULL && field->kind == FIELD_QUEUE;
        bool has_queues = field != NULL && field->type == &communicator_type;
        json_object_del(members, json_string_value(key)); // of the same name, the last one counts
        if (is_queue || has_queues)
            record_forget(field, record);
        if (has_queues && peek(in) == '[') {
            load_communicators(in, record);
        } else if (is_queue && peek(in) == '[') {
            load_queue(in, (void *) ((char *) record + field->offset));
            ((struct communicator *) record)->has |= field->known;
        } else {
            json_object_set_new_nocheck(members, json_string_value(key), load(in));
        }
    }
    return members;
}

static void
load_communicators(struct loader *in, struct report *report)
{
    const struct record_place place = {.texts = report->texts};
    for (bool begun = false; next_item(in, begun, ']'); begun = true) {
        if (peek(in) != '{') {
            json_decref(load(in));
            continue;
        }
        struct communicator *comm =
            ALLOC_ADD(report->comms.items, report->comms.count, report->comms.capacity);
        record_init(&communicator_type, comm);
        json_t *members = load_members(in, &communicator_type, comm);
        record_read(&communicator_type, comm, members, &place);
        json_decref(members);
    }
    report->comms.items = alloc_shrink(report->comms.items, report->comms.count,
                                       &report->comms.capacity, sizeof *report->comms.items);
}

/** Loads the processes. @return an array in which they are empty objects */
static json_t *
load_processes(struct loader *in)
{
    json_t *processes = json_array();
    for (bool begun = false; next_item(in, begun, ']'); begun = true) {
        if (peek(in) != '{') {
            json_array_append_new(processes, load(in));
            continue;
        }
        struct report *report = document_add_report(in->document);
        in->room = PROCESS_MAX;
        json_t *process = load_members(in, &report_type, report);
        report->has |= 1u << PROCESS_COMMS;
        report_read(report, process);
        json_decref(process);
        in->room = UINT64_MAX;
        json_array_append_new(processes, json_object());
    }
    return processes;
}

/** Goes past a value. @param depth containers in it that are not held in memory */
static void
skip(struct loader *in, int depth)
{
    int c = peek(in);
    json_t *key = NULL;
    if (depth == 0 || (c != '{' && c != '['))
        json_decref(load(in));
    else if (c == '{')
        while ((key = next_key(in, key)) != NULL)
            skip(in, depth - 1);
    else
        for (bool begun = false; next_item(in, begun, ']'); begun = true)
            skip(in, depth - 1);
}

/** Loads a document's object. @return it, but for what judges it; processes are empty objects */
static json_t *
load_document(struct loader *in)
{
    json_t *document = json_object(), *key = NULL;
    size_t first = in->document->count;
    while ((key = next_key(in, key)) != NULL) {
        bool is_list = strcmp(json_string_value(key), "processes") == 0;
        if (is_list)
            document_drop_reports(in->document, first);
        if (strcmp(json_string_value(key), "verdict") == 0)
            skip(in, SKIPPED_DEPTH);
        else
            json_object_set_new_nocheck(document, json_string_value(key),
                                        is_list && peek(in) == '[' ? load_processes(in) : load(in));
    }
    return document;
}

json_t *
document_load(struct document *document, FILE *file, uint64_t *left, json_error_t *error)
{
    struct loader *in = alloc_bytes(sizeof *in);
    *in = (struct loader){.file = file,
                          .left = left,
                          .room = UINT64_MAX,
                          .document = document,
                          .error = error,
                          .line = 1};
    int c = peek(in);
    json_t *rest = c == '{'   ? load_document(in)
                   : c == '[' ? load(in)
                              : fail(in, "'[' or '{' expected");
    if (!in->failed && peek(in) != EOF)
        fail(in, "end of file expected");
    if (in->failed || ferror(file) || *left == 0) {
        json_decref(rest);
        rest = NULL;
    }
    free(in);
    return rest;
}

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

/** A text of an object, to free(); NULL: it has none. */
static char *
escaped_member(const json_t *object, const char *key)
{
    const char *text = json_get_text(object, key);
    return text != NULL ? escape_text(text, SIZE_MAX) : NULL;
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
    int fd = is_stdin ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0) : open(path, O_RDONLY | O_CLOEXEC);
    FILE *file = fd >= 0 ? packed_reader(fd) : NULL;
    uint64_t left = file_max;
    if (file == NULL)
        return escaped_format(alloc_format("cannot read %s: %s", name, strerror(errno)));
    json_error_t error;
    errno = 0;
    *ret_rest = document_load(ret, file, &left, &error);
    char *problem = NULL;
    // What reads numbers sets errno to 0.
    if (*ret_rest == NULL && ferror(file))
        problem = errno == EBADMSG || errno == 0
                      ? alloc_format("%s: damaged, or not complete", name)
                      : alloc_format("cannot read %s: %s", name, strerror(errno));
    else if (*ret_rest == NULL && left == 0)
        problem = alloc_format("%s: too long", name);
    else if (*ret_rest == NULL)
        problem = alloc_format("%s:%d: invalid JSON: %s", name, error.line, error.text);
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
    *ALLOC_ADD(document->messages.items, document->messages.count, document->messages.capacity) =
        intern_keep(&document->texts, text);
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

/** Takes over what is known of a document as a whole. */
static void
read_origin(struct document *document, const json_t *rest)
{
    const json_t *looks = json_object_get(rest, "looks"), *stats = json_object_get(rest, "stats");
    json_int_t count = json_integer_value(json_object_get(looks, "count"));
    document->samples = count > 0 ? (size_t) count : 0;
    document->seconds = json_number_value(json_object_get(looks, "seconds"));
    document->moved = json_is_true(json_object_get(looks, "moved"));
    document->stats = json_is_object(stats) ? json_incref((json_t *) stats) : NULL;
    document->time = escaped_member(rest, "time");
    document->host = escaped_member(rest, "host");
    document->version = escaped_member(rest, "version");
}

/** Names the machine of the processes from `first` on that have none, unless it is this one. */
static void
name_host(struct document *document, size_t first, const json_t *rest)
{
    char here[HOST_NAME_MAX + 1] = "", *host = escaped_member(rest, "host");
    bool is_here =
        host == NULL || (gethostname(here, sizeof here - 1) == 0 && strcmp(host, here) == 0);
    for (size_t i = first; i < document->count && !is_here; i++)
        if (document->reports[i].host == NULL)
            document->reports[i].host = intern_keep(&document->texts, host);
    free(host);
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
        name_host(document, first, rest);
        document_forget_origin(document);
        document->samples = 0;
        if (first == 0)
            read_origin(document, rest);
        replace_older(document, first, path);
        json_array_foreach (json_object_get(rest, "messages"), i, message)
            if (json_is_string(message))
                add_message(document, escape_text(json_string_value(message), SIZE_MAX));
    }
    json_decref(rest);
    return problem;
}
