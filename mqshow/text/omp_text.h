// SPDX-License-Identifier: BSD-3-Clause
// Regions, threads and tasks of OpenMP in words. All texts are for free().
#ifndef MQSHOW_TEXT_OMP_TEXT_H
#define MQSHOW_TEXT_OMP_TEXT_H

#include "mqshow/report/openmp.h"

struct report;

/** "region at ring.c:14 in work". */
char *omp_text_region_name(const struct openmp *omp, const mqs_omp_region *region);

/** "region at ring.c:14 in work   team of 3, level 1". */
char *omp_text_region(const struct openmp *omp, const mqs_omp_region *region);

/** "at ring.c:14 in work"; or "in work", "at 0x4711"; "" for an address of 0. */
char *omp_text_code(const struct openmp *omp, uint64_t addr);

/** "thread 1 of 3". */
char *omp_text_thread(const mqs_omp_thread *thread);

/** "tid 4711"; "tid ?" when it is not known. */
char *omp_text_tid(const mqs_omp_thread *thread);

/** "wait_lock"; "" when it is not known. */
char *omp_text_state(const mqs_omp_thread *thread);

/** What a thread waits for and who can end that, "waits for lock a, held by thread 1"; "" when it
 * is not known to wait. */
char *omp_text_wait(const struct openmp *omp, const mqs_omp_thread *thread);

/** Where the program's code of a thread is, "at dl.c:8 in take"; "" when that is not known. */
char *omp_text_place(const struct report *report, const mqs_omp_thread *thread);

/** The explicit task that a thread executes and what generated it,
 * "task at fib.c:12 in fib, from fib.c:12 (3 times), thread 0"; "" when there is none.
 * @param all whether long ancestries are shown whole
 */
char *omp_text_task(const struct openmp *omp, const mqs_omp_thread *thread, bool all);

/** Numbers in ascending order as ranges, "3-63, 70".
 * @param all whether many ranges are listed all
 */
char *omp_text_numbers(const int64_t *numbers, size_t count, bool all);

/** Appends to a text, with a separator unless it is empty; both are taken over. */
char *omp_text_join(char *text, const char *separator, char *more);

#endif
