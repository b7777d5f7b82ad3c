// SPDX-License-Identifier: BSD-3-Clause
// The OpenMP locks that a frame of the program's code holds, as its instructions prove.
#include "mqshow/stack/heldlocks.h"

#include "mqshow/base/alloc.h"
#include "mqshow/process/memory.h"
#include "mqshow/stack/callsite.h"
#include "mqshow/stack/threads.h"
#include "mqshow/symbols/image.h"

#include <stdlib.h>

enum {
    CODE_MAX = 1 << 15,   // bytes of a function
    FUNCTIONS_MAX = 1000, // that are looked into
    DEPTH_MAX = 50,       // of calls
};

/** Reads the code of the program's function that begins at an address. @return false: it is not
 * known, or too long */
static bool
read_function(const struct image *image, uint64_t start, struct function_code *ret)
{
    const struct module *module = image_module_at(image, start);
    uint64_t offset, size;
    if (module == NULL || machine_of(image_machine(image)) == NULL ||
        !objfile_function_offset(module->file, start - module->bias, &offset) || offset != 0)
        return false;
    size = objfile_function_room(module->file, start - module->bias);
    if (size == 0 || size > CODE_MAX || size > module->end - start)
        return false;
    unsigned char *bytes = alloc_zeroed(size, 1);
    *ret = (struct function_code){
        machine_of(image_machine(image)), bytes, size, start, image, callsite_may_return};
    if (memory_read(&image->debuggee, start, size, bytes))
        return true;
    free(bytes);
    return false;
}

static enum runtime
runtime_at(const struct image *image, uint64_t addr)
{
    const struct module *module = image_module_at(image, addr);
    return module != NULL ? module->file->runtime : RUNTIME_NONE;
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
    if (read_function(locks->image, function, &code)) {
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
note(struct heldlocks *locks, struct flow_state *state, uint64_t after, bool returned)
{
    uint64_t function;
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
note_call(void *context, struct flow_state *state, uint64_t after)
{
    note(context, state, after, true);
}

/** Finds the state in which a frame is; in a call, before that returns. */
static bool
find_state(struct heldlocks *locks, const struct flow *flow, const struct thread *thread,
           size_t number, struct flow_state *ret)
{
    uint64_t address = thread->frames[number].address;
    const struct flow_state *state = number == 0 ? flow_at(flow, address) : NULL;
    for (size_t i = 0; i < flow->count && state == NULL && number > 0; i++)
        if (flow->insns[i].insn.kind == INSN_CALL &&
            flow->insns[i].address + flow->insns[i].insn.length == address)
            state = &flow->insns[i].state;
    if (state == NULL)
        return false;
    *ret = *state;
    if (number > 0)
        note(locks, ret, address, false);
    return true;
}

/** Finds what a value is now, in a register or a place of the frame that has it. */
static bool
find_value(const struct image *image, const struct thread *thread, size_t number,
           const struct flow *flow, const struct flow_state *state, struct flow_value value,
           uint64_t *ret)
{
    const struct machine *machine = machine_of(image_machine(image));
    const struct registers *registers = thread->frames[number].registers;
    uint64_t cfa = number + 1 < thread->n_frames ? thread->frames[number + 1].sp : 0;
    uint32_t known = registers == NULL ? 0
                     : number == 0     ? registers->known
                                       : registers->known & machine->kept;
    if (value.base == FLOW_NUMBER || (value.base == FLOW_FRAME && cfa != 0)) {
        *ret = (value.base == FLOW_FRAME ? cfa : 0) + (uint64_t) value.offset;
        return true;
    }
    for (unsigned i = 0; i < MACHINE_REGISTERS; i++)
        if ((known & UINT32_C(1) << i) != 0 && state->registers[i].base == value.base) {
            *ret = registers->values[i] + (uint64_t) (value.offset - state->registers[i].offset);
            return true;
        }
    for (uint8_t i = 0; i < state->n_slots && cfa != 0; i++)
        if (state->slots[i].value.base == value.base && flow_keeps(flow, state->slots[i].offset) &&
            memory_read_uint(&image->debuggee, cfa + (uint64_t) (int64_t) state->slots[i].offset,
                             sizeof *ret, ret)) {
            *ret += (uint64_t) (value.offset - state->slots[i].value.offset);
            return true;
        }
    return false;
}

static size_t
list_locks(struct heldlocks *locks, const struct flow *flow, const struct thread *thread,
           size_t number, struct held_lock ret[HELD_MAX])
{
    struct flow_state state;
    size_t count = 0;
    if (!find_state(locks, flow, thread, number, &state))
        return 0;
    for (uint8_t i = 0; i < state.n_marks; i++) {
        ret[count].kind = (enum omp_wait_kind) state.marks[i].kind;
        if (find_value(locks->image, thread, number, flow, &state, state.marks[i].value,
                       &ret[count].object) &&
            (ret[count].object != 0 || !is_lock(state.marks[i].kind)))
            count++;
    }
    return count;
}

size_t
heldlocks_find(struct heldlocks *locks, const struct thread *thread, size_t number,
               struct held_lock ret[HELD_MAX])
{
    const struct frame *frame = &thread->frames[number];
    const struct module *module = image_module_at(locks->image, frame->pc);
    struct function_code code;
    struct flow flow;
    uint64_t offset;
    if (module == NULL || frame->runtime != RUNTIME_NONE ||
        !objfile_function_offset(module->file, frame->pc - module->bias, &offset) ||
        !read_function(locks->image, frame->pc - offset, &code))
        return 0;
    const struct flow_question question = {
        .code = &code, .all = true, .note_call = note_call, .context = locks};
    size_t count = flow_init(&flow, &question) ? list_locks(locks, &flow, thread, number, ret) : 0;
    flow_deinit(&flow);
    free((void *) code.bytes);
    return count;
}

void
heldlocks_deinit(struct heldlocks *locks)
{
    free(locks->items);
}
