// SPDX-License-Identifier: BSD-3-Clause
// Which pending operations a thread waits for, as its stack tells.
//
// A call that waits has the address of the request in a register or on its part of the stack. What
// an earlier call left there may be the address of another request, so these are candidates. Some
// MPI libraries note in the request what the waiting thread sleeps on, which is on its stack: that
// is certain, and so are requests that are on the stack themselves. Where the arguments of the call
// are known, they name the requests: the user's handles stand in an array of the user's. When only
// their number is known, the array is the one with that many handles of requests that MPI's part of
// the stack leads to: the call has its address, as it takes requests out of it when they are
// complete.
#include "mqs.h"
#include "mqshow/waits/wait_resolve.h"

#include "mqshow/base/alloc.h"
#include "mqshow/base/mpi_calls.h"
#include "mqshow/process/bytes.h"
#include "mqshow/process/memory.h"
#include "mqshow/report/report.h"
#include "mqshow/stack/callargs.h"
#include "mqshow/stack/threads.h"
#include "mqshow/symbols/image.h"
#include "mqshow/waits/request_handles.h"

#include <stdlib.h>
#include <string.h>

enum {
    STACK_MAX = 1 << 16,  // bytes of a stack that are read, whole pages
    RED_ZONE = 128,       // bytes below the stack pointer that a function may use
    REQUEST_BYTES = 256,  // of a request, within which it says who waits
    BLOCKED_MAX = 100000, // requests that are asked who waits
    CANDIDATES_MAX = 1000000,
    REQUESTS_MAX = 1000000, // entries of an array of requests
    ASKED_MAX = 100000,     // requests that are asked for their handles
    MISSES_MAX = 16,        // entries in a row that are no pending requests, in an array
    NONBLOCKING = -1,       // in the place of a queue's class: a collective
};

/** The requests that are searched for, in ascending order of addresses. */
struct pending_set {
    const struct request_handles *handles;
    bool partial; // there may be others
    struct pending_request {
        uint64_t address;
        int op_class; // NONBLOCKING: a collective
        bool blocks;  // the library says that a thread waits for it
    } * items;
    size_t count, capacity;
};

static int
compare_requests(const void *left, const void *right)
{
    const struct pending_request *a = left, *b = right;
    return (a->address > b->address) - (a->address < b->address);
}

/** The request that is searched for at an address; NULL: there is none. */
static const struct pending_request *
find_pending(const struct pending_set *pending, uint64_t addr)
{
    const struct pending_request key = {.address = addr};
    return bsearch(&key, pending->items, pending->count, sizeof key, compare_requests);
}

/** Adds the operations of a queue that have not completed. */
static void
add_queue(struct pending_set *pending, const struct communicator *comm, int op_class)
{
    const struct operations *queue = communicator_operations(comm, op_class);
    pending->partial |= !communicator_has_whole_queue(comm, op_class);
    for (size_t i = 0; i < queue->count; i++) {
        const struct operation *op = &queue->items[i];
        bool has_request = HAS(op, OP_REQUEST) && op->request != 0;
        if (!has_request || op->status == mqs_st_complete)
            continue;
        *ALLOC_ADD(pending->items, pending->count, pending->capacity) = (struct pending_request){
            .address = op->request,
            .op_class = op_class,
            .blocks = op->blocked,
        };
    }
}

/** Adds the nonblocking collectives that have a request. */
static void
add_nonblocking(struct pending_set *pending, const struct communicator *comm)
{
    for (size_t i = 0; i < comm->nonblocking.count; i++)
        if (comm->nonblocking.items[i].request != 0)
            *ALLOC_ADD(pending->items, pending->count, pending->capacity) =
                (struct pending_request){.address = comm->nonblocking.items[i].request,
                                         .op_class = NONBLOCKING};
}

static void
list_pending(struct pending_set *pending, const struct report *report)
{
    static const int classes[] = {mqs_pending_receives, mqs_pending_sends};
    for (size_t i = 0; i < report->comms.count; i++) {
        for (size_t k = 0; k < sizeof classes / sizeof *classes; k++)
            add_queue(pending, &report->comms.items[i], classes[k]);
        add_nonblocking(pending, &report->comms.items[i]);
    }
    if (pending->count > 0)
        qsort(pending->items, pending->count, sizeof *pending->items, compare_requests);
}

