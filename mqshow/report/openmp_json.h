// SPDX-License-Identifier: BSD-3-Clause
// The OpenMP side of a process as JSON: members that are not known are left out.
#ifndef MQSHOW_REPORT_OPENMP_JSON_H
#define MQSHOW_REPORT_OPENMP_JSON_H

#include "mqshow/report/openmp.h"

struct json_out;
struct json_t;

/** What is known of the whole. */
enum {
    OPENMP_HAS_REGIONS = 1 << 0,
    OPENMP_HAS_TASKS = 1 << 1,
    OPENMP_HAS_OTHERS = 1 << 2,
    OPENMP_HAS_CONTROL_VARS = 1 << 3,
    OPENMP_HAS_ICVS = 1 << 4
};

/** The OpenMP side while it is written or read. */
struct omp_place {
    struct openmp *omp;
    bool *written;      // tasks by their places
    struct json_t *ids; // numbers of records by their ids, by the names of their types
};

/** Scopes of control variables that have owners. */
enum { OMP_SCOPES = 3 };

extern const struct omp_scope {
    const char *key;
    int scope; // enum mqs_omp_scope
    const struct record_type *type;
} omp_scopes[OMP_SCOPES];

/** Where a state is from that the runtime does not say. */
extern const char omp_state_from_stack[];

void openmp_write(struct json_out *json, const struct openmp *omp);

/** Reads what openmp_write() has written, or anything else. @return false: it is no object */
bool openmp_read(struct openmp *omp, const struct json_t *object, struct intern *texts);

extern const struct record_type openmp_type, omp_thread_type, omp_region_type, omp_task_type,
    omp_wait_record_type;

// Of a record of OpenMP, for those that write and read records.

/** Whether a member is known. */
bool openmp_has(const struct field *field, const void *record, const struct record_place *place);

/** Writes and reads a member of a kind that only these records have. */
void openmp_write_value(struct json_out *json, const struct field *field, const void *record,
                        const struct record_place *place);
bool openmp_read_value(const struct field *field, void *record, const struct json_t *value,
                       const struct record_place *place);

/** Members that this version does not know, the text of an object; NULL: none. */
const char *openmp_unknown(const void *record, const struct record_place *place);
void openmp_keep_unknown(const void *record, const char *members, const struct record_place *place);

#endif
