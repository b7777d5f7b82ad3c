// SPDX-License-Identifier: BSD-3-Clause
// Where the code of a function keeps an argument: a place counts when it holds the argument on
// every path to an instruction.
#include "mqshow/stack/keptargs.h"

#include "mqshow/base/alloc.h"
#include "target/machine/machine.h"

#include <stdlib.h>

enum {
    SLOTS_MAX = 16,   // places of a frame that hold an argument at one time
    ESCAPED_MAX = 64, // places of a frame whose address is taken
    STEPS_MAX = 8000,
    VISITS_MAX = 100 * STEPS_MAX, // of instructions
};

enum { ADDRESS_BYTES = 8, REGISTERS = MACHINE_REGISTERS };

/** What a register holds. */
enum holds { HOLDS_OTHER, HOLDS_ARGUMENT, HOLDS_FRAME };

struct value {
    enum holds holds;
    int32_t offset; // HOLDS_FRAME: from the canonical frame address
    uint8_t width;  // HOLDS_ARGUMENT: bytes of it
};

struct slot {
    int32_t offset;
    uint8_t width;
};

/** What is known before an instruction. */
struct state {
    struct value registers[REGISTERS];
    struct slot slots[SLOTS_MAX]; // that hold the argument
    size_t n_slots;
};

/** The places of the frame that something else may change. */
struct escaped {
    int32_t offsets[ESCAPED_MAX];
    size_t count;
    bool too_many;
};

static const struct value other = {.holds = HOLDS_OTHER};

static bool
has_escaped(const struct escaped *escaped, int32_t offset)
{
    for (size_t i = 0; i < escaped->count; i++)
        if (escaped->offsets[i] == offset)
            return true;
    return false;
}

static void
escape(struct escaped *escaped, int32_t offset)
{
    if (has_escaped(escaped, offset))
        return;
    escaped->too_many |= escaped->count == ESCAPED_MAX;
    if (escaped->count < ESCAPED_MAX)
        escaped->offsets[escaped->count++] = offset;
}

static struct state
entry_state(const struct machine *machine, const struct kept_argument *argument)
{
    struct state state = {.n_slots = 0};
    state.registers[machine->stack] = (struct value){HOLDS_FRAME, -machine->pushed, 0};
    if (argument->number < machine->n_arguments)
        state.registers[machine->arguments[argument->number]] =
            (struct value){HOLDS_ARGUMENT, 0, ADDRESS_BYTES};
    else
        state.slots[state.n_slots++] = (struct slot){
            (int32_t) (argument->number - machine->n_arguments) * ADDRESS_BYTES, ADDRESS_BYTES};
    return state;
}

/** Forgets the slots that a store of `size` bytes touches. */
static void
drop_slots(struct state *state, int32_t offset, int32_t size)
{
    size_t kept = 0;
    for (size_t i = 0; i < state->n_slots; i++) {
        const struct slot *slot = &state->slots[i];
        if (slot->offset >= offset + size || offset >= slot->offset + slot->width)
            state->slots[kept++] = *slot;
    }
    state->n_slots = kept;
}

static struct value
load(const struct state *state, const struct escaped *escaped, int32_t offset, uint8_t width)
{
    for (size_t i = 0; i < state->n_slots; i++) {
        const struct slot *slot = &state->slots[i];
        if (slot->offset == offset && !has_escaped(escaped, offset))
            return (struct value){HOLDS_ARGUMENT, 0, width < slot->width ? width : slot->width};
    }
    return other;
}

static void
store(struct state *state, const struct value *value, int32_t offset, uint8_t width)
{
    drop_slots(state, offset, width);
    if (value->holds == HOLDS_ARGUMENT && state->n_slots < SLOTS_MAX)
        state->slots[state->n_slots++] =
            (struct slot){offset, width < value->width ? width : value->width};
}

/** A value that part of is copied. */
static struct value
narrowed(struct value value, uint8_t width)
{
    if (value.holds == HOLDS_FRAME && width < ADDRESS_BYTES)
        return other;
    if (value.holds == HOLDS_ARGUMENT && width < value.width)
        value.width = width;
    return value;
}

static struct value
held(const struct state *state, int8_t reg)
{
    return reg >= 0 ? state->registers[reg] : other;
}

static struct value
moved(struct value base, int64_t distance)
{
    int64_t offset = base.offset + distance;
    if (base.holds != HOLDS_FRAME || offset != (int32_t) offset)
        return other;
    base.offset = (int32_t) offset;
    return base;
}

/** The place of the frame that an instruction accesses; HOLDS_OTHER where it is none. */
static struct value
place_of(const struct state *state, const struct insn *insn)
{
    return insn->memory && !insn->thread && !insn->inexact
               ? moved(held(state, insn->base), insn->offset)
               : other;
}

/** Writes to memory that nobody knows the place of lie in other objects, unless a register that
 * holds a place of the frame, or the stack pointer, leads there.
 */
