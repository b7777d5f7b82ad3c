// SPDX-License-Identifier: BSD-3-Clause
// Reading the MPI side of a process back from its document.
#include "tools/parse.h"

#include "tools/alloc.h"
#include "tools/escape.h"

#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { GROUP_MAX = 1 << 22 }; // ranks of a group that are written as runs

/** The number of a name among those that `name_of` knows; -1: none. */
static int
find_name(const json_t *object, const char *key, const char *(*name_of)(int), int count)
{
    const char *text = json_string_value(json_object_get(object, key));
    for (int i = 0; i < count && text != NULL; i++)
        if (name_of(i) != NULL && strcmp(name_of(i), text) == 0)
            return i;
    return -1;
}

static bool
has_text(const json_t *array, const char *text)
{
    size_t i;
    json_t *item;
    json_array_foreach (array, i, item)
        if (json_is_string(item) && strcmp(json_string_value(item), text) == 0)
            return true;
    return false;
}

static void
read_queue(struct communicator *comm, const json_t *object, int op_class)
{
    struct queue *queue = &comm->queues[op_class];
    queue->incomplete = has_text(json_object_get(object, "incomplete"), queue_key(op_class));
    queue->known = operations_of(object, op_class, &queue->operations);
}

/** Adds the ranks of one entry: a number, or a text "first-last". @return false: neither */
static bool
add_ranks(int *group, int64_t size, int64_t *count, const json_t *entry)
{
    int first, last;
    const char *text = json_string_value(entry);
    if (text == NULL) {
        json_int_t value = json_integer_value(entry);
        if (!json_is_integer(entry) || value < -1 || value > INT_MAX)
            return false;
        first = last = (int) value;
    } else if (sscanf(text, "%d-%d", &first, &last) != 2 || first < 0 || last < first) {
        return false;
    }
    if (last - first >= size - *count)
        return false;
    for (int64_t rank = first; rank <= last; rank++)
        group[(*count)++] = (int) rank;
    return true;
}

/** The `size` members of a group, to free(); NULL when these are not what the array holds. */
static int *
read_group(const json_t *array, int64_t size)
{
    if (!json_is_array(array) || size < 0 || size > GROUP_MAX)
        return NULL;
    int *group = alloc_zeroed((size_t) size, sizeof *group);
    int64_t count = 0;
    bool good = true;
    for (size_t i = 0; i < json_array_size(array) && good; i++)
        good = add_ranks(group, size, &count, json_array_get(array, i));
    if (good && count == size)
        return group;
    free(group);
    return NULL;
}

static uint32_t
read_collectives(const json_t *array)
{
    uint32_t found = 0;
    for (size_t i = 0; i < json_array_size(array); i++) {
        const json_t *object = json_array_get(array, i);
        int name = find_name(object, "name", collective_name, mqs_comm_class_count);
        if (name >= 0 && json_is_true(json_object_get(object, "active")))
            found |= 1u << name;
    }
    return found;
}

static void
read_communicator(struct communicator *comm, const json_t *object)
{
    int64_t id = 0;
    comm->name = parse_text(object, "name");
    if (comm->name == NULL)
        comm->name = alloc_text("");
    parse_integer(object, "id", &id);
    comm->id = (uint64_t) id;
    comm->rank = -1;
    parse_integer(object, "size", &comm->size);
    parse_integer(object, "local_rank", &comm->rank);
    comm->inter = parse_flag(object, "inter", MQS_COMM_INTER, &comm->known);
    comm->freed = parse_flag(object, "freed", MQS_COMM_FREED, &comm->known);
    if (parse_integer(object, "remote_size", &comm->remote_size))
        comm->known |= MQS_COMM_REMOTE_SIZE;
    if (parse_hex(object, "address", &comm->address))
        comm->known |= MQS_COMM_ADDRESS;
    comm->group = read_group(json_object_get(object, "group"), comm->size);
    comm->remote_group = read_group(json_object_get(object, "remote_group"), comm->remote_size);
    for (int i = 0; i < QUEUES; i++)
        read_queue(comm, object, i);
    comm->collectives = read_collectives(json_object_get(object, "collectives"));
}

static void
read_communicators(struct report *report, const json_t *array)
{
    report->n_comms = json_array_size(array);
    report->comms = alloc_zeroed(report->n_comms, sizeof *report->comms);
    for (size_t i = 0; i < report->n_comms; i++)
        read_communicator(&report->comms[i], json_array_get(array, i));
}

static void
read_messages(struct report *report, const json_t *array)
{
    for (size_t i = 0; i < json_array_size(array); i++) {
        const char *text = json_string_value(json_array_get(array, i));
        if (text != NULL)
            report_message(report, escape_text(text, SIZE_MAX));
    }
}

static void
read_state(struct state *state, const json_t *process)
{
    int64_t tracer = 0, status = -1;
    state->kind = find_name(process, "state", state_name, STATES);
    if (state->kind < 0)
        state->kind = STATE_UNKNOWN;
    if (parse_integer(process, "tracer", &tracer) && tracer > 0 && tracer <= INT_MAX)
        state->tracer = (pid_t) tracer;
    state->tracer_name = parse_text(process, "tracer_name");
    state->signal = find_name(process, "signal", state_signal_name, _NSIG);
    if (state->signal < 0)
        state->signal = 0;
    state->has_exit = parse_integer(process, "exit", &status) && status >= 0 && status <= UINT8_MAX;
    state->exit = state->has_exit ? (int) status : 0;
}

bool
parse_report(struct report *report, const json_t *process)
{
    int64_t pid = 0, rank = -1;
    const json_t *mpi = json_object_get(process, "mpi");
    const json_t *omp = json_object_get(process, "openmp");
    *report = (struct report){.rank = -1};
    read_state(&report->state, process);
    bool has_pid = parse_integer(process, "pid", &pid) && pid > 0 && pid <= INT_MAX;
    if (!has_pid && report->state.kind != STATE_GONE && json_object_get(process, "core") == NULL)
        return false;
    parse_integer(process, "rank", &rank);
    report->pid = has_pid ? (pid_t) pid : 0;
    report->rank = rank >= 0 && rank <= INT_MAX ? (int) rank : -1;
    report->world = parse_text(process, "world");
    report->image = parse_text(process, "image");
    report->core = parse_text(process, "core");
    if (report->image == NULL)
        report->image = alloc_text("");
    report->implementation = parse_text(mpi, "implementation");
    report->version = parse_text(mpi, "version");
    report->layout = parse_text(mpi, "layout");
    report->transport = parse_text(mpi, "transport");
    read_communicators(report, json_object_get(process, "communicators"));
    report->has_mpi = json_is_object(mpi) || report->n_comms > 0;
    report->has_openmp = json_is_object(omp);
    if (report->has_openmp)
        parse_openmp(&report->omp, omp);
    read_messages(report, json_object_get(process, "messages"));
    double ms = json_number_value(json_object_get(process, "stopped_ms"));
    report->stopped_us = ms > 0 && ms < 1e9 ? (int64_t) (ms * 1000 + 0.5) : 0;
    report->incomplete = json_is_true(json_object_get(process, "incomplete"));
    return true;
}
