// SPDX-License-Identifier: BSD-3-Clause
// The members "waits" and "collectives" of the verdict.
#include "tools/alloc.h"
#include "tools/json.h"
#include "tools/verdict/member.h"
#include "tools/verdict/verdict_json.h"

#include <stdlib.h>
#include <string.h>

enum { TARGETS_TOLD = 64 }; // of one record; so that all records grow with the job, not its square

static json_t *
targets_json(const struct verdict *verdict, const uint32_t *processes, size_t count, json_t *object)
{
    if (count > TARGETS_TOLD) {
        json_set_integer(object, "for_more", true, (int64_t) count - TARGETS_TOLD);
        count = TARGETS_TOLD;
    }
    return verdict_ranks_json(verdict, processes, count);
}

/** The members of a communicator's peers but one. */
static json_t *
members_json(const struct verdict *verdict, const struct jv_op *op, json_t *object)
{
    const struct jobview *view = &verdict->view;
    uint32_t processes[TARGETS_TOLD + 1];
    size_t count = 0;
    int32_t peers = view->comms[op->comm].peers;
    const struct jv_comm *comm = peers != NOBODY ? &view->comms[peers] : NULL;
    for (uint32_t i = 0; comm != NULL && i < comm->n_members && count <= TARGETS_TOLD; i++)
        if (view->members[comm->first_member + i].process != op->process)
            processes[count++] = view->members[comm->first_member + i].process;
    if (count > TARGETS_TOLD)
        count = comm->n_members - 1;
    return targets_json(verdict, processes, count, object);
}

static json_t *
record(const struct verdict *verdict, uint32_t process, int32_t thread, bool any)
{
    const struct jobview *view = &verdict->view;
    json_t *object = json_object();
    json_set_integer(object, "rank", true, view->processes[process].label);
    if (thread != NOBODY) {
        json_set_integer(object, "tid", view->threads[thread].tid > 0, view->threads[thread].tid);
        json_set_text(object, "call", view->threads[thread].call);
    }
    json_set_text(object, "needs", any ? "any" : "all");
    return object;
}

static json_t *
awaited_json(const struct verdict *verdict, const struct awaited *awaited)
{
    const struct jobview *view = &verdict->view;
    const struct jv_op *op = &view->ops[awaited->op];
    bool any =
        awaited->thread == NOBODY || waits_thread(&verdict->waits, (uint32_t) awaited->thread)->any;
    json_t *object = record(verdict, awaited->process, awaited->thread, any);
    json_t *targets = json_array();
    if (op->peer == ANY) {
        json_decref(targets);
        targets = members_json(verdict, op, object);
    } else if (op->partner != NOBODY) {
        json_array_append_new(targets, json_integer(view->processes[op->partner].label));
    } else if (op->peer >= 0) {
        json_set_integer(object, "not_seen", true, op->peer);
    }
    json_object_set_new(object, "for", targets);
    json_object_set_new(object, "operation", verdict_operation_json(verdict, awaited->op));
    return object;
}

static void
add_messages(const struct verdict *verdict, json_t *array)
{
    for (size_t i = 0; i < verdict->waits.n_awaited; i++)
        if (verdict->view.ops[verdict->waits.awaited[i].op].fate != JV_GOES_ON)
            json_array_append_new(array, awaited_json(verdict, &verdict->waits.awaited[i]));
}

/** A thread in a collective whose communicator is not known. */
static void
add_unknown(const struct verdict *verdict, const struct collective *item, const struct entry *entry,
            json_t *array)
{
    const char *name = collectives_name(&verdict->waits.collectives, item);
    json_t *object = record(verdict, entry->process, entry->thread, true);
    json_object_set_new(object, "for", json_array());
    json_object_set_new(object, "collective", json_pack("{s:s}", "name", name));
    json_array_append_new(array, object);
}

/** @param seen by thread: whether there is a record already, as one stands in a collective of each
 * communicator that it may be */
static void
add_collective(const struct verdict *verdict, const struct collective *item, bool *seen,
               json_t *array)
{
    const struct collectives *collectives = &verdict->waits.collectives;
    const char *name = collectives_name(collectives, item);
    const struct jv_comm *comm = &verdict->view.comms[item->comm];
    uint32_t *missing = alloc_zeroed(collectives_members(collectives, item), sizeof *missing);
    size_t count = collectives_missing(collectives, item, missing);
    int64_t not_seen = collectives_not_seen(collectives, item);
    bool waits = count > 0 || not_seen > 0;
    for (uint32_t i = item->first; i < item->first + item->count && waits; i++) {
        const struct entry *entry = &collectives->entries[i];
        if (entry->thread == NOBODY)
            continue;
        if (!entry->certain) {
            if (!seen[entry->thread])
                add_unknown(verdict, item, entry, array);
            seen[entry->thread] = true;
            continue;
        }
        json_t *object =
            record(verdict, entry->process, entry->thread, situation_is_one_sided(name));
        json_object_set_new(object, "for", targets_json(verdict, missing, count, object));
        json_t *where =
            json_pack("{s:s, s:s, s:I}", "name", name, "communicator", jobview_comm_name(comm),
                      "communicator_id", (json_int_t) comm->id);
        json_set_integer(where, "not_seen", not_seen > 0, not_seen);
        json_object_set_new(object, "collective", where);
        json_array_append_new(array, object);
    }
    free(missing);
}

