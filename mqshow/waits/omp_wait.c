// SPDX-License-Identifier: BSD-3-Clause
// What OpenMP threads wait for.
//
// The function of the runtime that the program's code has called says it. Inside of a call that
// need not wait, a thread waits when it sleeps or spins there.
#include "mqshow/waits/omp_wait.h"

#include "mqshow/base/alloc.h"
#include "mqshow/base/escape.h"
#include "mqshow/mqd/dll.h"
#include "mqshow/process/memory.h"
#include "mqshow/report/report.h"
#include "mqshow/stack/callsite.h"
#include "mqshow/stack/threads.h"
#include "mqshow/symbols/names.h"
#include "mqshow/waits/omp_boundary.h"
#include "mqshow/waits/omp_finding.h"
#include "mqshow/waits/omp_lock.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { STATES_MAX = 1000, NAME_SHOWN = 1000 };

/** Whether the runtime says the state of a thread. */
static bool
is_stated(const mqs_omp_thread *thread)
{
    return (thread->known & MQS_OMP_STATE) != 0 &&
           strncmp(thread->state_name, "undefined", sizeof thread->state_name) != 0;
}

/** Sets the state of a thread, unless the runtime says it. */
static void
set_state(const struct finding *finding, mqs_omp_thread *thread, const char *state)
{
    const char *name = NULL;
    int64_t number;
    if (is_stated(thread) || finding->dll->mqs_omp_get_state == NULL)
        return;
    for (int i = 0; i < STATES_MAX; i++) {
        if (finding->dll->mqs_omp_get_state(i, &number, &name) != mqs_ok || name == NULL)
            return;
        if (strcmp(name, state) == 0)
            break;
        name = NULL;
    }
    if (name == NULL)
        return;
    thread->state = number;
    snprintf(thread->state_name, sizeof thread->state_name, "%s", name);
    thread->known |= MQS_OMP_STATE;
    thread->note[0] = '\0'; // it says why there is no state
    finding->omp->waits[thread - finding->omp->threads].state_from_stack = true;
}

static void
set_name(const struct finding *finding, struct omp_wait_record *wait)
{
    struct symbolized symbolized;
    if (!HAS(wait, OMP_WAIT_OBJECT))
        return;
    symbolize_data(&symbolized, finding->image, wait->object);
    char *critical = symbolized.symbol != NULL ? names_critical(symbolized.symbol) : NULL;
    char *name = symbolized.symbol != NULL ? names_readable(symbolized.symbol) : NULL;
    if (critical != NULL)
        wait->name = report_keep(finding->report, alloc_text(critical));
    else if (symbolized.symbol != NULL && wait->kind <= OMP_WAITS_NEST_LOCK)
        wait->name =
            report_keep(finding->report,
                        symbolized.offset == 0
                            ? alloc_text(name != NULL ? name : symbolized.symbol)
                            : alloc_format("%s+0x%" PRIx64, name != NULL ? name : symbolized.symbol,
                                           symbolized.offset));
    free(critical);
    free(name);
    symbolized_deinit(&symbolized);
}

/** The address of the lock that a call is given, or of the one that it always takes; 0: not known.
 * GNU's runtime sleeps and spins at the lock itself. */
static uint64_t
find_object(const struct finding *finding, const struct thread *thread,
            const struct boundary *boundary)
{
    const struct omp_call *call = boundary->call;
    uint64_t object = 0;
    if (boundary_argument(boundary, thread, finding->image, call->object_at, sizeof object,
                          &object))
        return object;
    return call->waits == OMP_IF_HELD && omp_is_gnu(finding->omp)
               ? thread_awaited_word(thread, finding->image)
               : 0;
}

/** What LLVM's compiler says of a barrier; NULL: not known. */
static const char *
state_of_barrier(const struct finding *finding, const struct thread *thread,
                 const struct boundary *boundary)
{
    enum { FLAGS_AT = 4, EXPLICIT = 0x20, IMPLICIT = 0x40 };
    uint64_t location, flags;
    if (!boundary_argument(boundary, thread, finding->image, 1, sizeof location, &location) ||
        !memory_read_uint(&finding->image->debuggee, location + FLAGS_AT, sizeof(uint32_t), &flags))
        return NULL;
    return (flags & EXPLICIT) != 0   ? "wait_barrier_explicit"
           : (flags & IMPLICIT) != 0 ? "wait_barrier_implicit_workshare"
                                     : NULL;
}

