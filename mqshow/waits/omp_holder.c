// SPDX-License-Identifier: BSD-3-Clause
// Who can end what an OpenMP thread waits for: who holds a lock, who is not at a barrier.
#include "mqshow/base/alloc.h"
#include "mqshow/report/openmp.h"
#include "mqshow/stack/heldlocks.h"
#include "mqshow/stack/threads.h"
#include "mqshow/waits/omp_finding.h"

#include <stdlib.h>

enum {
    FRAMES_MAX = 30, // of the program's code, that are searched for locks that it holds
    ALL_FRAMES_MAX = 5000,
};

static void
add_number(struct omp_wait_record *wait, unsigned member, int32_t number)
{
    if (member == OMP_WAIT_CANDIDATES)
        *ALLOC_ADD(wait->candidates.items, wait->candidates.count, wait->candidates.capacity) =
            number;
    else if (member == OMP_WAIT_ARRIVED)
        *ALLOC_ADD(wait->arrived.items, wait->arrived.count, wait->arrived.capacity) = number;
    else
        *ALLOC_ADD(wait->missing.items, wait->missing.count, wait->missing.capacity) = number;
    wait->has |= 1u << member;
}

static bool
is_at_barrier(const struct omp_wait_record *wait, int32_t region)
{
    return wait != NULL && HAS(wait, OMP_WAIT_REGION) && wait->region == region &&
           (wait->kind == OMP_WAITS_BARRIER || wait->kind == OMP_WAITS_COPYPRIVATE);
}

/** Who of the team has arrived at a barrier. */
static void
find_arrived(const struct openmp *omp, struct omp_wait_record *wait)
{
    struct member *members;
    const mqs_omp_region *region =
        is_at_barrier(wait, wait->region) ? openmp_region(omp, wait->region) : NULL;
    size_t count = region != NULL ? openmp_members(omp, region, &members) : 0;
    for (size_t i = 0; i < count; i++)
        add_number(wait,
                   is_at_barrier(openmp_wait(omp, members[i].thread), wait->region)
                       ? OMP_WAIT_ARRIVED
                       : OMP_WAIT_MISSING,
                   members[i].thread->number);
    if (region != NULL)
        free(members);
}

/** Adds the locks that the code of a thread proves it to hold. @param left frames that may still be
 * searched */
static void
add_held(struct held_locks *held, struct heldlocks *search, const struct thread *thread,
         int32_t number, size_t *left)
{
    struct held_lock found[HELD_MAX];
    size_t looked = 0;
    for (size_t i = 0; i < thread->n_frames && looked<FRAMES_MAX && * left> 0; i++) {
        bool is_program = thread->frames[i].runtime == RUNTIME_NONE;
        size_t count = is_program ? heldlocks_find(search, thread, i, found) : 0;
        looked += is_program;
        *left -= is_program;
        for (size_t k = 0; k < count; k++)
            *ALLOC_ADD(held->items, held->count, held->capacity) =
                (struct held_by){number, found[k]};
    }
}

/** Whether a thread waits whose holder the runtime does not say. */
static bool
lacks_holder(const struct omp_wait_record *wait)
{
    bool names =
        HAS(wait, OMP_WAIT_KIND) && (wait->kind == OMP_WAITS_ORDERED || HAS(wait, OMP_WAIT_OBJECT));
    return names && !HAS(wait, OMP_WAIT_HOLDER);
}

static void
find_held(const struct finding *finding)
{
    const struct openmp *omp = finding->omp;
    struct heldlocks search;
    size_t left = ALL_FRAMES_MAX;
    bool wanted = false;
    heldlocks_init(&search, finding->image);
    for (size_t i = 0; i < omp->n_threads; i++)
        wanted |= lacks_holder(&omp->waits[i]);
    for (size_t i = 0; i < omp->n_threads && wanted; i++) {
        const struct thread *thread =
            openmp_is_idle(&omp->threads[i]) ? NULL : omp_stack(finding->threads, &omp->threads[i]);
        if (thread != NULL)
            add_held(finding->held, &search, thread, omp->threads[i].number, &left);
    }
    heldlocks_deinit(&search);
}

/** Whether a lock is the one that is waited for. */
static bool
is_awaited(const struct openmp *omp, const struct held_by *held, const struct omp_wait_record *wait)
{
    const struct omp_call *call = omp_call_find(wait->call);
    uint64_t object = call != NULL && call->object_at > 0 ? wait->object : 0;
    const mqs_omp_thread *thread = openmp_thread(omp, held->thread);
    bool of_region = thread != NULL && (thread->known & MQS_OMP_REGION) != 0 &&
                     HAS(wait, OMP_WAIT_REGION) && thread->region == wait->region;
    return held->lock.kind == (enum omp_wait_kind) wait->kind && held->lock.object == object &&
           (wait->kind != OMP_WAITS_ORDERED || of_region);
}

/** Finds who holds what is waited for, where the runtime does not say it: the only thread whose
 * code proves it. */
static void
find_holder(const struct openmp *omp, const struct held_locks *held, struct omp_wait_record *wait)
{
    int32_t found = -1;
    bool several = false;
    for (size_t i = 0; i < held->count && lacks_holder(wait); i++) {
        if (!is_awaited(omp, &held->items[i], wait))
            continue;
        several |= found >= 0 && found != held->items[i].thread;
        found = held->items[i].thread;
    }
    if (found >= 0 && !several)
        SET(wait, OMP_WAIT_HOLDER, holder, found);
}

static bool
is_exclusive(enum omp_wait_kind kind)
{
    return kind <= OMP_WAITS_REDUCTION;
}

/** Who may hold a lock whose holder is not known: who does not wait for it, and is in a region or
 * between regions in the program's code. */
static void
find_candidates(const struct openmp *omp, struct omp_wait_record *wait)
{
    if (!is_exclusive(wait->kind) || HAS(wait, OMP_WAIT_HOLDER) || !HAS(wait, OMP_WAIT_OBJECT))
        return;
    for (size_t i = 0; i < omp->n_threads; i++) {
        const struct omp_wait_record *other = openmp_wait(omp, &omp->threads[i]);
        bool waits = other != NULL && HAS(other, OMP_WAIT_OBJECT) && other->object == wait->object;
        if (!waits && !openmp_is_idle(&omp->threads[i]))
            add_number(wait, OMP_WAIT_CANDIDATES, omp->threads[i].number);
    }
}

void
omp_holders_find(const struct finding *finding)
{
    const struct openmp *omp = finding->omp;
    find_held(finding);
    for (size_t i = 0; i < omp->n_threads; i++) {
        struct omp_wait_record *wait = &omp->waits[i];
        if (!HAS(wait, OMP_WAIT_KIND))
            continue;
        find_arrived(omp, wait);
        find_holder(omp, finding->held, wait);
        find_candidates(omp, wait);
    }
}
