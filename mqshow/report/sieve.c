// SPDX-License-Identifier: BSD-3-Clause
// Reading a document that may have very many operations.
#include "mqshow/report/sieve.h"

#include "mqshow/base/alloc.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum {
    CHUNK = 1 << 16,
    NAME_BYTES = 16,       // more than any name has that matters
    ELEMENT_MAX = 1 << 24, // bytes of an operation
    PROCESS_MAX = 1 << 30, // of a process without its operations
    PROCESS_DEPTH = 2,     // containers around a process
    QUEUE_DEPTH = 5        // around a queue
};

/** What comes in is passed on, or is in a queue, or is left out. */
enum mode { PASS, TAKE, SKIP };

/** A queue that was taken out of a process. */
struct taken {
    size_t comm; // its place in the process
    int op_class;
    struct operations operations;
};

struct sieve {
    FILE *file;
    uint64_t *left;
    struct document *document;
    size_t first; // of its reports that is of this file
    char in[CHUNK];
    size_t at, got;
    int line; // from 1
    enum mode mode;
    bool in_text, escaped; // in a text, behind a backslash of it
    char name[NAME_BYTES]; // the last text, as far as there is room
    size_t name_length;
    unsigned depth, on_path; // containers, and how many of these lead to queues
    unsigned inner;          // containers within what is not passed on
    bool in_process;
    char *process; // its text, but for its operations
    size_t process_length, process_capacity;
    int process_line;
    size_t n_comms; // of the process
    LIST(struct taken) queues;
    char *element; // of a queue
    size_t length, capacity;
    bool has_elements;
    json_error_t *error;
    bool failed;     // in a process: `error` says why
    char pending[8]; // what is to be passed on next
    size_t n_pending, passed;
};

static bool
is_named(const struct sieve *sieve, const char *name)
{
    return sieve->name_length == strlen(name) && memcmp(sieve->name, name, sieve->name_length) == 0;
}

/** The class of the queue that the last text names; QUEUES: none. */
static int
find_queue(const struct sieve *sieve)
{
    int queue = 0;
    while (queue < QUEUES && !is_named(sieve, queue_key(queue)))
        queue++;
    return queue;
}

/** Whether a container that begins leads to queues: it is {"processes":[{"communicators":[{. */
static bool
leads_on(const struct sieve *sieve, char bracket)
{
    static const struct {
        char bracket;
        const char *name;
    } path[QUEUE_DEPTH] = {
        {'{', NULL}, {'[', "processes"}, {'{', NULL}, {'[', "communicators"}, {'{', NULL}};
    return sieve->on_path == sieve->depth && sieve->depth < QUEUE_DEPTH &&
           bracket == path[sieve->depth].bracket &&
           (path[sieve->depth].name == NULL || is_named(sieve, path[sieve->depth].name));
}

/** Has jansson find that it is no JSON. */
static void
fail(struct sieve *sieve)
{
    sieve->pending[0] = '!';
    sieve->n_pending = 1;
    sieve->passed = 0;
}

/** Appends to the text of a process. */
static void
emit_to_process(struct sieve *sieve, const char *text)
{
    size_t length = strlen(text);
    if (sieve->process_length + length > PROCESS_MAX)
        fail(sieve);
    else
        sieve->process = alloc_append(sieve->process, &sieve->process_length,
                                      &sieve->process_capacity, text, length);
}

/** Passes characters on, those of a process to its text. */
static void
emit(struct sieve *sieve, const char *text)
{
    if (sieve->in_process)
        emit_to_process(sieve, text);
    if (sieve->in_process && *text != '\n') // lines are counted outside, too
        return;
    sieve->n_pending = (size_t) (stpcpy(sieve->pending, text) - sieve->pending);
    sieve->passed = 0;
}

static void
emit_char(struct sieve *sieve, char c)
{
    emit(sieve, (char[]){c != '\0' ? c : '!', '\0'}); // a NUL is no JSON either
}

/** Begins what is not passed on. */
static void
leave(struct sieve *sieve, enum mode mode)
{
    emit(sieve, mode == TAKE ? "[]" : "null");
    sieve->mode = mode;
    sieve->inner = 1;
    sieve->length = 0;
}

static void
begin_queue(struct sieve *sieve, int op_class)
{
    sieve->queues.items = alloc_grow(sieve->queues.items, sieve->queues.count,
                                     &sieve->queues.capacity, sizeof *sieve->queues.items);
    sieve->queues.items[sieve->queues.count++] =
        (struct taken){.comm = sieve->n_comms - 1, .op_class = op_class};
    leave(sieve, TAKE);
}

