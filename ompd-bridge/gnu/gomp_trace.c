// SPDX-License-Identifier: BSD-3-Clause
// Facts that no short function returns: where they must be, and what in longer ones proves it.
//
// The members of a struct follow each other in the same order in all releases; what changes is what
// stands before them. So an offset is made from one that is known, and taken for true only when all
// the instructions are found that would use it.
#include "ompd-bridge/gnu/gomp_decode.h"

enum { TRACE_BYTES = 1280, CALLEE_BYTES = 96, TASK_REST = 64 }; // bytes of functions; of a task

/** Traces that the use of a struct's field leaves in longer functions. */
enum trace {
    TRACE_READ_POINTER, // a pointer is loaded, or compared
    TRACE_LOAD_POINTER,
    TRACE_STORE_POINTER,
    TRACE_STORE_16, // two bytes are stored
    TRACE_READ_INT, // an int is looked at, or taken off from another
    TRACE_CHANGE_INT,
    TRACE_ADDRESS, // the address is taken
};

/** How an instruction shows a trace. */
static const struct {
    bool reads, writes, loads;
    uint8_t width; // bytes
} marks[] = {
    [TRACE_READ_POINTER] = {.reads = true, .width = 8},
    [TRACE_LOAD_POINTER] = {.loads = true, .width = 8},
    [TRACE_STORE_POINTER] = {.writes = true, .width = 8},
    [TRACE_STORE_16] = {.writes = true, .width = 2},
    [TRACE_READ_INT] = {.reads = true, .width = 4},
    [TRACE_CHANGE_INT] = {.writes = true, .width = 4},
    [TRACE_ADDRESS] = {.width = 8},
};

/** One trace, and where it is. */
struct proof {
    enum gomp_fact fact;
    enum gomp_fact base; // the offset is that of this fact + distance
    int32_t distance;
    enum trace trace;
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
    {FACT(gomp_task, taskgroup), FACT_NONE, 40, TRACE_LOAD_POINTER, 0},
    {FACT(gomp_task, taskgroup), FACT_NONE, 40, TRACE_STORE_POINTER, 0},
    {FACT(gomp_taskgroup, in_taskgroup_wait), FACT_NONE, 48, TRACE_STORE_16, 0},
};

// The function of a task, its argument, its kind, and two flags follow each other.
static const struct proof in_taskwait[] = {
    {FACT(gomp_task, parent), FACT_NONE, 0, TRACE_READ_POINTER, 8},
    {FACT(gomp_task, taskwait), FACT(gomp_task, taskgroup), 24, TRACE_READ_POINTER, 0},
    {FACT(gomp_task, taskwait), FACT(gomp_task, taskgroup), 24, TRACE_STORE_POINTER, 0},
    {FACT(gomp_taskwait, in_taskwait), FACT_NONE, 0, TRACE_STORE_POINTER, 64},
    {FACT(gomp_task, kind), FACT(gomp_task, final_task), -5, TRACE_READ_INT, 0},
    {FACT(gomp_task, fn), FACT(gomp_task, final_task), -21, TRACE_LOAD_POINTER, 0},
    {FACT(gomp_task, fn), FACT(gomp_task, final_task), -21, TRACE_LOAD_POINTER, 8},
};

// The lock, the queue and the counters of a team's tasks follow each other.
static const struct proof around_queue[] = {
    {FACT_TEAM_QUEUE, FACT_NONE, 0, TRACE_ADDRESS, -8},
    {FACT_TEAM_QUEUE, FACT_NONE, 0, TRACE_ADDRESS, 0},
    {FACT_TEAM_QUEUE, FACT_NONE, 0, TRACE_CHANGE_INT, 32},
    {FACT_TEAM_QUEUE, FACT_NONE, 0, TRACE_READ_INT, 40},
};