static void
set_wait(const struct finding *finding, mqs_omp_thread *thread, enum omp_wait_kind kind,
         const char *state)
{
    struct omp_wait_record *wait = &finding->omp->waits[thread - finding->omp->threads];
    SET(wait, OMP_WAIT_KIND, kind, (uint8_t) kind);
    if ((thread->known & MQS_OMP_REGION) != 0 && thread->region != MQS_OMP_NONE)
        SET(wait, OMP_WAIT_REGION, region, thread->region);
    set_state(finding, thread, state);
}

/** What a call is about. */
struct awaited {
    uint64_t object; // 0: not known
    struct omp_lock lock;
};

static struct awaited
find_awaited(const struct finding *finding, const struct thread *thread,
             const struct boundary *boundary)
{
    uint64_t object = find_object(finding, thread, boundary);
    return (struct awaited){object, omp_lock_read(finding->omp, finding->image, thread,
                                                  boundary->caller, boundary->call->kind, object)};
}

/** Takes down what a thread waits for in a call. */
static void
take_call(const struct finding *finding, mqs_omp_thread *record, const struct thread *thread,
          const struct boundary *boundary, const struct awaited *awaited)
{
    const struct omp_call *call = boundary->call;
    struct omp_wait_record *wait = &finding->omp->waits[record - finding->omp->threads];
    uint64_t object = awaited->object;
    int32_t holder = awaited->lock.holder;
    const char *state = call->location ? state_of_barrier(finding, thread, boundary) : NULL;
    set_wait(finding, record, call->kind, state != NULL ? state : call->state);
    wait->call = report_keep(finding->report, escape_text(boundary->symbol, NAME_SHOWN));
    if (object == 0)
        return;
    SET(wait, OMP_WAIT_OBJECT, object, object);
    set_name(finding, wait);
    if ((record->known & MQS_OMP_WAIT_ID) == 0 || record->wait_id == 0) {
        record->known |= MQS_OMP_WAIT_ID;
        record->wait_id = object;
    }
    if (holder >= 0 && holder != record->number)
        SET(wait, OMP_WAIT_HOLDER, holder, holder);
    if (awaited->lock.stays)
        SET(wait, OMP_WAIT_HELD, held, true);
}

/** Takes down that a thread waits for its team in a call. */
static void
take_barrier(const struct finding *finding, mqs_omp_thread *record, const char *symbol)
{
    set_wait(finding, record, OMP_WAITS_BARRIER, "wait_barrier_implementation");
    finding->omp->waits[record - finding->omp->threads].call =
        report_keep(finding->report, escape_text(symbol, NAME_SHOWN));
}

/** Whether the arguments of a call let it wait. */
static bool
may_wait(const struct finding *finding, const struct thread *thread,
         const struct boundary *boundary)
{
    uint64_t value;
    unsigned at = boundary->call->unless_at;
    return at == 0 ||
           (boundary_argument(boundary, thread, finding->image, at, sizeof(uint32_t), &value) &&
            (value & 0xff) == 0);
}

/** Whether a thread waits in a call. */
static bool
waits_in(const struct finding *finding, const mqs_omp_thread *record, const struct thread *thread,
         const struct boundary *boundary, const struct awaited *awaited)
{
    const struct omp_call *call = boundary->call;
    const struct omp_lock *lock = &awaited->lock;
    switch (call->waits) {
    case OMP_NEVER:
        return false;
    case OMP_ALWAYS:
        return true;
    case OMP_AT_END:
        return boundary_is_at_end(boundary, finding->omp, thread, finding->image);
    case OMP_IF_HELD:
        if (lock->given)
            *ALLOC_ADD(finding->held->items, finding->held->count, finding->held->capacity) =
                (struct held_by){record->number, {call->kind, awaited->object}};
        return (lock->holder >= 0 && lock->holder != record->number) ||
               (thread_is_blocked(thread, finding->image) && !lock->given &&
                (!lock->known || lock->held));
    default:
        return thread_is_blocked(thread, finding->image) && may_wait(finding, thread, boundary);
    }
}