static void
drop_queues(struct sieve *sieve)
{
    for (size_t i = 0; i < sieve->queues.count; i++)
        operations_deinit(&sieve->queues.items[i].operations);
    sieve->queues.count = 0;
}

/** Of members of the same name, the last one counts. */
static void
begin_container(struct sieve *sieve)
{
    switch (sieve->depth) {
    case PROCESS_DEPTH: // a process
        sieve->process_length = 0;
        sieve->process_line = sieve->line;
        break;
    case PROCESS_DEPTH - 1: // the processes
        document_drop_reports(sieve->document, sieve->first);
        break;
    case PROCESS_DEPTH + 1: // the communicators of a process
        sieve->n_comms = 0;
        drop_queues(sieve);
        break;
    case PROCESS_DEPTH + 2: // a communicator
        sieve->n_comms++;
        break;
    default:
        break;
    }
}

static void
begin(struct sieve *sieve, char bracket)
{
    int queue = sieve->depth == QUEUE_DEPTH && sieve->on_path == QUEUE_DEPTH && bracket == '['
                    ? find_queue(sieve)
                    : QUEUES;
    if (queue < QUEUES) {
        begin_queue(sieve, queue);
        return;
    }
    if (sieve->depth == 1 && is_named(sieve, "verdict")) {
        leave(sieve, SKIP);
        return;
    }
    bool on_path = leads_on(sieve, bracket);
    if (on_path)
        begin_container(sieve);
    emit_char(sieve, bracket);
    if (on_path && sieve->depth == PROCESS_DEPTH) {
        sieve->in_process = true;
        emit_to_process(sieve, (char[]){bracket, '\0'});
    }
    sieve->on_path += on_path;
    sieve->depth++;
}

/** Puts the queues of a process in their places. */
static void
fill(struct sieve *sieve, struct report *report)
{
    for (size_t i = 0; i < sieve->queues.count; i++) {
        struct taken *taken = &sieve->queues.items[i];
        if (taken->comm >= report->comms.count)
            continue;
        struct operations *queue =
            communicator_queue(&report->comms.items[taken->comm], taken->op_class);
        operations_deinit(queue);
        *queue = taken->operations;
        taken->operations = (struct operations){.items = NULL};
    }
    drop_queues(sieve);
}

/** Reads a process that is complete. @return whether it is JSON */
static bool
end_process(struct sieve *sieve)
{
    json_error_t error;
    json_t *process = json_loadb(sieve->process, sieve->process_length, 0, &error);
    sieve->in_process = false;
    if (process == NULL) {
        *sieve->error = error;
        sieve->error->line += sieve->process_line - 1;
        sieve->failed = true;
        return false;
    }
    struct report *report = document_add_report(sieve->document);
    report_read(report, process);
    fill(sieve, report);
    json_decref(process);
    return true;
}

static void
end(struct sieve *sieve, char bracket)
{
    sieve->depth -= sieve->depth > 0;
    if (sieve->on_path > sieve->depth)
        sieve->on_path = sieve->depth;
    if (sieve->in_process && sieve->depth == PROCESS_DEPTH) {
        emit_to_process(sieve, (char[]){bracket, '\0'});
        if (!end_process(sieve)) {
            fail(sieve);
            return;
        }
    }
    emit_char(sieve, bracket);
}

/** Takes the element of a queue that is complete. @return whether it is JSON */
static bool
end_element(struct sieve *sieve)
{
    json_t *value =
        sieve->length > 0 ? json_loadb(sieve->element, sieve->length, JSON_DECODE_ANY, NULL) : NULL;
    bool good = value != NULL;
    struct operations *operations = &sieve->queues.items[sieve->queues.count - 1].operations;
    if (json_is_object(value))
        operations_read(operations, value);
    json_decref(value);
    sieve->length = 0;
    return good;
}

static bool
is_blank(const struct sieve *sieve)
{
    size_t i = 0;
    while (i < sieve->length && strchr(" \t\r\n", sieve->element[i]) != NULL)
        i++;
    return i == sieve->length;
}

/** @return whether the last element, if there is one, is JSON */
static bool
end_queue(struct sieve *sieve)
{
    bool good = (is_blank(sieve) && !sieve->has_elements) || end_element(sieve);
    operations_end(&sieve->queues.items[sieve->queues.count - 1].operations);
    sieve->has_elements = false;
    return good;
}

