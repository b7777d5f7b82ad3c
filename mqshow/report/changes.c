// SPDX-License-Identifier: BSD-3-Clause
// What changed between two samples of the same processes.
#include "mqshow/report/changes.h"

#include "mqshow/base/alloc.h"
#include "mqshow/base/escape.h"
#include "mqshow/base/mpi_calls.h"
#include "mqshow/base/runtime.h"
#include "mqshow/report/device_wait.h"

#include <stdlib.h>
#include <string.h>

enum changed {
    CHANGED_NOTHING,
    CHANGED_UNSURE, // one of the samples could not see what the other one shows
    CHANGED_SOMETHING,
};

static const int classes[] = {mqs_pending_receives, mqs_unexpected_messages, mqs_pending_sends};

/** Members by which an operation is known again, and those that change while it is there. */
static const enum op_field identity[] = {OP_REQUEST, OP_KIND,  OP_PEER,  OP_WORLD_PEER,
                                         OP_TAG,     OP_BYTES, OP_COUNT, OP_BUFFER};
enum { MARKS = 1u << OP_STATUS | 1u << OP_BLOCKED | 1u << OP_ACTUAL };

/** The operations of a queue of a communicator. */
struct part {
    const struct communicator *comm;
    const struct operations *operations;
    int op_class;
};

/** An operation: its place. */
struct item {
    uint32_t part, number;
};

/** All operations of a process. */
struct items {
    struct part *parts; // those that have some
    size_t n_parts, parts_capacity;
    struct item *items; // behind those that both samples begin with
    size_t count;
};

static void
add_part(struct items *items, const struct communicator *comm, int op_class)
{
    const struct operations *operations = communicator_operations(comm, op_class);
    if (operations->count == 0)
        return;
    *ALLOC_ADD(items->parts, items->n_parts, items->parts_capacity) =
        (struct part){comm, operations, op_class};
}

/** @param report NULL: there are none */
static struct items
items_of(const struct report *report)
{
    struct items items = {.items = NULL};
    for (size_t i = 0; report != NULL && i < report->comms.count; i++)
        for (size_t k = 0; k < sizeof classes / sizeof *classes; k++)
            add_part(&items, &report->comms.items[i], classes[k]);
    return items;
}

/** Goes to the next operation in the order of the document. */
static void
advance(const struct items *items, struct item *item)
{
    if (++item->number == items->parts[item->part].operations->count)
        *item = (struct item){item->part + 1, 0};
}

/** Lists the operations from one on. */
static void
list_from(struct items *items, struct item first)
{
    for (size_t part = first.part; part < items->n_parts; part++)
        items->count += items->parts[part].operations->count;
    items->count -= first.number;
    items->items = alloc_zeroed(items->count, sizeof *items->items);
    for (size_t i = 0; i < items->count; i++, advance(items, &first))
        items->items[i] = first;
}

static void
items_deinit(struct items *items)
{
    free(items->parts);
    free(items->items);
}

static const struct part *
part_of(const struct items *items, const struct item *item)
{
    return &items->parts[item->part];
}

static struct operation *
record_of(const struct items *items, const struct item *item)
{
    return &part_of(items, item)->operations->items[item->number];
}

/** Orders two queues by what they are known by: the communicator, and which one it is. */
static int
compare_parts(const struct part *a, const struct part *b)
{
    static const int known_by[] = {COMM_ID, COMM_NAME, COMM_ADDRESS};
    const struct record_place nowhere = {.texts = NULL};
    int order = 0;
    for (size_t i = 0; order == 0 && i < sizeof known_by / sizeof *known_by; i++)
        order = record_compare(&communicator_type.fields[known_by[i]], a->comm, &nowhere, b->comm,
                               &nowhere);
    return order != 0 ? order : strcmp(queue_key(a->op_class), queue_key(b->op_class));
}

/** The members of an operation that this version does not know. */
static const char *
others_of(const struct operations *operations, const struct operation *op)
{
    const struct operation_more *more = operations_rest(operations, op);
    return operations_text(operations, more != NULL ? more->others : 0);
}

