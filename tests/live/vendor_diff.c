// SPDX-License-Identifier: BSD-3-Clause
// What two DLLs tell differently about the same process.
#include "vendor_diff.h"
#include "run.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

// Takes over the text; the same one is kept only once.
static void
add_line(json_t *lines, char *text)
{
    size_t i;
    json_t *line, *added = json_string(text);
    free(text);
    json_array_foreach (lines, i, line) {
        if (json_equal(line, added)) {
            json_decref(added);
            return;
        }
    }
    json_array_append_new(lines, added);
}

// Whether two members are there and equal.
static bool
has_same(const json_t *a, const json_t *b, const char *key)
{
    return json_object_get(a, key) != NULL &&
           json_equal(json_object_get(a, key), json_object_get(b, key));
}

static bool
tells_buffer(const json_t *op)
{
    const char *buffer = json_string_value(json_object_get(op, "buffer"));
    return buffer != NULL && strcmp(buffer, "0x0") != 0;
}

// Operations have a buffer each, if the DLL tells it; that of a buffered send may be the user's or
// the copy.
static bool
is_same_op(const json_t *a, const json_t *b)
{
    bool is_copy = json_is_true(json_object_get(a, "system_buffer"));
    if (!is_copy && tells_buffer(a) && tells_buffer(b))
        return has_same(a, b, "buffer");
    return has_same(a, b, "tag") && has_same(a, b, "peer");
}

// Index of an operation that is not taken yet, or the number of all.
static size_t
find_op(const json_t *ops, const bool *taken, const json_t *wanted)
{
    size_t i;
    json_t *op;
    json_array_foreach (ops, i, op) {
        if (!taken[i] && is_same_op(wanted, op))
            break;
    }
    return i;
}

static void
diff_member(const char *place, const char *key, const json_t *ours, const json_t *theirs,
            json_t *lines)
{
    const json_t *a = json_object_get(ours, key), *b = json_object_get(theirs, key);
    if (a == NULL || b == NULL || json_equal(a, b))
        return;
    char *our = json_dumps(a, JSON_ENCODE_ANY | JSON_COMPACT);
    char *their = json_dumps(b, JSON_ENCODE_ANY | JSON_COMPACT);
    add_line(lines, run_text("%s: %s: ours %s, the vendor's %s", place, key, our, their));
    free(their);
    free(our);
}

static void
diff_actual(const char *place, const json_t *ours, const json_t *theirs, json_t *lines)
{
    static const char *const members[] = {"peer", "world_peer", "tag", "bytes"};
    char *below = run_text("%s: actual", place);
    const json_t *a = json_object_get(ours, "actual"), *b = json_object_get(theirs, "actual");
    for (size_t i = 0; i < sizeof members / sizeof *members; i++)
        diff_member(below, members[i], a, b, lines);
    if (a == NULL && b != NULL)
        add_line(lines, run_text("%s: only the vendor's", below));
    free(below);
}

static void
diff_op(const char *place, const json_t *ours, const json_t *theirs, json_t *lines)
{
    static const char *const members[] = {"status", "peer",  "world_peer",
                                          "tag",    "bytes", "system_buffer"};
    for (size_t i = 0; i < sizeof members / sizeof *members; i++)
        diff_member(place, members[i], ours, theirs, lines);
    diff_actual(place, ours, theirs, lines);
}

// What only one side lists, described by what does not change from run to run.
static void
add_unmatched(const char *place, const char *whose, const json_t *op, json_t *lines)
{
    const char *kind = json_string_value(json_object_get(op, "kind"));
    char *tag = json_dumps(json_object_get(op, "tag"), JSON_ENCODE_ANY);
    add_line(lines, run_text("%s: only %s: %s %s, tag %s", place, whose,
                             json_string_value(json_object_get(op, "status")),
                             kind != NULL ? kind : "operation", tag != NULL ? tag : "unknown"));
    free(tag);
}

static void
diff_ops(const char *place, const json_t *ours, const json_t *theirs, json_t *lines)
{
    size_t i, last = 0, count = json_array_size(theirs);
    bool *taken = calloc(count + 1, sizeof *taken), in_order = true;
    json_t *op;
    json_array_foreach (ours, i, op) {
        size_t at = find_op(theirs, taken, op);
        if (at == count) {
            add_unmatched(place, "ours", op, lines);
            continue;
        }
        taken[at] = true;
        diff_op(place, op, json_array_get(theirs, at), lines);
        in_order = in_order && at >= last;
        last = at;
    }
    json_array_foreach (theirs, i, op) {
        if (!taken[i])
            add_unmatched(place, "the vendor's", op, lines);
    }
    if (!in_order)
        add_line(lines, run_text("%s: order", place));
    free(taken);
}

static void
diff_list(const char *place, const char *list, const json_t *ours, const json_t *theirs,
          json_t *lines)
{
    const json_t *a = json_object_get(ours, list), *b = json_object_get(theirs, list);
    char *below = run_text("%s: %s", place, list);
    if (a != NULL && b == NULL)
        add_line(lines, run_text("%s: only ours", below));
    else
        diff_ops(below, a, b, lines);
    free(below);
}

static void
diff_comm(const char *place, const json_t *ours, const json_t *theirs, json_t *lines)
{
    static const char *const members[] = {"size", "local_rank", "group"};
    static const char *const lists[] = {"receives", "unexpected", "sends"};
    for (size_t i = 0; i < sizeof members / sizeof *members; i++)
        diff_member(place, members[i], ours, theirs, lines);
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        diff_list(place, lists[i], ours, theirs, lines);
}

static const json_t *
find_comm(const json_t *process, const json_t *name)
{
    size_t i;
    json_t *comm;
    json_array_foreach (json_object_get(process, "communicators"), i, comm) {
        if (json_equal(json_object_get(comm, "name"), name))
            return comm;
    }
    return NULL;
}

// Compares the communicators of `ours` with their like; of `theirs`, looks for what we do not have.
static void
diff_each(const char *scenario, const json_t *ours, const json_t *theirs, bool is_ours,
          json_t *lines)
{
    size_t i;
    json_t *comm;
    json_array_foreach (json_object_get(is_ours ? ours : theirs, "communicators"), i, comm) {
        const json_t *name = json_object_get(comm, "name");
        const json_t *other = find_comm(is_ours ? theirs : ours, name);
        char *place = run_text("%s: %s", scenario, json_string_value(name));
        if (other == NULL)
            add_line(lines, run_text("%s: only %s", place, is_ours ? "ours" : "the vendor's"));
        else if (is_ours)
            diff_comm(place, comm, other, lines);
        free(place);
    }
}

void
vendor_diff(const char *scenario, const json_t *ours, const json_t *theirs, json_t *lines)
{
    diff_each(scenario, ours, theirs, true, lines);
    diff_each(scenario, ours, theirs, false, lines);
}
