// SPDX-License-Identifier: BSD-3-Clause
// Which values registers and the frame of a function hold before each of its instructions.
#include "mqshow/stack/value_flow.h"

#include "mqshow/base/alloc.h"

#include <stdlib.h>

enum {
    STEPS_MAX = 8000,
    VISITS_MAX = 100 * STEPS_MAX, // of instructions
    ADDRESS_BYTES = 8,
    REGISTERS = MACHINE_REGISTERS,
    FRAME_MAX = 1 << 28, // bytes of a frame: a place that is farther away is not of it
};

static const struct flow_value other = {FLOW_OTHER, 0};

bool
flow_equal(struct flow_value a, struct flow_value b)
{
    return a.base == b.base && a.offset == b.offset;
}

/** Whether two values are never the same. */
static bool
differ(struct flow_value a, struct flow_value b)
{
    bool apart = (a.base == FLOW_FRAME && b.base == FLOW_NUMBER) ||
                 (a.base == FLOW_NUMBER && b.base == FLOW_FRAME);
    return apart || (a.base == b.base && a.base != FLOW_OTHER && a.offset != b.offset);
}

void
flow_mark(struct flow_state *state, int kind, struct flow_value value)
{
    if (value.base != FLOW_OTHER && state->n_marks < FLOW_MARKS)
        state->marks[state->n_marks++] = (struct flow_mark){value, kind};
}

void
flow_forget_marks(struct flow_state *state, int kind, struct flow_value value)
{
    uint8_t kept = 0;
    for (uint8_t i = 0; i < state->n_marks; i++)
        if ((kind != FLOW_ANY_KIND && state->marks[i].kind != kind) ||
            differ(state->marks[i].value, value))
            state->marks[kept++] = state->marks[i];
    state->n_marks = kept;
}

bool
flow_keeps(const struct flow *flow, int32_t offset)
{
    for (size_t i = 0; i < flow->n_escaped; i++)
        if (flow->escaped[i] == offset)
            return false;
    return true;
}

static void
escape(struct flow *flow, int32_t offset)
{
    if (!flow_keeps(flow, offset))
        return;
    if (flow->n_escaped == FLOW_SLOTS)
        flow->too_many = true;
    else
        flow->escaped[flow->n_escaped++] = offset;
}

/** Notes what a place of the frame holds, if there is room: else it is not known. */
static void
add_slot(struct flow_state *state, int32_t offset, struct flow_value value)
{
    if (state->n_slots < FLOW_SLOTS)
        state->slots[state->n_slots++] = (struct flow_slot){offset, value};
}

static struct flow_state
entry_state(const struct flow *flow)
{
    const struct machine *machine = flow->question.code->machine;
    const struct flow_value argument = {FLOW_ARGUMENT, 0};
    unsigned number = flow->question.argument;
    struct flow_state state = {.n_slots = 0};
    for (unsigned i = 0; i < REGISTERS && flow->question.all; i++)
        state.registers[i] = (struct flow_value){FLOW_ENTRY + i, 0};
    state.registers[machine->stack] = (struct flow_value){FLOW_FRAME, -machine->pushed};
    if (flow->question.all)
        return state;
    if (number < machine->n_arguments)
        state.registers[machine->arguments[number]] = argument;
    else
        add_slot(&state, (int32_t) (number - machine->n_arguments) * ADDRESS_BYTES, argument);
    return state;
}

/** Bytes of a value that count. */
static int32_t
width_of(const struct flow *flow, struct flow_value value)
{
    return value.base == FLOW_ARGUMENT ? flow->question.width : ADDRESS_BYTES;
}

/** Forgets the slots that a store of `size` bytes touches. */
static void
drop_slots(struct flow_state *state, const struct flow *flow, int32_t offset, int32_t size)
{
    uint8_t kept = 0;
    for (uint8_t i = 0; i < state->n_slots; i++) {
        const struct flow_slot *slot = &state->slots[i];
        if (slot->offset >= offset + size || offset >= slot->offset + width_of(flow, slot->value))
            state->slots[kept++] = *slot;
    }
    state->n_slots = kept;
}

static struct flow_value
load(const struct flow_state *state, const struct flow *flow, int32_t offset, uint8_t width)
{
    for (uint8_t i = 0; i < state->n_slots; i++)
        if (state->slots[i].offset == offset && flow_keeps(flow, offset) &&
            width >= width_of(flow, state->slots[i].value))
            return state->slots[i].value;
    return other;
}

static void
store(struct flow_state *state, const struct flow *flow, struct flow_value value, int32_t offset,
      uint8_t width)
{
    drop_slots(state, flow, offset, width);
    // In the search for an argument, a place of the frame is found without its address being kept.
    bool is_wanted = value.base != FLOW_OTHER && (value.base != FLOW_FRAME || flow->question.all);
    if (is_wanted && width >= width_of(flow, value))
        add_slot(state, offset, value);
}