// Whether an instruction is such a trace.
static bool
is_mark(const struct insn *insn, enum trace trace)
{
    if (trace == TRACE_ADDRESS)
        return insn->kind == INSN_ADDRESS && insn->base >= 0;
    bool reads = insn->kind != INSN_STORE;
    return insn->memory && insn->base >= 0 && insn->width == marks[trace].width &&
           (!marks[trace].reads || reads) && (!marks[trace].writes || insn->written != 0) &&
           (!marks[trace].loads || insn->kind == INSN_LOAD);
}

static bool
has_trace(const struct machine *machine, const struct body *body, enum trace trace, int64_t offset)
{
    struct insn insn;
    for (size_t at = 0; machine_sweep(machine, body->bytes, body->size, 0, &at, &insn);) {
        bool pair = insn.second >= 0 && insn.memory && offset == insn.offset + insn.width;
        if ((insn.offset == offset || pair) && is_mark(&insn, trace))
            return true;
    }
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
is_queue(const struct machine *machine, const struct body *body, int64_t offset)
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
    struct insn insn;
    for (size_t at = 0; machine_sweep(facts->machine, body->bytes, body->size, 0, &at, &insn);)
        if (is_mark(&insn, TRACE_ADDRESS) && insn.offset >= 8 &&
            is_queue(facts->machine, body, insn.offset) &&
            !gomp_facts_set(facts, FACT_TEAM_QUEUE, (taddr) insn.offset))
            return false;
    if (!facts->known[FACT_TEAM_QUEUE])
        return true;
    taddr queue = facts->values[FACT_TEAM_QUEUE];
    return gomp_facts_set(facts, FACT(gomp_team, task_count), queue + 32) &&
           gomp_facts_set(facts, FACT(gomp_team, task_queued_count), queue + 36) &&
           gomp_facts_set(facts, FACT(gomp_team, task_running_count), queue + 40);
}

// Bytes behind the last member that is known.
static bool
is_task_size(const struct gomp_facts *facts, int64_t size)
{
    int64_t end = (int64_t) facts->values[FACT(gomp_task, final_task)] + 1;
    return size % 8 == 0 && size >= end && size < end + TASK_REST;
}

// Notes the size of a task when the code is that which makes an initial task: it allocates that
// size and takes the address of its variables.
static bool
take_task_size(const struct body *body, struct gomp_facts *facts)
{
    const struct machine *machine = facts->machine;
    struct insn insn;
    if (!has_trace(machine, body, TRACE_ADDRESS, (int64_t) facts->values[FACT(gomp_task, icv)]))
        return true;
    for (size_t at = 0; machine_sweep(machine, body->bytes, body->size, 0, &at, &insn);)
        if (insn.kind == INSN_NUMBER && insn.to == machine->arguments[0] &&
            is_task_size(facts, insn.number) &&
            !gomp_facts_set(facts, FACT_TASK_SIZE, (taddr) insn.number))
            return false;
    return true;
}

// The functions that a function calls are tried.
static bool
find_task_size(struct inferior *inf, const struct body *caller, taddr addr,
               struct gomp_facts *facts)
{
    struct body callee = {NULL, CALLEE_BYTES, NULL, 0, {0}};
    struct insn insn;
    if (!facts->known[FACT(gomp_task, final_task)] || !facts->known[FACT(gomp_task, icv)])
        return true;
    for (size_t at = 0;
         machine_sweep(facts->machine, caller->bytes, caller->size, addr, &at, &insn);)
        if (insn.kind == INSN_CALL && insn.target != 0 &&
            inferior_read(inf, insn.target, callee.size, callee.bytes) == STATUS_OK &&
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
    if (good && facts->known[FACT_PLACE] && facts->known[FACT(gomp_thread, task)])
        good = gomp_facts_set(facts, FACT(gomp_thread, thread_pool), facts->values[FACT_PLACE] + 4);
    if (!good)
        return trail_begin(&inf->trail, STATUS_CORRUPT, "the code of libgomp contradicts itself");
    return STATUS_OK;
}
