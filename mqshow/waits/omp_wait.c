// SPDX-License-Identifier: BSD-3-Clause
// What OpenMP threads wait for.
//
// The function of the runtime that the program's code has called says it. It may have jumped to
// another one that has no symbol: then the call has its name. A thread that is called by nobody of
// the program is at the end of its region, or in the pool. Inside of a call that need not wait, a
// thread waits when it sleeps or spins there.
#include "mqshow/waits/omp_wait.h"

#include "mqshow/base/alloc.h"
#include "mqshow/base/escape.h"
#include "mqshow/mqd/dll.h"
#include "mqshow/process/memory.h"
#include "mqshow/report/report.h"
#include "mqshow/stack/callargs.h"
#include "mqshow/stack/callsite.h"
#include "mqshow/stack/heldlocks.h"
#include "mqshow/stack/threads.h"
#include "mqshow/symbols/names.h"
#include "mqshow/symbols/srcloc.h"
#include "mqshow/waits/omp_lock.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
    STATES_MAX = 1000,
    FRAMES_MAX = 30, // of the program's code, that are searched for locks that it holds
    NAME_SHOWN = 1000,
    SPIN_BEFORE = 24, // bytes of code around an instruction of a loop that spins
    SPIN_BEHIND = 16,
};

/** Where the program's code ends on a stack. */
struct boundary {
    enum {
        AT_UNKNOWN,
        AT_USER,   // the program's code goes on
        AT_CALL,   // `caller` has called the runtime
        AT_RUNTIME // there is none of the program's
    } at;
    size_t caller;
    const char *symbol; // of the function that was called; NULL: not known
    const struct omp_call *call;
};

/** The process, and what is being found. */
struct finding {
    struct report *report;
    struct openmp *omp;
    const struct threads *threads;
    const struct image *image;
    const struct dll *dll;
};

/** The symbol of the function that a frame is in; NULL: not known. */
static const char *
frame_symbol(const struct image *image, const struct frame *frame)
{
    const struct module *module = image_module_at(image, frame->pc);
    const struct srcloc *srcloc =
        module != NULL ? srcloc_at(module->file, frame->pc - module->bias) : NULL;
    return srcloc != NULL ? srcloc->symbol : NULL;
}

/** Whether a frame is of the function with which LLVM's runtime calls the program's. */
static bool
is_invoker(const struct image *image, const struct frame *frame)
{
    const char *symbol = frame_symbol(image, frame);
    return symbol != NULL && strcmp(symbol, "__kmp_invoke_microtask") == 0;
}

/** Finds the call of a caller: what it calls itself, or what has jumped to another function. */
static void
find_call(struct boundary *boundary, const struct thread *thread, const struct image *image)
{
    const struct frame *frames = thread->frames;
    boundary->symbol = callsite_symbol(image, frames[boundary->caller].address);
    boundary->call = omp_call_find(boundary->symbol);
    if (boundary->call != NULL)
        return;
    const char *symbol = frame_symbol(image, &frames[boundary->caller - 1]);
    boundary->call = omp_call_find(symbol);
    if (boundary->call != NULL || boundary->symbol == NULL)
        boundary->symbol = symbol;
}

static struct boundary
find_boundary(const struct thread *thread, const struct image *image)
{
    struct boundary boundary = {AT_UNKNOWN, 0, NULL, NULL};
    for (size_t i = 0; i < thread->n_frames; i++) {
        const struct frame *frame = &thread->frames[i];
        bool calls = i > 0 && thread->frames[i - 1].runtime == RUNTIME_OPENMP;
        if (frame->runtime == RUNTIME_C ||
            (frame->runtime == RUNTIME_OPENMP && !(calls && is_invoker(image, frame))))
            continue;
        boundary.at = calls ? AT_CALL : AT_USER;
        boundary.caller = i;
        if (calls)
            find_call(&boundary, thread, image);
        return boundary;
    }
    if (thread->complete && thread->n_frames > 0)
        boundary.at = AT_RUNTIME;
    return boundary;
}

// Whether a thread sleeps or spins in the runtime.

/** Functions of the C library in which the runtime lets a thread wait. */
static const char *const sleeping[] = {
    "sched_yield",
    "pthread_cond_wait",
    "pthread_cond_timedwait",
    "futex_abstimed_wait",
    "futex_wait",
    "nanosleep",
    "clock_nanosleep",
    "usleep",
    "syscall",
    "select",
};

static bool
sleeps_in(const char *function)
{
    function += strspn(function, "_");
    for (size_t i = 0; i < sizeof sleeping / sizeof *sleeping; i++)
        if (strncmp(function, sleeping[i], strlen(sleeping[i])) == 0)
            return true;
    return false;
}

