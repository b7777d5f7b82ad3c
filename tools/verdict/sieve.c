// SPDX-License-Identifier: BSD-3-Clause
// Reading a document that may have very many operations.
#include "tools/verdict/sieve.h"

#include "tools/alloc.h"
#include "tools/operations.h"
#include "tools/say.h"

#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

enum {
    CHUNK = 1 << 16,
    NAME_BYTES = 16,       // more than any name has that matters
    ELEMENT_MAX = 1 << 24, // bytes of an operation
    QUEUE_DEPTH = 5        // containers around a queue
};

/** What comes in is passed on, or is in a queue, or is left out. */
enum mode { PASS, TAKE, SKIP };

struct sieve {
    FILE *file;
    uint64_t *left;
    char in[CHUNK];
    size_t at, got;
    enum mode mode;
    bool in_text, escaped; // in a text, behind a backslash of it
    char name[NAME_BYTES]; // the last text, as far as there is room
    size_t name_length;
    unsigned depth, on_path; // containers, and how many of these lead to queues
    unsigned inner;          // containers within what is not passed on
    char *element;           // of a queue
    size_t length, capacity;
    bool has_elements;
    struct operations operations;
    json_t *queues;
    char mark[40];    // what stands for a queue begins with it; no document knows it
    char pending[64]; // what is to be passed on next
    size_t n_pending, passed;
};

static bool
is_named(const struct sieve *sieve, const char *name)
{
    return sieve->name_length == strlen(name) && memcmp(sieve->name, name, sieve->name_length) == 0;
}

static bool
is_queue(const struct sieve *sieve)
{
    bool found = false;
    for (int i = 0; i < QUEUES; i++)
        found |= is_named(sieve, queue_key(i));
    return found;
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

/** Passes a character on. */
static void
emit(struct sieve *sieve, char c)
{
    sieve->pending[0] = c != '\0' ? c : '!'; // a NUL is no JSON either
    sieve->n_pending = 1;
    sieve->passed = 0;
}

/** Begins what is not passed on. */
static void
leave(struct sieve *sieve, enum mode mode)
{
    size_t number = json_array_size(sieve->queues);
    sieve->n_pending = (size_t) snprintf(sieve->pending, sizeof sieve->pending,
                                         mode == TAKE ? "\"%s%zu\"" : "null", sieve->mark, number);
    sieve->passed = 0;
    sieve->mode = mode;
    sieve->inner = 1;
    sieve->length = 0;
}

static void
begin(struct sieve *sieve, char bracket)
{
    if (sieve->depth == QUEUE_DEPTH && sieve->on_path == QUEUE_DEPTH && bracket == '[' &&
        is_queue(sieve)) {
        leave(sieve, TAKE);
        return;
    }
    if (sieve->depth == 1 && is_named(sieve, "verdict")) {
        leave(sieve, SKIP);
        return;
    }
    sieve->on_path += leads_on(sieve, bracket);
    sieve->depth++;
    emit(sieve, bracket);
}

static void
end(struct sieve *sieve, char bracket)
{
    sieve->depth -= sieve->depth > 0;
    if (sieve->on_path > sieve->depth)
        sieve->on_path = sieve->depth;
    emit(sieve, bracket);
}

/** Takes the element of a queue that is complete. @return whether it is JSON */
static bool
end_element(struct sieve *sieve)
{
    json_t *value =
        sieve->length > 0 ? json_loadb(sieve->element, sieve->length, JSON_DECODE_ANY, NULL) : NULL;
    bool good = value != NULL;
    if (json_is_object(value))
        operations_read(&sieve->operations, value);
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
    json_array_append_new(sieve->queues, operations_pack(&sieve->operations));
    operations_deinit(&sieve->operations);
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
    bool opens = !is_text && (c == '[' || c == '{'), closes = !is_text && (c == ']' || c == '}');
    if (sieve->mode != PASS) {
        if (c == '\n')
            emit(sieve, c); // lines go on being counted
        good = opens || closes || (!is_text && c == ',') ? take_mark(sieve, c) : keep(sieve, &c, 1);
    } else if (opens) {
        begin(sieve, c);
    } else if (closes) {
        end(sieve, c);
    } else {
        emit(sieve, c);
    }
    if (!good)
        emit(sieve, '!'); // where jansson finds that it is no JSON
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
        emit(sieve, '!');
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

/** Puts a queue in its place, if one was taken from there. */
static void
fill(const struct sieve *sieve, json_t *comm, const char *key)
{
    const char *text = json_string_value(json_object_get(comm, key));
    size_t length = strlen(sieve->mark);
    if (text != NULL && strncmp(text, sieve->mark, length) == 0)
        json_object_set(comm, key,
                        json_array_get(sieve->queues, strtoull(text + length, NULL, 10)));
}

static void
fill_all(const struct sieve *sieve, const json_t *document)
{
    size_t i, k;
    json_t *process, *comm;
    json_array_foreach (json_object_get(document, "processes"), i, process)
        json_array_foreach (json_object_get(process, "communicators"), k, comm)
            for (int queue = 0; queue < QUEUES; queue++)
                fill(sieve, comm, queue_key(queue));
}

/** A mark that nobody can guess. */
static void
choose_mark(struct sieve *sieve)
{
    uint64_t bits[2] = {0};
    if (getrandom(bits, sizeof bits, 0) != sizeof bits)
        say_and_exit("the system has no random numbers");
    snprintf(sieve->mark, sizeof sieve->mark, "%016" PRIx64 "%016" PRIx64 ":", bits[0], bits[1]);
}

json_t *
sieve_load(FILE *file, uint64_t *left, json_error_t *error)
{
    struct sieve *sieve = alloc_zeroed(1, sizeof *sieve);
    sieve->file = file;
    sieve->left = left;
    sieve->queues = json_array();
    choose_mark(sieve);
    json_t *document = json_load_callback(read_sieved, sieve, 0, error);
    fill_all(sieve, document);
    json_decref(sieve->queues);
    operations_deinit(&sieve->operations);
    free(sieve->element);
    free(sieve);
    return document;
}
