// SPDX-License-Identifier: BSD-3-Clause
// Reports as the document "mqs-ompd/1"; members that are not known are left out.
#include "tools/print.h"

#include "tools/alloc.h"
#include "tools/escape.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

static void
set_text(json_t *object, const char *key, const char *text)
{
    if (text != NULL)
        json_object_set_new(object, key, json_string(text));
}

static void
set_integer(json_t *object, const char *key, bool known, int64_t value)
{
    if (known)
        json_object_set_new(object, key, json_integer(value));
}

static void
set_bool(json_t *object, const char *key, bool known, bool value)
{
    if (known)
        json_object_set_new(object, key, json_boolean(value));
}

/** A number, or the word "any". */
static void
set_or_any(json_t *object, const char *key, bool known, bool any, int64_t value)
{
    if (known)
        json_object_set_new(object, key, any ? json_string("any") : json_integer(value));
}

static void
set_hex(json_t *object, const char *key, bool known, uint64_t value)
{
    char text[32];
    snprintf(text, sizeof text, "0x%" PRIx64, value);
    if (known)
        json_object_set_new(object, key, json_string(text));
}

static json_t *
actual_json(const struct operation *op)
{
    const struct envelope *actual = &op->actual;
    bool has_world = (op->known & MQS_OP_WORLD) != 0 || actual->world_peer >= 0;
    json_t *object = json_object();
    set_integer(object, "peer", actual->peer >= 0, actual->peer);
    set_integer(object, "world_peer", actual->peer >= 0 && has_world, actual->world_peer);
    set_integer(object, "tag", true, actual->tag);
    set_integer(object, "bytes", actual->bytes >= 0, actual->bytes);
    return object;
}

static json_t *
lines_json(const char *lines)
{
    json_t *array = json_array();
    for (const char *end; (end = strchr(lines, '\n')) != NULL; lines = end + 1)
        json_array_append_new(array, json_stringn(lines, (size_t) (end - lines)));
    return array;
}

static json_t *
operation_json(const struct operation *op, int op_class)
{
    struct shown_operation shown = print_judge(op, op_class);
    const struct envelope *envelope = &shown.envelope;
    bool has_buffer = (op->known & MQS_OP_BUFFER) != 0;
    json_t *object = json_object();
    set_text(object, "status", status_name(op->status));
    set_or_any(object, "peer", shown.has_peer, shown.any_peer, envelope->peer);
    set_or_any(object, "world_peer", shown.has_world_peer, shown.any_peer, envelope->world_peer);
    set_or_any(object, "tag", shown.has_tag, shown.any_tag, envelope->tag);
    set_integer(object, "bytes", shown.has_bytes, envelope->bytes);
    set_integer(object, "count", (op->known & MQS_OP_COUNT) != 0, op->count);
    set_text(object, "datatype", (op->known & MQS_OP_DATATYPE) != 0 ? op->datatype : NULL);
    set_hex(object, "buffer", has_buffer, op->buffer);
    set_bool(object, "system_buffer", has_buffer, op->system_buffer);
    set_text(object, "kind", (op->known & MQS_OP_KIND) != 0 ? kind_name(op->kind) : NULL);
    set_bool(object, "persistent", (op->known & MQS_OP_PERSISTENT) != 0, op->persistent);
    if (shown.has_actual)
        json_object_set_new(object, "actual", actual_json(op));
    if (op->text != NULL)
        json_object_set_new(object, "text", lines_json(op->text));
    return object;
}

static void
set_queue(json_t *object, const char *key, const struct queue *queue, int op_class)
{
    if (!queue->known)
        return;
    json_t *array = json_array();
    for (size_t i = 0; i < queue->count; i++)
        json_array_append_new(array, operation_json(&queue->items[i], op_class));
    json_object_set_new(object, key, array);
}

static json_t *
group_json(const struct communicator *comm)
{
    json_t *array = json_array();
    for (int64_t i = 0; i < comm->size; i++)
        json_array_append_new(array, json_integer(comm->group[i]));
    return array;
}

static json_t *
collectives_json(const struct communicator *comm)
{
    json_t *array = json_array();
    for (int i = 0; i < mqs_comm_class_count; i++)
        if ((comm->collectives & 1u << i) != 0)
            json_array_append_new(array,
                                  json_pack("{s:s, s:b}", "name", collective_name(i), "active", 1));
    return array;
}

