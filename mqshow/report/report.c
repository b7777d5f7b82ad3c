// SPDX-License-Identifier: BSD-3-Clause
// What was seen of a process: its life and its parts.
#include "mqshow/report/report.h"

#include "mqshow/base/alloc.h"
#include "mqshow/base/device_calls.h"
#include "mqshow/base/escape.h"
#include "mqshow/report/device_wait.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

void
report_init(struct report *report, struct intern *texts)
{
    record_init(&report_type, report);
    report->texts = texts;
    report->has_mpi = false;
    report->has = 1u << PROCESS_COMMS | 1u << PROCESS_THREADS | 1u << PROCESS_MESSAGES;
}

void
report_deinit(struct report *report)
{
    record_deinit(&report_type, report);
}

const char *
report_keep(struct report *report, char *text)
{
    const char *kept = report_intern(report, text);
    free(text);
    return kept;
}

const char *
report_intern(struct report *report, const char *text)
{
    return text != NULL ? intern_keep(report->texts, text) : NULL;
}

void
report_message(struct report *report, char *message)
{
    const char *text = report_keep(report, message);
    for (size_t i = 0; i < report->messages.count; i++)
        if (report->messages.items[i] == text)
            return;
    *ALLOC_ADD(report->messages.items, report->messages.count, report->messages.capacity) = text;
}

void
report_problem(struct report *report, char *message)
{
    report_message(report, message);
    SET(report, PROCESS_INCOMPLETE, incomplete, true);
}

void
report_forget_messages(struct report *report)
{
    report->messages.count = 0;
    report->incomplete = false;
    report->has &= ~(1u << PROCESS_INCOMPLETE);
}

const mqs_omp_thread *
report_openmp(const struct report *report, const struct thread_record *thread)
{
    for (size_t i = 0; thread->openmp && i < report->omp.n_threads; i++)
        if (strcmp(report->omp.threads[i].id, thread->openmp) == 0)
            return &report->omp.threads[i];
    return NULL;
}

bool
frame_is_python(const struct frame_record *frame)
{
    return text_equals(frame->language, "python");
}

bool
frame_is_same_line(const struct frame_record *a, const struct frame_record *b)
{
    return text_equals(a->function, b->function) && text_equals(a->file, b->file) &&
           HAS(a, FRAME_LINE) == HAS(b, FRAME_LINE) && a->line == b->line;
}

enum runtime
frame_runtime(const struct frame_record *frame)
{
    enum runtime ret = frame->module ? runtime_of_file(frame->module) : RUNTIME_NONE;
    const char *symbol = frame->symbol ? frame->symbol : frame->function;
    if (frame_is_python(frame))
        return RUNTIME_NONE;
    return ret == RUNTIME_NONE && symbol ? runtime_of_linked(symbol) : ret;
}

bool
report_thread_waits(const struct report *report, const struct thread_record *thread)
{
    static const char waits[] = "wait_";
    if (thread->call)
        return true;
    const mqs_omp_thread *openmp = report_openmp(report, thread);
    return openmp && (openmp_wait(&report->omp, openmp) ||
                      strncmp(openmp->state_name, waits, strlen(waits)) == 0);
}

const char *
report_helper(const struct thread_record *thread)
{
    const char *library = NULL;
    if (!HAS(thread, THREAD_COMPLETE) || !thread->complete || thread->call)
        return NULL;
    for (size_t i = thread->stack.count; i-- > 0;) { // from where it began
        const char *module = thread->stack.items[i].module;
        bool works = library && module && device_library_find(module); // for it, as a driver does
        if (frame_runtime(&thread->stack.items[i]) == RUNTIME_C || works)
            continue;
        if (!module || (library && strcmp(module, library) != 0))
            return NULL;
        const char *names = runtime_helpers(module);
        if (!names || fnmatch(names, thread->name ? thread->name : "", 0) != 0)
            return NULL;
        library = module;
    }
    return library;
}

bool
report_finalizes(const struct report *report)
{
    for (size_t i = 0; i < report->threads.count; i++)
        if (text_equals(report->threads.items[i].call, "MPI_Finalize"))
            return true;
    return false;
}

bool
report_may_call(const struct report *report, const struct thread_record *thread, bool finalizes)
{
    enum { FUNNELED = 1 };
    bool has_only_main = HAS(&report->mpi, MPI_THREAD_NUMBER) &&
                         report->mpi.thread_number <= FUNNELED && HAS(thread, THREAD_MPI_MAIN);
    return thread->call ||
           (!finalizes && (has_only_main ? thread->mpi_main : !report_helper(thread)));
}

bool
report_has_something(const struct report *report)
{
    return report->has_mpi || HAS(report, PROCESS_OPENMP) || report->messages.count > 0 ||
           report->incomplete || report_is_dead(report);
}

