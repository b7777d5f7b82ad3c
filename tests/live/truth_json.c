// SPDX-License-Identifier: BSD-3-Clause
// Writes the record as JSON, into a temporary file that is renamed when it is complete.
#include "truth_record.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// How a library begins to tell its version, before which character that ends. Which one it is need
// not be the one that the program was compiled for: Intel's runs programs of MPICH.
static const struct implementation {
    const char *name, *format;
} implementations[] = {
    {"MPICH", " MPICH Version: %31[^\n]"},
    {"Open MPI", " Open MPI v%31[^,]"},
    {"Intel MPI", " Intel(R) MPI Library %31[^ \n]"},
};
enum { IMPLEMENTATIONS = sizeof implementations / sizeof *implementations };

enum { TRUTH_PLACES = 3 };

static void
write_string(FILE *file, const char *text)
{
    fputc('"', file);
    for (; *text != '\0'; text++) {
        unsigned char c = (unsigned char) *text;
        if (c == '"' || c == '\\')
            fprintf(file, "\\%c", c);
        else if (c < 0x20)
            fprintf(file, "\\\\x%02x", c); // mqshow shows control characters so
        else
            fputc(c, file);
    }
    fputc('"', file);
}

// "NAME":NUMBER, or "NAME":"any" for a negative number, which is what the wildcards are.
static void
write_wild(FILE *file, const char *name, int number)
{
    if (number < 0)
        fprintf(file, "\"%s\":\"any\"", name);
    else
        fprintf(file, "\"%s\":%d", name, number);
}

static void
write_envelope(FILE *file, const struct truth_comm *comm, const struct truth_envelope *envelope)
{
    write_wild(file, "peer", envelope->peer);
    if (envelope->peer < 0)
        fputs(",\"world_peer\":\"any\",", file);
    else
        fprintf(file, ",\"world_peer\":%d,", comm->peers[envelope->peer]);
    write_wild(file, "tag", envelope->tag);
    if (envelope->bytes >= 0)
        fprintf(file, ",\"bytes\":%ld", envelope->bytes);
}

static void
write_data(FILE *file, const struct truth_op *op)
{
    fprintf(file, ",\"count\":%d", op->count);
    if (op->type_name[0] != '\0') {
        fputs(",\"datatype\":", file);
        write_string(file, op->type_name);
    }
    if (op->buffer != NULL)
        fprintf(file, ",\"buffer\":\"0x%lx\"", (unsigned long) op->buffer);
    fprintf(file, ",\"persistent\":%s", op->persistent ? "true" : "false");
}

static void
write_op(FILE *file, const struct truth_op *op)
{
    fputs("{", file);
    write_envelope(file, op->comm, &op->asked);
    if (op->status != NULL)
        fprintf(file, ",\"status\":\"%s\"", op->status);
    if (op->kind != NULL)
        fprintf(file, ",\"kind\":\"%s\"", op->kind);
    if (op->count >= 0)
        write_data(file, op);
    if (op->list == TRUTH_SENDS)
        fprintf(file, ",\"system_buffer\":%s", op->kind[0] == 'b' ? "true" : "false");
    if (op->has_actual) {
        fputs(",\"actual\":{", file);
        write_envelope(file, op->comm, &op->actual);
        fputs("}", file);
    }
    fputs("}", file);
}

// Where an operation stands among others: pending ones first, then matched ones, then complete
// ones.
static int
place_of(const struct truth_op *op)
{
    static const char *const order[] = {"pending", "matched", "complete"};
    for (int i = 1; i < TRUTH_PLACES; i++) {
        if (op->status != NULL && strcmp(op->status, order[i]) == 0)
            return i;
    }
    return 0;
}

static void
write_ops(FILE *file, const struct truth_comm *comm, enum truth_list list)
{
    static const char *const names[] = {
        [TRUTH_RECEIVES] = "receives", [TRUTH_UNEXPECTED] = "unexpected", [TRUTH_SENDS] = "sends"};
    const char *separator = "";
    const struct truth_op *op;
    fprintf(file, ",\n  \"%s\":[", names[list]);
    for (int place = 0; place < TRUTH_PLACES; place++) {
        STAILQ_FOREACH (op, &comm->ops[list], next) {
            if (list == TRUTH_RECEIVES ? place_of(op) != place : place > 0)
                continue;
            fprintf(file, "%s\n   ", separator);
            write_op(file, op);
            separator = ",";
        }
    }
    fputs("]", file);
}

static void
write_collectives(FILE *file, const struct truth_comm *comm)
{
    const char *separator = "";
    const struct truth_collective *collective;
    fputs(",\n  \"collectives\":[", file);
    STAILQ_FOREACH (collective, &comm->collectives, next) {
        fprintf(file, "%s{\"name\":\"%s\",\"active\":true}", separator, collective->name);
        separator = ",";
    }
    fputs("]", file);
}

static void
write_comm(FILE *file, const struct truth_comm *comm)
{
    fputs(" {", file);
    if (comm->name[0] != '\0') {
        fputs("\"name\":", file);
        write_string(file, comm->name);
        fputs(",", file);
    }
    fprintf(file, "\"size\":%d,\"local_rank\":%d,\"inter\":%s,\"group\":[", comm->size,
            comm->local_rank, comm->inter ? "true" : "false");
    for (int i = 0; i < comm->size; i++)
        fprintf(file, "%s%d", i > 0 ? "," : "", comm->members[i]);
    fputs("]", file);
    for (enum truth_list list = 0; list < TRUTH_LISTS; list++)
        write_ops(file, comm, list);
    if (!comm->collectives_unknown)
        write_collectives(file, comm);
    fputs("}", file);
}

