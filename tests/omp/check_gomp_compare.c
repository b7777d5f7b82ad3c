// SPDX-License-Identifier: BSD-3-Clause
// Holds what the reader of GNU's runtime tells against what the threads recorded of themselves.
#include "ompd-bridge/states.h"
#include "tests/omp/check_gomp.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const struct backend *const backend = &backend_libgomp;

enum { OBJECTS = 256 };

struct objects {
    struct object_sink sink;
    unsigned count;
    bool broken;
    struct omp_object list[OBJECTS];
};

static enum status
collect(struct object_sink *sink, const struct omp_object *object)
{
    struct objects *objects = (struct objects *) sink;
    ck_assert_uint_lt(objects->count, OBJECTS);
    objects->list[objects->count++] = *object;
    return STATUS_OK;
}

static void
note_broken(struct object_sink *sink, enum status status)
{
    (void) status;
    ((struct objects *) sink)->broken = true;
}

ompd_rc_t
gomp_value(struct gomp_subject *test, const char *name, const struct omp_object *object,
           ompd_word_t *ret)
{
    const struct reader reader = {backend, test->state};
    const struct omp_icv *icv;
    for (unsigned i = 0; (icv = backend->icv(test->state, i)) != NULL; i++)
        if (strcmp(icv->name, name) == 0)
            return ICV_ASK(&reader, icv, number, object, ret);
    ck_abort_msg("there is no %s", name);
}

void
gomp_check_value(struct gomp_subject *test, const char *name, const struct omp_object *object,
                 int64_t wanted)
{
    ompd_word_t value = -99;
    ompd_rc_t rc = gomp_value(test, name, object, &value);
    ck_assert_msg(rc == ompd_rc_ok, "%s: code %d, %s", name, (int) rc,
                  trail_text(&test->inf.trail));
    ck_assert_msg(value == wanted, "%s: %ld, not %ld", name, (long) value, (long) wanted);
}

static struct omp_object
object_of(struct gomp_subject *test, const struct park_thread *thread)
{
    struct omp_object object, again;
    struct omp_thread_id id;
    ck_assert_int_eq(
        backend->find_thread(test->state, OMPD_THREAD_ID_LWP, (uint64_t) thread->tid, &object),
        ompd_rc_ok);
    ck_assert_int_eq(
        backend->find_thread(test->state, OMPD_THREAD_ID_PTHREAD, thread->pthread, &again),
        ompd_rc_ok);
    ck_assert(again.addr == object.addr && again.detail == object.detail);
    ck_assert_int_eq(backend->thread_id(test->state, &object, &id), ompd_rc_ok);
    ck_assert_int_eq(id.tid, thread->tid);
    ck_assert_uint_eq(id.pthread, thread->pthread);
    return object;
}

struct omp_object
gomp_region_at(struct gomp_subject *test, const struct park_thread *thread, int64_t level)
{
    struct omp_object object = object_of(test, thread), region, outer;
    ck_assert_int_eq(backend->curr_parallel(test->state, &object, &region), ompd_rc_ok);
    for (int64_t i = thread->level; i > level; i--) {
        ck_assert_int_eq(backend->enclosing_parallel(test->state, &region, &outer), ompd_rc_ok);
        region = outer;
    }
    return region;
}

static void
check_region(struct gomp_subject *test, const struct park_thread *thread, int64_t level)
{
    struct omp_object region = gomp_region_at(test, thread, level), found, self, task;
    bool same = true;
    gomp_check_value(test, "levels-var", &region, level);
    gomp_check_value(test, "team-size-var", &region, thread->sizes[level]);
    ck_assert_int_eq(
        backend->thread_in_parallel(test->state, &region, (int) thread->nums[level], &found),
        ompd_rc_ok);
    for (int64_t i = level + 1; i <= thread->level; i++)
        same = same && thread->nums[i] == 0;
    self = object_of(test, thread);
    ck_assert(!same || (found.addr == self.addr && found.detail == self.detail));
    ck_assert_int_eq(
        backend->thread_in_parallel(test->state, &region, (int) thread->sizes[level], &found),
        ompd_rc_bad_input);
    ck_assert_int_eq(backend->thread_in_parallel(test->state, &region, -1, &found),
                     ompd_rc_bad_input);
    ck_assert_int_eq(
        backend->task_in_parallel(test->state, &region, (int) thread->nums[level], &task),
        ompd_rc_ok);
    gomp_check_value(test, "implicit-task-var", &task, 1);
    ck_assert_int_eq(backend->task_parallel(test->state, &task, &found), ompd_rc_ok);
    ck_assert(found.addr == region.addr && found.detail == region.detail);
    if (level == 0)
        ck_assert_int_eq(backend->enclosing_parallel(test->state, &region, &found),
                         ompd_rc_unavailable);
}

// Threads are in one region where the program says so, and only there.
static void
check_same_regions(struct gomp_subject *test, const struct park_thread *a)
{
    for (unsigned i = 0; i < test->park.n_threads; i++) {
        const struct park_thread *b = &test->park.threads[i];
        if (b->does == PARK_IDLE)
            continue;
        for (int level = 0; level <= a->level && level <= b->level; level++) {
            struct omp_object x = gomp_region_at(test, a, level),
                              y = gomp_region_at(test, b, level);
            ck_assert_int_eq(x.addr == y.addr && x.detail == y.detail,
                             park_same_region(a, b, level));
        }
    }
}