/** A value that part of is copied. */
static struct flow_value
narrowed(const struct flow *flow, struct flow_value value, uint8_t width)
{
    bool fits = value.base == FLOW_NUMBER && (uint64_t) value.offset <= UINT32_MAX && width >= 4;
    return fits || width >= width_of(flow, value) ? value : other;
}

static struct flow_value
held(const struct flow_state *state, int8_t reg)
{
    return reg >= 0 ? state->registers[reg] : other;
}

static struct flow_value
moved(const struct flow *flow, struct flow_value base, int64_t distance)
{
    bool is_frame = base.base == FLOW_FRAME;
    if ((!is_frame && !flow->question.all) || base.base == FLOW_OTHER ||
        base.base == FLOW_ARGUMENT || (is_frame && (distance < -FRAME_MAX || distance > FRAME_MAX)))
        return other;
    base.offset = (int64_t) ((uint64_t) base.offset + (uint64_t) distance);
    return is_frame && (base.offset < -FRAME_MAX || base.offset > FRAME_MAX) ? other : base;
}

/** The address that an instruction computes or accesses. An index that is added to it leads to
 * another place of the frame, but what it leads to otherwise is not known. */
static struct flow_value
address_of(const struct flow_state *state, const struct flow *flow, const struct insn *insn)
{
    if (insn->inexact && held(state, insn->base).base != FLOW_FRAME)
        return other;
    if (insn->base == INSN_ABSOLUTE)
        return flow->question.all ? (struct flow_value){FLOW_NUMBER, insn->offset} : other;
    return moved(flow, held(state, insn->base), insn->offset);
}

/** The address that an instruction accesses; FLOW_OTHER: not known. */
static struct flow_value
accessed(const struct flow_state *state, const struct flow *flow, const struct insn *insn)
{
    return insn->memory && !insn->thread && !insn->inexact ? address_of(state, flow, insn) : other;
}

/** The place of the frame that an instruction accesses; FLOW_OTHER where it is none. */
static struct flow_value
place_of(const struct flow_state *state, const struct flow *flow, const struct insn *insn)
{
    struct flow_value place = accessed(state, flow, insn);
    return place.base == FLOW_FRAME ? place : other;
}

/** Forgets the marks of addresses that an instruction writes to: something else is there now. */
static void
drop_marks(struct flow_state *state, struct flow_value place, uint16_t written)
{
    uint8_t kept = 0;
    for (uint8_t i = 0; i < state->n_marks; i++) {
        const struct flow_value *value = &state->marks[i].value;
        uint64_t distance = (uint64_t) value->offset - (uint64_t) place.offset;
        if (place.base == FLOW_OTHER || value->base != place.base || distance >= written)
            state->marks[kept++] = state->marks[i];
    }
    state->n_marks = kept;
}

/** Writes to memory that nobody knows the place of lie in other objects, unless a register that
 * holds a place of the frame, or the stack pointer, leads there.
 */
static void
write_memory(struct flow_state *state, const struct flow *flow, const struct insn *insn)
{
    const struct flow_value place = accessed(state, flow, insn);
    int32_t at = (int32_t) place.offset;
    if (insn->written == 0)
        return;
    drop_marks(state, place, insn->written);
    if (place.base == FLOW_FRAME && insn->kind == INSN_STORE) {
        const struct flow_value first = held(state, insn->from);
        const struct flow_value second = held(state, insn->second);
        store(state, flow, first, at, insn->width);
        if (insn->written > insn->width)
            store(state, flow, second, at + insn->width, insn->width);
    } else if (place.base == FLOW_FRAME) {
        drop_slots(state, flow, at, insn->written);
    } else if (held(state, insn->base).base == FLOW_FRAME ||
               insn->base == flow->question.code->machine->stack) {
        state->n_slots = 0;
    }
}

/** What the register that an instruction writes to holds after it, or the second one. */
static struct flow_value
result(const struct flow_state *state, const struct flow *flow, const struct insn *insn,
       bool is_second)
{
    const struct flow_value place = place_of(state, flow, insn);
    switch (insn->kind) {
    case INSN_COPY:
        return narrowed(flow, held(state, insn->from), insn->width);
    case INSN_ADDRESS:
    case INSN_PAGE:
        return narrowed(flow, address_of(state, flow, insn), insn->width);
    case INSN_NUMBER:
        return flow->question.all ? (struct flow_value){FLOW_NUMBER, insn->number} : other;
    case INSN_LOAD:
        return place.base == FLOW_FRAME
                   ? load(state, flow, (int32_t) place.offset + (is_second ? insn->width : 0),
                          insn->width)
                   : other;
    default:
        return other;
    }
}