/** Orders two operations by what they are known by. */
static int
compare(const struct items *left, const struct item *a, const struct items *right,
        const struct item *b)
{
    const struct part *one = part_of(left, a), *other = part_of(right, b);
    const struct record_place in_one = {.operations = (struct operations *) one->operations};
    const struct record_place in_other = {.operations = (struct operations *) other->operations};
    const struct operation *op = record_of(left, a), *than = record_of(right, b);
    int order = one != other ? compare_parts(one, other) : 0;
    for (size_t i = 0; i < sizeof identity / sizeof *identity && order == 0; i++)
        order = record_compare(&operation_type.fields[identity[i]], op, &in_one, than, &in_other);
    return order != 0 ? order
                      : strcmp(others_of(one->operations, op), others_of(other->operations, than));
}

static int
compare_items(const void *left, const void *right, void *data)
{
    const struct item *a = left, *b = right;
    int order = compare(data, a, data, b);
    if (order == 0)
        order = (a->part > b->part) - (a->part < b->part);
    return order != 0 ? order : (a->number > b->number) - (a->number < b->number);
}

/** Whether two samples lack the same of a process: what only one of them could not read is neither
 * new nor gone, nor has it moved.
 */
static bool
lack_the_same(const struct report *before, const struct report *after)
{
    bool same =
        before->incomplete == after->incomplete && before->messages.count == after->messages.count;
    for (size_t i = 0; same && i < before->messages.count; i++)
        same = strcmp(before->messages.items[i], after->messages.items[i]) == 0;
    return same || (!before->incomplete && !after->incomplete);
}

static void
add_change(struct changes *changes, const struct report *report, const struct items *items,
           const struct item *item, bool is_new)
{
    const struct part *part = part_of(items, item);
    *ALLOC_ADD(changes->items, changes->count, changes->capacity) =
        (struct change){.report = report,
                        .comm = part->comm,
                        .op_class = part->op_class,
                        .number = item->number,
                        .is_new = is_new};
}

const struct operation *
change_operation(const struct change *change)
{
    return &communicator_operations(change->comm, change->op_class)->items[change->number];
}

static bool
is_equal_actual(const struct envelope_record *a, const struct envelope_record *b)
{
    const struct record_place nowhere = {.texts = NULL};
    bool equal = (a == NULL) == (b == NULL);
    for (size_t i = 0; equal && a != NULL && i < envelope_record_type.n_fields; i++)
        equal = record_compare(&envelope_record_type.fields[i], a, &nowhere, b, &nowhere) == 0;
    return equal;
}

/** Marks an operation that is in both samples. @return whether it moved */
static bool
mark_operation(struct changes *changes, const struct items *old, const struct item *before,
               const struct items *new, const struct item *after)
{
    const struct operation *was = record_of(old, before);
    struct operation *is = record_of(new, after);
    bool moved = (was->has & MARKS) != (is->has & MARKS) || was->status != is->status ||
                 !is_equal_actual(operations_actual(part_of(old, before)->operations, was),
                                  operations_actual(part_of(new, after)->operations, is));
    SET(is, OP_MOVED, moved, moved);
    if (moved)
        changes->moved++;
    else
        changes->unmoved++;
    return moved;
}

/** Number of messages that a process has sent, where MPI counts them; too many begin at 0 again. */
static uint64_t
count_sent(const struct report *report)
{
    uint64_t count = 0;
    for (size_t i = 0; report != NULL && i < report->comms.count; i++)
        for (size_t k = 0; k < report->comms.items[i].traffic.count; k++)
            count += (uint64_t) report->comms.items[i].traffic.items[k].sent;
    return count;
}

/** Whether two samples saw the same progress of MPI, or none. */
static bool
has_same_progress(const struct report *before, const struct report *after)
{
    bool one = before != NULL && HAS(&before->mpi, MPI_PROGRESS);
    bool other = after != NULL && HAS(&after->mpi, MPI_PROGRESS);
    return one == other && (!one || before->mpi.progress == after->mpi.progress);
}

static bool
is_same_nonblocking(const struct nonblocking_record *a, const struct nonblocking_record *b)
{
    // What began it is found where a thread waits.
    const uint32_t found = 1u << NONBLOCKING_CALLER;
    bool same = (a->has | found) == (b->has | found) && a->sequence == b->sequence &&
                a->request == b->request && a->unmatched == b->unmatched &&
                a->peers.count == b->peers.count;
    for (size_t i = 0; i < a->peers.count && same; i++)
        same = a->peers.items[i] == b->peers.items[i];
    return same;
}

