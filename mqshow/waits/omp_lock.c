// SPDX-License-Identifier: BSD-3-Clause
// Locks of OpenMP runtimes, as libgomp and libomp keep them on machines of 64 bits.
//
// GNU's lock is a word for the kernel's futex: 0 when it is free. A nestable lock has it first,
// then a count and, from offset 8 on, the address of the owner's control variables, which lie in
// its task.
//
// LLVM's variable holds the lock itself when it is odd: the kind in the lower byte, and who has it
// above that. Else it is an index or a pointer that leads to a record with the address of the lock.
// Such a lock has its own address in it, which finds it on the stack of whoever waits for it.
#include "mqshow/waits/omp_lock.h"

#include "mqshow/process/bytes.h"
#include "mqshow/process/memory.h"
#include "mqshow/report/openmp.h"
#include "mqshow/stack/callargs.h"
#include "mqshow/stack/callsite.h"
#include "mqshow/stack/threads.h"

#include <stdlib.h>
#include <string.h>

enum { WORD = 4, POINTER = 8 };

// GNU's.
enum {
    OWNER_AT = 8,
    TASK_MAX = 256, // bytes from a task to its control variables; tasks are no closer together
    TEAM_MAX = 256, // from a team to its barrier: its size, and behind that the word to wait at
};

// LLVM's.
enum {
    KIND_TAS = 3,
    KIND_FUTEX = 5,
    LOCK_BYTES = 48,
    // A lock has its own address first, or with a flag before it.
    SELF_AT = 0,
    SELF_BEHIND_FLAG = 8,
    TAIL_AT = 16, // of its queue, before the head: of the lock with its address first
    HEAD_AT = 20,
    NEXT_TICKET_AT = 24, // and the one that is served: of the other one
    SERVED_AT = 28,
    GTID_AT = 32,  // of the owner, from 1: of a nestable one
    DEPTH_AT = 36, // above 0: a nestable one that is held
    // A thread's record.
    THREAD_PTHREAD_AT = 24,
    THREAD_GTID_AT = 36,
    THREAD_BYTES = 40,
};

static const struct omp_lock not_known = {.holder = -1};

bool
omp_is_gnu(const struct openmp *omp)
{
    return strncmp(omp->info.runtime, "GNU ", 4) == 0;
}

/** The address that an id of the library begins with; 0: it is none. */
static uint64_t
address_of(const char *id)
{
    return strtoull(id, NULL, 16);
}

/** Whether a word is that of the barrier of a team: its size is before it. */
static bool
is_of_barrier(const struct image *image, uint64_t team, int64_t size, uint64_t word)
{
    uint64_t total;
    return word - WORD - team < TEAM_MAX &&
           memory_read_uint(&image->debuggee, word - WORD, WORD, &total) &&
           total == (uint64_t) size;
}

/** Whether the value that a word has is among these, which one that spins waits to see change. */
static bool
has_value(const struct image *image, uint64_t word, const uint64_t *values, size_t count)
{
    uint64_t value;
    if (!memory_read_uint(&image->debuggee, word, WORD, &value))
        return false;
    for (size_t i = 0; i < count; i++)
        if ((values[i] & UINT32_MAX) == value)
            return true;
    return false;
}

bool
omp_is_at_team_barrier(const struct openmp *omp, const struct image *image,
                       const mqs_omp_thread *thread, const uint64_t *words, size_t count)
{
    const uint32_t needed = MQS_OMP_REGION | MQS_OMP_TEAM_SIZE;
    const mqs_omp_region *region =
        (thread->known & needed) == needed ? openmp_region(omp, thread->region) : NULL;
    uint64_t team = omp_is_gnu(omp) && region ? address_of(region->id) : 0;
    for (size_t i = 0; i < count && team != 0; i++)
        if (is_of_barrier(image, team, thread->team_size, words[i]) &&
            (count == 1 || has_value(image, words[i], words, count)))
            return true;
    return false;
}