/** Whether the runtime's own code is behind a call to the system, or in a loop that spins. */
static bool
blocks_at(const struct image *image, uint64_t pc)
{
    static const unsigned char enter[] = {0x0f, 0x05}, spin[] = {0xf3, 0x90};
    unsigned char code[SPIN_BEFORE + SPIN_BEHIND];
    if (image_machine(image) != EM_X86_64 ||
        !memory_read(&image->debuggee, pc - SPIN_BEFORE, sizeof code, code))
        return false;
    return memcmp(code + SPIN_BEFORE - sizeof enter, enter, sizeof enter) == 0 ||
           memmem(code, sizeof code, spin, sizeof spin) != NULL;
}

static bool
is_blocked(const struct thread *thread, const struct image *image)
{
    for (size_t i = 0; i < thread->n_frames && thread->frames[i].runtime == RUNTIME_C; i++) {
        const char *symbol = frame_symbol(image, &thread->frames[i]);
        if (symbol != NULL && sleeps_in(symbol))
            return true;
    }
    return thread->n_frames > 0 && thread->frames[0].runtime == RUNTIME_OPENMP &&
           blocks_at(image, thread->frames[0].address);
}

/** Whether the function that begins a region is at its end. GNU's jumps to that of the end; in
 * LLVM's another function than that of the beginning is called. */
static bool
is_at_end(const struct openmp *omp, const struct thread *thread, const struct image *image,
          const struct boundary *boundary)
{
    const struct frame *inner = &thread->frames[boundary->caller - 1];
    const char *symbol = frame_symbol(image, inner);
    if (omp_is_gnu(omp))
        return symbol == NULL || omp_call_find(symbol) != boundary->call;
    const char *called = callsite_symbol(image, inner->address);
    return boundary->caller > 1 && (called == NULL || strcmp(called, "__kmp_fork_call") != 0) &&
           is_blocked(thread, image);
}

// What a call says of the thread.

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
 */
static uint64_t
find_object(const struct finding *finding, const struct thread *thread,
            const struct boundary *boundary)
{
    enum { FIRST_ARGUMENT = 5 }; // rdi's number in debug information
    uint64_t object = 0;
    if (boundary->call->object_at > 0 &&
        !callargs_passed(finding->image, thread, boundary->caller, boundary->call->object_at - 1,
                         sizeof object, &object))
        return 0;
    if (boundary->call->one_lock && image_machine(finding->image) == EM_X86_64 &&
        omp_is_gnu(finding->omp))
        object = thread->registers[FIRST_ARGUMENT];
    return object;
}