/** Adds a request to what a thread may wait for. @param slot where it was found */
static void
add_request(struct thread *thread, const struct pending_request *found, uint64_t slot, bool certain)
{
    struct thread_wait *wait = &thread->wait;
    if (wait->count == CANDIDATES_MAX)
        return;
    *ALLOC_ADD(wait->items, wait->count, wait->capacity) =
        (struct candidate){found->address, slot, found->op_class, certain};
}

static bool
has_mpi_frames(const struct threads *threads)
{
    for (size_t i = 0; i < threads->count; i++)
        for (size_t k = 0; k < threads->items[i].n_frames; k++)
            if (threads->items[i].frames[k].runtime == RUNTIME_MPI)
                return true;
    return false;
}

/** Finds the part of a stack that is MPI's: from where the thread is to the frame that called MPI.
 * @param apart whether the MPI library has files of its own; else that frame is not known yet
 */
static void
find_part(struct thread *thread, bool apart)
{
    size_t end = 0; // the frame behind the part
    for (size_t i = 0; i < thread->n_frames; i++)
        end = !apart || thread->frames[i].runtime == RUNTIME_MPI ? i + 1 : end;
    if (end == 0 || thread->frames[0].sp < RED_ZONE)
        return;
    thread->mpi_start = (thread->frames[0].sp - RED_ZONE) & ~(uint64_t) (sizeof(uint64_t) - 1);
    thread->mpi_end = thread->mpi_start + STACK_MAX;
    thread->caller = apart && end < thread->n_frames ? end : 0;
    uint64_t caller = end < thread->n_frames ? thread->frames[end].sp : 0;
    if (caller > thread->mpi_start && caller < thread->mpi_end)
        thread->mpi_end = caller;
}

static struct thread *
thread_of_part(const struct threads *threads, uint64_t addr)
{
    for (size_t i = 0; i < threads->count; i++)
        if (addr >= threads->items[i].mpi_start && addr < threads->items[i].mpi_end)
            return &threads->items[i];
    return NULL;
}

/** Asks a request that is waited for who does: a word of it leads to the stack of that thread. */
static void
ask_request(const struct threads *threads, const struct image *image,
            const struct pending_request *blocked)
{
    unsigned char bytes[REQUEST_BYTES];
    size_t width = (size_t) image->debuggee.pointer_size;
    if (!memory_read(&image->debuggee, blocked->address, sizeof bytes, bytes))
        return;
    for (size_t at = 0; at + width <= sizeof bytes; at += width) {
        uint64_t word = bytes_uint(bytes + at, width);
        struct thread *thread = thread_of_part(threads, word);
        if (thread) {
            add_request(thread, blocked, word, true);
            return;
        }
    }
}

static void
ask_requests(const struct threads *threads, const struct image *image,
             const struct pending_set *pending)
{
    size_t asked = 0;
    for (size_t i = 0; i < pending->count && asked < BLOCKED_MAX; i++) {
        struct thread *thread = thread_of_part(threads, pending->items[i].address);
        if (thread) {
            add_request(thread, &pending->items[i], pending->items[i].address, true);
        } else if (pending->items[i].blocks) {
            ask_request(threads, image, &pending->items[i]);
            asked++;
        }
    }
}

/** A thread that is searched. */
struct search {
    struct thread *thread;
    const struct image *image;
    const struct pending_set *pending;
    const struct mpi_call *call; // that it is in; NULL: one that is given no requests, or not known
    size_t caller;               // number of the frame
};

/** A request that is searched for, by its handle. */
struct handle_entry {
    uint64_t handle;
    size_t number; // of those that are searched for
};

static int
compare_handles(const void *left, const void *right)
{
    const struct handle_entry *a = left, *b = right;
    return (a->handle > b->handle) - (a->handle < b->handle);
}

/** The handles of the requests that are searched for, in ascending order; for free(). */
static struct handle_entry *
name_all(const struct pending_set *pending, size_t *ret_count)
{
    size_t count = pending->count < ASKED_MAX ? pending->count : ASKED_MAX;
    struct handle_entry *found = alloc_zeroed(count, sizeof *found);
    *ret_count = 0;
    for (size_t i = 0; i < count; i++) {
        uint64_t handle;
        if (handles_get(pending->handles, pending->items[i].address, &handle))
            found[(*ret_count)++] = (struct handle_entry){handle, i};
    }
    qsort(found, *ret_count, sizeof *found, compare_handles);
    return found;
}

