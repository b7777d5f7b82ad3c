// SPDX-License-Identifier: BSD-3-Clause
// Reports as the document "mqs-ompd/1"; members that are not known are left out.
#include "tools/print.h"

#include "tools/json.h"
#include "tools/json_write.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { LONG_RUN = 64 }; // ranks

/** A place for a queue, which is filled later. */
static void
set_queue(json_t *object, const struct communicator *comm, int op_class)
{
    if (comm->queues[op_class].known)
        json_object_set_new(object, queue_key(op_class), json_array());
}

/** Names the queues that are there in part. */
static void
set_incomplete(json_t *object, const struct communicator *comm)
{
    json_t *array = json_array();
    for (int i = 0; i < QUEUES; i++)
        if (comm->queues[i].known && comm->queues[i].incomplete)
            json_array_append_new(array, json_string(queue_key(i)));
    if (json_array_size(array) > 0)
        json_object_set(object, "incomplete", array);
    json_decref(array);
}

/** Number of ranks from the first one on that rise by one. */
static int64_t
run_length(const int *ranks, int64_t count)
{
    int64_t n = 1;
    while (n < count && ranks[0] >= 0 && ranks[n] > 0 && ranks[n] - 1 == ranks[n - 1])
        n++;
    return n;
}

/** Ranks; many that rise by one are a text "first-last". */
static void
set_group(json_t *object, const char *key, const int *ranks, int64_t count)
{
    if (ranks == NULL)
        return;
    json_t *array = json_array();
    for (int64_t i = 0, n; i < count; i += n) {
        n = run_length(ranks + i, count - i);
        if (n < LONG_RUN) {
            n = 1;
            json_array_append_new(array, json_integer(ranks[i]));
        } else {
            json_array_append_new(array, json_sprintf("%d-%d", ranks[i], ranks[i + n - 1]));
        }
    }
    json_object_set_new(object, key, array);
}

static json_t *
collective_json(const struct communicator *comm, int comm_class)
{
    json_t *object = json_pack("{s:s, s:b}", "name", collective_name(comm_class), "active", 1);
    json_t *peers = json_array();
    for (size_t i = 0; i < comm->n_coll_peers; i++)
        if (comm->coll_peers[i].comm_class == comm_class)
            json_array_append_new(peers, json_integer(comm->coll_peers[i].peer));
    if (json_array_size(peers) > 0)
        json_object_set(object, "peers", peers);
    json_decref(peers);
    return object;
}

static json_t *
collectives_json(const struct communicator *comm)
{
    json_t *array = json_array();
    for (int i = 0; i < mqs_comm_class_count; i++)
        if ((comm->collectives & 1u << i) != 0)
            json_array_append_new(array, collective_json(comm, i));
    return array;
}

static void
set_traffic(json_t *object, const struct communicator *comm)
{
    if (comm->traffic == NULL)
        return;
    json_t *array = json_array();
    for (size_t i = 0; i < comm->n_traffic; i++)
        json_array_append_new(array, json_pack("[i, i, i]", comm->traffic[i].rank,
                                               comm->traffic[i].sent, comm->traffic[i].received));
    json_object_set_new(object, "traffic", array);
}

static json_t *
communicator_json(const struct communicator *comm)
{
    json_t *object = json_object();
    json_set_text(object, "name", comm->name);
    // An id beyond what JSON's integers hold is shown by its bits.
    json_set_integer(object, "id", true, (int64_t) comm->id);
    json_set_integer(object, "size", true, comm->size);
    json_set_integer(object, "local_rank", comm->rank >= 0, comm->rank);
    json_set_bool(object, "inter", (comm->known & MQS_COMM_INTER) != 0, comm->inter);
    json_set_bool(object, "freed", (comm->known & MQS_COMM_FREED) != 0, comm->freed);
    json_set_hex(object, "address", (comm->known & MQS_COMM_ADDRESS) != 0, comm->address);
    json_set_integer(object, "remote_size",
                     comm->inter && (comm->known & MQS_COMM_REMOTE_SIZE) != 0, comm->remote_size);
    set_group(object, "group", comm->group, comm->size);
    set_group(object, "remote_group", comm->remote_group, comm->remote_size);
    set_traffic(object, comm);
    set_queue(object, comm, mqs_pending_receives);
    set_queue(object, comm, mqs_unexpected_messages);
    set_queue(object, comm, mqs_pending_sends);
    set_incomplete(object, comm);
    if (comm->collectives != 0)
        json_object_set_new(object, "collectives", collectives_json(comm));
    return object;
}