/** Forgets what is no part of the frame any more, where the function that is called has its own. */
static void
drop_popped(struct flow_state *state, const struct flow *flow)
{
    const struct flow_value *top = &state->registers[flow->question.code->machine->stack];
    if (top->base == FLOW_FRAME)
        drop_slots(state, flow, -2 * FRAME_MAX, (int32_t) top->offset + 2 * FRAME_MAX);
}

/** Takes the frame down: what the frame pointer points to is popped into it. */
static void
leave(struct flow_state *state, const struct flow *flow, int8_t frame)
{
    const struct flow_value at = held(state, frame);
    state->registers[flow->question.code->machine->stack] = moved(flow, at, ADDRESS_BYTES);
    state->registers[frame] =
        at.base == FLOW_FRAME ? load(state, flow, (int32_t) at.offset, ADDRESS_BYTES) : other;
}

/** Forgets what an earlier execution of an instruction has left. */
static void
forget_result(struct flow_state *state, uint32_t base)
{
    uint8_t slots = 0, marks = 0;
    for (unsigned i = 0; i < REGISTERS; i++)
        if (state->registers[i].base == base)
            state->registers[i] = other;
    for (uint8_t i = 0; i < state->n_slots; i++)
        if (state->slots[i].value.base != base)
            state->slots[slots++] = state->slots[i];
    for (uint8_t i = 0; i < state->n_marks; i++)
        if (state->marks[i].value.base != base)
            state->marks[marks++] = state->marks[i];
    state->n_slots = slots;
    state->n_marks = marks;
}

/** Names what an instruction leaves in a register of which nothing else is known. */
static void
name_result(struct flow_state *state, const struct flow *flow, uint32_t number, unsigned reg)
{
    uint32_t base = FLOW_RESULT + number * REGISTERS + reg;
    if (!flow->question.all || state->registers[reg].base != FLOW_OTHER)
        return;
    forget_result(state, base);
    state->registers[reg] = (struct flow_value){base, 0};
}

/** Changes what is known before an instruction into what is known after it. */
static void
apply(struct flow_state *state, struct flow *flow, const struct insn *insn, uint32_t number)
{
    const struct machine *machine = flow->question.code->machine;
    if (insn->kind == INSN_CALL)
        drop_popped(state, flow);
    if (insn->kind == INSN_LEAVE) {
        leave(state, flow, insn->to);
        return;
    }
    const struct flow_value value = result(state, flow, insn, false);
    const struct flow_value second = result(state, flow, insn, true);
    uint32_t changed = insn->clobbers | (insn->to >= 0 ? UINT32_C(1) << insn->to : 0);
    write_memory(state, flow, insn);
    if (insn->change != 0)
        state->registers[insn->base] = moved(flow, held(state, insn->base), insn->change);
    for (unsigned i = 0; i < REGISTERS; i++)
        if ((insn->clobbers & UINT32_C(1) << i) != 0)
            state->registers[i] = other;
    if (insn->to >= 0)
        state->registers[insn->to] = value;
    if (insn->kind == INSN_LOAD && insn->second >= 0)
        state->registers[insn->second] = second;
    for (unsigned i = 0; i < REGISTERS; i++)
        if ((changed & UINT32_C(1) << i) != 0)
            name_result(state, flow, number, i);
    // Who gets the address of a place may change it. A copy that calls preserve is a frame pointer.
    bool gives = insn->kind == INSN_ADDRESS
                     ? insn->to != machine->stack
                     : insn->to >= 0 && (machine->kept & UINT32_C(1) << insn->to) == 0;
    if (gives && value.base == FLOW_FRAME && insn->kind != INSN_LOAD)
        escape(flow, (int32_t) value.offset);
}

static bool
has_slot(const struct flow_state *state, const struct flow_slot *slot)
{
    for (uint8_t i = 0; i < state->n_slots; i++)
        if (state->slots[i].offset == slot->offset &&
            flow_equal(state->slots[i].value, slot->value))
            return true;
    return false;
}

static bool
has_mark(const struct flow_state *state, const struct flow_mark *mark)
{
    for (uint8_t i = 0; i < state->n_marks; i++)
        if (state->marks[i].kind == mark->kind && flow_equal(state->marks[i].value, mark->value))
            return true;
    return false;
}

