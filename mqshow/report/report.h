// SPDX-License-Identifier: BSD-3-Clause
// What was seen of processes: plain data, complete before anything is printed, so that a process
// goes on while its output waits for a reader. Texts are escaped.
#ifndef MQSHOW_REPORT_REPORT_H
#define MQSHOW_REPORT_REPORT_H

#include "mqshow/base/runtime.h"
#include "mqshow/process/state.h"
#include "mqshow/process/system_call.h"
#include "mqshow/report/openmp.h"
#include "mqshow/report/operations.h"
#include "mqshow/report/ranks.h"

#include <sys/types.h>

/** Numbers of messages to and from a process, modulo 65536. */
struct peer_traffic {
    int32_t rank; // in MPI_COMM_WORLD
    int32_t sent, received;
};

enum awaits_needs { AWAITS_ALL, AWAITS_ANY };

/** What confirms the place of a member in its struct. */
enum confirmed {
    CONFIRMED_BY_DEBUG_INFORMATION,
    CONFIRMED_BY_VALUES, // elsewhere it is refused, or nothing else is shown
    CONFIRMED_NOT_YET,   // elsewhere something else is shown
    CONFIRMED_NO_USE,    // nothing that is shown of the process depends on it
};

RECORD(frame_record, FRAME_FIELDS, )
RECORD(collective_record, COLLECTIVE_FIELDS, )
RECORD(handle_record, HANDLE_FIELDS, )
RECORD(nonblocking_record, NONBLOCKING_FIELDS, )
RECORD(communicator, COMMUNICATOR_FIELDS, bool left_out;) // it was not asked for
RECORD(layout_row, LAYOUT_ROW_FIELDS, )
RECORD(mpi_record, MPI_FIELDS, )
RECORD(awaits_record, AWAITS_FIELDS, )
RECORD(arguments_record, ARGUMENTS_FIELDS, )
RECORD(window_lock, WINDOW_LOCK_FIELDS, )
RECORD(system_record, SYSTEM_FIELDS, )
RECORD(kernel_record, KERNEL_FIELDS, )
RECORD(device_record, DEVICE_FIELDS, )
RECORD(accelerator_record, ACCELERATOR_FIELDS, )
RECORD(memory_record, MEMORY_FIELDS, )
RECORD(unread_record, UNREAD_FIELDS, )
RECORD(thread_record, THREAD_FIELDS, )
RECORD(exception_record, EXCEPTION_FIELDS, )

/** A report about one process: what keeps its texts; whether it uses MPI, or may. */
RECORD(report, PROCESS_FIELDS, struct intern *texts; bool has_mpi;)

extern const struct record_type report_type, mpi_record_type, communicator_type,
    collective_record_type, nonblocking_record_type, handle_record_type, layout_row_type,
    thread_record_type, frame_record_type, awaits_record_type, arguments_record_type,
    window_lock_type, system_record_type, kernel_record_type, device_record_type,
    accelerator_record_type, memory_record_type, unread_record_type, exception_record_type;

/** Names of words of report.def; NULL: the number has none. */
const char *phase_name(int phase);
const char *needs_name(int needs);
const char *call_waits_name(int waits);
const char *device_waits_name(int waits);
const char *thread_level_name(int level);
const char *confirmed_name(int confirmed);

/** Makes a report in which nothing is known. @param texts must live as long */
void report_init(struct report *report, struct intern *texts);

/** Frees all of it but its texts. */
void report_deinit(struct report *report);

/** Keeps a text, taking it over. NULL: none. */
const char *report_keep(struct report *report, char *text);

/** Keeps a copy of a text. NULL: none. */
const char *report_intern(struct report *report, const char *text);

/** Adds a message, once, taking it over. */
void report_message(struct report *report, char *message);

/** Like report_message() for something that could not be shown. */
void report_problem(struct report *report, char *message);

/** Removes the messages, and that something could not be shown. */
void report_forget_messages(struct report *report);

/** What OpenMP says of a thread; NULL: nothing. */
const mqs_omp_thread *
report_openmp(const struct report *report, const struct thread_record *thread);

/** Whether a frame is of a function of Python: the frames of the interpreter that runs it are in
 * the same stack, further out. */
bool frame_is_python(const struct frame_record *frame);

/** Whether two frames are of the same line of the source, as far as that is known. */
bool frame_is_same_line(const struct frame_record *a, const struct frame_record *b);

/** The runtime that a frame of machine code belongs to, by its file or, linked into a program, by
 * its function. */
enum runtime frame_runtime(const struct frame_record *frame);

/** Whether a thread waits for something that comes from other threads or processes, as far as is
 * known: it is in an MPI call, or waits for others of OpenMP. */
bool report_thread_waits(const struct report *report, const struct thread_record *thread);

/** The library that a thread is a helper of, by its file: it runs no code but the library's, which
 * calls neither MPI nor the program; NULL: none, as far as is known. */
const char *report_helper(const struct thread_record *thread);

/** Whether a thread of the process is in MPI_Finalize. */
bool report_finalizes(const struct report *report);

/** Whether a thread may call MPI: none but the one that initialized it, where MPI was told so, no
 * helper of another library, and none beside one in MPI_Finalize. What is not known may.
 * @param finalizes report_finalizes(), asked once for all threads */
bool
report_may_call(const struct report *report, const struct thread_record *thread, bool finalizes);

/** Whether there is anything to show. */
bool report_has_something(const struct report *report);

/** Sets what keeps a process from going on, as the system says it: others run, or sleep until
 * something happens. */
void report_set_state(struct report *report, const struct state *state);

/** The same as the system says it, without ownership. */
struct state report_state(const struct report *report);

/** Whether the process is dead. */
bool report_is_dead(const struct report *report);

/** A queue of a communicator, and whether it is known, and all of it. */
struct operations *communicator_queue(struct communicator *comm, int op_class);
const struct operations *communicator_operations(const struct communicator *comm, int op_class);
bool communicator_has_queue(const struct communicator *comm, int op_class);
bool communicator_has_whole_queue(const struct communicator *comm, int op_class);
void communicator_set_queue(struct communicator *comm, int op_class, bool known, bool incomplete);

/** The operation of a request; NULL: it is in no queue that is shown.
 * @param ret_class its queue, the pending receives or sends */
const struct operation *report_operation(const struct report *report, uint64_t request,
                                         const struct communicator **ret_comm, int *ret_class);

/** The collective of that name in progress; NULL: none is. */
const struct collective_record *
communicator_collective(const struct communicator *comm, const char *name);

/** Processes of MPI_COMM_WORLD; 0: not known. */
int64_t report_world_size(const struct report *report);

/** What people read for a communicator. */
const char *communicator_label(const struct communicator *comm);

/** Name of a queue for people, of a collective. */
const char *queue_name(int op_class);
const char *collective_name(int comm_class);

/** Reads a process of a document, which nobody vouches for. The caller frees the report in either
 * case. @return false when it is no process */
bool report_read(struct report *report, const struct json_t *process);

#endif
