// SPDX-License-Identifier: BSD-3-Clause
// Follows all links of a backend from its threads, and asks everything on the way.
#include "tests/omp/ask_all.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT_SIZE = 512, MEMBERS_MAX = 256 };

static void
put_object(struct answers *all, const struct asked_object *from, const char *question,
           enum omp_kind kind, ompd_rc_t rc, struct omp_object *object)
{
    const char *name = rc == ompd_rc_ok ? ask_take(all, kind, object, from->name, question) : "";
    ask_put(all, from->name, question, rc, " %s", name);
}

static void
ask_step(struct answers *all, const struct asked_object *from, const char *question,
         enum omp_kind kind, omp_step *step)
{
    struct omp_object found;
    if (step)
        put_object(all, from, question, kind, step(all->state, &from->object, &found), &found);
}

static void
ask_icv(struct answers *all, const char *subject, const struct omp_object *object,
        const struct omp_icv *icv)
{
    const struct reader reader = {all->backend, all->state};
    char question[ASK_NAME], text[TEXT_SIZE];
    ompd_word_t value = 0;
    ompd_rc_t rc = ICV_ASK(&reader, icv, number, object, &value);
    snprintf(question, sizeof(question), "icv %s", icv->name);
    ask_put(all, subject, question, rc, " %" PRId64, value);
    rc = ICV_ASK(&reader, icv, text, object, sizeof(text), text);
    snprintf(question, sizeof(question), "text %s", icv->name);
    ask_put(all, subject, question, rc, " \"%s\"", text);
}

static void
ask_icvs(struct answers *all, const char *subject, const struct omp_object *object,
         ompd_scope_t scope)
{
    const struct backend *backend = all->backend;
    const struct omp_icv *icv;
    for (unsigned i = 0; backend->icv && (icv = backend->icv(all->state, i)); i++)
        if (icv->scope == scope)
            ask_icv(all, subject, object, icv);
}

static void
ask_tool_data(struct answers *all, const struct asked_object *of)
{
    ompd_word_t value = 0;
    taddr ptr = 0;
    if (!all->backend->tool_data)
        return;
    ompd_rc_t rc = all->backend->tool_data(all->state, of->kind, &of->object, &value, &ptr);
    ask_put(all, of->name, "tool_data", rc, " %" PRId64 " 0x%" PRIx64, value, ptr);
}

static void
ask_thread(struct answers *all, const struct asked_object *thread)
{
    const struct backend *backend = all->backend;
    struct omp_thread_id id = {0};
    ompd_word_t state = 0;
    ompd_wait_id_t wait_id = 0;
    ompd_rc_t rc = backend->thread_id(all->state, &thread->object, &id);
    ask_put(all, thread->name, "thread_id", rc, " %" PRIx64 " %" PRId64, id.pthread, id.tid);
    if (backend->thread_state) {
        rc = backend->thread_state(all->state, &thread->object, &state, &wait_id);
        ask_put(all, thread->name, "thread_state", rc, " 0x%" PRIx64 " 0x%" PRIx64, state, wait_id);
    }
    ask_step(all, thread, "region", OMP_PARALLEL, backend->curr_parallel);
    ask_step(all, thread, "task", OMP_TASK, backend->curr_task);
    ask_tool_data(all, thread);
    ask_icvs(all, thread->name, &thread->object, ompd_scope_thread);
}

// One past each end of the team too.
static void
ask_members(struct answers *all, const struct asked_object *region)
{
    const struct backend *backend = all->backend;
    char question[ASK_NAME];
    struct omp_object found;
    ompd_rc_t rc = ompd_rc_ok;
    for (int num = -1; backend->thread_in_parallel && num < MEMBERS_MAX; num++) {
        rc = backend->thread_in_parallel(all->state, &region->object, num, &found);
        snprintf(question, sizeof(question), "thread_in %d", num);
        put_object(all, region, question, OMP_THREAD, rc, &found);
        if (rc != ompd_rc_ok && num >= 0)
            break;
    }
    for (int num = -1; backend->task_in_parallel && num < MEMBERS_MAX; num++) {
        rc = backend->task_in_parallel(all->state, &region->object, num, &found);
        snprintf(question, sizeof(question), "task_in %d", num);
        put_object(all, region, question, OMP_TASK, rc, &found);
        if (rc != ompd_rc_ok && num >= 0)
            break;
    }
}

static void
ask_region(struct answers *all, const struct asked_object *region)
{
    ask_step(all, region, "enclosing", OMP_PARALLEL, all->backend->enclosing_parallel);
    ask_members(all, region);
    ask_tool_data(all, region);
    ask_icvs(all, region->name, &region->object, ompd_scope_parallel);
}

static void
ask_task(struct answers *all, const struct asked_object *task)
{
    const struct backend *backend = all->backend;
    ompd_frame_info_t exit_frame = {0}, enter_frame = {0};
    taddr function = 0;
    ask_step(all, task, "region", OMP_PARALLEL, backend->task_parallel);
    ask_step(all, task, "generating", OMP_TASK, backend->generating_task);
    ask_step(all, task, "scheduling", OMP_TASK, backend->scheduling_task);
    if (backend->task_function) {
        ompd_rc_t rc = backend->task_function(all->state, &task->object, &function);
        ask_put(all, task->name, "task_function", rc, " 0x%" PRIx64, function);
    }
    if (backend->task_frame) {
        ompd_rc_t rc = backend->task_frame(all->state, &task->object, &exit_frame, &enter_frame);
        ask_put(all, task->name, "task_frame", rc, " 0x%" PRIx64 " 0x%" PRIx64,
                exit_frame.frame_address.address, enter_frame.frame_address.address);
        ask_put(all, task->name, "frame_flags", rc, " 0x%" PRIx64 " 0x%" PRIx64,
                exit_frame.frame_flag, enter_frame.frame_flag);
    }
    ask_tool_data(all, task);
    ask_icvs(all, task->name, &task->object, ompd_scope_task);
}

