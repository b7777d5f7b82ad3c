// SPDX-License-Identifier: BSD-3-Clause
/** @file
 * The jobs that the tests in gdb look at.
 */
#ifndef MQS_TESTS_GDB_GDB_JOB_H
#define MQS_TESTS_GDB_GDB_JOB_H

#include "tests/live/suite.h"

/** Starts a job on the distribution's packages or on the builds with debug information, and waits
 * until mqshow tells of it what its programs do.
 */
void gdb_job_start(const struct scenario *scenario, bool debug);

/** The process id of the rank, as text and as number. */
const char *gdb_job_pid_text(size_t rank);
pid_t gdb_job_pid(size_t rank);

/** Adds the tests of what the commands say in words. */
void gdb_add_words(Suite *suite);

/** Adds the tests of what the commands say about the whole job. */
void gdb_add_verdicts(Suite *suite);

#endif
