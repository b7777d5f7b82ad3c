// SPDX-License-Identifier: BSD-3-Clause
// The pending operations of a document as plain data.
#include "tools/alloc.h"
#include "tools/verdict/jobview.h"
#include "tools/verdict/member.h"

#include <stdlib.h>
#include <string.h>

static const char *const queues[JV_QUEUES] = {
    [JV_RECEIVES] = "receives", [JV_UNEXPECTED] = "unexpected", [JV_SENDS] = "sends"};

/** A number, ANY for "any", UNKNOWN. */
static int64_t
number_or_any(const json_t *object, const char *key)
{
    const char *text = member_text(object, key);
    if (text != NULL)
        return strcmp(text, "any") == 0 ? ANY : UNKNOWN;
    return member_number(object, key, 0, INT32_MAX, UNKNOWN);
}

static uint8_t
status_of(const json_t *json)
{
    static const char *const words[] = {
        [JV_PENDING] = "pending", [JV_MATCHED] = "matched", [JV_COMPLETE] = "complete"};
    const char *text = member_text(json, "status");
    for (uint8_t i = 0; text != NULL && i < sizeof words / sizeof *words; i++)
        if (strcmp(text, words[i]) == 0)
            return i;
    return JV_PENDING;
}

static bool
is_kind(const json_t *json, const char *kind)
{
    const char *text = member_text(json, "kind");
    return text != NULL && strcmp(text, kind) == 0;
}

static int32_t
partner_of(const struct jobview *view, uint32_t comm, int64_t peer)
{
    int32_t peers = view->comms[comm].peers;
    const struct jv_member *member =
        peers != NOBODY && peer >= 0 ? jobview_member(view, (uint32_t) peers, peer) : NULL;
    return member != NULL ? (int32_t) member->process : NOBODY;
}

static void
add_op(struct jobview *view, uint32_t member, uint8_t queue, uint32_t order, const json_t *json)
{
    uint32_t comm = view->members[member].comm;
    int64_t peer = number_or_any(json, "peer");
    view->ops = alloc_grow(view->ops, view->n_ops, &view->ops_capacity, sizeof *view->ops);
    view->ops[view->n_ops++] = (struct jv_op){
        .json = json,
        .process = view->members[member].process,
        .member = member,
        .comm = comm,
        .peer = (int32_t) peer,
        .partner = partner_of(view, comm, peer),
        .tag = number_or_any(json, "tag"),
        .bytes = member_number(json, "bytes", 0, INT64_MAX, UNKNOWN),
        .request = member_hex(json, "request"),
        .order = order,
        .queue = queue,
        .status = status_of(json),
        .probe = is_kind(json, "probe"),
        .synchronous = is_kind(json, "ssend"),
        .buffered = is_kind(json, "bsend"),
        .blocked = member_true(json, "blocked"),
        .freed = member_true(json, "freed"),
        .rendezvous = member_true(json, "rendezvous"),
        .eager = member_false(json, "rendezvous"),
        .match = NOBODY,
    };
}

static void
add_queue(struct jobview *view, uint32_t member, uint8_t queue)
{
    size_t i;
    json_t *json;
    json_array_foreach (json_object_get(view->members[member].json, queues[queue]), i, json)
        if (json_is_object(json))
            add_op(view, member, queue, (uint32_t) i, json);
}

static int
compare_processes(const void *left, const void *right)
{
    const struct jv_op *a = left, *b = right;
    const int64_t keys[][2] = {{a->process, b->process},
                               {a->member, b->member},
                               {a->queue, b->queue},
                               {a->order, b->order}};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (keys[i][0] != keys[i][1])
            return keys[i][0] < keys[i][1] ? -1 : 1;
    return 0;
}

void
jobview_load_ops(struct jobview *view)
{
    for (uint32_t i = 0; i < view->n_members; i++)
        for (uint8_t queue = 0; queue < JV_QUEUES; queue++)
            add_queue(view, i, queue);
    if (view->n_ops > 0)
        qsort(view->ops, view->n_ops, sizeof *view->ops, compare_processes);
    for (size_t i = 0; i < view->n_ops; i++) {
        struct jv_process *process = &view->processes[view->ops[i].process];
        if (process->n_ops++ == 0)
            process->first_op = (uint32_t) i;
    }
}
