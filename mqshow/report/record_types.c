// SPDX-License-Identifier: BSD-3-Clause
// The types of records, made of report.def, and the names of their words.
#include "mqshow/report/report.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

// What a member refers to, by its kind, and where it is.
#define OFFSET(member)              .offset = offsetof(STRUCT, member),
#define OF_INTEGER(of, member)      OFFSET(member)
#define OF_INT32(of, member)        OFFSET(member)
#define OF_RANK(of, member)         OFFSET(member)
#define OF_RANK_OR_ANY(of, member)  OFFSET(member)
#define OF_INT32_OR_ANY(of, member) OFFSET(member)
#define OF_HEX(of, member)          OFFSET(member)
#define OF_FLAG(of, member)         OFFSET(member)
#define OF_MILLISECONDS(of, member) OFFSET(member)
#define OF_WORD(of, member)         .name = of##_name, OFFSET(member)
#define OF_TEXT(of, member)         OFFSET(member)
#define OF_KEPT(of, member)         OFFSET(member)
#define OF_KEPT_LINES(of, member)
#define OF_ACTUAL(of, member)    .type = &envelope_record_type,
#define OF_INTEGERS(of, member)  OFFSET(member)
#define OF_ADDRESSES(of, member) OFFSET(member)
#define OF_TEXTS(of, member)     OFFSET(member)
#define OF_RANKS(of, member)     OFFSET(member)
#define OF_TRAFFIC(of, member)   OFFSET(member)
#define OF_RECORD(of, member)    .type = &of##_type, OFFSET(member)
#define OF_RECORDS(of, member)   .type = &of##_type, OFFSET(member)
#define OF_QUEUE(of, member)     .type = &of##_type, OFFSET(member)
#define OF_QUEUES(of, member)    .name = queue_key, OFFSET(member)
#define OF_OPENMP(of, member)    OFFSET(member)

#define ENTRY(number_, kind_, of, member, key_, meaning_) \
    {.key = (key_),                                       \
     .meaning = (meaning_),                               \
     .kind = FIELD_##kind_,                               \
     .number = (number_),                                 \
     OF_##kind_(of, member)},

#define TYPE(name_, fields_)                                                                      \
    {                                                                                             \
        .name = (name_), .size = sizeof(STRUCT), .fields = (fields_), .n_fields = COUNT(fields_), \
    }

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

NAMES(needs_name, [AWAITS_ALL] = "all", [AWAITS_ANY] = "any")

// Of a process that uses MPI nothing is said.
NAMES(phase_name, [mqs_phase_before_init] = "before MPI_Init", [mqs_phase_in_init] = "in MPI_Init",
      [mqs_phase_in_finalize] = "in MPI_Finalize", [mqs_phase_finalized] = "after MPI_Finalize",
      [mqs_phase_not_in_use] = "not in use")

NAMES(collective_name, [mqs_comm_barrier] = "barrier", [mqs_comm_bcast] = "bcast",
      [mqs_comm_allgather] = "allgather", [mqs_comm_allgatherv] = "allgatherv",
      [mqs_comm_allreduce] = "allreduce", [mqs_comm_alltoall] = "alltoall",
      [mqs_comm_alltoallv] = "alltoallv", [mqs_comm_reduce_scatter] = "reduce_scatter",
      [mqs_comm_reduce] = "reduce", [mqs_comm_gather] = "gather", [mqs_comm_gatherv] = "gatherv",
      [mqs_comm_scan] = "scan", [mqs_comm_scatter] = "scatter", [mqs_comm_scatterv] = "scatterv")

#define STRUCT struct envelope_record
static const struct field envelope_fields[] = {
#define ENVELOPE ENTRY
#include "mqshow/report/report.def"
};
const struct record_type envelope_record_type = TYPE("envelope", envelope_fields);
#undef STRUCT

#define STRUCT struct operation
static const struct field operation_fields[] = {
#define OPERATION ENTRY
#include "mqshow/report/report.def"
};
const struct record_type operation_type = TYPE("operation", operation_fields);
#undef STRUCT

#define STRUCT struct collective_record
static const struct field collective_fields[] = {
#define COLLECTIVE ENTRY
#include "mqshow/report/report.def"
};
const struct record_type collective_record_type = TYPE("collective", collective_fields);
#undef STRUCT

#define STRUCT struct communicator
static const struct field communicator_fields[] = {
#define COMMUNICATOR ENTRY
#include "mqshow/report/report.def"
};
const struct record_type communicator_type = TYPE("communicator", communicator_fields);
#undef STRUCT

#define STRUCT struct mpi_record
static const struct field mpi_fields[] = {
#define MPI ENTRY
#include "mqshow/report/report.def"
};
const struct record_type mpi_record_type = TYPE("mpi", mpi_fields);
#undef STRUCT

#define STRUCT struct frame_record
static const struct field frame_fields[] = {
#define FRAME ENTRY
#include "mqshow/report/report.def"
};
const struct record_type frame_record_type = TYPE("frame", frame_fields);
#undef STRUCT

#define STRUCT struct awaits_record
static const struct field awaits_fields[] = {
#define AWAITS ENTRY
#include "mqshow/report/report.def"
};
const struct record_type awaits_record_type = TYPE("awaits", awaits_fields);
#undef STRUCT

#define STRUCT struct thread_record
static const struct field thread_fields[] = {
#define THREAD ENTRY
#include "mqshow/report/report.def"
};
const struct record_type thread_record_type = TYPE("thread", thread_fields);
#undef STRUCT

#define STRUCT struct report
static const struct field process_fields[] = {
#define PROCESS ENTRY
#include "mqshow/report/report.def"
};
const struct record_type report_type = TYPE("process", process_fields);
