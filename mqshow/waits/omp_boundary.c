// SPDX-License-Identifier: BSD-3-Clause
// Where the program's code on a thread's stack ends and the OpenMP runtime begins.
//
// The function of the runtime that the program's code has called may have jumped to another one
// that has no symbol: then the call has its name. A thread that is called by nobody of the program
// is at the end of its region, or in the pool.
#include "mqshow/waits/omp_boundary.h"

#include "mqshow/process/memory.h"
#include "mqshow/report/openmp.h"
#include "mqshow/stack/callargs.h"
#include "mqshow/stack/callsite.h"
#include "mqshow/stack/threads.h"
#include "mqshow/symbols/srcloc.h"
#include "mqshow/waits/omp_lock.h"

#include <string.h>

enum {
    SPIN_BEFORE = 24, // bytes of code around an instruction of a loop that spins
    SPIN_BEHIND = 16,
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

/** Takes a function of the runtime as the one that was called, if it is one that says something. */
static bool
take_symbol(struct boundary *boundary, const char *symbol)
{
    boundary->call = omp_call_find(symbol);
    if (boundary->call != NULL || boundary->symbol == NULL)
        boundary->symbol = symbol;
    return boundary->call != NULL;
}

/** Finds the call of a caller: what it calls itself; or what that has jumped to at its end, which
 * is the function of the next frame, or all that a function of the program jumps to. */
static void
find_call(struct boundary *boundary, const struct thread *thread, const struct image *image)
{
    const struct frame *frames = thread->frames;
    uint64_t function;
    if (take_symbol(boundary, callsite_symbol(image, frames[boundary->caller].address)))
        return;
    boundary->received = take_symbol(boundary, frame_symbol(image, &frames[boundary->caller - 1]));
    if (boundary->received)
        return;
    if (callsite_entry(image, frames[boundary->caller].address, &function)) {
        boundary->jumped = true;
        take_symbol(boundary, callsite_jump_symbol(image, function, RUNTIME_OPENMP));
    }
}

/** Whether the runtime's outermost function has called one that it names. The program's function,
 * of which it has the address, may have jumped to the runtime at its end: it is on no stack then.
 */
static bool
is_called_by_runtime(const struct thread *thread, const struct image *image)
{
    uint64_t function;
    size_t i = thread->n_frames;
    while (i > 0 && thread->frames[i - 1].runtime != RUNTIME_OPENMP)
        i--;
    return i == 1 || (i > 1 && callsite_entry(image, thread->frames[i - 1].address, &function));
}

struct boundary
boundary_find(const struct thread *thread, const struct image *image)
{
    struct boundary boundary = {.at = AT_UNKNOWN};
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
    if (thread->complete && is_called_by_runtime(thread, image))
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

/** Whether a function of LLVM's runtime lasts until a word has a value. */
static bool
spins_in(const char *function)
{
    static const char begin[] = "__kmp_wait_";
    return strncmp(function, begin, sizeof begin - 1) == 0;
}

/** How machines call the system and spin, and where the first argument of a function is. */
static const struct waiting_code {
    GElf_Half machine;
    size_t size; // bytes of each instruction
    unsigned char enter[4], spin[4];
    unsigned argument; // number of the register in debug information
} waiting_codes[] = {
    {EM_X86_64, 2, {0x0f, 0x05}, {0xf3, 0x90}, 5},
    {EM_AARCH64, 4, {0x01, 0x00, 0x00, 0xd4}, {0x3f, 0x20, 0x03, 0xd5}, 0},
};

/** That of the runtime's code that a thread is in, behind a call to the system or in a loop that
 * spins; NULL: it is at neither. */
static const struct waiting_code *
find_waiting_code(const struct thread *thread, const struct image *image, bool *ret_spins)
{
    unsigned char code[SPIN_BEFORE + SPIN_BEHIND];
    const struct frame *frame = thread->n_frames > 0 ? &thread->frames[0] : NULL;
    if (frame == NULL || frame->runtime != RUNTIME_OPENMP ||
        !memory_read(&image->debuggee, frame->address - SPIN_BEFORE, sizeof code, code))
        return NULL;
    for (size_t i = 0; i < sizeof waiting_codes / sizeof *waiting_codes; i++) {
        const struct waiting_code *waits = &waiting_codes[i];
        *ret_spins = memcmp(code + SPIN_BEFORE - waits->size, waits->enter, waits->size) != 0;
        if (waits->machine == image_machine(image) &&
            (!*ret_spins || memmem(code, sizeof code, waits->spin, waits->size) != NULL))
            return waits;
    }
    return NULL;
}

bool
thread_is_blocked(const struct thread *thread, const struct image *image)
{
    for (size_t i = 0; i < thread->n_frames; i++) {
        enum runtime runtime = thread->frames[i].runtime;
        const char *symbol = frame_symbol(image, &thread->frames[i]);
        if (runtime != RUNTIME_C && runtime != RUNTIME_OPENMP)
            break;
        if (symbol != NULL && (runtime == RUNTIME_C ? sleeps_in(symbol) : spins_in(symbol)))
            return true;
        // What has called the C library otherwise does something.
        if (runtime == RUNTIME_OPENMP && i > 0 && thread->frames[0].runtime == RUNTIME_C)
            break;
    }
    bool spins;
    return find_waiting_code(thread, image, &spins) != NULL;
}

uint64_t
thread_awaited_word(const struct thread *thread, const struct image *image)
{
    bool spins;
    const struct waiting_code *waits = find_waiting_code(thread, image, &spins);
    return waits != NULL ? thread->registers[waits->argument] : 0;
}

size_t
thread_awaited_words(const struct thread *thread, const struct image *image,
                     uint64_t ret[THREAD_REGISTERS])
{
    bool spins;
    const struct waiting_code *waits = find_waiting_code(thread, image, &spins);
    if (waits == NULL)
        return 0;
    if (!spins) {
        ret[0] = thread->registers[waits->argument];
        return 1;
    }
    memcpy(ret, thread->registers, sizeof thread->registers);
    return THREAD_REGISTERS;
}

/** Whether the function that begins a region is at its end. GNU's jumps to that of the end; in
 * LLVM's another function than that of the beginning is called. */
bool
boundary_is_at_end(const struct boundary *boundary, const struct openmp *omp,
                   const struct thread *thread, const struct image *image)
{
    const struct frame *inner = &thread->frames[boundary->caller - 1];
    const char *symbol = frame_symbol(image, inner);
    if (omp_is_gnu(omp))
        return symbol == NULL || omp_call_find(symbol) != boundary->call;
    const char *called = callsite_symbol(image, inner->address);
    return boundary->caller > 1 && (called == NULL || strcmp(called, "__kmp_fork_call") != 0) &&
           thread_is_blocked(thread, image);
}

bool
boundary_argument(const struct boundary *boundary, const struct thread *thread,
                  const struct image *image, unsigned number, size_t width, uint64_t *ret)
{
    if (number == 0 || boundary->jumped || boundary->caller == 0)
        return false;
    return boundary->received
               ? callargs_received(image, thread, boundary->caller - 1, number - 1, width, ret)
               : callargs_passed(image, thread, boundary->caller, number - 1, width, ret);
}