#define PHASE(number, verdict, name) [number] = (name),
static const char *const phases[mqs_phase_count] = {
#include "tools/verdict/phases.def"
};
#undef PHASE

static json_t *
mpi_json(const struct report *report)
{
    json_t *object = json_object();
    json_set_text(object, "implementation", report->implementation);
    json_set_text(object, "version", report->version);
    json_set_text(object, "layout", report->layout);
    json_set_text(object, "transport", report->transport);
    if (report->phase >= 0 && report->phase < mqs_phase_count)
        json_set_text(object, "phase", phases[report->phase]);
    json_set_hex(object, "progress", report->has_progress, report->progress);
    return object;
}

/** Only what keeps a process from going on: others run, or sleep until something happens. */
static void
set_state(json_t *object, const struct state *state)
{
    if (state->kind > STATE_SLEEPING)
        json_set_text(object, "state", state_name(state->kind));
    json_set_integer(object, "tracer", state->tracer > 0, state->tracer);
    json_set_text(object, "tracer_name", state->tracer_name);
    json_set_text(object, "signal", state_signal_name(state->signal));
    json_set_integer(object, "exit", state->has_exit, state->exit);
}

json_t *
json_outline(const struct report *report)
{
    json_t *object = json_object(), *comms = json_array(), *messages = json_array();
    json_set_integer(object, "pid", report->pid > 0, report->pid);
    json_set_integer(object, "rank", report->rank >= 0, report->rank);
    json_set_text(object, "world", report->world);
    json_set_text(object, "host", report->host);
    json_set_text(object, "image", report->image);
    json_set_text(object, "core", report->core);
    set_state(object, &report->state);
    if (report->stopped_us > 0)
        json_object_set_new(object, "stopped_ms", json_real((double) report->stopped_us / 1000));
    if (report->implementation != NULL)
        json_object_set_new(object, "mpi", mpi_json(report));
    for (size_t i = 0; i < report->n_comms; i++)
        json_array_append_new(comms, communicator_json(&report->comms[i]));
    json_object_set_new(object, "communicators", comms);
    json_object_set_new(object, "threads", json_threads(&report->threads, &report->omp));
    if (report->has_openmp)
        json_object_set_new(object, "openmp", json_openmp(&report->omp));
    for (size_t i = 0; i < report->n_messages; i++)
        json_array_append_new(messages, json_string(report->messages[i]));
    json_object_set_new(object, "messages", messages);
    json_set_bool(object, "incomplete", report->incomplete, true);
    return object;
}

json_t *
json_report(const struct report *report)
{
    if (report->document != NULL)
        return json_incref(report->document);
    json_t *object = json_outline(report), *comms = json_object_get(object, "communicators");
    for (size_t i = 0; i < report->n_comms; i++)
        for (int k = 0; k < QUEUES; k++)
            if (report->comms[i].queues[k].known)
                json_object_set_new(json_array_get(comms, i), queue_key(k),
                                    operations_pack(&report->comms[i].queues[k].operations));
    return object;
}

static json_t *
stats_json(const struct host_stats *stats)
{
    json_t *object = json_object();
    for (unsigned i = 0; stats_name(i) != NULL; i++)
        json_set_integer(object, stats_name(i), true, (int64_t) stats_value(stats, i));
    return object;
}

json_t *
json_document(const struct report *reports, size_t count, const struct host_stats *stats)
{
    json_t *document = json_object(), *processes = json_array();
    json_set_text(document, "schema", "mqs-ompd/1");
    for (size_t i = 0; i < count; i++)
        json_array_append_new(processes, json_report(&reports[i]));
    json_object_set_new(document, "processes", processes);
    if (stats != NULL)
        json_object_set_new(document, "stats", stats_json(stats));
    return document;
}

void
print_json(FILE *out, const struct json_t *document)
{
    json_write(out, document, JSON_INDENT(1) | JSON_REAL_PRECISION(6));
    fputc('\n', out);
}
