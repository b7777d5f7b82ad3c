// SPDX-License-Identifier: BSD-3-Clause
// A growing list of threads.
#include "ompd-bridge/thread_list.h"

#include <string.h>

enum { FIRST_ROOM = 64 };

static enum status
grow(struct thread_list *list)
{
    uint32_t room = list->room ? 2 * list->room : FIRST_ROOM;
    struct omp_thread *threads = inferior_alloc(list->inf, room * sizeof(*threads));
    if (!threads)
        return trail_begin(&list->inf->trail, STATUS_NOMEM, "%s", status_text(STATUS_NOMEM));
    if (list->count > 0)
        memcpy(threads, list->threads, list->count * sizeof(*threads));
    inferior_free(list->inf, list->threads);
    list->threads = threads;
    list->room = room;
    return STATUS_OK;
}

static enum status
emit(struct thread_sink *sink, const struct omp_thread *thread)
{
    struct thread_list *list = (struct thread_list *) sink;
    if (list->count == list->room)
        TRY(grow(list));
    list->threads[list->count++] = *thread;
    return STATUS_OK;
}

static void
broken(struct thread_sink *sink, enum status status)
{
    ((struct thread_list *) sink)->broken = status;
}

void
thread_list_init(struct thread_list *list, struct inferior *inf)
{
    memset(list, 0, sizeof(*list));
    list->sink.emit = emit;
    list->sink.broken = broken;
    list->inf = inf;
}

void
thread_list_deinit(struct thread_list *list)
{
    inferior_free(list->inf, list->threads);
    thread_list_init(list, list->inf);
}

void
thread_list_clear(struct thread_list *list)
{
    list->count = 0;
    list->broken = STATUS_OK;
}

void
thread_list_swap(struct thread_list *a, struct thread_list *b)
{
    struct thread_list swapped = *a;
    *a = *b;
    *b = swapped;
}

static bool
agree(const struct omp_thread *a, const struct omp_thread *b)
{
    if (a->pthread != b->pthread || (a->known & OMP_KNOWS_TEAM) != (b->known & OMP_KNOWS_TEAM))
        return false;
    return !(a->known & OMP_KNOWS_TEAM) ||
           (a->num == b->num && a->team_size == b->team_size && a->level == b->level &&
            a->active_level == b->active_level);
}

bool
thread_list_agree(const struct thread_list *a, const struct thread_list *b)
{
    if (a->count != b->count)
        return false;
    for (uint32_t i = 0; i < a->count; i++)
        if (!agree(&a->threads[i], &b->threads[i]))
            return false;
    return true;
}

void
thread_list_complete(struct thread_list *list, const struct thread_list *other)
{
    const unsigned members = OMP_KNOWS_STATE | OMP_KNOWS_WAIT_ID;
    if (list->broken == STATUS_OK)
        list->broken = other->broken;
    for (uint32_t i = 0; i < list->count; i++) {
        struct omp_thread *thread = &list->threads[i];
        if ((thread->known & OMP_KNOWS_STATE) || !(other->threads[i].known & OMP_KNOWS_STATE))
            continue;
        thread->state = other->threads[i].state;
        thread->wait_id = other->threads[i].wait_id;
        thread->note = other->threads[i].note;
        thread->known |= other->threads[i].known & members;
    }
}