/** Adds what is known on one more path to an instruction. @return whether less is known now */
static bool
join(struct flow_state *to, const struct flow_state *from)
{
    bool less = false;
    uint8_t slots = 0, marks = 0;
    for (unsigned i = 0; i < REGISTERS; i++) {
        struct flow_value *value = &to->registers[i];
        if (value->base != FLOW_OTHER && !flow_equal(*value, from->registers[i])) {
            *value = other;
            less = true;
        }
    }
    for (uint8_t i = 0; i < to->n_slots; i++)
        if (has_slot(from, &to->slots[i]))
            to->slots[slots++] = to->slots[i];
    for (uint8_t i = 0; i < to->n_marks; i++)
        if (has_mark(from, &to->marks[i]))
            to->marks[marks++] = to->marks[i];
    less |= slots < to->n_slots || marks < to->n_marks;
    to->n_slots = slots;
    to->n_marks = marks;
    return less;
}

bool
flow_is_as_entered(const struct flow *flow, const struct flow_state *state)
{
    const struct machine *machine = flow->question.code->machine;
    const struct flow_value *top = &state->registers[machine->stack];
    return top->base == FLOW_FRAME && top->offset == -machine->pushed;
}

static void
wait(struct flow *flow, uint32_t number)
{
    if (flow->insns[number].waits)
        return;
    flow->insns[number].waits = true;
    *ALLOC_ADD(flow->waiting, flow->n_waiting, flow->waiting_capacity) = number;
}

/** Goes on at an address, which may be in another function: that is left out.
 * @return false when there is no instruction
 */
static bool
reach(struct flow *flow, uint64_t address, const struct flow_state *state)
{
    const struct function_code *code = flow->question.code;
    uint64_t at = address - code->start;
    if (at >= code->size)
        return true;
    if (flow->numbers[at] == 0) {
        struct flow_insn reached = {.address = address, .state = *state};
        if (flow->count == STEPS_MAX ||
            !machine_decode(code->machine, code->bytes + at, code->size - at, address,
                            &reached.insn) ||
            reached.insn.kind == INSN_UNKNOWN)
            return false;
        *ALLOC_ADD(flow->insns, flow->count, flow->capacity) = reached;
        flow->numbers[at] = (int32_t) flow->count;
        wait(flow, (uint32_t) flow->count - 1);
    } else if (join(&flow->insns[flow->numbers[at] - 1].state, state)) {
        wait(flow, (uint32_t) flow->numbers[at] - 1);
    }
    return true;
}

/** Whether the next instruction may be executed after one. */
static bool
falls(const struct function_code *code, const struct insn *insn)
{
    if (insn->kind == INSN_CALL && insn->target != 0 && code->returns != NULL)
        return code->returns(code->context, insn->target);
    return insn->falls;
}

/** Whether a jump leads to where is not known, or, where all counts, out of the code. */
static bool
leaves(const struct flow *flow, const struct insn *insn)
{
    const struct function_code *code = flow->question.code;
    return insn->target == 0 || (flow->question.all && insn->target - code->start >= code->size);
}

/** Follows one instruction. @return false when its ways on are not known */
static bool
follow(struct flow *flow, uint32_t number)
{
    const struct insn insn = flow->insns[number].insn;
    const uint64_t next = flow->insns[number].address + insn.length;
    struct flow_state state = flow->insns[number].state;
    size_t n_escaped = flow->n_escaped;
    bool jumps = insn.kind == INSN_JUMP || insn.kind == INSN_BRANCH;
    flow->insns[number].waits = false;
    if (insn.kind == INSN_CALL && flow->question.note_call != NULL)
        flow->question.note_call(flow->question.context, &state, &insn, next);
    apply(&state, flow, &insn, number);
    if (flow->too_many || (jumps && !flow_is_as_entered(flow, &state) && leaves(flow, &insn)))
        return false;
    for (uint32_t i = 0; i < flow->count && flow->n_escaped > n_escaped; i++)
        wait(flow, i);
    return (!falls(flow->question.code, &insn) || reach(flow, next, &state)) &&
           (!jumps || insn.target == 0 || reach(flow, insn.target, &state));
}

bool
flow_init(struct flow *flow, const struct flow_question *question)
{
    *flow = (struct flow){.question = *question};
    flow->numbers = alloc_zeroed(question->code->size, sizeof *flow->numbers);
    const struct flow_state entry = entry_state(flow);
    bool fine = reach(flow, question->code->start, &entry);
    for (int visits = 0; fine && flow->n_waiting > 0; visits++)
        fine = visits < VISITS_MAX && follow(flow, flow->waiting[--flow->n_waiting]);
    return fine;
}

void
flow_deinit(struct flow *flow)
{
    free(flow->numbers);
    free(flow->insns);
    free(flow->waiting);
}

const struct flow_state *
flow_at(const struct flow *flow, uint64_t address)
{
    uint64_t at = address - flow->question.code->start;
    return at < flow->question.code->size && flow->numbers[at] != 0
               ? &flow->insns[flow->numbers[at] - 1].state
               : NULL;
}
