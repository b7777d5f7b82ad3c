// SPDX-License-Identifier: BSD-3-Clause
// The OpenMP side of a process as it was seen: plain data, and how its parts hang together.
#ifndef MQSHOW_REPORT_OPENMP_H
#define MQSHOW_REPORT_OPENMP_H

#include "mqs_omp.h"
#include "mqshow/base/omp_calls.h"
#include "mqshow/report/fields.h"
#include "mqshow/report/record.h"
#include "mqshow/symbols/symbolized.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/** A control variable of the process, of a thread, a region or a task. Texts are escaped. */
struct icv {
    int scope;      // enum mqs_omp_scope
    int32_t number; // of the thread, region or task
    char *name;
    bool has_value;
    int64_t value;
    char *text; // NULL: the number is all there is
};

/** Members of a record, or of the whole, that this version does not know: the text of an object. */
struct omp_unknown {
    const void *record;
    const char *members;
};

/** What is known, beyond the runtime's record of a thread, of what it waits for. Where no kind is
 * known, it is not known to wait.
 *
 * Thread and region numbers of a document that was read may be of no record. A holder is certain;
 * it may be the thread itself. Candidates are there only where the holder is not known: it is one
 * of these, unless the thread itself holds the lock, or one that has ended or is none of OpenMP's.
 */
RECORD(omp_wait_record, OMP_WAIT_FIELDS, bool state_from_stack;
       /* that the thread has, as the runtime does not say it */)

/** Everything; the arrays of records are sorted by their numbers. Texts in the records are as the
 * library gives them.
 */
struct openmp {
    mqs_omp_info info;
    bool has_regions, has_tasks; // the library can report them
    mqs_omp_thread *threads;
    size_t n_threads, threads_capacity;
    struct omp_wait_record *waits; // by place in `threads`; NULL: nothing is known
    mqs_omp_region *regions;
    size_t n_regions, regions_capacity;
    mqs_omp_task *tasks;
    size_t n_tasks, tasks_capacity;
    bool has_icvs, has_control_vars; // they were asked for, and the library can report them
    struct icv *icvs;                // those of one thing stand together
    size_t n_icvs, icvs_capacity;
    char **control_vars; // escaped
    size_t n_control_vars, control_vars_capacity;
    bool others_are_known;
    pid_t *others; // threads of the process that are not the runtime's
    size_t n_others, others_capacity;
    struct symbolized *symbolized; // of functions, and of what threads wait for
    size_t n_symbolized, symbolized_capacity;
    LIST(struct omp_unknown) unknown; // what was read
};

/** A thread in a team. */
struct member {
    const mqs_omp_thread *thread;
    int64_t num;   // -1: not known
    bool is_inner; // the region is the thread's innermost one
};

/** Frees all of it. */
void openmp_deinit(struct openmp *omp);

/** Sorts the records by their numbers; before any of the functions below. */
void openmp_sort(struct openmp *omp);

/** The record of that number; NULL: there is none. */
const mqs_omp_thread *openmp_thread(const struct openmp *omp, int32_t number);
const mqs_omp_region *openmp_region(const struct openmp *omp, int32_t number);
const mqs_omp_task *openmp_task(const struct openmp *omp, int32_t number);

/** What a thread of omp->threads waits for; NULL: it is not known to wait for anything. */
const struct omp_wait_record *openmp_wait(const struct openmp *omp, const mqs_omp_thread *thread);

/** What lies at an address; NULL: nothing is known. */
const struct symbolized *openmp_symbolized(const struct openmp *omp, uint64_t addr);

/** Room for one more symbolized address, which the caller fills in. */
struct symbolized *openmp_add_symbolized(struct openmp *omp);

/** Symbolizes the addresses in the records. */
void openmp_symbolize(struct openmp *omp, const struct image *image);

/** The threads of a region in the order of their thread numbers, for free().
 * @return their number
 */
size_t openmp_members(const struct openmp *omp, const mqs_omp_region *region, struct member **ret);

/** Whether a thread waits between regions. */
bool openmp_is_idle(const mqs_omp_thread *thread);

/** Whether a region is the one around the whole program. */
bool openmp_is_outermost(const mqs_omp_region *region);

/** Whether a region is that of a teams construct: each of its threads is the initial one of a team.
 */
bool openmp_is_league(const mqs_omp_region *region);

/** Whether a task is known to be explicit. */
bool openmp_is_explicit(const mqs_omp_task *task);

/** The task that generated a task, or that its thread interrupted for it; NULL: there is none that
 * is known. */
const mqs_omp_task *openmp_generating(const struct openmp *omp, const mqs_omp_task *task);
const mqs_omp_task *openmp_interrupted(const struct openmp *omp, const mqs_omp_task *task);

/** What a thread waits for, "lock locks+0x8", when its state does not say it; "". For free(). */
char *omp_wait(const struct openmp *omp, const mqs_omp_thread *thread);

#endif
