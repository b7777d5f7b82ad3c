// SPDX-License-Identifier: BSD-3-Clause
// Holds what the reader of GNU's runtime tells of tasks against what the program recorded.
#include "tests/omp/check_gomp.h"

static const struct backend *const backend = &backend_libgomp;

enum { FUNCTION_MAX = 64 * 1024 }; // bytes

// The task that another one descends from, as the program says.
static void
check_generating(struct gomp_subject *test, const struct park_task *record,
                 const struct omp_object *task)
{
    const struct park_thread *creator = park_thread_of(&test->park, record->creator);
    struct omp_object generating, implicit, region;
    ompd_rc_t rc = backend->generating_task(test->state, task, &generating);
    if (rc == ompd_rc_unavailable)
        return; // complete since
    ck_assert_int_eq(rc, ompd_rc_ok);
    gomp_check_value(test, "implicit-task-var", &generating, record->parent == 0);
    if (record->parent != 0 || !creator)
        return;
    region = gomp_region_at(test, creator, record->level);
    ck_assert_int_eq(backend->task_in_parallel(test->state, &region,
                                               (int) creator->nums[record->level], &implicit),
                     ompd_rc_ok);
    ck_assert(implicit.addr == generating.addr && implicit.detail == generating.detail);
}

static void
check_explicit(struct gomp_subject *test, const struct park_task *record,
               const struct omp_object *task, const struct omp_task_flags *flags)
{
    struct omp_object scheduling, generating;
    taddr function = 0;
    bool undeferred = (flags->set & OMP_TASK_UNDEFERRED) != 0;
    ck_assert_int_eq(undeferred, record->undeferred != 0);
    check_generating(test, record, task);
    ompd_rc_t rc = backend->scheduling_task(test->state, task, &scheduling);
    ompd_rc_t function_rc = backend->task_function(test->state, task, &function);
    if (undeferred) {
        ck_assert_int_eq(rc, ompd_rc_ok);
        ck_assert_int_eq(backend->generating_task(test->state, task, &generating), ompd_rc_ok);
        ck_assert_uint_eq(scheduling.addr, generating.addr);
        ck_assert_int_eq(function_rc, ompd_rc_unsupported);
    } else {
        ck_assert_int_eq(rc, ompd_rc_unsupported);
        ck_assert_int_eq(function_rc, ompd_rc_ok);
        ck_assert_uint_ge(record->code, function);
        ck_assert_uint_lt(record->code, function + FUNCTION_MAX);
    }
}

void
gomp_compare_task(struct gomp_subject *test, const struct park_thread *thread,
                  const struct omp_object *task)
{
    struct omp_task_flags flags = {0, 0};
    struct omp_object region, innermost = gomp_region_at(test, thread, thread->level);
    ck_assert_int_eq(backend->task_flags(test->state, task, &flags), ompd_rc_ok);
    ck_assert_int_eq((flags.set & OMP_TASK_IMPLICIT) != 0, thread->task == 0);
    ck_assert(flags.known & OMP_TASK_STARTED && flags.set & OMP_TASK_STARTED);
    if (flags.known & OMP_TASK_FINAL)
        ck_assert_int_eq((flags.set & OMP_TASK_FINAL) != 0, thread->final != 0);
    ck_assert_int_eq(backend->task_parallel(test->state, task, &region), ompd_rc_ok);
    ck_assert(region.addr == innermost.addr && region.detail == innermost.detail);
    if (thread->task != 0)
        check_explicit(test, park_task_of(&test->park, thread->task), task, &flags);
}

// A task that waits for its dependences is not in the runtime's queue.
void
gomp_compare_counts(struct gomp_subject *test, const struct park_thread *thread)
{
    struct omp_object region = gomp_region_at(test, thread, thread->level);
    struct omp_task_counts counts = {-1, -1};
    int64_t running = 0;
    if (thread->level == 0) {
        ck_assert_int_eq(backend->task_counts(test->state, &region, &counts), ompd_rc_unsupported);
        return;
    }
    ck_assert_int_eq(backend->task_counts(test->state, &region, &counts), ompd_rc_ok);
    for (unsigned i = 0; i < test->park.n_threads; i++) {
        const struct park_thread *other = &test->park.threads[i];
        running += other->does != PARK_IDLE && other->task != 0 && other->level == thread->level &&
                   park_same_region(thread, other, (int) thread->level);
    }
    ck_assert_int_eq(counts.running, running);
    int64_t queued = park_count_tasks(&test->park, thread, PARK_TASK_QUEUED);
    ck_assert_int_le(counts.queued, queued);
}
