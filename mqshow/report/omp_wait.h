// SPDX-License-Identifier: BSD-3-Clause
// What a thread of OpenMP waits for.
#ifndef MQSHOW_REPORT_OMP_WAIT_H
#define MQSHOW_REPORT_OMP_WAIT_H

#include "mqshow/report/openmp.h"

/** What a thread waits for, "lock locks+0x8", when its state does not say it; "". For free(). */
char *omp_wait(const struct openmp *omp, const mqs_omp_thread *thread);

#endif