/** Whether the nonblocking collectives of two samples are as far. */
static bool
has_same_nonblocking(const struct report *before, const struct report *after)
{
    bool same = before != NULL && after != NULL && before->comms.count == after->comms.count;
    for (size_t i = 0; same && i < before->comms.count; i++) {
        const struct communicator *a = &before->comms.items[i], *b = &after->comms.items[i];
        same = a->nonblocking.count == b->nonblocking.count;
        for (size_t k = 0; same && k < a->nonblocking.count; k++)
            same = is_same_nonblocking(&a->nonblocking.items[k], &b->nonblocking.items[k]);
    }
    return same;
}

/** A message that has come in is what another process did. */
static bool
has_arrived(const struct part *part)
{
    return part->op_class == mqs_unexpected_messages;
}

static void
sort(struct items *items)
{
    if (items->count > 0)
        qsort_r(items->items, items->count, sizeof *items->items, compare_items, items);
}

/** Marks the operations that both samples begin with, most often all, and lists the others in
 * order.
 * @return whether none of them moved */
static bool
compare_begin(struct items *old, struct items *new, struct changes *changes)
{
    struct item was = {0, 0}, is = {0, 0};
    bool same = true;
    while (was.part < old->n_parts && is.part < new->n_parts &&compare(old, &was, new, &is) == 0) {
        same &= !mark_operation(changes, old, &was, new, &is);
        advance(old, &was);
        advance(new, &is);
    }
    list_from(old, was);
    list_from(new, is);
    sort(old);
    sort(new);
    return same;
}

/** @param comparable whether an operation that one sample lacks is new, or gone
 * @return whether all operations are as before, but for messages that have come in
 */
static bool
compare_operations(const struct report *before, struct report *after, bool comparable,
                   struct changes *changes)
{
    struct items old = items_of(before), new = items_of(after);
    const struct report *report = after != NULL ? after : before;
    // A loop comes by the same operations again and again, but has sent more by then, or waited for
    // something else.
    bool same = count_sent(before) == count_sent(after) && has_same_progress(before, after) &&
                has_same_nonblocking(before, after);
    same &= compare_begin(&old, &new, changes);
    for (size_t i = 0, k = 0; i < old.count || k < new.count;) {
        const struct item *was = &old.items[i], *is = &new.items[k];
        int order = i == old.count ? 1 : k == new.count ? -1 : compare(&old, was, &new, is);
        if (order == 0)
            same &= !mark_operation(changes, &old, was, &new, is);
        else if (comparable && order < 0)
            add_change(changes, report, &old, was, false);
        else if (comparable)
            add_change(changes, report, &new, is, true);
        same &= order == 0 || (order > 0 && has_arrived(part_of(&new, is)));
        i += order <= 0;
        k += order >= 0;
    }
    items_deinit(&old);
    items_deinit(&new);
    return same;
}

/** Where the user's part of a stack begins: what libraries do inside of a call is no movement.
 * A stripped program's frames have no names, nor has an interpreter that exits any of the user's:
 * they are then known by their file. */
static size_t
users_part(const struct thread_record *thread)
{
    bool has_name = thread->frame.function != NULL;
    size_t after_call = HAS(thread, THREAD_DEVICE) ? device_wait_caller(thread) : 0, outside = 0;
    if (after_call != 0 && thread->call == NULL)
        return after_call;
    for (size_t i = 0; i < thread->stack.count; i++) {
        const struct frame_record *entry = &thread->stack.items[i];
        if (has_name && frame_is_same_line(&thread->frame, entry))
            return i;
        if (entry->function != NULL && thread->call != NULL &&
            mpi_call_is(entry->function, thread->call))
            after_call = i + 1;
        enum runtime runtime = entry->module != NULL ? runtime_of_file(entry->module) : RUNTIME_C;
        if (outside == 0 && (runtime == RUNTIME_NONE || runtime == RUNTIME_PYTHON))
            outside = i;
    }
    return after_call != 0 || has_name ? after_call : outside;
}

