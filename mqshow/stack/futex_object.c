// SPDX-License-Identifier: BSD-3-Clause
// What a thread waits for in a futex of GNU's C library or C++ runtime, and who is to end that.
//
// The objects are those of glibc 2.31 to 2.42, the same on all machines of 64 bits: nptl's
// pthread_rwlock_common.c and pthread_once.c, bits/struct_mutex.h, bits/struct_rwlock.h; the guards
// are libstdc++'s, guard.cc, and libc++abi's, cxa_guard_impl.h, of LLVM 14 and later.
#include "mqshow/stack/futex_object.h"

#include "mqshow/base/alloc.h"
#include "mqshow/process/memory.h"
#include "mqshow/process/procfs.h"
#include "mqshow/stack/callargs.h"
#include "mqshow/stack/callsite.h"
#include "mqshow/symbols/names.h"
#include "mqshow/symbols/symbolized.h"

#include <stdlib.h>
#include <string.h>

enum sort { SORT_NONE, SORT_MUTEX, SORT_THREAD, SORT_READ, SORT_WRITE, SORT_ONCE, SORT_GUARD };

/** By the functions that wait for them, as runtime_is_named() knows them. */
static const struct {
    const char *function;
    enum sort sort;
} waiting[] = {
    {"pthread_mutex_lock", SORT_MUTEX},         {"pthread_mutex_timedlock", SORT_MUTEX},
    {"pthread_mutex_clocklock", SORT_MUTEX},    {"pthread_join", SORT_THREAD},
    {"pthread_clockjoin_ex", SORT_THREAD},      {"pthread_timedjoin_np", SORT_THREAD},
    {"pthread_clockjoin_np", SORT_THREAD},      {"pthread_rwlock_rdlock", SORT_READ},
    {"pthread_rwlock_timedrdlock", SORT_READ},  {"pthread_rwlock_clockrdlock", SORT_READ},
    {"pthread_rwlock_wrlock", SORT_WRITE},      {"pthread_rwlock_timedwrlock", SORT_WRITE},
    {"pthread_rwlock_clockwrlock", SORT_WRITE}, {"pthread_once", SORT_ONCE},
    {"pthread_once_slow", SORT_ONCE},           {"call_once", SORT_ONCE},
    {"cxa_guard_acquire", SORT_GUARD},
};

static enum sort
sort_of(const char *function)
{
    for (size_t i = 0; function != NULL && i < sizeof waiting / sizeof *waiting; i++)
        if (runtime_is_named(function, waiting[i].function))
            return waiting[i].sort;
    return SORT_NONE;
}

static const char *
symbol_of(const struct frame *frame)
{
    return frame->srcloc != NULL ? frame->srcloc->symbol : NULL;
}

/** The innermost function of the C library that waits for one of these. One that ends by a jump is
 * not on the stack: the call of the program's has its name. */
static enum sort
find_sort(const struct thread *thread, const struct image *image)
{
    const struct frame *frame = thread->frames, *end = frame + thread->n_frames;
    enum sort sort = SORT_NONE;
    for (; frame < end && frame->runtime == RUNTIME_C; frame++) {
        sort = sort_of(symbol_of(frame));
        if (sort != SORT_NONE)
            return sort;
    }
    if (frame == end || frame == thread->frames)
        return SORT_NONE;
    if (sort_of(symbol_of(frame)) == SORT_GUARD)
        return SORT_GUARD;
    return symbol_of(frame - 1) == NULL ? sort_of(callsite_symbol(image, frame->address))
                                        : SORT_NONE;
}

/** A wait. */
struct futex {
    const struct threads *threads;
    const struct thread *thread;
    const struct image *image;
    uint64_t word;
    uint32_t expected; // the value that the word had when the thread began to wait
};

/** Whether the C library has the id for a thread that a debugger's stub has. */
static bool
has_stubs_id(const struct debuggee *process, const struct thread *thread)
{
    pid_t tid;
    return thread->system.pthread != 0 && memory_read_tid(process, thread->system.pthread, &tid) &&
           tid == thread->tid;
}

/** Whether ids in a process's memory are those that its threads have here: those of another PID
 * namespace are other threads'. */
static bool
has_own_ids(const struct futex *futex)
{
    const struct debuggee *process = &futex->image->debuggee;
    if (process->stub != NULL)
        return has_stubs_id(process, futex->thread);
    return process->core != NULL || procfs_shares(process->pid, "pid");
}

/** Whether a variable is of the dynamic loader's: in a program without one, it is one of its own.
 */