const struct thread *
omp_stack(const struct threads *threads, const mqs_omp_thread *record)
{
    return (record->known & MQS_OMP_TID) != 0 ? threads_find(threads, (pid_t) record->tid) : NULL;
}

/** Finds the call of GNU's runtime that the function of a region has ended with, by a jump: the
 * function is on no stack, and what called it seems to call that. */
static void
find_last_call(const struct finding *finding, const mqs_omp_thread *record,
               const struct thread *thread, struct boundary *boundary)
{
    const mqs_omp_region *region =
        (record->known & MQS_OMP_REGION) != 0 ? openmp_region(finding->omp, record->region) : NULL;
    bool begins = boundary->at == AT_CALL && boundary->call != NULL &&
                  boundary->call->waits == OMP_AT_END &&
                  !boundary_is_at_end(boundary, finding->omp, thread, finding->image);
    bool helps = boundary->at == AT_UNKNOWN && thread->complete;
    if (!omp_is_gnu(finding->omp) || !(begins || helps) || region == NULL ||
        (region->known & MQS_OMP_FUNCTION) == 0 || !thread_is_blocked(thread, finding->image))
        return;
    const char *symbol = callsite_jump_symbol(finding->image, region->function, RUNTIME_OPENMP);
    const struct omp_call *call = omp_call_find(symbol);
    if (call != NULL)
        *boundary = (struct boundary){.at = AT_CALL,
                                      .caller = boundary->caller,
                                      .symbol = symbol,
                                      .jumped = true,
                                      .call = call};
}

/** Takes down what a thread waits for in a call. @return false: it does not wait */
static bool
take_if_waits(const struct finding *finding, mqs_omp_thread *record, const struct thread *thread,
              const struct boundary *boundary)
{
    struct awaited awaited = find_awaited(finding, thread, boundary);
    if (!waits_in(finding, record, thread, boundary, &awaited))
        return false;
    take_call(finding, record, thread, boundary, &awaited);
    return true;
}

/** Whether a thread waits for its team in a call that its stack does not have. */
static bool
is_at_team_barrier(const struct finding *finding, const mqs_omp_thread *record,
                   const struct thread *thread)
{
    uint64_t words[THREAD_REGISTERS];
    size_t count = thread_awaited_words(thread, finding->image, words);
    return omp_is_at_team_barrier(finding->omp, finding->image, record, words, count);
}

/** Finds out what one thread does. */
static void
find_one(const struct finding *finding, mqs_omp_thread *record)
{
    const struct thread *thread = omp_stack(finding->threads, record);
    if (thread == NULL || openmp_is_idle(record))
        return;
    struct boundary boundary = boundary_find(thread, finding->image);
    find_last_call(finding, record, thread, &boundary);
    bool in_region = (record->known & MQS_OMP_LEVEL) != 0 && record->level > 0;
    if (boundary.at == AT_USER)
        set_state(finding, record, in_region ? "work_parallel" : "work_serial");
    else if (boundary.at == AT_RUNTIME && in_region)
        set_wait(finding, record, OMP_WAITS_BARRIER, "wait_barrier_implicit_parallel");
    else if (boundary.at == AT_CALL && boundary.call != NULL && !boundary.call->ends &&
             take_if_waits(finding, record, thread, &boundary))
        return;
    else if (boundary.at == AT_CALL && boundary.call != NULL && boundary.call->or_barrier &&
             thread_is_blocked(thread, finding->image))
        take_barrier(finding, record, boundary.symbol);
    else if (is_at_team_barrier(finding, record, thread))
        set_wait(finding, record, OMP_WAITS_BARRIER, "wait_barrier");
    else if (boundary.at == AT_CALL)
        set_state(finding, record, "overhead");
}

void
omp_waits_find(struct report *report, const struct threads *threads, const struct image *image,
               const struct dll *dll)
{
    struct openmp *omp = &report->omp;
    struct held_locks held = {.items = NULL};
    const struct finding finding = {report, omp, threads, image, dll, &held};
    omp->waits = alloc_zeroed(omp->n_threads, sizeof *omp->waits);
    for (size_t i = 0; i < omp->n_threads; i++)
        find_one(&finding, &omp->threads[i]);
    omp_holders_find(&finding);
    free(held.items);
}
