// SPDX-License-Identifier: BSD-3-Clause
// Jobs that are made up.
#include "tests/verdict/made_job.h"

#include "mqshow/base/json_out.h"
#include "mqshow/report/arguments.h"
#include "mqshow/verdict/labels.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { FIRST_REQUEST = 0x1000, REQUEST_BYTES = 0x100, LONG_MESSAGE = 65536 };

json_t *
made_process(const json_t *job, int rank)
{
    return json_array_get(json_object_get(job, "processes"), (size_t) rank);
}

json_t *
made_communicator(const json_t *job, int rank, int comm)
{
    return json_array_get(json_object_get(made_process(job, rank), "communicators"), (size_t) comm);
}

static json_t *
thread_of(const json_t *job, int rank, int thread)
{
    return json_array_get(json_object_get(made_process(job, rank), "threads"), (size_t) thread);
}

static json_t *
computing_thread(int tid)
{
    return json_pack("{s:i, s:{s:s, s:s, s:i}, s:[{s:s, s:s}]}", "tid", tid, "frame", "function",
                     "compute", "file", "/home/me/solve.c", "line", 88, "stack", "function",
                     "compute", "module", "/home/me/a.out");
}

json_t *
made_job(int ranks)
{
    json_t *job = json_pack("{s:s, s:[]}", "schema", "mqs-ompd/1", "processes");
    for (int i = 0; i < ranks; i++) {
        json_t *process = json_pack("{s:i, s:i, s:s, s:[], s:[o], s:[]}", "pid", 1000 + i, "rank",
                                    i, "image", "/home/me/a.out", "communicators", "threads",
                                    computing_thread(1000 + i), "messages");
        json_array_append_new(json_object_get(job, "processes"), process);
        made_comm(job, i, "MPI_COMM_WORLD", 0, i,
                  ranks > 1 ? json_pack("[o]", json_sprintf("0-%d", ranks - 1))
                            : json_pack("[i]", 0));
    }
    return job;
}

int
made_comm(const json_t *job, int rank, const char *name, int id, int local_rank, json_t *group)
{
    json_t *comms = json_object_get(made_process(job, rank), "communicators");
    const char *run = json_string_value(json_array_get(group, 0));
    int first = 0, last = 0;
    int size = run != NULL && sscanf(run, "%d-%d", &first, &last) == 2
                   ? last - first + 1
                   : (int) json_array_size(group);
    json_array_append_new(comms, json_pack("{s:s, s:i, s:i, s:i, s:b, s:o, s:[], s:[], s:[], s:[]}",
                                           "name", name, "id", id, "size", size, "local_rank",
                                           local_rank, "inter", 0, "group", group, "traffic",
                                           "receives", "unexpected", "sends"));
    return (int) json_array_size(comms) - 1;
}

void
made_inter(const json_t *job, int rank, int comm, json_t *group)
{
    json_t *object = made_communicator(job, rank, comm);
    json_object_set_new(object, "inter", json_true());
    json_object_set_new(object, "remote_size", json_integer((json_int_t) json_array_size(group)));
    json_object_set_new(object, "remote_group", group);
}

static json_t *
number_or_any(int number)
{
    return number < 0 ? json_string("any") : json_integer(number);
}

/** The address of a request that no other one has. */
static json_t *
next_request(void)
{
    static int last = FIRST_REQUEST;
    last += REQUEST_BYTES;
    return json_sprintf("0x%x", last);
}

json_t *
made_op(const json_t *job, int rank, int comm, const char *queue, int peer, int tag, int bytes)
{
    json_t *array = json_object_get(made_communicator(job, rank, comm), queue);
    json_array_append_new(array, json_pack("{s:s, s:o, s:o, s:i, s:o}", "status", "pending", "peer",
                                           number_or_any(peer), "tag", number_or_any(tag), "bytes",
                                           bytes, "request", next_request()));
    return json_array_get(array, json_array_size(array) - 1);
}

json_t *
made_receive(const json_t *job, int rank, int peer, int tag)
{
    return made_op(job, rank, 0, "receives", peer, tag, LONG_MESSAGE);
}

json_t *
made_send(const json_t *job, int rank, int peer, int tag)
{
    return made_op(job, rank, 0, "sends", peer, tag, LONG_MESSAGE);
}

json_t *
made_rendezvous(const json_t *job, int rank, int peer, int tag)
{
    json_t *message = made_op(job, peer, 0, "unexpected", rank, tag, LONG_MESSAGE);
    json_object_set_new(message, "rendezvous", json_true());
    json_object_del(message, "request");
    return made_send(job, rank, peer, tag);
}

void
made_call(const json_t *job, int rank, int thread, const char *call)
{
    json_t *object = thread_of(job, rank, thread);
    json_object_set_new(object, "call", json_string(call));
    json_object_set_new(object, "frame",
                        json_pack("{s:s, s:s, s:i}", "function", "exchange", "file",
                                  "/home/me/ring.c", "line", 17));
}

void
made_wait(const json_t *job, int rank, int thread, const char *call, const char *needs, ...)
{
    va_list args;
    json_t *requests = json_array();
    va_start(args, needs);
    for (json_t *op; (op = va_arg(args, json_t *)) != NULL;)
        json_array_append(requests, json_object_get(op, "request"));
    va_end(args);
    made_call(job, rank, thread, call);
    json_object_set_new(
        thread_of(job, rank, thread), "awaits",
        json_pack("{s:s, s:b, s:o}", "needs", needs, "certain", 1, "requests", requests));
}