/** The thread in whose task an address lies; -1: in none that is known. */
static int32_t
thread_of_task(const struct openmp *omp, uint64_t addr)
{
    for (size_t i = 0; i < omp->n_tasks; i++) {
        uint64_t task = address_of(omp->tasks[i].id);
        if ((omp->tasks[i].known & MQS_OMP_THREAD) != 0 && task != 0 && addr - task < TASK_MAX &&
            openmp_thread(omp, omp->tasks[i].thread) != NULL)
            return omp->tasks[i].thread;
    }
    return -1;
}

static struct omp_lock
read_gnu(const struct openmp *omp, const struct image *image, enum omp_wait_kind kind,
         uint64_t addr)
{
    struct omp_lock lock = {.holder = -1};
    uint64_t word, owner;
    lock.known = memory_read_uint(&image->debuggee, addr, WORD, &word);
    lock.held = lock.stays = lock.known && word != 0;
    if (lock.held && kind == OMP_WAITS_NEST_LOCK &&
        memory_read_uint(&image->debuggee, addr + OWNER_AT, POINTER, &owner))
        lock.holder = thread_of_task(omp, owner);
    return lock;
}

/** The thread with one of LLVM's numbers; -1: not known. */
static int32_t
thread_of_gtid(const struct openmp *omp, const struct image *image, int64_t gtid)
{
    for (size_t i = 0; i < omp->n_threads && gtid >= 0; i++) {
        const mqs_omp_thread *thread = &omp->threads[i];
        unsigned char bytes[THREAD_BYTES];
        uint64_t addr = address_of(thread->id);
        if (addr != 0 && (thread->known & MQS_OMP_PTHREAD) != 0 &&
            memory_read(&image->debuggee, addr, sizeof bytes, bytes) &&
            bytes_uint(bytes + THREAD_PTHREAD_AT, POINTER) == thread->pthread &&
            bytes_uint(bytes + THREAD_GTID_AT, WORD) == (uint64_t) gtid)
            return thread->number;
    }
    return -1;
}

/** A search for locks that have their own address in them. */
struct lock_search {
    const struct image *image;
    uint64_t found; // 0: none yet
    bool several;
    unsigned char bytes[LOCK_BYTES];
};

static bool
is_queuing(const struct lock_search *search)
{
    return bytes_uint(search->bytes + SELF_AT, POINTER) == search->found;
}

static void
take_word(void *context, uint64_t slot, uint64_t word)
{
    struct lock_search *search = context;
    unsigned char bytes[LOCK_BYTES];
    (void) slot;
    if (word == 0 || word % POINTER != 0 || word == search->found ||
        !memory_read(&search->image->debuggee, word, sizeof bytes, bytes) ||
        (bytes_uint(bytes + SELF_AT, POINTER) != word &&
         !(bytes_uint(bytes + SELF_BEHIND_FLAG, POINTER) == word && bytes[0] == 1)))
        return;
    search->several |= search->found != 0;
    search->found = word;
    memcpy(search->bytes, bytes, sizeof bytes);
}

/** Reads a lock that has its own address in it. */
static struct omp_lock
read_self(const struct openmp *omp, const struct lock_search *search, bool nestable)
{
    const unsigned char *bytes = search->bytes;
    int64_t gtid = (int64_t) bytes_uint(bytes + GTID_AT, WORD) - 1;
    int32_t depth = (int32_t) bytes_uint(bytes + DEPTH_AT, WORD);
    struct omp_lock lock = {.known = true, .holder = -1};
    lock.held = is_queuing(search) ? bytes_uint(bytes + HEAD_AT, WORD) != 0
                                   : bytes_uint(bytes + NEXT_TICKET_AT, WORD) !=
                                         bytes_uint(bytes + SERVED_AT, WORD);
    if (lock.held && nestable && depth > 0)
        lock.holder = thread_of_gtid(omp, search->image, gtid);
    return lock;
}

/** Whether a thread that waited in the queue of a lock is in it no more: it was given the lock, and
 * has yet to see that. The queue may have one other thread. */
