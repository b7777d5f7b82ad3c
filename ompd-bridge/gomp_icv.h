// SPDX-License-Identifier: BSD-3-Clause
// Internal control variables of GNU's runtime.
#ifndef OMPD_BRIDGE_GOMP_ICV_H
#define OMPD_BRIDGE_GOMP_ICV_H

#include "ompd-bridge/backend.h"
#include "ompd-bridge/gomp.h"

/** Where a variable's value stands. */
enum gomp_source {
    GOMP_PLACE,    // in what is known of the thread or region: enum gomp_place_part
    GOMP_ICV,      // in the task's copy of the variables: a field
    GOMP_TASK,     // in the task: enum gomp_task_part
    GOMP_VARIABLE, // a variable of the runtime: a fact
};

enum gomp_place_part { PART_NUM, PART_SIZE, PART_LEVEL, PART_ACTIVE_LEVEL };
enum gomp_task_part { PART_IMPLICIT, PART_FINAL };

struct gomp_icv {
    struct omp_icv icv;
    enum gomp_source source;
    unsigned number; // of the part, field or fact
    bool is_text;    // the number alone does not tell it
};

/** The variable of that number; NULL past the last one. */
const struct gomp_icv *gomp_icv(unsigned number);

/** Value of a variable in a task's copy.
 * @param task 0: a task without a record, for which the runtime's own copy holds
 * @return STATUS_ABSENT when the runtime has not decided yet; as gomp_read_field()
 */
CHECKED enum status
gomp_icv_read(const struct gomp *gomp, taddr task, unsigned field, int64_t *ret);

/** Value of a variable of the runtime. @return STATUS_UNSUPPORTED when it was not found */
CHECKED enum status
gomp_icv_read_variable(const struct gomp *gomp, enum gomp_fact fact, int64_t *ret);

/** The schedule of `schedule(runtime)` as text, "dynamic, 4". @return as gomp_icv_read() */
CHECKED enum status gomp_icv_schedule(const struct gomp *gomp, taddr task, size_t size, char *ret);

#endif