static void
check_schedule(struct gomp_subject *test, const struct park_thread *thread,
               const struct omp_object *task)
{
    static const char *const kinds[] = {"runtime", "static", "dynamic", "guided", "auto"};
    char wanted[64], text[64] = "";
    const struct reader reader = {backend, test->state};
    const struct omp_icv *icv;
    ompd_word_t value;
    const char *monotonic = (int32_t) thread->sched < 0 ? "monotonic:" : "";
    snprintf(wanted, sizeof(wanted), thread->chunk > 0 ? "%s%s, %ld" : "%s%s", monotonic,
             kinds[thread->sched & 7], (long) thread->chunk);
    for (unsigned i = 0; (icv = backend->icv(test->state, i)) != NULL; i++)
        if (strcmp(icv->name, "run-sched-var") == 0) {
            ck_assert_int_eq(ICV_ASK(&reader, icv, text, task, sizeof(text), text), ompd_rc_ok);
            ck_assert_int_eq(ICV_ASK(&reader, icv, number, task, &value), ompd_rc_incompatible);
        }
    ck_assert_str_eq(text, wanted);
}

static void
check_variables(struct gomp_subject *test, const struct park_thread *thread,
                const struct omp_object *object, const struct omp_object *task)
{
    gomp_check_value(test, "thread-num-var", object, thread->num);
    gomp_check_value(test, "nthreads-var", object, thread->nthreads);
    gomp_check_value(test, "dyn-var", object, thread->dyn);
    gomp_check_value(test, "default-device-var", object, thread->default_device);
    gomp_check_value(test, "max-active-levels-var", task, thread->max_active_levels);
    gomp_check_value(test, "thread-limit-var", task, thread->thread_limit);
    gomp_check_value(test, "bind-var", task, thread->bind);
    gomp_check_value(test, "cancel-var", NULL, thread->cancel);
    gomp_check_value(test, "max-task-priority-var", NULL, thread->max_task_priority);
    gomp_check_value(test, "num-procs-var", NULL, thread->num_procs);
    if (task->addr != 0)
        gomp_check_value(test, "final-task-var", task, thread->final);
    check_schedule(test, thread, task);
}

static void
check_state(struct gomp_subject *test, const struct park_thread *thread,
            const struct omp_object *object)
{
    ompd_word_t state = -1, wanted = -1;
    ompd_wait_id_t wait_id;
    if (thread->does == PARK_IDLE)
        wanted = OMP_STATE_idle;
    if (thread->does == PARK_WAITS && thread->waits == PARK_TASKWAIT)
        wanted = OMP_STATE_wait_taskwait;
    if (thread->does == PARK_WAITS && thread->waits == PARK_TASKGROUP)
        wanted = OMP_STATE_wait_taskgroup;
    ck_assert_int_eq(backend->thread_state(test->state, object, &state, &wait_id),
                     wanted < 0 ? ompd_rc_unsupported : ompd_rc_ok);
    ck_assert_int_eq(state, wanted);
}

static void
check_thread(struct gomp_subject *test, const struct park_thread *thread)
{
    struct omp_object object = object_of(test, thread), region, task;
    check_state(test, thread, &object);
    if (thread->does == PARK_IDLE) {
        ck_assert_int_eq(backend->curr_parallel(test->state, &object, &region),
                         ompd_rc_unavailable);
        ck_assert_int_eq(backend->curr_task(test->state, &object, &task), ompd_rc_unavailable);
        return;
    }
    region = gomp_region_at(test, thread, thread->level);
    gomp_check_value(test, "active-levels-var", &region, thread->active);
    for (int64_t level = 0; level <= thread->level; level++)
        check_region(test, thread, level);
    check_same_regions(test, thread);
    ck_assert_int_eq(backend->curr_task(test->state, &object, &task), ompd_rc_ok);
    check_variables(test, thread, &object, &task);
    gomp_compare_task(test, thread, &task);
    gomp_compare_counts(test, thread);
}

static bool
is_alive(const struct gomp_subject *test, int64_t tid)
{
    char path[64];
    snprintf(path, sizeof(path), "/proc/%d/task/%ld", (int) test->park.pid, (long) tid);
    return access(path, F_OK) == 0;
}

// This runtime ends threads that it has no use for in the next region.
void
gomp_compare(struct gomp_subject *test)
{
    struct objects objects = {.sink = {collect, note_broken}};
    unsigned alive = 0;
    ck_assert_int_eq(backend->threads(test->state, &objects.sink), STATUS_OK);
    ck_assert(!objects.broken);
    for (unsigned i = 0; i < test->park.n_threads; i++) {
        const struct park_thread *thread = &test->park.threads[i];
        if (thread->does == PARK_IDLE && !is_alive(test, thread->tid))
            continue;
        check_thread(test, thread);
        alive++;
    }
    ck_assert_uint_eq(objects.count, alive);
    ck_assert_msg(test->diagnostics.count == 0, "%s", test->diagnostics.texts[0]);
}