static bool
was_given(const struct openmp *omp, const struct lock_search *search, const struct thread *thread)
{
    uint64_t head = bytes_uint(search->bytes + HEAD_AT, WORD);
    uint64_t tail = bytes_uint(search->bytes + TAIL_AT, WORD);
    if (!is_queuing(search) || (head != UINT32_MAX && head != tail))
        return false;
    int32_t number = head != UINT32_MAX && head > 0
                         ? thread_of_gtid(omp, search->image, (int64_t) head - 1)
                         : -1;
    const mqs_omp_thread *other = openmp_thread(omp, number);
    return head == UINT32_MAX ||
           (other != NULL && (other->known & MQS_OMP_TID) != 0 && other->tid != thread->tid);
}

/** Reads one that is all in the variable. */
static struct omp_lock
read_direct(const struct openmp *omp, const struct image *image, uint32_t word)
{
    uint32_t kind = word & 0xff, owner = word >> 8;
    struct omp_lock lock = {.known = kind == KIND_TAS || kind == KIND_FUTEX, .holder = -1};
    lock.held = lock.stays = lock.known && owner != 0;
    if (lock.held)
        lock.holder =
            thread_of_gtid(omp, image, (int64_t) (kind == KIND_FUTEX ? owner / 2 : owner) - 1);
    return lock;
}

/** The lock that the runtime passes on to the function in which it waits; 0: not known. */
static uint64_t
find_passed(const struct image *image, const struct thread *thread, size_t caller)
{
    enum { LOCK_ARGUMENT = 3 }; // void __kmp_wait_4(word, value, comparison, lock)
    uint64_t lock = 0;
    for (size_t i = 1; i < caller; i++) {
        const char *symbol = callsite_symbol(image, thread->frames[i].address);
        if (symbol != NULL && strncmp(symbol, "__kmp_wait_4", strlen("__kmp_wait_4")) == 0)
            return callargs_passed(image, thread, i, LOCK_ARGUMENT, POINTER, &lock) ? lock : 0;
    }
    return 0;
}

static struct omp_lock
read_llvm(const struct openmp *omp, const struct image *image, const struct thread *thread,
          size_t caller, enum omp_wait_kind kind, uint64_t addr)
{
    struct lock_search search = {.image = image};
    uint64_t word, lock, passed = find_passed(image, thread, caller);
    bool is_construct = kind == OMP_WAITS_CRITICAL || kind == OMP_WAITS_REDUCTION;
    if (!memory_read_uint(&image->debuggee, addr, WORD, &word))
        return not_known;
    if ((word & 1) != 0)
        return read_direct(omp, image, (uint32_t) word);
    // The variable of a construct is 0 until its lock is made.
    if (word == 0 && is_construct)
        return (struct omp_lock){.known = true, .holder = -1};
    if (is_construct) {
        if (memory_read_uint(&image->debuggee, addr, POINTER, &word) && word != 0 &&
            memory_read_uint(&image->debuggee, word, POINTER, &lock))
            take_word(&search, 0, lock);
    } else if (passed != 0) {
        take_word(&search, 0, passed);
    } else {
        stack_scan_range(thread, image, thread->frames[0].sp, thread->frames[caller].sp, take_word,
                         &search);
    }
    if (search.found == 0 || search.several)
        return not_known;
    struct omp_lock ret = read_self(omp, &search, kind == OMP_WAITS_NEST_LOCK);
    ret.given = passed == search.found && was_given(omp, &search, thread);
    ret.stays = passed == search.found && is_queuing(&search) && ret.held && !ret.given;
    return ret;
}

struct omp_lock
omp_lock_read(const struct openmp *omp, const struct image *image, const struct thread *thread,
              size_t caller, enum omp_wait_kind kind, uint64_t addr)
{
    if (image->debuggee.pointer_size != POINTER || addr == 0)
        return not_known;
    return omp_is_gnu(omp) ? read_gnu(omp, image, kind, addr)
                           : read_llvm(omp, image, thread, caller, kind, addr);
}
