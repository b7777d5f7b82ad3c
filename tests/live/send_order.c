// SPDX-License-Identifier: BSD-3-Clause
// Sends of which a library keeps neither their order nor, of some, what they are.
#include "send_order.h"

#include "compare.h"
#include "contains.h"

#include <string.h>

enum { SHORT_BYTES = 1000 };

bool
sends_are_early(const char *where)
{
    static const char *const early[] = {"mpich-3.4", "mpich-4.0", "mpich-4.1"};
    bool ret = false;
    for (size_t i = 0; i < sizeof early / sizeof *early; i++)
        ret |= strncmp(where, early[i], strlen(early[i])) == 0;
    return ret;
}

// Whether nothing is reported of a send but that it is there, and whether one that was recorded is
// of the kind that is reported so.
static bool
is_bare(const json_t *send)
{
    static const char *const members[] = {"peer", "tag", "bytes", "buffer", NULL};
    bool ret = true;
    for (const char *const *name = members; *name != NULL; name++)
        ret &= json_object_get(send, *name) == NULL;
    return ret;
}

static bool
may_be_bare(const json_t *send)
{
    json_int_t bytes = json_integer_value(json_object_get(send, "bytes"));
    const char *kind = json_string_value(json_object_get(send, "kind"));
    return strcmp(kind, "ssend") == 0 && bytes <= SHORT_BYTES;
}

static bool
may_be_bare_early(const json_t *send)
{
    const char *kind = json_string_value(json_object_get(send, "kind"));
    return kind == NULL || strcmp(kind, "bsend") != 0;
}

// Takes away the items that are so, and whose buffers are not those of others. @return how many
static size_t
remove_bare(json_t *sends, bool (*is_so)(const json_t *send), const json_t *known)
{
    size_t ret = 0;
    for (size_t i = json_array_size(sends); i-- > 0;) {
        const json_t *send = json_array_get(sends, i), *buffer = json_object_get(send, "buffer");
        if (is_so(send) && (known == NULL || contains_find(known, "buffer", buffer) == NULL)) {
            json_array_remove(sends, i);
            ret++;
        }
    }
    return ret;
}

static size_t
count_bsends(const json_t *sends)
{
    const json_t *send;
    size_t i, ret = 0;
    json_array_foreach (sends, i, send)
        ret += !may_be_bare_early(send);
    return ret;
}

// Takes away buffered sends until there are as many as were found, which have no buffer to tell
// them by. @return how many
static size_t
remove_bsends(json_t *wanted, const json_t *found)
{
    const size_t count = count_bsends(found);
    size_t ret = 0;
    for (size_t i = json_array_size(wanted); i-- > 0 && count_bsends(wanted) > count;)
        if (!may_be_bare_early(json_array_get(wanted, i))) {
            json_array_remove(wanted, i);
            ret++;
        }
    return ret;
}

static unsigned
put_in_order(const json_t *wanted, json_t *found)
{
    json_t *op, *in_order = json_array();
    unsigned ret = 0;
    size_t i;
    json_array_foreach (wanted, i, op) {
        // MPI_Bsend's buffer is none of the program's.
        const char *key = json_object_get(op, "buffer") != NULL ? "buffer" : "kind";
        json_t *same = contains_find(found, key, json_object_get(op, key));
        if (same != NULL)
            json_array_append(in_order, same);
    }
    if (json_array_size(in_order) > 1 && json_array_size(in_order) == json_array_size(found)) {
        json_array_clear(found);
        json_array_extend(found, in_order);
        ret = SENDS_ORDER;
    }
    json_decref(in_order);
    return ret;
}

static unsigned
arrange_queue(json_t *wanted, json_t *found, bool is_early)
{
    const size_t bare = remove_bare(found, is_bare, NULL);
    if (bare == 0)
        return put_in_order(wanted, found);
    size_t removed = is_early ? remove_bsends(wanted, found) : 0;
    removed += remove_bare(wanted, is_early ? may_be_bare_early : may_be_bare, found);
    return (removed == bare ? SENDS_UNKNOWN : 0) | put_in_order(wanted, found);
}

unsigned
sends_arrange(json_t *truth, json_t *report, const char *where)
{
    const json_t *process =
        compare_find_process(report, json_integer_value(json_object_get(truth, "pid")));
    json_t *comm;
    unsigned ret = 0;
    size_t i;
    json_array_foreach (json_object_get(truth, "communicators"), i, comm) {
        const json_t *same = contains_find(json_object_get(process, "communicators"), "name",
                                           json_object_get(comm, "name"));
        if (json_object_get(comm, "sends") != NULL && same != NULL)
            ret |= arrange_queue(json_object_get(comm, "sends"), json_object_get(same, "sends"),
                                 sends_are_early(where));
    }
    return ret;
}
