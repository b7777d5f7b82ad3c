// SPDX-License-Identifier: BSD-3-Clause
// The OpenMP locks that a frame of the program's code holds, as its instructions prove.
#include "mqshow/stack/heldlocks.h"

#include "mqshow/base/alloc.h"
#include "mqshow/stack/callsite.h"
#include "mqshow/stack/frame_flow.h"
#include "mqshow/stack/threads.h"
#include "mqshow/symbols/image.h"

#include <stdlib.h>

enum {
    FUNCTIONS_MAX = 1000, // that are looked into
    DEPTH_MAX = 50,       // of calls
};

static enum runtime
runtime_at(const struct image *image, uint64_t addr)
{
    const struct module *module = image_module_at(image, addr);
    return module != NULL ? objfile_runtime_at(module->file, addr - module->bias) : RUNTIME_NONE;
}

/** The line of the runtime's function at an address; NULL: there is none. */
static const struct omp_call *
call_at(const struct image *image, uint64_t function)
{
    return runtime_at(image, function) == RUNTIME_OPENMP
               ? omp_call_find(callsite_symbol_at(image, function))
               : NULL;
}

static bool may_release(struct heldlocks *locks, uint64_t function, int depth);

/** Whether the function that an instruction calls, or jumps to at the end, may release a lock. */
static bool
leads_to_release(struct heldlocks *locks, const struct function_code *code, uint64_t next,
                 const struct insn *insn, int depth)
{
    uint64_t target = insn->target;
    if (callsite_is_unbound(locks->image, target))
        return false;
    if (insn->kind == INSN_CALL)
        return !callsite_entry(locks->image, next, &target) ||
               may_release(locks, target, depth + 1);
    if (insn->kind != INSN_JUMP && insn->kind != INSN_BRANCH)
        return false;
    if (target - code->start < code->size)
        return false;
    callsite_follow(locks->image, &target);
    return insn->target == 0 || may_release(locks, target, depth + 1);
}

static bool
code_may_release(struct heldlocks *locks, const struct function_code *code, int depth)
{
    struct insn insn;
    bool may = false;
    for (size_t at = 0;
         !may && machine_sweep(code->machine, code->bytes, code->size, code->start, &at, &insn);)
        may = leads_to_release(locks, code, code->start + at, &insn, depth);
    return may;
}

/** Whether a function may release a lock that its caller holds. Only the program's does: others do
 * not know it. */
static bool
may_release(struct heldlocks *locks, uint64_t function, int depth)
{
    struct function_code code;
    enum runtime runtime = runtime_at(locks->image, function);
    if (runtime == RUNTIME_OPENMP) {
        const struct omp_call *call = call_at(locks->image, function);
        return call != NULL && call->ends;
    }
    if (runtime != RUNTIME_NONE)
        return false;
    for (size_t i = 0; i < locks->count; i++)
        if (locks->items[i].function == function)
            return locks->items[i].may;
    if (locks->count >= FUNCTIONS_MAX || depth >= DEPTH_MAX)
        return true;
    // One that calls itself does what it does otherwise.
    size_t place = locks->count;
    *ALLOC_ADD(locks->items, locks->count, locks->capacity) = (struct released){function, false};
    bool may = true;
    if (function_code_read(locks->image, function, &code)) {
        may = code_may_release(locks, &code, depth);
        free((void *) code.bytes);
    }
    locks->items[place].may = may;
    return may;
}

static bool
is_lock(int kind)
{
    return kind == OMP_WAITS_LOCK || kind == OMP_WAITS_NEST_LOCK;
}

/** Whether two values are never the same. */
static bool
differ(struct flow_value a, struct flow_value b)
{
    return a.base == b.base && a.base != FLOW_OTHER && a.offset != b.offset;
}

/** Forgets locks of a kind that may be the one with this value. */
static void
release(struct flow_state *state, int kind, struct flow_value value)
{
    uint8_t kept = 0;
    for (uint8_t i = 0; i < state->n_marks; i++)
        if (state->marks[i].kind != kind || differ(state->marks[i].value, value))
            state->marks[kept++] = state->marks[i];
    state->n_marks = kept;
}

static void
release_locks(struct flow_state *state)
{
    release(state, OMP_WAITS_LOCK, (struct flow_value){FLOW_OTHER, 0});
    release(state, OMP_WAITS_NEST_LOCK, (struct flow_value){FLOW_OTHER, 0});
}

static void
take(struct flow_state *state, int kind, struct flow_value value)
{
    if (value.base != FLOW_OTHER && state->n_marks < FLOW_MARKS)
        state->marks[state->n_marks++] = (struct flow_mark){value, kind};
}

/** The lock that a call is about. */
static struct flow_value
lock_of(const struct heldlocks *locks, const struct omp_call *call, const struct flow_state *state)
{
    const struct machine *machine = machine_of(image_machine(locks->image));
    if (call->object_at == 0)
        return (struct flow_value){FLOW_NUMBER, 0};
    return call->object_at <= machine->n_arguments
               ? state->registers[machine->arguments[call->object_at - 1]]
               : (struct flow_value){FLOW_OTHER, 0};
}

/** @param returned whether the call is over */
static void
note(struct heldlocks *locks, struct flow_state *state, const struct insn *insn, uint64_t after,
     bool returned)
{
    uint64_t function;
    if (callsite_is_unbound(locks->image, insn->target))
        return;
    if (!callsite_entry(locks->image, after, &function)) {
        release_locks(state);
        return;
    }
    const struct omp_call *call = call_at(locks->image, function);
    if (call != NULL && call->takes && returned) {
        release(state, call->kind, lock_of(locks, call, state)); // noted once
        take(state, call->kind, lock_of(locks, call, state));
    } else if (call != NULL && call->ends) {
        release(state, call->kind, lock_of(locks, call, state));
    } else if (call == NULL && may_release(locks, function, 0)) {
        release_locks(state);
    }
}

static void
note_call(void *context, struct flow_state *state, const struct insn *insn, uint64_t after)
{
    note(context, state, insn, after, true);
}

size_t
heldlocks_find(struct heldlocks *locks, const struct thread *thread, size_t number,
               struct held_lock ret[HELD_MAX])
{
    struct frame_flow frame;
    size_t count = 0;
    if (thread->frames[number].runtime != RUNTIME_NONE ||
        !frame_flow_init(&frame, locks->image, thread, number, note_call, locks))
        return 0;
    struct flow_state state = frame.state;
    if (number > 0)
        note(locks, &state, &frame.insn, thread->frames[number].address, false);
    for (uint8_t i = 0; i < state.n_marks; i++) {
        ret[count].kind = (enum omp_wait_kind) state.marks[i].kind;
        count += frame_flow_value(&frame, state.marks[i].value, &ret[count].object) &&
                 (ret[count].object != 0 || !is_lock(state.marks[i].kind));
    }
    frame_flow_deinit(&frame);
    return count;
}

void
heldlocks_deinit(struct heldlocks *locks)
{
    free(locks->items);
}
