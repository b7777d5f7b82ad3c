// SPDX-License-Identifier: BSD-3-Clause
// Where the code of a function keeps an argument: a place counts when it holds the argument on
// every path to an instruction.
#include "mqshow/stack/keptargs.h"

#include "mqshow/base/alloc.h"
#include "target/machine/machine.h"

#include <stdlib.h>

enum {
    OFFSETS_MAX = 64, // places of a frame that hold the argument at one time, or that escape
    STEPS_MAX = 8000,
    VISITS_MAX = 100 * STEPS_MAX, // of instructions
};

enum { ADDRESS_BYTES = 8, REGISTERS = MACHINE_REGISTERS };

enum { FRAME_MAX = 1 << 28 }; // bytes of a frame: a place that is farther away is not of it

/** What a register holds. The argument counts where its lower bytes that are wanted are. */
enum holds { HOLDS_OTHER, HOLDS_ARGUMENT, HOLDS_FRAME };

struct value {
    enum holds holds;
    int32_t offset; // HOLDS_FRAME: from the canonical frame address
};

/** Places of a frame, by their offsets from the canonical frame address. */
struct offsets {
    int32_t items[OFFSETS_MAX];
    size_t count;
};

/** What is known before an instruction. */
struct state {
    struct value registers[REGISTERS];
    struct offsets slots; // that hold the argument
};

/** What is followed, and what counts for all instructions. */
struct search {
    const struct machine *machine;
    int32_t width;          // bytes that are wanted of the argument
    struct offsets escaped; // places that something else may change
    bool too_many;          // of these
};

static const struct value other = {HOLDS_OTHER, 0}, argument = {HOLDS_ARGUMENT, 0};

static bool
has(const struct offsets *offsets, int32_t offset)
{
    for (size_t i = 0; i < offsets->count; i++)
        if (offsets->items[i] == offset)
            return true;
    return false;
}

/** @return false when there is no room */
static bool
add(struct offsets *offsets, int32_t offset)
{
    if (has(offsets, offset))
        return true;
    if (offsets->count == OFFSETS_MAX)
        return false;
    offsets->items[offsets->count++] = offset;
    return true;
}

static struct state
entry_state(const struct machine *machine, unsigned number)
{
    struct state state = {.slots = {.count = 0}};
    state.registers[machine->stack] = (struct value){HOLDS_FRAME, -machine->pushed};
    if (number < machine->n_arguments)
        state.registers[machine->arguments[number]] = argument;
    else
        add(&state.slots, (int32_t) (number - machine->n_arguments) * ADDRESS_BYTES);
    return state;
}

/** Forgets the slots that a store of `size` bytes touches. */
static void
drop_slots(struct state *state, const struct search *search, int32_t offset, int32_t size)
{
    struct offsets *slots = &state->slots;
    size_t kept = 0;
    for (size_t i = 0; i < slots->count; i++)
        if (slots->items[i] >= offset + size || offset >= slots->items[i] + search->width)
            slots->items[kept++] = slots->items[i];
    slots->count = kept;
}

static struct value
load(const struct state *state, const struct search *search, int32_t offset, uint8_t width)
{
    return width >= search->width && has(&state->slots, offset) && !has(&search->escaped, offset)
               ? argument
               : other;
}

static void
store(struct state *state, const struct search *search, struct value value, int32_t offset,
      uint8_t width)
{
    drop_slots(state, search, offset, width);
    if (value.holds == HOLDS_ARGUMENT && width >= search->width)
        add(&state->slots, offset);
}

/** A value that part of is copied. */
static struct value
narrowed(const struct search *search, struct value value, uint8_t width)
{
    return width < (value.holds == HOLDS_FRAME ? ADDRESS_BYTES : search->width) ? other : value;
}

static struct value
held(const struct state *state, int8_t reg)
{
    return reg >= 0 ? state->registers[reg] : other;
}