static void
write_memory(struct state *state, const struct machine *machine, const struct insn *insn)
{
    const struct value place = place_of(state, insn);
    if (insn->written == 0)
        return;
    if (place.holds == HOLDS_FRAME && insn->kind == INSN_STORE) {
        const struct value first = held(state, insn->from), second = held(state, insn->second);
        store(state, &first, place.offset, insn->width);
        if (insn->written > insn->width)
            store(state, &second, place.offset + insn->width, insn->width);
    } else if (place.holds == HOLDS_FRAME) {
        drop_slots(state, place.offset, insn->written);
    } else if (held(state, insn->base).holds == HOLDS_FRAME || insn->base == machine->stack) {
        state->n_slots = 0;
    }
}

/** What the register that an instruction writes to holds after it. */
static struct value
result(const struct state *state, const struct insn *insn, const struct escaped *escaped)
{
    const struct value place = place_of(state, insn);
    switch (insn->kind) {
    case INSN_COPY:
        return narrowed(held(state, insn->from), insn->width);
    case INSN_ADDRESS:
        return narrowed(moved(held(state, insn->base), insn->offset), insn->width);
    case INSN_LOAD:
        return place.holds == HOLDS_FRAME ? load(state, escaped, place.offset, insn->width) : other;
    default:
        return other;
    }
}

/** Forgets what is no part of the frame any more, where the function that is called has its own. */
static void
drop_popped(struct state *state, const struct value *top)
{
    if (top->holds == HOLDS_FRAME)
        drop_slots(state, INT32_MIN / 2, top->offset - INT32_MIN / 2);
}

/** Takes the frame down: what the frame pointer points to is popped into it. */
static void
leave(struct state *state, const struct machine *machine, int8_t frame,
      const struct escaped *escaped)
{
    const struct value at = held(state, frame);
    state->registers[machine->stack] = moved(at, ADDRESS_BYTES);
    state->registers[frame] =
        at.holds == HOLDS_FRAME ? load(state, escaped, at.offset, ADDRESS_BYTES) : other;
}

/** Changes what is known before an instruction into what is known after it. */
static void
apply(struct state *state, const struct machine *machine, const struct insn *insn,
      struct escaped *escaped)
{
    if (insn->kind == INSN_CALL)
        drop_popped(state, &state->registers[machine->stack]);
    if (insn->kind == INSN_LEAVE) {
        leave(state, machine, insn->to, escaped);
        return;
    }
    const struct value value = result(state, insn, escaped);
    const struct value place = place_of(state, insn);
    const struct value second =
        insn->kind == INSN_LOAD && insn->second >= 0 && place.holds == HOLDS_FRAME
            ? load(state, escaped, place.offset + insn->width, insn->width)
            : other;
    write_memory(state, machine, insn);
    if (insn->change != 0)
        state->registers[insn->base] = moved(held(state, insn->base), insn->change);
    for (unsigned i = 0; i < REGISTERS; i++)
        if ((insn->clobbers & UINT32_C(1) << i) != 0)
            state->registers[i] = other;
    if (insn->to >= 0)
        state->registers[insn->to] = value;
    if (insn->kind == INSN_LOAD && insn->second >= 0)
        state->registers[insn->second] = second;
    // Who gets the address of a place may change it. A copy that calls preserve is a frame pointer.
    bool gives = insn->kind == INSN_ADDRESS
                     ? insn->to != machine->stack
                     : insn->to >= 0 && (machine->kept & UINT32_C(1) << insn->to) == 0;
    if (gives && value.holds == HOLDS_FRAME && insn->kind != INSN_LOAD)
        escape(escaped, value.offset);
}

static bool
equal_values(const struct value *a, const struct value *b)
{
    return a->holds == b->holds && a->offset == b->offset;
}

/** Adds what is known on one more path to an instruction. @return whether less is known now */
static bool
join(struct state *to, const struct state *from)
{
    bool less = false;
    for (unsigned i = 0; i < REGISTERS; i++) {
        struct value *value = &to->registers[i];
        const struct value *with = &from->registers[i];
        if (value->holds != HOLDS_OTHER && !equal_values(value, with)) {
            *value = other;
            less = true;
        } else if (value->width > with->width) {
            value->width = with->width;
            less = true;
        }
    }
    size_t kept = 0;
    for (size_t i = 0; i < to->n_slots; i++)
        for (size_t k = 0; k < from->n_slots; k++)
            if (to->slots[i].offset == from->slots[k].offset &&
                to->slots[i].width <= from->slots[k].width)
                to->slots[kept++] = to->slots[i];
    less |= kept < to->n_slots;
    to->n_slots = kept;
    return less;
}

/** Whether nothing is left of the function's frame, so that a jump ends the function. */
static bool
is_as_entered(const struct state *state, const struct machine *machine)
{
    const struct value *top = &state->registers[machine->stack];
    return top->holds == HOLDS_FRAME && top->offset == -machine->pushed;
}

