// SPDX-License-Identifier: BSD-3-Clause
// The members of OpenMP's records as report.def lists them.
#ifndef MQSHOW_REPORT_OPENMP_FIELDS_H
#define MQSHOW_REPORT_OPENMP_FIELDS_H

#include "mqs_omp.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum omp_kind {
    OMP_TEXT,      // char[]: a text
    OMP_INTEGER,   // int64_t: an integer
    OMP_NONZERO,   // likewise, absent when it is 0
    OMP_HEX,       // uint64_t: "0x4711"
    OMP_ADDRESS,   // likewise, absent when it is 0
    OMP_FLAG,      // a bit: true, false
    OMP_REGION,    // int32_t, a record's number: its id; null: MQS_OMP_NONE
    OMP_THREAD,    // likewise
    OMP_TASK,      // likewise
    OMP_FUNCTION,  // an address: what is there
    OMP_AWAITED,   // likewise, of a variable
    OMP_TASKS,     // a task's number: it and those that were interrupted
    OMP_TOOL_DATA, // uint64_t and the address behind it: both
};

struct omp_field {
    const char *key, *meaning;
    enum omp_kind kind;
    uint32_t known;
    uint16_t offset, size;
};

/** A sort of records, which begin with `known` and `number`. */
struct omp_type {
    const struct omp_field *fields;
    size_t n_fields, size; // bytes of a record
};

extern const struct omp_type omp_thread_type, omp_region_type, omp_task_type;

/** Scopes of control variables that have owners. */
enum { OMP_SCOPES = 3 };

extern const struct omp_scope {
    const char *key;
    int scope; // enum mqs_omp_scope
    enum omp_kind kind;
} omp_scopes[OMP_SCOPES];

/** A value of a type, whatever its address. */
#define VALUE(type, record, offset) \
    (*(const type *) memcpy(&(type){0}, (const char *) (record) + (offset), sizeof(type)))

#endif
