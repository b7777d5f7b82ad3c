// SPDX-License-Identifier: BSD-3-Clause
// The types of records, made of report.def, and the names of their words.
#include "mqshow/base/device_calls.h"
#include "mqshow/report/openmp_json.h"
#include "mqshow/report/report.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

// Of a member; of one that is kept elsewhere; of one of OpenMP, whose bit of `known` it is.
#define ENTRY(S, number_, kind_, of_, member_, key_, meaning_) \
    MASKED(S, 1u << number_, kind_, of_, member_, key_, meaning_)
#define OUTSIDE(S, number_, kind_, of_, member_, key_, meaning_) \
    {.key = key_,                                                \
     .meaning = meaning_,                                        \
     .kind = FIELD_##kind_,                                      \
     .known = 1u << number_,                                     \
     .type = &of_##_type},
#define MASKED(S, known_, kind_, of_, member_, key_, meaning_) \
    {.key = key_,                                              \
     .meaning = meaning_,                                      \
     .kind = FIELD_##kind_,                                    \
     .known = known_,                                          \
     .type = &of_##_type,                                      \
     .offset = offsetof(S, member_),                           \
     .size = sizeof((S *) NULL)->member_},

#define TYPE(type_, name_, S, ...)                                     \
    static const struct field type_##_fields[] = {__VA_ARGS__};        \
    const struct record_type type_##_type = {.name = name_,            \
                                             .size = sizeof(S),        \
                                             .fields = type_##_fields, \
                                             .n_fields = COUNT(type_##_fields)};

/** Names of numbers in the order of the enumerations that they are of. */
#define NAMES(function, ...)                              \
    const char *function(int number)                      \
    {                                                     \
        static const char *const names[] = {__VA_ARGS__}; \
        return NAME_OF(names, number);                    \
    }

NAMES(kind_name, [mqs_kind_receive] = "receive", [mqs_kind_send] = "send",
      [mqs_kind_ssend] = "ssend", [mqs_kind_bsend] = "bsend", [mqs_kind_rsend] = "rsend",
      [mqs_kind_probe] = "probe", [mqs_kind_message] = "message")

NAMES(status_name, [mqs_st_pending] = "pending", [mqs_st_matched] = "matched",
      [mqs_st_complete] = "complete")

NAMES(queue_key, [mqs_pending_sends] = "sends", [mqs_pending_receives] = "receives",
      [mqs_unexpected_messages] = "unexpected")

NAMES(queue_name, [mqs_pending_sends] = "sends", [mqs_pending_receives] = "receives",
      [mqs_unexpected_messages] = "unexpected messages")

NAMES(omp_wait_kind_name, [OMP_WAITS_LOCK] = "lock", [OMP_WAITS_NEST_LOCK] = "nest_lock",
      [OMP_WAITS_CRITICAL] = "critical", [OMP_WAITS_ATOMIC] = "atomic",
      [OMP_WAITS_REDUCTION] = "reduction", [OMP_WAITS_ORDERED] = "ordered",
      [OMP_WAITS_DOACROSS] = "doacross", [OMP_WAITS_COPYPRIVATE] = "copyprivate",
      [OMP_WAITS_BARRIER] = "barrier", [OMP_WAITS_TASKWAIT] = "taskwait",
      [OMP_WAITS_TASKGROUP] = "taskgroup", [OMP_WAITS_DEPEND] = "depend", [OMP_WAITS_TASK] = "task")

NAMES(call_waits_name, [CALL_WAITS_FILE] = "file", [CALL_WAITS_MEMORY] = "memory",
      [CALL_WAITS_TIME] = "time", [CALL_WAITS_SIGNAL] = "signal", [CALL_WAITS_CHILD] = "child",
      [CALL_WAITS_PROCESS] = "process")

NAMES(device_waits_name, [DEVICE_WAITS_STREAM] = "stream", [DEVICE_WAITS_EVENT] = "event",
      [DEVICE_WAITS_DEVICE] = "device", [DEVICE_WAITS_COPY] = "copy",
      [DEVICE_WAITS_MEMORY] = "memory", [DEVICE_WAITS_CODE] = "code",
      [DEVICE_WAITS_REGION] = "region", [DEVICE_WAITS_LAUNCH] = "launch",
      [DEVICE_WAITS_RANKS] = "ranks")

NAMES(needs_name, [AWAITS_ALL] = "all", [AWAITS_ANY] = "any")

// Of a process that uses MPI nothing is said.
NAMES(phase_name, [mqs_phase_before_init] = "before MPI_Init", [mqs_phase_in_init] = "in MPI_Init",
      [mqs_phase_in_finalize] = "in MPI_Finalize", [mqs_phase_finalized] = "after MPI_Finalize",
      [mqs_phase_not_in_use] = "not in use")

NAMES(thread_level_name, "MPI_THREAD_SINGLE", "MPI_THREAD_FUNNELED", "MPI_THREAD_SERIALIZED",
      "MPI_THREAD_MULTIPLE")

NAMES(collective_name, [mqs_comm_barrier] = "barrier", [mqs_comm_bcast] = "bcast",
      [mqs_comm_allgather] = "allgather", [mqs_comm_allgatherv] = "allgatherv",
      [mqs_comm_allreduce] = "allreduce", [mqs_comm_alltoall] = "alltoall",
      [mqs_comm_alltoallv] = "alltoallv", [mqs_comm_reduce_scatter] = "reduce_scatter",
      [mqs_comm_reduce] = "reduce", [mqs_comm_gather] = "gather", [mqs_comm_gatherv] = "gatherv",
      [mqs_comm_scan] = "scan", [mqs_comm_scatter] = "scatter", [mqs_comm_scatterv] = "scatterv")

NAMES(confirmed_name, [CONFIRMED_BY_DEBUG_INFORMATION] = "debug information",
      [CONFIRMED_BY_VALUES] = "values", [CONFIRMED_NOT_YET] = "not yet",
      [CONFIRMED_NO_USE] = "not used")

// Words, and what is of nothing.
#define WORDS(type, function) static const struct record_type type##_type = {.word = function};
WORDS(none, NULL)
WORDS(kind, kind_name)
WORDS(status, status_name)
WORDS(queue, queue_key)
WORDS(needs, needs_name)
WORDS(omp_wait_kind, omp_wait_kind_name)
WORDS(call_waits, call_waits_name)
WORDS(device_waits, device_waits_name)
WORDS(phase, phase_name)
WORDS(confirmed, confirmed_name)
WORDS(thread_level, thread_level_name)
WORDS(state, state_name)
WORDS(state_signal, state_signal_name)

TYPE(envelope_record, "envelope", struct envelope_record,
     ENVELOPE_FIELDS(ENTRY, struct envelope_record))
TYPE(operation, "operation", struct operation,
     OPERATION_FIELDS(ENTRY, ENTRY, ENTRY, OUTSIDE, struct operation))
TYPE(collective_record, "collective", struct collective_record,
     COLLECTIVE_FIELDS(ENTRY, struct collective_record))
TYPE(nonblocking_record, "nonblocking_collective", struct nonblocking_record,
     NONBLOCKING_FIELDS(ENTRY, struct nonblocking_record))
TYPE(communicator, "communicator", struct communicator,
     COMMUNICATOR_FIELDS(ENTRY, struct communicator))
TYPE(handle_record, "handle", struct handle_record, HANDLE_FIELDS(ENTRY, struct handle_record))
TYPE(layout_row, "layout_row", struct layout_row, LAYOUT_ROW_FIELDS(ENTRY, struct layout_row))
TYPE(mpi_record, "mpi", struct mpi_record, MPI_FIELDS(ENTRY, struct mpi_record))
TYPE(frame_record, "frame", struct frame_record, FRAME_FIELDS(ENTRY, struct frame_record))
TYPE(awaits_record, "awaits", struct awaits_record, AWAITS_FIELDS(ENTRY, struct awaits_record))
TYPE(arguments_record, "arguments", struct arguments_record,
     ARGUMENTS_FIELDS(ENTRY, struct arguments_record))
TYPE(window_lock, "window_lock", struct window_lock, WINDOW_LOCK_FIELDS(ENTRY, struct window_lock))
TYPE(system_record, "system", struct system_record, SYSTEM_FIELDS(ENTRY, struct system_record))
TYPE(kernel_record, "kernel", struct kernel_record, KERNEL_FIELDS(ENTRY, struct kernel_record))
TYPE(device_record, "device", struct device_record, DEVICE_FIELDS(ENTRY, struct device_record))
TYPE(accelerator_record, "accelerator", struct accelerator_record,
     ACCELERATOR_FIELDS(ENTRY, struct accelerator_record))
TYPE(memory_record, "memory", struct memory_record, MEMORY_FIELDS(ENTRY, struct memory_record))
TYPE(unread_record, "unread", struct unread_record, UNREAD_FIELDS(ENTRY, struct unread_record))
TYPE(thread_record, "thread", struct thread_record, THREAD_FIELDS(ENTRY, struct thread_record))
TYPE(exception_record, "uncaught_exception", struct exception_record,
     EXCEPTION_FIELDS(ENTRY, struct exception_record))
TYPE(omp_wait_record, "openmp_wait", struct omp_wait_record,
     OMP_WAIT_FIELDS(ENTRY, struct omp_wait_record))
TYPE(omp_thread, "openmp_thread", mqs_omp_thread, OPENMP_THREAD_FIELDS(MASKED, mqs_omp_thread))
TYPE(omp_region, "openmp_region", mqs_omp_region, OPENMP_REGION_FIELDS(MASKED, mqs_omp_region))
TYPE(omp_task, "openmp_task", mqs_omp_task, OPENMP_TASK_FIELDS(MASKED, mqs_omp_task))
TYPE(openmp, "openmp", struct openmp, OPENMP_FIELDS(MASKED, struct openmp))
TYPE(report, "process", struct report, PROCESS_FIELDS(ENTRY, struct report))