static bool
is_loaders(const char *symbol)
{
    return symbol != NULL &&
           (strcmp(symbol, "_rtld_global") == 0 || strncmp(symbol, "_dl_load_", 9) == 0);
}

/** "mutex queue_lock" */
static char *
name_of(const struct image *image, const char *sort, uint64_t addr)
{
    struct symbolized variable;
    symbolize_data(&variable, image, addr);
    if (is_loaders(variable.symbol)) {
        symbolized_deinit(&variable);
        return alloc_text("the dynamic loader's lock");
    }
    bool is_it = variable.symbol != NULL && variable.offset == 0;
    char *name = is_it ? names_readable(variable.symbol) : NULL;
    char *ret = name != NULL ? alloc_format("%s %s", sort, name) : alloc_text(sort);
    free(name);
    symbolized_deinit(&variable);
    return ret;
}

static struct futex_object
mutex_of(const struct futex *futex)
{
    enum { KIND_BITS = 0x1ff };
    struct {
        int32_t lock, count, owner, users, kind;
    } mutex;
    if (!has_own_ids(futex) ||
        !memory_read(&futex->image->debuggee, futex->word, sizeof mutex, &mutex) ||
        mutex.lock == 0 || mutex.owner <= 0 || (mutex.kind & ~KIND_BITS) != 0)
        return (struct futex_object){.name = NULL};
    return (struct futex_object){name_of(futex->image, "mutex", futex->word), mutex.owner};
}

/** The word is the id of the thread, until that has ended. */
static struct futex_object
joined(const struct futex *futex)
{
    int32_t tid;
    if (!has_own_ids(futex) ||
        !memory_read(&futex->image->debuggee, futex->word, sizeof tid, &tid) || tid <= 0)
        return (struct futex_object){.name = NULL};
    return (struct futex_object){alloc_text("a thread"), tid};
}

/** Where the word lies in a rwlock: readers wait for the end of a write phase, or, where writers go
 * first, of a phase of theirs; writers wait for other writers, then for a write phase.
 * @return false: it is none of these */
static bool
find_rwlock(const struct futex *futex, enum sort sort, uint64_t *ret)
{
    enum { WANTED = 2, READERS_WAIT = 4 };
    static const struct {
        enum sort sort;
        uint32_t bits, expected;
        uint64_t offset;
    } words[] = {
        {SORT_READ, UINT32_MAX, 1 | WANTED, 8},
        {SORT_READ, READERS_WAIT, READERS_WAIT, 0},
        {SORT_WRITE, UINT32_MAX, WANTED, 8},
        {SORT_WRITE, UINT32_MAX, 1 | WANTED, 12},
    };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (words[i].sort == sort && (futex->expected & words[i].bits) == words[i].expected) {
            *ret = futex->word - words[i].offset;
            return true;
        }
    return false;
}

/** Who has it is known of a writer, of readers not. */
static struct futex_object
rwlock_of(const struct futex *futex, enum sort sort)
{
    enum { WRITE_PHASE = 1, WRITE_LOCKED = 2, BITS = 3 };
    const struct debuggee *process = &futex->image->debuggee;
    struct {
        uint32_t readers, writers, phase_futex, writers_futex, unused[2];
        int32_t writer;
    } lock;
    uint64_t addr;
    if (process->pointer_size != 8 || !find_rwlock(futex, sort, &addr) ||
        !memory_read(process, addr, sizeof lock, &lock))
        return (struct futex_object){.name = NULL};
    bool is_owned = (lock.readers & BITS) == (WRITE_PHASE | WRITE_LOCKED) && lock.writer > 0 &&
                    has_own_ids(futex);
    return (struct futex_object){name_of(futex->image, "rwlock", addr), is_owned ? lock.writer : 0};
}

/** A search of a frame for the cleanup that pthread_once() has registered in it: a function of its
 * file's, and the word. */
struct cleanup {
    const struct image *image;
    const struct module *module;
    uint64_t word, before; // what lies before the word that is looked at
    bool is_there;
};

static void
look_for_cleanup(void *context, uint64_t slot, uint64_t word)
{
    struct cleanup *search = context;
    search->is_there |= slot != 0 && word == search->word && search->before != 0 &&
                        image_module_at(search->image, search->before) == search->module;
    search->before = slot != 0 ? word : 0;
}

/** Whether a thread runs the initialization of a word: that is a function of the program's, which
 * pthread_once() has called. */
