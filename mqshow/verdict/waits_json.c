// SPDX-License-Identifier: BSD-3-Clause
// The members "waits" and "collectives" of the verdict.
#include "mqshow/base/alloc.h"
#include "mqshow/verdict/verdict_json.h"
#include "mqshow/verdict/wait_list.h"

#include <stdlib.h>

enum { TARGETS_SHOWN = 64 }; // of one record; so that all grow with the job, not its square

static void
write_targets(struct json_out *json, const struct verdict *verdict, const struct wait *wait)
{
    if (wait->n_targets > TARGETS_SHOWN)
        json_out_set_integer(json, "for_more", (int64_t) wait->n_targets - TARGETS_SHOWN);
    if (wait->op != NULL && wait->n_targets == 0 && wait->op->peer >= 0)
        json_out_set_integer(json, "not_seen", wait->op->peer);
    verdict_write_ranks(json, "for", verdict, wait->targets,
                        wait->n_targets < TARGETS_SHOWN ? wait->n_targets : TARGETS_SHOWN);
}

static void
write_where(struct json_out *json, const struct verdict *verdict, const struct wait *wait)
{
    const struct collectives *collectives = &verdict->waits.collectives;
    int64_t not_seen = collectives_not_seen(collectives, wait->collective);
    json_out_object(json, "collective");
    json_out_set_text(json, "name", collectives_name(collectives, wait->collective));
    if (!wait->unsure) {
        verdict_write_comm(json, &verdict->view.comms[wait->collective->comm]);
        if (not_seen > 0)
            json_out_set_integer(json, "not_seen", not_seen);
    }
    json_out_close(json, '}');
}

static void
write_inside(struct json_out *json, const struct verdict *verdict, const struct wait *wait)
{
    struct strbuf words = {.text = NULL};
    verdict_add_thread(verdict, &words, (uint32_t) wait->thread);
    char *text = strbuf_take(&words);
    json_out_set_text(json, "inside", text);
    free(text);
}

/** Where a wait is written. */
struct writer {
    struct json_out *json;
    const struct verdict *verdict;
};

static void
write_wait(void *context, const struct wait *wait)
{
    const struct writer *writer = context;
    const struct jobview *view = &writer->verdict->view;
    struct json_out *json = writer->json;
    json_out_open(json, '{');
    json_out_set_integer(json, "rank", view->processes[wait->process].label);
    if (wait->thread != NOBODY && view->threads[wait->thread].tid > 0)
        json_out_set_integer(json, "tid", view->threads[wait->thread].tid);
    if (wait->thread != NOBODY)
        json_out_set_text(json, "call", view->threads[wait->thread].call);
    json_out_set_text(json, "needs", wait->any ? "any" : "all");
    if (wait->inside)
        write_inside(json, writer->verdict, wait);
    write_targets(json, writer->verdict, wait);
    if (wait->op != NULL)
        verdict_write_operation(json, "operation", writer->verdict, wait->op);
    if (wait->collective != NULL)
        write_where(json, writer->verdict, wait);
    json_out_close(json, '}');
}

void
verdict_write_waits(struct json_out *json, const struct verdict *verdict)
{
    struct writer writer = {json, verdict};
    json_out_open(json, '[');
    wait_list_each(verdict, write_wait, &writer);
    json_out_close(json, ']');
}

/** The other collectives that members are in meanwhile. */
static void
write_others(struct json_out *json, const struct verdict *verdict, const struct collective *item)
{
    const struct collectives *collectives = &verdict->waits.collectives;
    const struct collective *other = collectives_of_comm(collectives, item);
    const struct collective *end = collectives->items + collectives->count;
    bool begun = false;
    for (; other < end && other->comm == item->comm; other++) {
        if (other == item)
            continue;
        if (!begun) {
            json_out_array(json, "other");
            begun = true;
        }
        size_t count;
        uint32_t *in = collectives_processes(collectives, other, &count);
        json_out_open(json, '{');
        json_out_set_text(json, "name", collectives_name(collectives, other));
        verdict_write_ranks(json, "ranks", verdict, in, count);
        json_out_close(json, '}');
        free(in);
    }
    if (begun)
        json_out_close(json, ']');
}

static void
write_collective(struct json_out *json, const struct verdict *verdict,
                 const struct collective *item, const uint32_t *missing, size_t n_missing)
{
    const struct collectives *collectives = &verdict->waits.collectives;
    int64_t not_seen = collectives_not_seen(collectives, item);
    size_t n_in;
    uint32_t *in = collectives_processes(collectives, item, &n_in);
    // Of some collectives, who is not in it may have been.
    bool sure = collectives_is_sure(collectives, item);
    json_out_open(json, '{');
    verdict_write_comm(json, &verdict->view.comms[item->comm]);
    json_out_set_text(json, "name", collectives_name(collectives, item));
    verdict_write_ranks(json, "in", verdict, in, n_in);
    verdict_write_ranks(json, "missing", verdict, missing, sure ? n_missing : 0);
    if (!sure && n_missing > 0)
        verdict_write_ranks(json, "perhaps_missing", verdict, missing, n_missing);
    if (not_seen > 0)
        json_out_set_integer(json, "not_seen", not_seen);
    write_others(json, verdict, item);
    json_out_close(json, '}');
    free(in);
}

void
verdict_write_collectives(struct json_out *json, const struct verdict *verdict)
{
    const struct collectives *collectives = &verdict->waits.collectives;
    json_out_open(json, '[');
    for (size_t i = 0; i < collectives->count; i++) {
        const struct collective *item = &collectives->items[i];
        size_t count;
        uint32_t *missing = collectives_missing(collectives, item, &count);
        if (collectives_is_certain(collectives, item) &&
            (count > 0 || collectives_not_seen(collectives, item) > 0))
            write_collective(json, verdict, item, missing, count);
        free(missing);
    }
    json_out_close(json, ']');
}