/** Frames of machine code have addresses, others lines. */
static bool
is_same_place(const struct frame_record *a, const struct frame_record *b)
{
    if (HAS(a, FRAME_ADDRESS) && HAS(b, FRAME_ADDRESS))
        return a->address == b->address;
    return HAS(a, FRAME_ADDRESS) == HAS(b, FRAME_ADDRESS) && frame_is_same_line(a, b);
}

/** The entry behind the one at i that is of another frame: functions that were inlined have the
 * address of the one that they are in, and are known by debug information alone.
 */
static size_t
next_frame(const struct thread_record *thread, size_t i)
{
    const struct frame_record *entry = &thread->stack.items[i];
    do
        i++;
    while (HAS(entry, FRAME_ADDRESS) && i < thread->stack.count &&
           is_same_place(entry, &thread->stack.items[i]));
    return i;
}

/** Whether two stacks have the same places, from entries on: names that could be read once only
 * are no movement.
 */
static bool
are_same_places(const struct thread_record *old, size_t i, const struct thread_record *new,
                size_t k)
{
    while (i < old->stack.count && k < new->stack.count) {
        if (!is_same_place(&old->stack.items[i], &new->stack.items[k]))
            return false;
        i = next_frame(old, i);
        k = next_frame(new, k);
    }
    return i == old->stack.count && k == new->stack.count;
}

/** Whether a thread is where it was: in the same call made from the same place, or, outside of MPI,
 * in the same place.
 */
static bool
is_same_thread_state(const struct thread_record *before, const struct thread_record *after)
{
    size_t i = users_part(before), k = users_part(after);
    bool has_places = i < before->stack.count || k < after->stack.count;
    return text_equals(before->call, after->call) && are_same_places(before, i, after, k) &&
           (has_places || (HAS(before, THREAD_FRAME) == HAS(after, THREAD_FRAME) &&
                           frame_is_same_line(&before->frame, &after->frame)));
}

/** Whether two samples saw a thread wait for the same of OpenMP, and in the same task, as far as
 * both know that. One that asks again and again is not always known to wait. */
static enum changed
compare_wait(const struct report *before, const struct thread_record *old,
             const struct report *after, const struct thread_record *new)
{
    const mqs_omp_thread *one = report_openmp(before, old), *other = report_openmp(after, new);
    const struct omp_wait_record *was = one != NULL ? openmp_wait(&before->omp, one) : NULL;
    const struct omp_wait_record *is = other != NULL ? openmp_wait(&after->omp, other) : NULL;
    if (was == NULL || is == NULL)
        return was == is ? CHANGED_NOTHING : CHANGED_UNSURE;
    const mqs_omp_thread *held_by = openmp_thread(&before->omp, was->holder);
    const mqs_omp_thread *holds = openmp_thread(&after->omp, is->holder);
    bool has_holders = HAS(was, OMP_WAIT_HOLDER) && HAS(is, OMP_WAIT_HOLDER) && held_by && holds;
    const mqs_omp_task *task = openmp_task(&before->omp, one->task);
    const mqs_omp_task *now = openmp_task(&after->omp, other->task);
    bool has_tasks = (one->known & other->known & MQS_OMP_TASK) != 0 && task && now;
    bool has_progress = HAS(was, OMP_WAIT_PROGRESS) && HAS(is, OMP_WAIT_PROGRESS) &&
                        was->progress_bytes == is->progress_bytes;
    bool has_objects = HAS(was, OMP_WAIT_OBJECT) && HAS(is, OMP_WAIT_OBJECT);
    bool lacks_the_same = HAS(was, OMP_WAIT_OBJECT) == HAS(is, OMP_WAIT_OBJECT) &&
                          was->progress_bytes == is->progress_bytes;
    bool same = was->kind == is->kind && (!has_objects || was->object == is->object) &&
                (!has_progress || was->progress == is->progress) &&
                (!has_holders || strcmp(held_by->id, holds->id) == 0) &&
                (!has_tasks || strcmp(task->id, now->id) == 0);
    return !same ? CHANGED_SOMETHING : lacks_the_same ? CHANGED_NOTHING : CHANGED_UNSURE;
}

static enum changed
compare_thread(const struct thread_record *before, const struct thread_record *after)
{
    if (is_same_thread_state(before, after))
        return CHANGED_NOTHING;
    return before->complete == after->complete ? CHANGED_SOMETHING : CHANGED_UNSURE;
}