static bool
runs_once(const struct futex *futex, const struct thread *thread)
{
    enum { FRAME_MAX = 1024 }; // bytes
    size_t i = 0;
    while (i < thread->n_frames && thread->frames[i].runtime == RUNTIME_C)
        i++;
    for (; i + 1 < thread->n_frames; i++) {
        const struct frame *frame = &thread->frames[i], *caller = frame + 1;
        struct cleanup search = {futex->image, image_module_at(futex->image, frame->pc),
                                 futex->word, 0, false};
        if (frame->runtime == RUNTIME_C && search.module != NULL && frame->sp != 0 &&
            caller->sp - frame->sp <= FRAME_MAX)
            stack_scan_range(thread, futex->image, frame->sp, caller->sp, look_for_cleanup,
                             &search);
        if (search.is_there)
            return true;
    }
    return false;
}

/** A word that says that a thread runs the initialization; which one, its stack says. */
static struct futex_object
once_of(const struct futex *futex)
{
    enum { RUNS = 1, BITS = 3 };
    uint64_t value;
    if ((futex->expected & BITS) != RUNS ||
        !memory_read_uint(&futex->image->debuggee, futex->word, sizeof(int32_t), &value))
        return (struct futex_object){.name = NULL};
    struct futex_object ret = {name_of(futex->image, "pthread_once", futex->word), 0};
    for (size_t i = 0; i < futex->threads->count && ret.owner == 0 && value == futex->expected; i++)
        if (runs_once(futex, &futex->threads->items[i]))
            ret.owner = futex->threads->items[i].tid;
    return ret;
}

/** "the initialization of cache", by the variable that guards it; NULL: it is at none. */
static char *
initialization_of(const struct image *image, uint64_t addr)
{
    static const char guard[] = "_ZGV", begin[] = "guard variable for ";
    struct symbolized variable;
    symbolize_data(&variable, image, addr);
    bool is_it = variable.symbol != NULL && variable.offset == 0 &&
                 strncmp(variable.symbol, guard, sizeof guard - 1) == 0;
    char *name = is_it ? names_readable(variable.symbol) : NULL;
    bool has_begin = name != NULL && strncmp(name, begin, sizeof begin - 1) == 0;
    char *ret =
        has_begin ? alloc_format("the initialization of %s", name + sizeof begin - 1) : NULL;
    free(name);
    symbolized_deinit(&variable);
    return ret;
}

/** The guard that the function that waits for it was given; 0: not known. */
static uint64_t
given_guard(const struct futex *futex)
{
    const struct thread *thread = futex->thread;
    uint64_t guard;
    size_t i = 0;
    while (i < thread->n_frames && sort_of(symbol_of(&thread->frames[i])) != SORT_GUARD)
        i++;
    return i + 1 < thread->n_frames &&
                   callargs_passed(futex->image, thread, i + 1, 0, sizeof guard, &guard)
               ? guard
               : 0;
}

/** libstdc++'s word is the guard itself, which has no owner. libc++abi's is that of a condition,
 * and the guard has the id of the thread that initializes. */
static struct futex_object
guarded(const struct futex *futex)
{
    enum { COMPLETE = 1, PENDING = 2 };
    struct {
        uint8_t is_done, state;
        uint16_t unused;
        int32_t owner;
    } guard;
    char *name = initialization_of(futex->image, futex->word);
    uint64_t addr = name == NULL ? given_guard(futex) : 0;
    bool is_owned = addr != 0 && addr != futex->word && has_own_ids(futex) &&
                    memory_read(&futex->image->debuggee, addr, sizeof guard, &guard) &&
                    guard.is_done == 0 && (guard.state & (COMPLETE | PENDING)) == PENDING &&
                    guard.owner > 0;
    if (addr != 0)
        name = initialization_of(futex->image, addr);
    return (struct futex_object){
        name != NULL ? name : alloc_text("the initialization of a static variable"),
        is_owned ? guard.owner : 0};
}

struct futex_object
futex_object_find(const struct threads *threads, const struct thread *thread,
                  const struct image *image)
{
    const uint64_t *arguments = thread->system.made.arguments;
    const struct futex futex = {threads, thread, image, arguments[0], (uint32_t) arguments[2]};
    enum sort sort = find_sort(thread, image);
    switch (sort) {
    case SORT_MUTEX:
        return mutex_of(&futex);
    case SORT_THREAD:
        return joined(&futex);
    case SORT_READ:
    case SORT_WRITE:
        return rwlock_of(&futex, sort);
    case SORT_ONCE:
        return once_of(&futex);
    case SORT_GUARD:
        return guarded(&futex);
    default:
        return (struct futex_object){.name = NULL};
    }
}