/** Keeps a part of an element. @return whether there is room */
static bool
keep(struct sieve *sieve, const char *bytes, size_t size)
{
    if (sieve->mode != TAKE)
        return true;
    if (size > ELEMENT_MAX - sieve->length)
        return false;
    sieve->element = alloc_append(sieve->element, &sieve->length, &sieve->capacity, bytes, size);
    return true;
}

/** Takes a bracket or comma that is not passed on. @return whether what it ends is JSON */
static bool
take_mark(struct sieve *sieve, char c)
{
    bool closes = c == ']' || c == '}';
    if (closes && sieve->inner == 1) {
        bool good = sieve->mode != TAKE || end_queue(sieve);
        sieve->mode = PASS;
        return good;
    }
    if (c == ',' && sieve->inner == 1 && sieve->mode == TAKE) {
        sieve->has_elements = true;
        return end_element(sieve);
    }
    sieve->inner += closes ? -1u : c != ',';
    return keep(sieve, &c, 1);
}

/** Notes where texts begin and end. @return whether the character is of one */
static bool
follow_text(struct sieve *sieve, char c)
{
    bool was_text = sieve->in_text, escaped = sieve->escaped;
    sieve->escaped = was_text && !escaped && c == '\\';
    if (c == '"' && !escaped)
        sieve->in_text = !was_text;
    if (c == '"' && !was_text)
        sieve->name_length = 0;
    else if (was_text && sieve->in_text && sieve->name_length < NAME_BYTES)
        sieve->name[sieve->name_length++] = c;
    return was_text || sieve->in_text;
}

/** Takes the next character. */
static void
step(struct sieve *sieve, char c)
{
    bool is_text = follow_text(sieve, c), good = true;
    sieve->line += c == '\n';
    bool opens = !is_text && (c == '[' || c == '{'), closes = !is_text && (c == ']' || c == '}');
    if (sieve->mode != PASS) {
        if (c == '\n')
            emit_char(sieve, c); // lines go on being counted
        good = opens || closes || (!is_text && c == ',') ? take_mark(sieve, c) : keep(sieve, &c, 1);
    } else if (opens) {
        begin(sieve, c);
    } else if (closes) {
        end(sieve, c);
    } else {
        emit_char(sieve, c);
    }
    if (!good)
        fail(sieve);
}

/** Takes what matters to nothing of what is not passed on. */
static void
take_run(struct sieve *sieve)
{
    static const bool matters[1 << CHAR_BIT] = {
        ['"'] = true, ['\\'] = true, ['['] = true, [']'] = true,
        ['{'] = true, ['}'] = true,  [','] = true, ['\n'] = true};
    size_t run = 0, left = sieve->got - sieve->at;
    const char *from = sieve->in + sieve->at;
    while (run < left && !matters[(unsigned char) from[run]])
        run++;
    if (!keep(sieve, from, run))
        fail(sieve);
    sieve->at += run;
}

static bool
refill(struct sieve *sieve)
{
    size_t most = *sieve->left < CHUNK ? (size_t) *sieve->left : CHUNK;
    sieve->at = 0;
    sieve->got = fread(sieve->in, 1, most, sieve->file);
    *sieve->left -= sieve->got;
    return sieve->got > 0;
}

static size_t
read_sieved(void *buffer, size_t size, void *data)
{
    struct sieve *sieve = data;
    char *out = buffer;
    size_t count = 0;
    while (count < size) {
        if (sieve->passed < sieve->n_pending) {
            out[count++] = sieve->pending[sieve->passed++];
            continue;
        }
        if (sieve->at == sieve->got && !refill(sieve))
            break;
        if (sieve->mode != PASS && !sieve->escaped)
            take_run(sieve);
        if (sieve->at < sieve->got && sieve->passed == sieve->n_pending)
            step(sieve, sieve->in[sieve->at++]);
    }
    return ferror(sieve->file) || *sieve->left == 0 ? (size_t) -1 : count;
}

json_t *
sieve_load(FILE *file, uint64_t *left, struct document *document, json_error_t *error)
{
    struct sieve *sieve = alloc_zeroed(1, sizeof *sieve);
    json_error_t outside;
    sieve->file = file;
    sieve->left = left;
    sieve->document = document;
    sieve->first = document->count;
    sieve->error = error;
    sieve->line = 1;
    json_t *ret = json_load_callback(read_sieved, sieve, 0, &outside);
    if (!sieve->failed)
        *error = outside;
    drop_queues(sieve);
    free(sieve->queues.items);
    free(sieve->process);
    free(sieve->element);
    free(sieve);
    return ret;
}