/** Finds the call that the thread is in. */
static void
find_call(struct search *search)
{
    const char *name;
    search->caller = callargs_mpi_call(search->image, search->thread, &name);
    search->call = search->caller != 0 ? mpi_call_find(name) : NULL;
    if (search->call && !search->call->requests)
        search->call = NULL;
}

static bool
find_argument(const struct search *search, const char *name, unsigned number, size_t width,
              uint64_t *ret)
{
    return callargs_find(search->image, search->thread, search->caller, search->call->name,
                         &(struct parameter){number, name, width}, ret);
}

/** How many requests the call has got; 0: not known. */
static size_t
count_requests(const struct search *search)
{
    uint64_t count;
    if (!search->call->count)
        return 1;
    if (!find_argument(search, search->call->count, 0, sizeof(int32_t), &count))
        return 0;
    count &= UINT32_MAX; // the rest of a register may be anything
    return count <= REQUESTS_MAX ? (size_t) count : 0;
}

/** The array of handles that the call has got, for free(); NULL: not known. */
static uint64_t *
find_array(const struct search *search, size_t count)
{
    const struct request_handles *handles = search->pending->handles;
    const struct mpi_call *call = search->call;
    uint64_t addr;
    if (find_argument(search, call->requests, call->count != NULL, sizeof addr, &addr))
        return handles_read(handles, search->image, addr, count);
    return call->count ? handles_find(handles, search->image, search->thread, count) : NULL;
}

/** Adds the requests that the call has got. @return false when these are not known */
static bool
add_array(const struct search *search)
{
    const struct pending_set *pending = search->pending;
    size_t count = count_requests(search), n_entries;
    uint64_t *array = count > 0 ? find_array(search, count) : NULL;
    struct handle_entry *entries = array ? name_all(pending, &n_entries) : NULL;
    for (size_t i = 0; i < count && array; i++) {
        const struct handle_entry key = {.handle = array[i]}, *found;
        if (!handles_wait(pending->handles, array[i]))
            continue;
        found = bsearch(&key, entries, n_entries, sizeof key, compare_handles);
        if (found)
            add_request(search->thread, &pending->items[found->number], 0, false);
        else
            search->thread->wait.others = true;
    }
    free(entries);
    free(array);
    return array != NULL;
}

/** Adds those that the arguments of the thread's call name, if these are known, and notes whether
 * there may be others. */
static void
add_from_args(struct search *search)
{
    struct thread_wait *wait = &search->thread->wait;
    if (search->pending->handles->known)
        find_call(search);
    // Where the library says what is waited for, only that there are others is of interest.
    if (!search->call || (wait->count > 0 && !search->call->any))
        return;
    bool known = add_array(search);
    // Those that are on the stack may be meant when none of these is known.
    if (known && wait->count > 0)
        wait->evidence = search->call->name;
    else
        wait->others = search->call->any;
}

static void
take_word(void *context, uint64_t slot, uint64_t word)
{
    const struct search *search = context;
    const struct pending_request *found = find_pending(search->pending, word);
    if (found)
        add_request(search->thread, found, slot, false);
}

/** Looks whether a word leads to an array of requests, as a call has that waits for many. */
static void
follow_word(void *context, uint64_t slot, uint64_t word)
{
    const struct search *search = context;
    const struct thread *thread = search->thread;
    size_t width = (size_t) search->image->debuggee.pointer_size;
    uint64_t request;
    int misses = 0; // entries that are not pending
    if (word == 0 || word % width != 0 || (word >= thread->mpi_start && word < thread->mpi_end))
        return;
    for (size_t i = 0; i < REQUESTS_MAX && misses < MISSES_MAX; i++) {
        if (!memory_read_uint(&search->image->debuggee, word + i * width, width, &request))
            return;
        const struct pending_request *found = find_pending(search->pending, request);
        if (found)
            add_request(search->thread, found, slot, false);
        else if (i == 0)
            return;
        misses = found ? 0 : misses + 1;
    }
}

