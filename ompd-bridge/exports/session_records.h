// SPDX-License-Identifier: BSD-3-Clause
// The records of mqs_omp.h about the things of a snapshot.
#ifndef OMPD_BRIDGE_EXPORTS_SESSION_RECORDS_H
#define OMPD_BRIDGE_EXPORTS_SESSION_RECORDS_H

#include "mqs_omp.h"
#include "ompd-bridge/exports/omp_snapshot.h"

CHECKED enum status
omp_record_thread(const struct omp_snapshot *snapshot, uint32_t number, mqs_omp_thread *ret);
CHECKED enum status
omp_record_region(const struct omp_snapshot *snapshot, uint32_t number, mqs_omp_region *ret);
CHECKED enum status
omp_record_task(const struct omp_snapshot *snapshot, uint32_t number, mqs_omp_task *ret);

/** Why a question was not answered, below MQS_OMP_NOTE bytes; a literal, "" for a plain no. */
const char *omp_record_note(ompd_rc_t rc);

#endif