void
made_arguments(const json_t *job, int rank, int thread, int comm, int peer, int tag)
{
    static const char *const addresses[] = {"0x100", "0x200"};
    json_t *comms = json_object_get(made_process(job, rank), "communicators");
    for (size_t i = 0; i < json_array_size(comms); i++)
        json_object_set_new(json_array_get(comms, i), "address", json_string(addresses[i]));
    json_object_set_new(thread_of(job, rank, thread), "arguments",
                        json_pack("{s:s, s:o, s:o}", "communicator", addresses[comm], "peer",
                                  number_or_any(peer), "tag", number_or_any(tag)));
}

void
made_collective(const json_t *job, int rank, int comm, const char *name)
{
    char call[64];
    snprintf(call, sizeof call, "MPI_%c%s", toupper((unsigned char) *name), name + 1);
    made_call(job, rank, 0, call);
    json_object_set_new(made_communicator(job, rank, comm), "collectives",
                        json_pack("[{s:s, s:b}]", "name", name, "active", 1));
}

json_t *
made_nonblocking(const json_t *job, int rank, int comm, int sequence, int peer)
{
    json_t *of = made_communicator(job, rank, comm), *array = json_object_get(of, "nonblocking");
    if (array == NULL)
        json_object_set_new(of, "nonblocking", array = json_array());
    json_array_append_new(array,
                          json_pack("{s:i, s:o, s:[i], s:b}", "sequence", sequence, "request",
                                    next_request(), "peers", peer, "unmatched", 1));
    json_object_set_new(of, "next_nonblocking", json_integer(sequence + 1));
    return json_array_get(array, json_array_size(array) - 1);
}

int
made_openmp(const json_t *job, int rank, const char *state, int team_size)
{
    json_t *process = made_process(job, rank), *threads = json_object_get(process, "threads");
    int number = (int) json_array_size(threads);
    if (json_object_get(process, "openmp") == NULL)
        json_object_set_new(process, "openmp",
                            json_pack("{s:[{s:s}], s:[]}", "regions", "id", "r", "threads"));
    json_array_append_new(threads, computing_thread(2000 + number));
    json_object_set_new(json_array_get(threads, (size_t) number), "openmp",
                        json_sprintf("t%d", number));
    json_array_append_new(json_object_get(json_object_get(process, "openmp"), "threads"),
                          json_pack("{s:o, s:s, s:i, s:s}", "id", json_sprintf("t%d", number),
                                    "region", "r", "team_size", team_size, "state", state));
    return number;
}

void
made_level(const json_t *job, int rank, int level)
{
    size_t i;
    json_t *thread, *process = made_process(job, rank);
    if (json_object_get(process, "mpi") == NULL)
        json_object_set_new(process, "mpi", json_object());
    json_object_set_new(json_object_get(process, "mpi"), "thread_level_number",
                        json_integer(level));
    json_array_foreach (json_object_get(process, "threads"), i, thread)
        json_object_set_new(thread, "mpi_main", json_boolean(i == 0));
}

int
made_sleeping(const json_t *job, int rank, const char *call, const char *waits_for, bool times_out)
{
    json_t *threads = json_object_get(made_process(job, rank), "threads");
    int number = (int) json_array_size(threads);
    json_t *thread = computing_thread(2000 + number);
    json_object_set_new(thread, "kernel",
                        json_pack("{s:b, s:s, s:s, s:b}", "sleeps", 1, "call", call, "waits_for",
                                  waits_for, "times_out", times_out));
    json_array_append_new(threads, thread);
    return number;
}

void
made_awaited(const json_t *job, int rank, int thread, const char *name)
{
    const json_t *openmp = json_object_get(made_process(job, rank), "openmp");
    json_t *object = json_array_get(json_object_get(openmp, "threads"), (size_t) thread);
    json_object_set_new(object, "wait_id", json_integer(0x4711));
    json_object_set_new(object, "waits_for", json_pack("{s:s}", "name", name));
}

void
made_traffic(const json_t *job, int rank, int peer, int sent, int received)
{
    json_array_append_new(json_object_get(made_communicator(job, rank, 0), "traffic"),
                          json_pack("[i, i, i]", peer, sent, received));
}

void
made_uncounted(const json_t *job)
{
    size_t i, k;
    json_t *process, *comm;
    json_array_foreach (json_object_get(job, "processes"), i, process)
        json_array_foreach (json_object_get(process, "communicators"), k, comm)
            json_object_del(comm, "traffic");
}

void
made_settled(json_t *job)
{
    size_t i;
    json_t *process;
    json_array_foreach (json_object_get(job, "processes"), i, process)
        json_object_set_new(process, "settled", json_true());
}

struct document *
made_document(const json_t *job)
{
    struct document *document = document_create(0);
    size_t i;
    json_t *process;
    document->samples =
        (size_t) json_integer_value(json_object_get(json_object_get(job, "looks"), "count"));
    json_array_foreach (json_object_get(job, "processes"), i, process)
        report_read(document_add_report(document), process);
    for (i = 0; i < document->count; i++)
        arguments_check(&document->reports[i]);
    return document;
}

json_t *
made_json(const struct document *document)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    struct json_out json;
    json_out_begin(&json, out, JSON_COMPACT);
    json_out_open(&json, '{');
    document_write(&json, document, false);
    json_out_close(&json, '}');
    json_out_end(&json);
    fclose(out);
    json_t *read = json_loadb(text, size, 0, NULL);
    free(text);
    return read;
}

void
made_labels(json_t *job)
{
    struct document *document = made_document(job);
    labels_set(document);
    json_t *labelled = made_json(document);
    json_object_update(job, labelled);
    json_decref(labelled);
    document_destroy(document);
}