struct variable_taker {
    struct text_sink sink;
    struct answers *all;
    unsigned count;
};

static enum status
take_variable(struct text_sink *sink, const char *text)
{
    struct variable_taker *taker = (struct variable_taker *) sink;
    char question[ASK_NAME];
    snprintf(question, sizeof(question), "control_var %u", taker->count++);
    ask_put(taker->all, "process", question, ompd_rc_ok, " %s", text);
    return STATUS_OK;
}

static void
ask_process(struct answers *all)
{
    const struct omp_object none = {0};
    struct variable_taker taker = {{take_variable}, all, 0};
    ask_icvs(all, "process", &none, ompd_scope_address_space);
    if (!all->backend->control_vars)
        return;
    ompd_rc_t rc = all->backend->control_vars(all->state, &taker.sink);
    ask_put(all, "process", "control_vars", rc, " %u", taker.count);
}

static void
ask_who(struct answers *all, ompd_thread_id_t kind, uint64_t id)
{
    char question[ASK_NAME];
    struct omp_object found;
    const struct asked_object process = {.name = "process"};
    ompd_rc_t rc = all->backend->find_thread(all->state, kind, id, &found);
    snprintf(question, sizeof(question), "find_thread %" PRIu64 " %" PRIx64, kind, id);
    put_object(all, &process, question, OMP_THREAD, rc, &found);
}

// Every thread by both of its ids, and some that are none.
static void
ask_whos(struct answers *all)
{
    if (!all->backend->find_thread)
        return;
    for (unsigned i = 0; i < all->n_objects; i++) {
        struct omp_thread_id id;
        if (all->objects[i].kind != OMP_THREAD ||
            all->backend->thread_id(all->state, &all->objects[i].object, &id) != ompd_rc_ok)
            continue;
        ask_who(all, OMPD_THREAD_ID_PTHREAD, id.pthread);
        ask_who(all, OMPD_THREAD_ID_LWP, (uint64_t) id.tid);
    }
    ask_who(all, OMPD_THREAD_ID_PTHREAD, 0x1000);
    ask_who(all, OMPD_THREAD_ID_LWP, 1);
    ask_who(all, 4, 1);
}

struct thread_taker {
    struct object_sink sink;
    struct answers *all;
    unsigned count;
};

static enum status
take_thread(struct object_sink *sink, const struct omp_object *object)
{
    struct thread_taker *taker = (struct thread_taker *) sink;
    struct omp_object thread = *object;
    char name[ASK_NAME];
    snprintf(name, sizeof(name), "thread %u", taker->count++);
    (void) ask_take(taker->all, OMP_THREAD, &thread, "", name);
    return STATUS_OK;
}

static void
take_broken(struct object_sink *sink, enum status status)
{
    struct thread_taker *taker = (struct thread_taker *) sink;
    ask_put(taker->all, "process", "broken thread", ompd_rc_ok, " %d", (int) status);
}

static uint64_t
pthread_of(const struct answers *all, unsigned number)
{
    struct omp_thread_id id = {0};
    return all->backend->thread_id(all->state, &all->objects[number].object, &id) == ompd_rc_ok
               ? id.pthread
               : 0;
}

// Backends list threads in orders of their own; here they have that of their ids.
static void
order_threads(struct answers *all)
{
    for (unsigned i = 1; i < all->n_objects; i++)
        for (unsigned k = i; k > 0 && pthread_of(all, k) < pthread_of(all, k - 1); k--) {
            const struct omp_object object = all->objects[k].object;
            all->objects[k].object = all->objects[k - 1].object;
            all->objects[k - 1].object = object;
        }
}

// The list of objects grows while it is worked on.
static void
ask_objects(struct answers *all)
{
    for (unsigned i = 0; i < all->n_objects; i++)
        if (all->objects[i].kind == OMP_THREAD)
            ask_thread(all, &all->objects[i]);
        else if (all->objects[i].kind == OMP_PARALLEL)
            ask_region(all, &all->objects[i]);
        else
            ask_task(all, &all->objects[i]);
}

struct answers *
ask_all(const struct backend *backend, struct backend_state *state)
{
    struct answers *all = malloc(sizeof(*all));
    if (!all)
        return NULL;
    all->backend = backend;
    all->state = state;
    all->n_objects = all->n_items = 0;
    all->complete = true;
    struct thread_taker taker = {{take_thread, take_broken}, all, 0};
    ask_process(all);
    if (backend->threads(state, &taker.sink) != STATUS_OK)
        all->complete = false;
    order_threads(all);
    ask_objects(all);
    ask_whos(all);
    for (unsigned i = 0; i < all->n_objects; i++)
        ask_let_go(all, all->objects[i].kind, &all->objects[i].object);
    return all;
}