/** Whether a thread runs code of the user's, or may: those of libraries come and go. */
static bool
is_users(const struct thread_record *thread)
{
    return thread->call != NULL || (HAS(thread, THREAD_FRAME) && !report_helper(thread));
}

/** Whether a thread may act for other processes. @param finalizes as report_may_call() has it */
static bool
is_seen_outside(const struct report *report, const struct thread_record *thread, bool finalizes)
{
    return is_users(thread) && report_may_call(report, thread, finalizes);
}

/** The thread of that id; NULL: there is none. @param hint where it probably is */
static const struct thread_record *
find_thread(const struct report *report, int64_t tid, size_t hint)
{
    size_t count = report != NULL ? report->threads.count : 0;
    for (size_t i = 0; i < count; i++) {
        const struct thread_record *thread = &report->threads.items[(hint + i) % count];
        if (thread->tid == tid)
            return thread;
    }
    return NULL;
}

/** Compares the threads of a process and marks them. @param before NULL: it was not there;
 * likewise `after` @return what changed of those that may act for other processes */
static enum changed
compare_threads(const struct report *before, struct report *after, struct changes *changes)
{
    size_t n_before = 0, n_seen = 0; // of those that might act for others
    enum changed all = CHANGED_NOTHING;
    bool finalized = before != NULL && report_finalizes(before),
         finalizes = after != NULL && report_finalizes(after);
    for (size_t i = 0; before != NULL && i < before->threads.count; i++)
        n_before += is_seen_outside(before, &before->threads.items[i], finalized);
    for (size_t i = 0; after != NULL && i < after->threads.count; i++) {
        struct thread_record *thread = &after->threads.items[i];
        const struct thread_record *old = find_thread(before, thread->tid, i);
        enum changed changed = old != NULL ? compare_thread(old, thread) : CHANGED_SOMETHING;
        if (changed == CHANGED_NOTHING)
            changed = compare_wait(before, old, after, thread);
        bool was_seen = old != NULL && is_seen_outside(before, old, finalized);
        n_seen += was_seen;
        if ((was_seen || is_seen_outside(after, thread, finalizes)) && changed > all)
            all = changed;
        if (old == NULL || !is_users(thread) || changed == CHANGED_UNSURE)
            continue;
        SET(thread, THREAD_MOVED, moved, changed == CHANGED_SOMETHING);
        changes->threads_moved += changed == CHANGED_SOMETHING;
        changes->threads_unmoved += changed == CHANGED_NOTHING;
    }
    return n_seen == n_before ? all : CHANGED_SOMETHING;
}

/** Compares two samples of one process, of which one may lack it. */
static enum changed
compare_process(const struct report *before, struct report *after, struct changes *changes)
{
    bool comparable = before == NULL || after == NULL || lack_the_same(before, after);
    bool same = compare_operations(before, after, comparable, changes);
    enum changed threads = compare_threads(before, after, changes);
    if (same && threads == CHANGED_NOTHING && before != NULL && after != NULL)
        return CHANGED_NOTHING;
    return !comparable || (same && threads == CHANGED_UNSURE) ? CHANGED_UNSURE : CHANGED_SOMETHING;
}

/** The report of the same process; NULL: there is none. @param hint where it probably is */
static const struct report *
find_report(const struct document *document, const struct report *report, size_t hint)
{
    for (size_t i = 0; i < document->count; i++) {
        const struct report *one = &document->reports[(hint + i) % document->count];
        if (one->pid == report->pid && text_equals(one->host, report->host))
            return one;
    }
    return NULL;
}

void
changes_find(const struct document *before, struct document *after, struct changes *changes)
{
    for (size_t i = 0; i < after->count; i++) {
        struct report *report = &after->reports[i];
        enum changed changed = compare_process(find_report(before, report, i), report, changes);
        report->settled = changed == CHANGED_NOTHING;
        report->has &= ~(1u << PROCESS_SETTLED);
        report->has |= changed != CHANGED_UNSURE ? 1u << PROCESS_SETTLED : 0;
    }
    for (size_t i = 0; i < before->count; i++)
        if (find_report(after, &before->reports[i], i) == NULL)
            compare_process(&before->reports[i], NULL, changes);
}

void
changes_deinit(struct changes *changes)
{
    free(changes->items);
    *changes = (struct changes){.items = NULL};
}