void
report_set_state(struct report *report, const struct state *state)
{
    report->has &=
        ~(1u << PROCESS_STATE | 1u << PROCESS_TRACER | 1u << PROCESS_SIGNAL | 1u << PROCESS_EXIT);
    report->state = STATE_UNKNOWN;
    if (state->kind > STATE_SLEEPING)
        SET(report, PROCESS_STATE, state, (uint8_t) state->kind);
    if (state->tracer > 0)
        SET(report, PROCESS_TRACER, tracer, state->tracer);
    report->tracer_name = report_keep(report, alloc_text(state->tracer_name));
    if (state_signal_name(state->signal) != NULL)
        SET(report, PROCESS_SIGNAL, signal, (uint8_t) state->signal);
    if (state->has_exit)
        SET(report, PROCESS_EXIT, exit, state->exit);
}

struct state
report_state(const struct report *report)
{
    return (struct state){
        .kind = HAS(report, PROCESS_STATE) ? report->state : STATE_UNKNOWN,
        .tracer = HAS(report, PROCESS_TRACER) && report->tracer > 0 ? report->tracer : 0,
        .tracer_name = (char *) report->tracer_name,
        .signal = HAS(report, PROCESS_SIGNAL) ? report->signal : 0,
        .has_exit = HAS(report, PROCESS_EXIT),
        .exit = report->exit,
    };
}

bool
report_is_dead(const struct report *report)
{
    return HAS(report, PROCESS_STATE) &&
           (report->state == STATE_ZOMBIE || report->state == STATE_GONE);
}

/** The members that queues are. */
static const int queue_fields[QUEUES] = {[mqs_pending_sends] = COMM_SENDS,
                                         [mqs_pending_receives] = COMM_RECEIVES,
                                         [mqs_unexpected_messages] = COMM_UNEXPECTED};

const struct operations *
communicator_operations(const struct communicator *comm, int op_class)
{
    const struct field *field = &communicator_type.fields[queue_fields[op_class]];
    return (const void *) ((const char *) comm + field->offset);
}

struct operations *
communicator_queue(struct communicator *comm, int op_class)
{
    return (struct operations *) communicator_operations(comm, op_class);
}

bool
communicator_has_queue(const struct communicator *comm, int op_class)
{
    return HAS(comm, queue_fields[op_class]);
}

bool
communicator_has_whole_queue(const struct communicator *comm, int op_class)
{
    return communicator_has_queue(comm, op_class) && (comm->incomplete >> op_class & 1) == 0;
}

void
communicator_set_queue(struct communicator *comm, int op_class, bool known, bool incomplete)
{
    if (known)
        comm->has |= 1u << queue_fields[op_class];
    if (known && incomplete)
        SET(comm, COMM_INCOMPLETE, incomplete, (uint8_t) (comm->incomplete | 1u << op_class));
}

const struct operation *
report_operation(const struct report *report, uint64_t request,
                 const struct communicator **ret_comm, int *ret_class)
{
    static const int classes[] = {mqs_pending_receives, mqs_pending_sends};
    for (size_t i = 0; i < report->comms.count; i++)
        for (size_t k = 0; k < sizeof classes / sizeof *classes; k++) {
            const struct operations *all =
                communicator_operations(&report->comms.items[i], classes[k]);
            for (size_t n = 0; n < all->count; n++) {
                if (!HAS(&all->items[n], OP_REQUEST) || all->items[n].request != request)
                    continue;
                *ret_comm = &report->comms.items[i];
                *ret_class = classes[k];
                return &all->items[n];
            }
        }
    return NULL;
}

const struct collective_record *
communicator_collective(const struct communicator *comm, const char *name)
{
    for (size_t i = 0; i < comm->collectives.count; i++) {
        const struct collective_record *collective = &comm->collectives.items[i];
        if (text_equals(collective->name, name))
            return collective;
    }
    return NULL;
}

int64_t
report_world_size(const struct report *report)
{
    for (size_t i = 0; i < report->comms.count; i++)
        if (text_equals(report->comms.items[i].name, "MPI_COMM_WORLD"))
            return report->comms.items[i].size;
    return 0;
}

const char *
communicator_label(const struct communicator *comm)
{
    const char *text = comm->label != NULL ? comm->label : comm->name;
    return text != NULL && *text != '\0' ? text : "(no name)";
}

bool
report_read(struct report *report, const struct json_t *process)
{
    const struct record_place place = {.texts = report->texts};
    bool good = record_read(&report_type, report, process, &place);
    if (!HAS(report, PROCESS_PID) || report->pid < 0)
        report->pid = 0;
    report->has_mpi = HAS(report, PROCESS_MPI) || report->comms.count > 0;
    for (size_t i = 0; i < report->threads.count; i++) // older documents do not tell
        if (!HAS(&report->threads.items[i], THREAD_DEVICE))
            device_wait_set(report, &report->threads.items[i]);
    return good &&
           (report->pid > 0 || (HAS(report, PROCESS_STATE) && report->state == STATE_GONE) ||
            report->core != NULL);
}
