// SPDX-License-Identifier: BSD-3-Clause
// Facts that no short function returns: where they must be, and what in longer ones proves it.
//
// The members of a struct follow each other in the same order in all releases; what changes is what
// stands before them. So an offset is made from one that is known, and taken for true only when all
// the instructions are found that would use it.
#include "ompd-bridge/gnu/gomp_decode.h"

enum { TRACE_BYTES = 1280, CALLEE_BYTES = 96, TASK_REST = 64 }; // bytes of functions; of a task

/** One trace, and where it is. */
struct proof {
    enum gomp_fact fact;
    enum gomp_fact base; // the offset is that of this fact + distance
    int32_t distance;
    enum code_trace trace;
    int32_t shift; // of the trace's offset from the fact's
};

/** A function's code. */
struct body {
    const char *name;
    size_t size; // bytes to search
    const struct proof *proofs;
    unsigned n_proofs;
    uint8_t bytes[TRACE_BYTES];
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

// All proofs of a fact stand together. Behind the list of children stands the taskgroup.
static const struct proof in_taskgroup_start[] = {
    {FACT_TASK_TASKGROUP, FACT_NONE, 40, TRACE_LOAD_SMALL, 0},
    {FACT_TASK_TASKGROUP, FACT_NONE, 40, TRACE_STORE_SMALL, 0},
    {FACT_IN_TASKGROUP, FACT_NONE, 48, TRACE_CLEAR_16, 0},
};

// The function of a task, its argument, its kind, and two flags follow each other.
static const struct proof in_taskwait[] = {
    {FACT_TASK_PARENT, FACT_NONE, 0, TRACE_TEST_POINTER, 8},
    {FACT_TASK_TASKWAIT, FACT_TASK_TASKGROUP, 24, TRACE_TEST_POINTER, 0},
    {FACT_TASK_TASKWAIT, FACT_TASK_TASKGROUP, 24, TRACE_STORE_SMALL, 0},
    {FACT_IN_TASKWAIT, FACT_NONE, 0, TRACE_STORE_SMALL, 64},
    {FACT_TASK_KIND, FACT_TASK_FINAL, -5, TRACE_IS_WAITING, 0},
    {FACT_TASK_FN, FACT_TASK_FINAL, -21, TRACE_FUNCTION, 0},
    {FACT_TASK_FN, FACT_TASK_FINAL, -21, TRACE_LOAD, 8},
};

// The lock, the queue and the counters of a team's tasks follow each other.
static const struct proof around_queue[] = {
    {FACT_TEAM_QUEUE, FACT_NONE, 0, TRACE_ADDRESS, -8},
    {FACT_TEAM_QUEUE, FACT_NONE, 0, TRACE_ADDRESS, 0},
    {FACT_TEAM_QUEUE, FACT_NONE, 0, TRACE_COUNT_DOWN, 32},
    {FACT_TEAM_QUEUE, FACT_NONE, 0, TRACE_SUBTRACT, 40},
};

static uint64_t
word_at(const struct body *body, size_t at)
{
    uint64_t word = 0;
    for (size_t i = 0; i < 8 && at + i < body->size; i++)
        word |= (uint64_t) body->bytes[at + i] << (8 * i);
    return word;
}

// Whether the instruction at `at` is such a trace; then `ret` is its offset.
static bool
mark_at(const struct code_machine *machine, const struct body *body, enum code_trace trace,
        size_t at, int64_t *ret)
{
    uint64_t word = word_at(body, at);
    for (unsigned i = 0; i < CODE_MARKS; i++) {
        const struct code_mark *mark = &machine->marks[trace][i];
        if (mark->mask == 0 || (word & mark->mask) != mark->value)
            continue;
        *ret = code_number(word, mark->number, trace == TRACE_CALL, mark->scale) + mark->size;
        return true;
    }
    return false;
}

static bool
has_trace(const struct code_machine *machine, const struct body *body, enum code_trace trace,
          int64_t offset)
{
    int64_t number;
    for (size_t at = 0; at < body->size; at += machine->alignment)
        if (mark_at(machine, body, trace, at, &number) && number == offset)
            return true;
    return false;
}

// Notes the facts whose proofs are all there.
static bool
prove(const struct body *body, struct gomp_facts *facts)
{
    for (unsigned i = 0; i < body->n_proofs;) {
        const struct proof *proof = &body->proofs[i];
        int64_t offset = (int64_t) facts->values[proof->base] + proof->distance;
        bool proven = proof->base == FACT_NONE || facts->known[proof->base];
        for (; i < body->n_proofs && body->proofs[i].fact == proof->fact; i++)
            proven = proven && has_trace(facts->machine, body, body->proofs[i].trace,
                                         offset + body->proofs[i].shift);
        if (proven && offset >= 0 && !gomp_facts_set(facts, proof->fact, (taddr) offset))
            return false;
    }
    return true;
}

static bool
is_queue(const struct code_machine *machine, const struct body *body, int64_t offset)
{
    for (unsigned i = 0; i < COUNT(around_queue); i++)
        if (!has_trace(machine, body, around_queue[i].trace, offset + around_queue[i].shift))
            return false;
    return true;
}

// Nothing that is known tells where a team's queue is: all addresses taken are tried.
static bool
find_queue(const struct body *body, struct gomp_facts *facts)
{
    int64_t offset;
    for (size_t at = 0; at < body->size; at += facts->machine->alignment)
        if (mark_at(facts->machine, body, TRACE_ADDRESS, at, &offset) && offset >= 8 &&
            is_queue(facts->machine, body, offset) &&
            !gomp_facts_set(facts, FACT_TEAM_QUEUE, (taddr) offset))
            return false;
    if (!facts->known[FACT_TEAM_QUEUE])
        return true;
    taddr queue = facts->values[FACT_TEAM_QUEUE];
    return gomp_facts_set(facts, FACT_TEAM_COUNT, queue + 32) &&
           gomp_facts_set(facts, FACT_TEAM_QUEUED, queue + 36) &&
           gomp_facts_set(facts, FACT_TEAM_RUNNING, queue + 40);
}

// Bytes behind the last member that is known.
static bool
is_task_size(const struct gomp_facts *facts, int64_t size)
{
    int64_t end = (int64_t) facts->values[FACT_TASK_FINAL] + 1;
    return size % 8 == 0 && size >= end && size < end + TASK_REST;
}

// Notes the size of a task when the code is that which makes an initial task: it allocates that
// size and takes the address of its variables.
static bool
take_task_size(const struct body *body, struct gomp_facts *facts)
{
    int64_t size;
    if (!has_trace(facts->machine, body, TRACE_ADDRESS, (int64_t) facts->values[FACT_TASK_ICV]))
        return true;
    for (size_t at = 0; at < body->size; at += facts->machine->alignment)
        if (mark_at(facts->machine, body, TRACE_ALLOCATE, at, &size) && is_task_size(facts, size) &&
            !gomp_facts_set(facts, FACT_TASK_SIZE, (taddr) size))
            return false;
    return true;
}

// The functions that a function calls are tried.
static bool
find_task_size(struct inferior *inf, const struct body *caller, taddr addr,
               struct gomp_facts *facts)
{
    struct body callee = {NULL, CALLEE_BYTES, NULL, 0, {0}};
    int64_t distance;
    if (!facts->known[FACT_TASK_FINAL] || !facts->known[FACT_TASK_ICV])
        return true;
    for (size_t at = 0; at < caller->size; at += facts->machine->alignment)
        if (mark_at(facts->machine, caller, TRACE_CALL, at, &distance) &&
            inferior_read(inf, addr + at + (taddr) distance, callee.size, callee.bytes) ==
                STATUS_OK &&
            !take_task_size(&callee, facts))
            return false;
    return true;
}

// A function that is not there proves nothing.
static bool
read_body(struct inferior *inf, struct body *body, taddr *ret)
{
    return gomp_read_code(inf, body->name, body->size, body->bytes, ret, &body->size) == STATUS_OK;
}

enum status
gomp_decode_traces(struct inferior *inf, struct gomp_facts *facts)
{
    struct body start = {
        "GOMP_taskgroup_start", 128, in_taskgroup_start, COUNT(in_taskgroup_start), {0}};
    struct body wait = {"GOMP_taskwait", TRACE_BYTES, in_taskwait, COUNT(in_taskwait), {0}};
    struct body set = {"omp_set_num_threads", 128, NULL, 0, {0}};
    bool good = true;
    taddr addr;
    if (read_body(inf, &start, &addr))
        good = prove(&start, facts);
    if (good && read_body(inf, &wait, &addr))
        good = prove(&wait, facts) && find_queue(&wait, facts);
    if (good && read_body(inf, &set, &addr))
        good = find_task_size(inf, &set, addr, facts);
    // Between a thread's task and its pool are a semaphore and its place.
    if (good && facts->known[FACT_PLACE] && facts->known[FACT_TASK])
        good = gomp_facts_set(facts, FACT_POOL, facts->values[FACT_PLACE] + 4);
    if (!good)
        return trail_begin(&inf->trail, STATUS_CORRUPT, "the code of libgomp contradicts itself");
    return STATUS_OK;
}
