// SPDX-License-Identifier: BSD-3-Clause
// What was seen of a process: its life and the names of its numbers.
#include "tools/model.h"

#include "tools/alloc.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

static const char *const queue_names[] = {
    [mqs_pending_sends] = "sends",
    [mqs_pending_receives] = "receives",
    [mqs_unexpected_messages] = "unexpected messages",
};

static const char *const collective_names[] = {
    [mqs_comm_barrier] = "barrier",     [mqs_comm_bcast] = "bcast",
    [mqs_comm_allgather] = "allgather", [mqs_comm_allgatherv] = "allgatherv",
    [mqs_comm_allreduce] = "allreduce", [mqs_comm_alltoall] = "alltoall",
    [mqs_comm_alltoallv] = "alltoallv", [mqs_comm_reduce_scatter] = "reduce_scatter",
    [mqs_comm_reduce] = "reduce",       [mqs_comm_gather] = "gather",
    [mqs_comm_gatherv] = "gatherv",     [mqs_comm_scan] = "scan",
    [mqs_comm_scatter] = "scatter",     [mqs_comm_scatterv] = "scatterv",
};

const char *
queue_name(int op_class)
{
    return NAME_OF(queue_names, op_class);
}

const char *
collective_name(int comm_class)
{
    return NAME_OF(collective_names, comm_class);
}

void
report_message(struct report *report, char *message)
{
    for (size_t i = 0; i < report->n_messages; i++) {
        if (strcmp(report->messages[i], message) == 0) {
            free(message);
            return;
        }
    }
    report->messages = alloc_grow(report->messages, report->n_messages, &report->messages_capacity,
                                  sizeof *report->messages);
    report->messages[report->n_messages++] = message;
}

void
report_problem(struct report *report, char *message)
{
    report_message(report, message);
    report->incomplete = true;
}

void
report_forget_messages(struct report *report)
{
    for (size_t i = 0; i < report->n_messages; i++)
        free(report->messages[i]);
    report->n_messages = 0;
    report->incomplete = false;
}

bool
report_has_something(const struct report *report)
{
    // The messages of one that is only printed as JSON stay in its document.
    return report->has_mpi || report->has_openmp || report->n_messages > 0 || report->incomplete ||
           state_is_dead(&report->state);
}

void
report_set_labels(struct report *report, const struct json_t *process)
{
    const json_t *comms = json_object_get(process, "communicators");
    for (size_t i = 0; i < report->n_comms; i++) {
        const json_t *label = json_object_get(json_array_get(comms, i), "label");
        free(report->comms[i].label);
        report->comms[i].label = alloc_text(json_string_value(label));
    }
}

const char *
communicator_label(const struct communicator *comm)
{
    const char *text = comm->label != NULL ? comm->label : comm->name;
    return *text != '\0' ? text : "(no name)";
}

static void
free_communicator(struct communicator *comm)
{
    for (size_t i = 0; i < QUEUES; i++)
        operations_deinit(&comm->queues[i].operations);
    free(comm->name);
    free(comm->label);
    free(comm->group);
    free(comm->remote_group);
    free(comm->traffic);
    free(comm->coll_peers);
}

void
report_deinit(struct report *report)
{
    for (size_t i = 0; i < report->n_comms; i++)
        free_communicator(&report->comms[i]);
    report_forget_messages(report);
    state_deinit(&report->state);
    free(report->comms);
    free(report->messages);
    threads_deinit(&report->threads);
    openmp_deinit(&report->omp);
    free(report->world);
    free(report->host);
    free(report->image);
    free(report->core);
    free(report->implementation);
    free(report->version);
    free(report->layout);
    free(report->transport);
    free(report->layout_rows);
    json_decref(report->document);
    *report = (struct report){.pid = 0};
}