static struct value
moved(struct value base, int64_t distance)
{
    if (base.holds != HOLDS_FRAME || distance < -FRAME_MAX || distance > FRAME_MAX)
        return other;
    base.offset += (int32_t) distance;
    return base.offset < -FRAME_MAX || base.offset > FRAME_MAX ? other : base;
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
write_memory(struct state *state, const struct search *search, const struct insn *insn)
{
    const struct value place = place_of(state, insn);
    if (insn->written == 0)
        return;
    if (place.holds == HOLDS_FRAME && insn->kind == INSN_STORE) {
        const struct value first = held(state, insn->from), second = held(state, insn->second);
        store(state, search, first, place.offset, insn->width);
        if (insn->written > insn->width)
            store(state, search, second, place.offset + insn->width, insn->width);
    } else if (place.holds == HOLDS_FRAME) {
        drop_slots(state, search, place.offset, insn->written);
    } else if (held(state, insn->base).holds == HOLDS_FRAME ||
               insn->base == search->machine->stack) {
        state->slots.count = 0;
    }
}

/** What the register that an instruction writes to holds after it, or the second one. */
static struct value
result(const struct state *state, const struct search *search, const struct insn *insn,
       bool is_second)
{
    const struct value place = place_of(state, insn);
    switch (insn->kind) {
    case INSN_COPY:
        return narrowed(search, held(state, insn->from), insn->width);
    case INSN_ADDRESS:
        return narrowed(search, moved(held(state, insn->base), insn->offset), insn->width);
    case INSN_LOAD:
        return place.holds == HOLDS_FRAME
                   ? load(state, search, place.offset + (is_second ? insn->width : 0), insn->width)
                   : other;
    default:
        return other;
    }
}

/** Forgets what is no part of the frame any more, where the function that is called has its own. */
static void
drop_popped(struct state *state, const struct search *search)
{
    const struct value *top = &state->registers[search->machine->stack];
    if (top->holds == HOLDS_FRAME)
        drop_slots(state, search, -2 * FRAME_MAX, top->offset + 2 * FRAME_MAX);
}

/** Takes the frame down: what the frame pointer points to is popped into it. */
static void
leave(struct state *state, const struct search *search, int8_t frame)
{
    const struct value at = held(state, frame);
    state->registers[search->machine->stack] = moved(at, ADDRESS_BYTES);
    state->registers[frame] =
        at.holds == HOLDS_FRAME ? load(state, search, at.offset, ADDRESS_BYTES) : other;
}

/** Changes what is known before an instruction into what is known after it. */
static void
apply(struct state *state, struct search *search, const struct insn *insn)
{
    const struct machine *machine = search->machine;
    if (insn->kind == INSN_CALL)
        drop_popped(state, search);
    if (insn->kind == INSN_LEAVE) {
        leave(state, search, insn->to);
        return;
    }
    const struct value value = result(state, search, insn, false);
    const struct value second = result(state, search, insn, true);
    write_memory(state, search, insn);
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
        search->too_many |= !add(&search->escaped, value.offset);
}

/** Adds what is known on one more path to an instruction. @return whether less is known now */
static bool
join(struct state *to, const struct state *from)
{
    bool less = false;
    for (unsigned i = 0; i < REGISTERS; i++) {
        struct value *value = &to->registers[i];
        const struct value *with = &from->registers[i];
        if (value->holds != HOLDS_OTHER &&
            (value->holds != with->holds || value->offset != with->offset)) {
            *value = other;
            less = true;
        }
    }
    size_t kept = 0;
    for (size_t i = 0; i < to->slots.count; i++)
        if (has(&from->slots, to->slots.items[i]))
            to->slots.items[kept++] = to->slots.items[i];
    less |= kept < to->slots.count;
    to->slots.count = kept;
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
    struct search search;
};

static void
wait(struct paths *paths, uint32_t number)
{
    if (paths->items[number].waits)
        return;
    paths->items[number].waits = true;
    *ALLOC_ADD(paths->waiting, paths->n_waiting, paths->waiting_capacity) = number;
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
        *ALLOC_ADD(paths->items, paths->count, paths->capacity) = reached;
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
    const struct insn insn = paths->items[number].insn;
    const uint64_t next = paths->items[number].address + insn.length;
    struct state state = paths->items[number].state;
    struct search *search = &paths->search;
    size_t n_escaped = search->escaped.count;
    bool jumps = insn.kind == INSN_JUMP || insn.kind == INSN_BRANCH;
    paths->items[number].waits = false;
    apply(&state, search, &insn);
    if (search->too_many || (jumps && insn.target == 0 && !is_as_entered(&state, search->machine)))
        return false;
    for (uint32_t i = 0; i < paths->count && search->escaped.count > n_escaped; i++)
        wait(paths, i);
    return (!falls(paths->code, &insn) || reach(paths, next, &state)) &&
           (!jumps || insn.target == 0 || reach(paths, insn.target, &state));
}

/** Follows all paths until nothing changes. */
static bool
follow_all(struct paths *paths, unsigned number)
{
    const struct state entry = entry_state(paths->code->machine, number);
    bool fine = reach(paths, paths->code->start, &entry);
    for (int visits = 0; fine && paths->n_waiting > 0; visits++)
        fine = visits < VISITS_MAX && follow(paths, paths->waiting[--paths->n_waiting]);
    return fine;
}

static bool
list_places(const struct state *state, const struct offsets *escaped, struct kept_places *ret)
{
    *ret = (struct kept_places){.offsets = alloc_zeroed(OFFSETS_MAX, sizeof *ret->offsets)};
    for (unsigned i = 0; i < REGISTERS; i++)
        if (state->registers[i].holds == HOLDS_ARGUMENT)
            ret->registers |= UINT32_C(1) << i;
    for (size_t i = 0; i < state->slots.count; i++)
        if (!has(escaped, state->slots.items[i]))
            ret->offsets[ret->n_offsets++] = state->slots.items[i];
    if (ret->registers != 0 || ret->n_offsets > 0)
        return true;
    free(ret->offsets);
    ret->offsets = NULL;
    return false;
}

/** @return whether the code could be followed */
static bool
paths_init(struct paths *paths, const struct function_code *code,
           const struct kept_argument *wanted)
{
    *paths = (struct paths){.code = code,
                            .search = {.machine = code->machine, .width = (int32_t) wanted->width}};
    paths->numbers = alloc_zeroed(code->size, sizeof *paths->numbers);
    return follow_all(paths, wanted->number);
}

static void
paths_deinit(struct paths *paths)
{
    free(paths->numbers);
    free(paths->items);
    free(paths->waiting);
}

bool
keptargs_find(const struct function_code *code, const struct kept_argument *wanted, uint64_t pc,
              struct kept_places *ret)
{
    struct paths paths;
    uint64_t at = pc - code->start;
    bool found = paths_init(&paths, code, wanted) && at < code->size && paths.numbers[at] != 0 &&
                 list_places(&paths.items[paths.numbers[at] - 1].state, &paths.search.escaped, ret);
    paths_deinit(&paths);
    return found;
}

/** Whether an instruction passes control on to another function, as passed_on has it. */
static bool
passes_control(const struct paths *paths, const struct reached *reached, uint64_t pc)
{
    const struct insn *insn = &reached->insn;
    if (insn->kind == INSN_CALL)
        return reached->address + insn->length == pc;
    return (insn->kind == INSN_JUMP || insn->kind == INSN_BRANCH) &&
           insn->target - paths->code->start >= paths->code->size &&
           is_as_entered(&reached->state, paths->code->machine);
}

size_t
keptargs_passed_on(const struct function_code *code, const struct kept_argument *wanted,
                   uint64_t pc, struct passed_on ret[PASSED_ON_MAX])
{
    const struct machine *machine = code->machine;
    struct paths paths;
    size_t count = 0;
    bool fine = paths_init(&paths, code, wanted);
    for (size_t i = 0; i < paths.count && fine; i++) {
        const struct reached *reached = &paths.items[i];
        for (unsigned k = 0; k < machine->n_arguments && passes_control(&paths, reached, pc); k++) {
            if (reached->state.registers[machine->arguments[k]].holds != HOLDS_ARGUMENT)
                continue;
            fine = count < PASSED_ON_MAX;
            if (fine)
                ret[count++] =
                    (struct passed_on){reached->insn.target, k, reached->insn.kind == INSN_CALL};
        }
    }
    paths_deinit(&paths);
    return fine ? count : 0;
}