/** An instruction, and what is known before it. */
struct reached {
    uint64_t address;
    struct insn insn;
    struct state state;
    bool waits; // to be followed
};

/** The instructions that can be reached. */
struct paths {
    const struct function_code *code;
    int32_t *numbers; // of the instruction at each byte, from 1
    struct reached *items;
    size_t count, capacity;
    uint32_t *waiting; // numbers from 0
    size_t n_waiting, waiting_capacity;
    struct escaped escaped;
};

static void
wait(struct paths *paths, uint32_t number)
{
    if (paths->items[number].waits)
        return;
    paths->items[number].waits = true;
    paths->waiting = alloc_grow(paths->waiting, paths->n_waiting, &paths->waiting_capacity,
                                sizeof *paths->waiting);
    paths->waiting[paths->n_waiting++] = number;
}

/** Goes on at an address, which may be in another function: that is left out.
 * @return false when there is no instruction
 */
static bool
reach(struct paths *paths, uint64_t address, const struct state *state)
{
    uint64_t at = address - paths->code->start;
    if (at >= paths->code->size)
        return true;
    if (paths->numbers[at] == 0) {
        const struct function_code *code = paths->code;
        struct reached reached = {.address = address, .state = *state};
        if (paths->count == STEPS_MAX ||
            !machine_decode(code->machine, code->bytes + at, code->size - at, address,
                            &reached.insn) ||
            reached.insn.kind == INSN_UNKNOWN)
            return false;
        paths->items =
            alloc_grow(paths->items, paths->count, &paths->capacity, sizeof *paths->items);
        paths->items[paths->count++] = reached;
        paths->numbers[at] = (int32_t) paths->count;
        wait(paths, (uint32_t) paths->count - 1);
    } else if (join(&paths->items[paths->numbers[at] - 1].state, state)) {
        wait(paths, (uint32_t) paths->numbers[at] - 1);
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

/** Follows one instruction. @return false when its ways on are not known */
static bool
follow(struct paths *paths, uint32_t number)
{
    const struct machine *machine = paths->code->machine;
    const struct insn insn = paths->items[number].insn;
    const uint64_t next = paths->items[number].address + insn.length;
    struct state state = paths->items[number].state;
    size_t n_escaped = paths->escaped.count;
    bool jumps = insn.kind == INSN_JUMP || insn.kind == INSN_BRANCH;
    paths->items[number].waits = false;
    apply(&state, machine, &insn, &paths->escaped);
    if (paths->escaped.too_many || (jumps && insn.target == 0 && !is_as_entered(&state, machine)))
        return false;
    for (uint32_t i = 0; i < paths->count && paths->escaped.count > n_escaped; i++)
        wait(paths, i);
    return (!falls(paths->code, &insn) || reach(paths, next, &state)) &&
           (!jumps || insn.target == 0 || reach(paths, insn.target, &state));
}

/** Follows all paths until nothing changes. */
static bool
follow_all(struct paths *paths, const struct kept_argument *argument)
{
    const struct state entry = entry_state(paths->code->machine, argument);
    bool fine = reach(paths, paths->code->start, &entry);
    for (int visits = 0; fine && paths->n_waiting > 0; visits++)
        fine = visits < VISITS_MAX && follow(paths, paths->waiting[--paths->n_waiting]);
    return fine;
}

static bool
list_places(const struct state *state, const struct escaped *escaped, size_t width,
            struct kept_places *ret)
{
    *ret = (struct kept_places){.offsets = alloc_zeroed(SLOTS_MAX, sizeof *ret->offsets)};
    for (unsigned i = 0; i < REGISTERS; i++)
        if (state->registers[i].holds == HOLDS_ARGUMENT && state->registers[i].width >= width)
            ret->registers |= UINT32_C(1) << i;
    for (size_t i = 0; i < state->n_slots; i++)
        if (state->slots[i].width >= width && !has_escaped(escaped, state->slots[i].offset))
            ret->offsets[ret->n_offsets++] = state->slots[i].offset;
    if (ret->registers != 0 || ret->n_offsets > 0)
        return true;
    free(ret->offsets);
    ret->offsets = NULL;
    return false;
}

bool
keptargs_find(const struct function_code *code, const struct kept_argument *argument, uint64_t pc,
              struct kept_places *ret)
{
    struct paths paths = {.code = code};
    uint64_t at = pc - code->start;
    paths.numbers = alloc_zeroed(code->size, sizeof *paths.numbers);
    bool found = at < code->size && follow_all(&paths, argument) && paths.numbers[at] != 0 &&
                 list_places(&paths.items[paths.numbers[at] - 1].state, &paths.escaped,
                             argument->width, ret);
    free(paths.numbers);
    free(paths.items);
    free(paths.waiting);
    return found;
}