static json_t *
communicator_json(const struct communicator *comm)
{
    json_t *object = json_object();
    set_text(object, "name", comm->name);
    // An id beyond what JSON's integers hold is shown by its bits.
    set_integer(object, "id", true, (int64_t) comm->id);
    set_integer(object, "size", true, comm->size);
    set_integer(object, "local_rank", comm->rank >= 0, comm->rank);
    set_bool(object, "inter", (comm->known & MQS_COMM_INTER) != 0, comm->inter);
    if (comm->group != NULL)
        json_object_set_new(object, "group", group_json(comm));
    set_queue(object, "receives", &comm->queues[mqs_pending_receives], mqs_pending_receives);
    set_queue(object, "unexpected", &comm->queues[mqs_unexpected_messages],
              mqs_unexpected_messages);
    set_queue(object, "sends", &comm->queues[mqs_pending_sends], mqs_pending_sends);
    if (comm->collectives != 0)
        json_object_set_new(object, "collectives", collectives_json(comm));
    return object;
}

static void
set_raw_text(json_t *object, const char *key, const char *text, size_t size)
{
    char *escaped = escape_text(text, size);
    if (*escaped != '\0')
        set_text(object, key, escaped);
    free(escaped);
}

static json_t *
thread_json(const mqs_omp_thread *thread)
{
    uint32_t known = thread->known;
    json_t *object = json_object();
    set_integer(object, "tid", (known & MQS_OMP_TID) != 0, thread->tid);
    set_integer(object, "thread_num", (known & MQS_OMP_THREAD_NUM) != 0, thread->thread_num);
    set_integer(object, "team_size", (known & MQS_OMP_TEAM_SIZE) != 0, thread->team_size);
    set_integer(object, "level", (known & MQS_OMP_LEVEL) != 0, thread->level);
    if ((known & MQS_OMP_STATE) != 0)
        set_raw_text(object, "state", thread->state_name, sizeof thread->state_name);
    set_integer(object, "wait_id", (known & MQS_OMP_WAIT_ID) != 0, (int64_t) thread->wait_id);
    return object;
}

static json_t *
openmp_json(const struct report *report)
{
    json_t *object = json_object(), *threads = json_array();
    set_raw_text(object, "runtime", report->omp.runtime, sizeof report->omp.runtime);
    set_raw_text(object, "backend", report->omp.backend, sizeof report->omp.backend);
    for (size_t i = 0; i < report->n_threads; i++)
        json_array_append_new(threads, thread_json(&report->threads[i]));
    json_object_set_new(object, "threads", threads);
    return object;
}

static json_t *
mpi_json(const struct report *report)
{
    json_t *object = json_object();
    set_text(object, "implementation", report->implementation);
    set_text(object, "version", report->version);
    set_text(object, "layout", report->layout);
    return object;
}

static json_t *
report_json(const struct report *report)
{
    json_t *object = json_object(), *comms = json_array(), *messages = json_array();
    set_integer(object, "pid", true, report->pid);
    set_integer(object, "rank", report->rank >= 0, report->rank);
    set_text(object, "image", report->image);
    if (report->implementation != NULL)
        json_object_set_new(object, "mpi", mpi_json(report));
    for (size_t i = 0; i < report->n_comms; i++)
        json_array_append_new(comms, communicator_json(&report->comms[i]));
    json_object_set_new(object, "communicators", comms);
    if (report->has_openmp)
        json_object_set_new(object, "openmp", openmp_json(report));
    for (size_t i = 0; i < report->n_messages; i++)
        json_array_append_new(messages, json_string(report->messages[i]));
    json_object_set_new(object, "messages", messages);
    return object;
}

static json_t *
stats_json(const struct host_stats *stats)
{
    json_t *object = json_object();
    for (unsigned i = 0; stats_name(i) != NULL; i++)
        set_integer(object, stats_name(i), true, (int64_t) stats_value(stats, i));
    return object;
}

void
print_json(FILE *out, const struct report *reports, size_t count, const struct host_stats *stats)
{
    json_t *document = json_object(), *processes = json_array();
    set_text(document, "schema", "mqs-ompd/1");
    for (size_t i = 0; i < count; i++)
        json_array_append_new(processes, report_json(&reports[i]));
    json_object_set_new(document, "processes", processes);
    if (stats != NULL)
        json_object_set_new(document, "stats", stats_json(stats));
    json_dumpf(document, out, JSON_INDENT(1));
    fputc('\n', out);
    json_decref(document);
}
