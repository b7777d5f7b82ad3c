// SPDX-License-Identifier: BSD-3-Clause
// Asks the reader of GNU's runtime everything that can be asked; what it answers does not matter.
#include "tests/omp/check_gomp.h"

enum { STEPS_MAX = 2000 };

struct asking {
    struct object_sink sink;
    struct gomp_subject *test;
};

// Everything that can be asked about a task, and about its ancestors.
static void
ask_tasks(struct gomp_subject *test, struct omp_object task)
{
    const struct backend *b = &backend_libgomp;
    struct omp_object next;
    struct omp_task_flags flags;
    ompd_word_t value;
    taddr function;
    char text[64];
    for (unsigned steps = 0; steps < STEPS_MAX; steps++) {
        (void) b->task_parallel(test->state, &task, &next);
        (void) b->scheduling_task(test->state, &task, &next);
        (void) b->task_flags(test->state, &task, &flags);
        (void) b->task_function(test->state, &task, &function);
        const struct reader reader = {b, test->state};
        const struct omp_icv *icv;
        for (unsigned i = 0; (icv = b->icv(test->state, i)); i++)
            if (icv->scope == ompd_scope_task) {
                (void) ICV_ASK(&reader, icv, number, &task, &value);
                (void) ICV_ASK(&reader, icv, text, &task, sizeof(text), text);
            }
        if (b->generating_task(test->state, &task, &next) != ompd_rc_ok)
            break;
        task = next;
    }
}

static void
ask_regions(struct gomp_subject *test, struct omp_object region)
{
    const struct backend *b = &backend_libgomp;
    struct omp_object next;
    struct omp_task_counts counts;
    ompd_word_t value;
    for (unsigned steps = 0; steps < STEPS_MAX; steps++) {
        for (int num = 0; num < 4; num++) {
            (void) b->thread_in_parallel(test->state, &region, num, &next);
            if (b->task_in_parallel(test->state, &region, num, &next) == ompd_rc_ok)
                ask_tasks(test, next);
        }
        (void) b->task_counts(test->state, &region, &counts);
        (void) gomp_value(test, "team-size-var", &region, &value);
        if (b->enclosing_parallel(test->state, &region, &next) != ompd_rc_ok)
            return;
        region = next;
    }
    ck_abort_msg("regions without end");
}

static enum status
ask_thread(struct object_sink *sink, const struct omp_object *thread)
{
    const struct backend *b = &backend_libgomp;
    struct omp_object found;
    struct omp_thread_id id;
    ompd_word_t value;
    ompd_wait_id_t wait_id;
    struct gomp_subject *test = ((struct asking *) sink)->test;
    (void) b->thread_id(test->state, thread, &id);
    (void) b->thread_state(test->state, thread, &value, &wait_id);
    (void) gomp_value(test, "nthreads-var", thread, &value);
    if (b->curr_parallel(test->state, thread, &found) == ompd_rc_ok)
        ask_regions(test, found);
    if (b->curr_task(test->state, thread, &found) == ompd_rc_ok)
        ask_tasks(test, found);
    return STATUS_OK;
}

static void
accept_broken(struct object_sink *sink, enum status status)
{
    (void) sink;
    (void) status;
}

void
gomp_ask_everything(struct gomp_subject *test)
{
    struct asking asking = {{ask_thread, accept_broken}, test};
    (void) backend_libgomp.threads(test->state, &asking.sink);
}
