// SPDX-License-Identifier: BSD-3-Clause
// The OpenMP side of a process as JSON.
#ifndef MQSHOW_REPORT_OPENMP_JSON_H
#define MQSHOW_REPORT_OPENMP_JSON_H

#include <stdbool.h>

struct intern;
struct json_out;
struct json_t;
struct openmp;

void openmp_write(struct json_out *json, const struct openmp *omp);

/** Reads what openmp_write() has written, or anything else. @return false: it is no object */
bool openmp_read(struct openmp *omp, const struct json_t *object, struct intern *texts);

#endif