/** What LLVM's compiler says of a barrier; NULL: not known. */
static const char *
state_of_barrier(const struct finding *finding, const struct thread *thread,
                 const struct boundary *boundary)
{
    enum { FLAGS_AT = 4, EXPLICIT = 0x20, IMPLICIT = 0x40 };
    uint64_t location, flags;
    if (!callargs_passed(finding->image, thread, boundary->caller, 0, sizeof location, &location) ||
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

/** Takes down what a thread waits for in a call. */
static void
take_call(const struct finding *finding, mqs_omp_thread *record, const struct thread *thread,
          const struct boundary *boundary)
{
    const struct omp_call *call = boundary->call;
    struct omp_wait_record *wait = &finding->omp->waits[record - finding->omp->threads];
    uint64_t object = find_object(finding, thread, boundary);
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
    struct omp_lock lock =
        omp_lock_read(finding->omp, finding->image, thread, boundary->caller, call->kind, object);
    if (lock.holder >= 0 && lock.holder != record->number)
        SET(wait, OMP_WAIT_HOLDER, holder, lock.holder);
}

/** Whether the arguments of a call let it wait. */
static bool
may_wait(const struct finding *finding, const struct thread *thread,
         const struct boundary *boundary)
{
    uint64_t value;
    unsigned at = boundary->call->unless_at;
    return at == 0 || (callargs_passed(finding->image, thread, boundary->caller, at - 1,
                                       sizeof(uint32_t), &value) &&
                       (value & 0xff) == 0);
}

/** Whether a thread waits in a call. */
static bool
waits_in(const struct finding *finding, const mqs_omp_thread *record, const struct thread *thread,
         const struct boundary *boundary)
{
    const struct omp_call *call = boundary->call;
    switch (call->waits) {
    case OMP_NEVER:
        return false;
    case OMP_ALWAYS:
        return true;
    case OMP_AT_END:
        return is_at_end(finding->omp, thread, finding->image, boundary);
    case OMP_IF_HELD: {
        uint64_t object = find_object(finding, thread, boundary);
        struct omp_lock lock = omp_lock_read(finding->omp, finding->image, thread, boundary->caller,
                                             call->kind, object);
        return (lock.holder >= 0 && lock.holder != record->number) ||
               (is_blocked(thread, finding->image) && !lock.given && (!lock.known || lock.held));
    }
    default:
        return is_blocked(thread, finding->image) && may_wait(finding, thread, boundary);
    }
}

/** The stack of an OpenMP thread; NULL: not known. */
static const struct thread *
thread_of(const struct finding *finding, const mqs_omp_thread *record)
{
    return (record->known & MQS_OMP_TID) != 0 ? threads_find(finding->threads, (pid_t) record->tid)
                                              : NULL;
}

/** Finds out what one thread does. */
static void
find_one(const struct finding *finding, mqs_omp_thread *record)
{
    const struct thread *thread = thread_of(finding, record);
    if (thread == NULL || openmp_is_idle(record))
        return;
    struct boundary boundary = find_boundary(thread, finding->image);
    bool in_region = (record->known & MQS_OMP_LEVEL) != 0 && record->level > 0;
    if (boundary.at == AT_USER)
        set_state(finding, record, in_region ? "work_parallel" : "work_serial");
    else if (boundary.at == AT_RUNTIME && in_region)
        set_wait(finding, record, OMP_WAITS_BARRIER, "wait_barrier_implicit_parallel");
    else if (boundary.at == AT_CALL && boundary.call != NULL && !boundary.call->ends &&
             waits_in(finding, record, thread, &boundary))
        take_call(finding, record, thread, &boundary);
    else if (boundary.at == AT_CALL)
        set_state(finding, record, "overhead");
}

// Who can end it.

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

/** Whether a thread holds what is waited for, as the code that it is in proves. */
static bool
proves_holder(const struct finding *finding, struct heldlocks *locks, const mqs_omp_thread *record,
              const struct omp_wait_record *wait)
{
    const struct omp_call *call = omp_call_find(wait->call);
    uint64_t object = call != NULL && call->object_at > 0 ? wait->object : 0;
    const struct thread *thread = thread_of(finding, record);
    size_t looked = 0;
    for (size_t i = 0; thread != NULL && i < thread->n_frames && looked < FRAMES_MAX; i++) {
        struct held_lock held[HELD_MAX];
        size_t count = heldlocks_find(locks, thread, i, held);
        looked += thread->frames[i].runtime == RUNTIME_NONE;
        for (size_t k = 0; k < count; k++)
            if (held[k].kind == (enum omp_wait_kind) wait->kind && held[k].object == object)
                return true;
    }
    return false;
}

/** Finds who holds what is waited for, where the runtime does not say it: the only thread whose
 * code proves it. */
static void
find_holder(const struct finding *finding, struct heldlocks *locks, struct omp_wait_record *wait)
{
    const struct openmp *omp = finding->omp;
    int32_t found = -1;
    bool several = false, of_region = wait->kind == OMP_WAITS_ORDERED;
    if (HAS(wait, OMP_WAIT_HOLDER) || !(of_region || HAS(wait, OMP_WAIT_OBJECT)))
        return;
    for (size_t i = 0; i < omp->n_threads; i++) {
        const mqs_omp_thread *thread = &omp->threads[i];
        bool fits = !of_region || ((thread->known & MQS_OMP_REGION) != 0 &&
                                   HAS(wait, OMP_WAIT_REGION) && thread->region == wait->region);
        if (openmp_is_idle(thread) || !fits || !proves_holder(finding, locks, thread, wait))
            continue;
        several |= found >= 0;
        found = thread->number;
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
omp_waits_find(struct report *report, const struct threads *threads, const struct image *image,
               const struct dll *dll)
{
    struct openmp *omp = &report->omp;
    const struct finding finding = {report, omp, threads, image, dll};
    omp->waits = alloc_zeroed(omp->n_threads, sizeof *omp->waits);
    for (size_t i = 0; i < omp->n_threads; i++)
        find_one(&finding, &omp->threads[i]);
    struct heldlocks locks = {.image = image};
    for (size_t i = 0; i < omp->n_threads; i++) {
        struct omp_wait_record *wait = &omp->waits[i];
        if (!HAS(wait, OMP_WAIT_KIND))
            continue;
        find_arrived(omp, wait);
        find_holder(&finding, &locks, wait);
        find_candidates(omp, wait);
    }
    heldlocks_deinit(&locks);
}
