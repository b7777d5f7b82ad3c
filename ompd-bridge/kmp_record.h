// SPDX-License-Identifier: BSD-3-Clause
// What every backend for LLVM's runtime says of a thread in the same way.
#ifndef OMPD_BRIDGE_KMP_RECORD_H
#define OMPD_BRIDGE_KMP_RECORD_H

#include "ompd-bridge/backend.h"
#include "ompd-bridge/kmp.h"

/** Note of a thread whose state the runtime does not keep. */
extern const char kmp_note_tracking[];

/** Starts a record: who the thread is.
 * @param pthread 0: it has not started yet
 */
void kmp_start_record(const struct kmp *kmp, taddr pthread, struct omp_thread *ret);

/** The thread waits between regions. */
void kmp_record_idle(struct omp_thread *ret);

#endif
