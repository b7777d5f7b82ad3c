// SPDX-License-Identifier: BSD-3-Clause
// What the verdict says of operations, by their places.
#include "tools/html/marks.h"

#include "tools/alloc.h"
#include "tools/search.h"
#include "tools/verdict/lonely.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/** In the order in which the page shows them. */
static const int classes[] = {mqs_pending_receives, mqs_unexpected_messages, mqs_pending_sends};

/** The operations that the verdict names. */
struct named {
    json_t *blocked;
    json_t *missed; // of those that are told one by one, their places in `almost`, or -1
    json_t *almost;
    struct lonely *lonely; // the others that never matched, by their queues
    size_t n_lonely, capacity;
};

struct number_text {
    char text[24];
};

static const char *
scalar(const json_t *value, struct number_text *room)
{
    if (json_is_string(value))
        return json_string_value(value);
    *room = (struct number_text){""};
    if (json_is_integer(value))
        snprintf(room->text, sizeof room->text, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
    return room->text;
}

/** What names an operation in a document, for free(). */
static char *
name_of(json_int_t rank, const json_t *communicator, const char *queue, const json_t *operation)
{
    static const char *const members[] = {"request", "peer", "tag", "bytes", "buffer"};
    struct number_text room, rooms[5];
    const char *texts[5];
    const char *id = scalar(communicator, &room);
    for (size_t i = 0; i < 5; i++)
        texts[i] = scalar(json_object_get(operation, members[i]), &rooms[i]);
    const char *request = texts[0];
    return *request != '\0'
               ? alloc_format("%" JSON_INTEGER_FORMAT " %s %s %s", rank, id, queue, request)
               : alloc_format("%" JSON_INTEGER_FORMAT " %s %s from %s tag %s bytes %s at %s", rank,
                              id, queue, texts[1], texts[2], texts[3], texts[4]);
}

static void
put(json_t *names, const json_t *rank, const json_t *of, const json_t *operation, json_int_t place)
{
    const char *queue = json_string_value(json_object_get(of, "queue"));
    if (!json_is_integer(rank) || queue == NULL)
        return;
    char *name =
        name_of(json_integer_value(rank), json_object_get(of, "communicator_id"), queue, operation);
    json_object_set_new_nocheck(names, name, json_integer(place));
    free(name);
}

static void
put_unmatched(struct named *named, json_t *one)
{
    struct lonely lonely;
    if (lonely_read(one, &lonely)) {
        named->lonely =
            alloc_grow(named->lonely, named->n_lonely, &named->capacity, sizeof *named->lonely);
        named->lonely[named->n_lonely++] = lonely;
        return;
    }
    bool almost = json_array_size(json_object_get(one, "near_misses")) > 0;
    put(named->missed, json_object_get(one, "rank"), one, json_object_get(one, "operation"),
        almost ? (json_int_t) json_array_size(named->almost) : -1);
    if (almost)
        json_array_append(named->almost, one);
}

static int
compare_queues(const void *left, const void *right)
{
    const struct lonely *a = left, *b = right;
    return (a->packed > b->packed) - (a->packed < b->packed);
}

static struct named
read_named(const json_t *verdict)
{
    struct named named = {json_object(), json_object(), json_array(), NULL, 0, 0};
    const json_t *waits = json_object_get(verdict, "waits");
    const json_t *unmatched = json_object_get(verdict, "unmatched");
    for (size_t i = 0; i < json_array_size(waits); i++) {
        const json_t *wait = json_array_get(waits, i);
        const json_t *operation = json_object_get(wait, "operation");
        put(named.blocked, json_object_get(wait, "rank"), operation, operation, -1);
    }
    for (size_t i = 0; i < json_array_size(unmatched); i++)
        put_unmatched(&named, json_array_get(unmatched, i));
    if (named.n_lonely > 0)
        qsort(named.lonely, named.n_lonely, sizeof *named.lonely, compare_queues);
    return named;
}

/** The places that a communicator's operations have. */
struct places {
    json_t *blocked, *unmatched, *misses;
};

/** Marks what never matched, though nothing nearly matches it. */
static void
mark_lonely(bool *unmatched, const struct named *named, const json_t *packed)
{
    const struct lonely key = {.packed = packed};
    size_t at = search_first(&key, named->lonely, named->n_lonely, sizeof key, compare_queues);
    for (; at < named->n_lonely && named->lonely[at].packed == packed; at++)
        for (size_t i = 0; i < named->lonely[at].count; i++)
            unmatched[named->lonely[at].numbers[i]] = true;
}

/** Marks an operation that the verdict names, if it does. @return whether it never matched */
static bool
mark_named(struct places *places, const struct named *named, const char *name, json_int_t place)
{
    const json_t *missed = json_object_get(named->missed, name);
    if (json_object_get(named->blocked, name) != NULL)
        json_array_append_new(places->blocked, json_integer(place));
    if (missed != NULL && json_integer_value(missed) >= 0)
        json_array_append_new(places->misses,
                              json_pack("[I, I]", place, json_integer_value(missed)));
    return missed != NULL;
}

/** Appends the places of those that are marked, as runs "first-last". */
static void
append_runs(json_t *runs, const bool *marked, size_t count, json_int_t before)
{
    for (size_t first = 0, end; first < count; first = end + 1) {
        for (end = first; end < count && marked[end]; end++)
            continue;
        if (end > first)
            json_array_append_new(
                runs, json_sprintf("%" JSON_INTEGER_FORMAT "-%" JSON_INTEGER_FORMAT,
                                   before + (json_int_t) first, before + (json_int_t) end - 1));
    }
}

/** @param before places of other queues */
static void
mark_queue(struct places *places, const struct named *named, json_int_t rank, const json_t *comm,
           int op_class, const struct operations *operations, json_int_t before)
{
    const char *queue = queue_key(op_class);
    bool *unmatched = alloc_zeroed(operations->count, sizeof *unmatched);
    bool has_names = json_object_size(named->blocked) + json_object_size(named->missed) > 0;
    mark_lonely(unmatched, named, json_object_get(comm, queue));
    for (size_t i = 0; i < operations->count; i++) {
        json_int_t place = before + (json_int_t) i;
        if (has_names) {
            json_t *operation = operations_json(operations, &operations->items[i]);
            char *name = name_of(rank, json_object_get(comm, "id"), queue, operation);
            unmatched[i] |= mark_named(places, named, name, place);
            json_decref(operation);
            free(name);
        }
    }
    append_runs(places->unmatched, unmatched, operations->count, before);
    free(unmatched);
}

static json_t *
marks_of_comm(const struct named *named, json_int_t rank, const json_t *comm)
{
    struct places places = {json_array(), json_array(), json_array()};
    json_int_t before = 0;
    for (size_t q = 0; q < sizeof classes / sizeof *classes; q++) {
        struct operations operations;
        operations_of(comm, classes[q], &operations);
        mark_queue(&places, named, rank, comm, classes[q], &operations, before);
        before += (json_int_t) operations.count;
    }
    return json_pack("{s:o, s:o, s:o}", "blocked", places.blocked, "unmatched", places.unmatched,
                     "misses", places.misses);
}

static json_t *
marks_of_process(const struct named *named, json_int_t rank, const json_t *process)
{
    json_t *marks = json_array();
    const json_t *comms = json_object_get(process, "communicators");
    for (size_t i = 0; i < json_array_size(comms); i++)
        json_array_append_new(marks, marks_of_comm(named, rank, json_array_get(comms, i)));
    return marks;
}

json_t *
marks_add(const json_t *document, bool by_index)
{
    json_t *page = json_copy((json_t *) document), *marks = json_array();
    json_t *verdict = json_copy(json_object_get(document, "verdict"));
    const json_t *processes = json_object_get(document, "processes");
    struct named named = read_named(verdict);
    for (size_t i = 0; i < json_array_size(processes); i++) {
        const json_t *process = json_array_get(processes, i);
        json_int_t rank = json_integer_value(json_object_get(process, "rank"));
        json_array_append_new(marks,
                              marks_of_process(&named, by_index ? (json_int_t) i : rank, process));
    }
    json_object_set(verdict, "unmatched", named.almost);
    json_object_set_new(page, "verdict", verdict);
    json_object_set_new(page, "marks", marks);
    json_decref(named.blocked);
    json_decref(named.missed);
    free(named.lonely);
    json_decref(named.almost);
    return page;
}