static int
write_comms(FILE *file)
{
    int count = 0;
    const struct truth_comm *comm;
    fputs(",\"communicators\":[", file);
    STAILQ_FOREACH (comm, &truth.comms, next) {
        fputs(count++ > 0 ? ",\n" : "\n", file);
        write_comm(file, comm);
    }
    fputs("]", file);
    return count;
}

static void
write_directive(FILE *file, const struct truth_directive *directive)
{
    if (directive != NULL)
        fprintf(file, ",\"function\":{\"name\":\"%s\",\"file\":\"%s\",\"line\":%d}",
                directive->function, directive->file, directive->line);
}

static void
write_region(FILE *file, const struct truth_region *region)
{
    if (region == NULL) {
        fputs("null", file);
        return;
    }
    fprintf(file, "{\"level\":%d,\"team_size\":%d", region->level, region->team_size);
    write_directive(file, region->directive);
    fputs(",\"parent\":", file);
    write_region(file, region->parent);
    fputs("}", file);
}

// The explicit tasks are within each other, the implicit one is around them. Which task another one
// interrupts is part of the states.
static void
write_tasks(FILE *file, const struct truth_thread *thread)
{
    const struct truth_directive *task = thread->task;
    for (; task != NULL; task = task->around) {
        fputs("{\"implicit\":false", file);
        write_directive(file, truth.keeps_functions ? task : NULL);
        fputs("}", file);
        if (!truth.keeps_states)
            return;
        fputs(",", file);
    }
    fprintf(file, "{\"implicit\":true,\"thread_num\":%d}", thread->thread_num);
}

static void
write_thread(FILE *file, const struct truth_thread *thread)
{
    fprintf(file, "{\"tid\":%d,\"thread_num\":%d,\"team_size\":%d,\"level\":%d,\"active_level\":%d",
            thread->tid, thread->thread_num, thread->team_size, thread->level,
            thread->active_level);
    if (thread->state != NULL)
        fprintf(file, ",\"state\":\"%s\"", thread->state);
    if (*thread->critical != '\0')
        fprintf(file, ",\"waits_for\":{\"name\":\"%s\"}", thread->critical);
    fputs(",\n  \"region\":", file);
    write_region(file, thread->region);
    fputs(",\n  \"tasks\":[", file);
    write_tasks(file, thread);
    fputs("]}", file);
}

static void
write_threads(FILE *file)
{
    const char *separator = "\n ";
    const struct truth_thread *thread;
    if (STAILQ_EMPTY(&truth.threads))
        return;
    fprintf(file, ",\n\"openmp\":{\"runtime\":\"%s\",\"threads\":[", truth.openmp);
    STAILQ_FOREACH (thread, &truth.threads, next) {
        fputs(separator, file);
        write_thread(file, thread);
        separator = ",\n ";
    }
    fputs("]}", file);
}

/** The level of threads as mqshow numbers it; -1: the process uses MPI by sessions alone. */
static int
thread_level(void)
{
    static const int levels[] = {MPI_THREAD_SINGLE, MPI_THREAD_FUNNELED, MPI_THREAD_SERIALIZED,
                                 MPI_THREAD_MULTIPLE};
    int is_initialized, level, number = 3;
    MPI_Initialized(&is_initialized);
    if (!is_initialized)
        return -1;
    MPI_Query_thread(&level);
    while (number >= 0 && levels[number] != level)
        number--;
    return number;
}

// Of the library that runs, which may be another one than mpi.h is of.
static void
write_mpi(FILE *file)
{
    char text[MPI_MAX_LIBRARY_VERSION_STRING], version[32] = "";
    const char *name = "";
    int length;
    MPI_Get_library_version(text, &length);
    for (int i = 0; i < IMPLEMENTATIONS && *name == '\0'; i++)
        if (sscanf(text, implementations[i].format, version) == 1)
            name = implementations[i].name;
    fprintf(file, "\"mpi\":{\"implementation\":\"%s\",\"version\":\"%s\"", name, version);
    if (thread_level() >= 0)
        fprintf(file, ",\"thread_level_number\":%d", thread_level());
    fprintf(file, "}\n");
}

static void
write_process(FILE *file)
{
    fprintf(file, "{\"pid\":%d,\"rank\":%d,\n", (int) getpid(), truth.rank);
    write_mpi(file);
    int count = write_comms(file);
    write_threads(file);
    truth_write_calls(file);
    truth_write_verdict(file);
    fprintf(file, ",\n\"communicator_count\":%d}\n", count + truth.hidden_comms);
}

static void
fail(const char *what)
{
    perror(what);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

void
truth_write(void)
{
    char temporary[4096], final[4096], name[64];
    const char *folder = getenv("MQS_TRUTH_DIR");
    if (folder == NULL)
        return;
    if (truth.job == 0)
        snprintf(name, sizeof name, "rank-%d.json", truth.rank);
    else
        snprintf(name, sizeof name, "job-%d-rank-%d.json", truth.job, truth.rank);
    // Programs that each believe to be alone have the same rank.
    snprintf(temporary, sizeof temporary, "%s/.%s-%ld", folder, name, (long) getpid());
    snprintf(final, sizeof final, "%s/%s", folder, name);
    FILE *file = fopen(temporary, "w");
    if (file == NULL) {
        fail(temporary);
        return;
    }
    write_process(file);
    if (fclose(file) != 0 || rename(temporary, final) != 0)
        fail(final);
}