/** Threads that wait for another thread of their process. */
static void
add_inside(const struct verdict *verdict, json_t *array)
{
    const struct jobview *view = &verdict->view;
    for (uint32_t i = 0; i < view->n_threads; i++) {
        enum doing doing = verdict->waits.situations[i].doing;
        if (doing != DOING_LOCK && doing != DOING_BARRIER)
            continue;
        struct words words = {.text = NULL};
        verdict_add_thread(verdict, &words, i);
        char *text = words_take(&words);
        json_t *object =
            record(verdict, view->threads[i].process, (int32_t) i, doing == DOING_LOCK);
        json_set_text(object, "inside", text);
        json_object_set_new(
            object, "for", json_pack("[i]", (int) view->processes[view->threads[i].process].label));
        json_array_append_new(array, object);
        free(text);
    }
}

json_t *
waits_json(const struct verdict *verdict)
{
    json_t *array = json_array();
    bool *seen = alloc_zeroed(verdict->view.n_threads, sizeof *seen);
    add_messages(verdict, array);
    for (size_t i = 0; i < verdict->waits.collectives.count; i++)
        add_collective(verdict, &verdict->waits.collectives.items[i], seen, array);
    free(seen);
    add_inside(verdict, array);
    return array;
}

/** The other collectives that members are in meanwhile. */
static json_t *
others_json(const struct verdict *verdict, const struct collective *item)
{
    const struct collectives *collectives = &verdict->waits.collectives;
    json_t *others = json_array();
    const struct collective *other = collectives_of_comm(collectives, item);
    const struct collective *end = collectives->items + collectives->count;
    for (; other < end && other->comm == item->comm; other++) {
        if (other == item)
            continue;
        size_t count;
        uint32_t *in = collectives_processes(collectives, other, &count);
        json_array_append_new(others,
                              json_pack("{s:s, s:o}", "name", collectives_name(collectives, other),
                                        "ranks", verdict_ranks_json(verdict, in, count)));
        free(in);
    }
    return others;
}

static json_t *
collective_json(const struct verdict *verdict, const struct collective *item,
                const uint32_t *missing, size_t n_missing)
{
    const struct collectives *collectives = &verdict->waits.collectives;
    const struct jv_comm *comm = &verdict->view.comms[item->comm];
    int64_t not_seen = collectives_not_seen(collectives, item);
    size_t n_in;
    uint32_t *in = collectives_processes(collectives, item, &n_in);
    json_t *object = json_object(), *others = others_json(verdict, item);
    json_set_text(object, "communicator", jobview_comm_name(comm));
    json_set_integer(object, "communicator_id", true, comm->id);
    json_set_text(object, "name", collectives_name(collectives, item));
    json_object_set_new(object, "in", verdict_ranks_json(verdict, in, n_in));
    // Of some collectives, who is not in it may have been.
    bool sure = collectives_is_sure(collectives, item);
    json_object_set_new(object, "missing",
                        verdict_ranks_json(verdict, missing, sure ? n_missing : 0));
    if (!sure && n_missing > 0)
        json_object_set_new(object, "perhaps_missing",
                            verdict_ranks_json(verdict, missing, n_missing));
    json_set_integer(object, "not_seen", not_seen > 0, not_seen);
    if (json_array_size(others) > 0)
        json_object_set(object, "other", others);
    json_decref(others);
    free(in);
    return object;
}

json_t *
collectives_json_of(const struct verdict *verdict)
{
    const struct collectives *collectives = &verdict->waits.collectives;
    json_t *array = json_array();
    for (size_t i = 0; i < collectives->count; i++) {
        const struct collective *item = &collectives->items[i];
        uint32_t *missing = alloc_zeroed(collectives_members(collectives, item), sizeof *missing);
        size_t count = collectives_missing(collectives, item, missing);
        if (collectives_is_certain(collectives, item) &&
            (count > 0 || collectives_not_seen(collectives, item) > 0))
            json_array_append_new(array, collective_json(verdict, item, missing, count));
        free(missing);
    }
    return array;
}