/** Looks for what a thread waits for, in the order of how much that tells. */
static void
search_thread(struct thread *thread, const struct image *image, const struct pending_set *pending)
{
    struct search search = {thread, image, pending, NULL, 0};
    add_from_args(&search);
    if (thread->wait.count == 0)
        stack_scan(thread, image, take_word, &search);
    if (thread->wait.count == 0)
        stack_scan(thread, image, follow_word, &search);
}

void
wait_find_mpi_parts(struct threads *threads)
{
    bool apart = has_mpi_frames(threads);
    for (size_t i = 0; i < threads->count; i++)
        find_part(&threads->items[i], apart);
}

void
wait_find_requests(const struct report *report, struct threads *threads, const struct image *image,
                   const struct request_handles *handles)
{
    struct pending_set pending = {.handles = handles};
    list_pending(&pending, report);
    threads->partial |= pending.partial;
    ask_requests(threads, image, &pending);
    for (size_t i = 0; i < threads->count && pending.count > 0; i++)
        search_thread(&threads->items[i], image, &pending);
    free(pending.items);
}

// Which of the requests that were found on a stack can be meant, once the call is known.

static int
compare_candidates(const void *left, const void *right)
{
    const struct candidate *a = left, *b = right;
    return (a->request > b->request) - (a->request < b->request);
}

/** Operations that a call waits for at most; 0: any number. */
static size_t
most_of(const struct mpi_call *call)
{
    if (call->count)
        return 0;
    return call->receives && call->sends && !call->requests ? 2 : 1;
}

static bool
waits_for_class(const struct mpi_call *call, int op_class)
{
    return (op_class == NONBLOCKING && call->requests) ||
           (op_class == mqs_pending_sends && call->sends) ||
           (op_class == mqs_pending_receives && (call->receives || call->probes));
}

/** Whether a candidate can be what the call waits for, and lies on the call's part of the stack. */
static bool
can_be_meant(const struct thread *thread, const struct mpi_call *call,
             const struct candidate *candidate)
{
    uint64_t end = thread->user ? thread->user->sp : 0;
    return candidate->certain || (call && waits_for_class(call, candidate->op_class) &&
                                  (end == 0 || candidate->slot < end));
}

static size_t
count_class(const struct thread_wait *wait, int op_class)
{
    size_t count = 0;
    for (size_t i = 0; i < wait->count; i++)
        count += wait->items[i].op_class == op_class;
    return count;
}

/** Sorts the candidates and drops all that cannot be meant, and those that are there twice. */
static void
sift(struct thread_wait *wait, const struct thread *thread, const struct mpi_call *call)
{
    size_t kept = 0;
    if (wait->count > 0)
        qsort(wait->items, wait->count, sizeof *wait->items, compare_candidates);
    for (size_t i = 0; i < wait->count; i++)
        if (can_be_meant(thread, call, &wait->items[i]) &&
            (kept == 0 || wait->items[kept - 1].request != wait->items[i].request))
            wait->items[kept++] = wait->items[i];
    wait->count = kept;
}

/** Whether the arguments of the call say what it waits for, and as much of it as is needed: of
 * several that it needs all of, each one counts.
 */
static bool
is_known_from_args(const struct thread *thread)
{
    const struct thread_wait *wait = &thread->wait;
    return wait->evidence && thread->call && strcmp(wait->evidence, thread->call) == 0 &&
           !(wait->needs_any && wait->others);
}

/** @param partial whether the call may wait for what is not known */
static void
resolve_thread(struct thread *thread, bool partial)
{
    struct thread_wait *wait = &thread->wait;
    const struct mpi_call *call = thread->call ? mpi_call_find(thread->call) : NULL;
    wait->needs_any = call && call->any;
    if (call && call->waits != MPI_MESSAGES)
        call = NULL;
    sift(wait, thread, call);
    if (wait->count == 0)
        return;
    bool one_each = count_class(wait, mqs_pending_receives) <= 1 &&
                    count_class(wait, mqs_pending_sends) <= 1 &&
                    count_class(wait, NONBLOCKING) <= 1;
    bool all_fit = !partial && call && one_each && wait->count <= most_of(call);
    wait->certain = wait->items[0].certain || all_fit || is_known_from_args(thread);
}

void
wait_resolve(struct threads *threads)
{
    for (size_t i = 0; i < threads->count; i++)
        resolve_thread(&threads->items[i], threads->partial);
}
