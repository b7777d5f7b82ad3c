// SPDX-License-Identifier: BSD-3-Clause
// Where the code of a function keeps an argument: a place counts when it holds the argument on
// every path to an instruction.
#include "mqshow/stack/keptargs_parts.h"

#include "mqshow/base/alloc.h"
#include "mqshow/symbols/convention.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

enum {
    SLOTS_MAX = 16,   // places of a frame that hold an argument at one time
    ESCAPED_MAX = 64, // places of a frame whose address is taken
    STEPS_MAX = 8000,
    VISITS_MAX = 100 * STEPS_MAX, // of instructions
};

enum { ADDRESS_BYTES = 8 };

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
entry_state(const struct kept_argument *argument)
{
    const struct convention *convention = convention_of(EM_X86_64);
    struct state state = {.n_slots = 0};
    state.registers[STACK_POINTER] = (struct value){HOLDS_FRAME, -ADDRESS_BYTES, 0};
    if (argument->number < convention->count)
        state.registers[convention->registers[argument->number]] =
            (struct value){HOLDS_ARGUMENT, 0, ADDRESS_BYTES};
    else
        state.slots[state.n_slots++] = (struct slot){
            (int32_t) (argument->number - convention->count) * ADDRESS_BYTES, ADDRESS_BYTES};
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

/** Writes to memory that nobody knows the place of lie in other objects, unless the stack pointer
 * leads there.
 */
static void
write_memory(struct state *state, const struct step *step)
{
    const struct value base = step->base != NO_REGISTER ? state->registers[step->base] : other;
    if (step->written == 0 && !step->anywhere)
        return;
    if (base.holds == HOLDS_FRAME && !step->anywhere)
        drop_slots(state, base.offset + step->offset, step->written);
    else if (base.holds == HOLDS_FRAME || step->base == STACK_POINTER)
        state->n_slots = 0;
}

static struct value
moved(struct value base, int32_t distance)
{
    if (base.holds != HOLDS_FRAME)
        return other;
    base.offset += distance;
    return base;
}

static void
push(struct state *state, const struct step *step)
{
    struct value *top = &state->registers[STACK_POINTER];
    const struct value from = step->from != NO_REGISTER ? state->registers[step->from] : other;
    *top = moved(*top, -ADDRESS_BYTES);
    if (top->holds == HOLDS_FRAME)
        store(state, &from, top->offset, ADDRESS_BYTES);
    else
        state->n_slots = 0;
}

static struct value
pop(struct state *state, const struct escaped *escaped)
{
    struct value *top = &state->registers[STACK_POINTER];
    const struct value found =
        top->holds == HOLDS_FRAME ? load(state, escaped, top->offset, ADDRESS_BYTES) : other;
    *top = moved(*top, ADDRESS_BYTES);
    return found;
}

/** What the register that a step writes to holds after it. */
static struct value
result(struct state *state, const struct step *step, struct escaped *escaped)
{
    const struct value base = step->base != NO_REGISTER ? state->registers[step->base] : other;
    switch (step->kind) {
    case STEP_COPY:
        return narrowed(state->registers[step->from], step->width);
    case STEP_ADDRESS:
        return moved(base, step->offset);
    case STEP_LOAD:
        return base.holds == HOLDS_FRAME
                   ? load(state, escaped, base.offset + step->offset, step->width)
                   : other;
    case STEP_POP:
        return pop(state, escaped);
    default:
        return other;
    }
}

/** Forgets what is no part of the frame any more, where the function that is called has its own. */
static void
drop_popped(struct state *state)
{
    const struct value *top = &state->registers[STACK_POINTER];
    if (top->holds == HOLDS_FRAME)
        drop_slots(state, INT32_MIN / 2, top->offset - INT32_MIN / 2);
}

/** Changes what is known before a step into what is known after it. */
static void
apply(struct state *state, const struct step *step, struct escaped *escaped)
{
    if (step->kind == STEP_PUSH)
        push(state, step);
    if (step->kind == STEP_CALL)
        drop_popped(state);
    if (step->kind == STEP_LEAVE) {
        state->registers[STACK_POINTER] = state->registers[step->to];
        state->registers[step->to] = pop(state, escaped);
        return;
    }
    const struct value value = result(state, step, escaped);
    if (step->kind == STEP_STORE && state->registers[step->base].holds == HOLDS_FRAME)
        store(state, &state->registers[step->from],
              state->registers[step->base].offset + step->offset, step->width);
    else
        write_memory(state, step);
    for (unsigned i = 0; i < REGISTERS; i++)
        if ((step->clobbers & UINT32_C(1) << i) != 0)
            state->registers[i] = other;
    if (step->to == NO_REGISTER || step->kind == STEP_OTHER)
        return;
    state->registers[step->to] = value;
    // Who gets the address of a place may change it.
    if (step->kind == STEP_ADDRESS && value.holds == HOLDS_FRAME && step->to != STACK_POINTER)
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
is_as_entered(const struct state *state)
{
    const struct value *top = &state->registers[STACK_POINTER];
    return top->holds == HOLDS_FRAME && top->offset == -ADDRESS_BYTES;
}

/** An instruction, and what is known before it. */
struct reached {
    struct step step;
    struct state state;
    bool waits; // to be followed
};

/** The instructions that can be reached. */
struct paths {
    const struct function_code *code;
    struct decoder *decoder;
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
        struct reached reached = {.state = *state};
        if (paths->count == STEPS_MAX || !decoder_step(paths->decoder, address, &reached.step))
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

/** Follows one instruction. @return false when its ways on are not known */
static bool
follow(struct paths *paths, uint32_t number)
{
    const struct step step = paths->items[number].step;
    struct state state = paths->items[number].state;
    size_t n_escaped = paths->escaped.count;
    paths->items[number].waits = false;
    apply(&state, &step, &paths->escaped);
    if (paths->escaped.too_many || (step.leaves && !is_as_entered(&state)))
        return false;
    for (uint32_t i = 0; i < paths->count && paths->escaped.count > n_escaped; i++)
        wait(paths, i);
    return (!step.falls || reach(paths, step.next, &state)) &&
           (step.jump == 0 || reach(paths, step.jump, &state));
}

/** Follows all paths until nothing changes. */
static bool
follow_all(struct paths *paths, const struct kept_argument *argument)
{
    const struct state entry = entry_state(argument);
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
    struct paths paths = {.code = code, .decoder = decoder_open(code)};
    uint64_t at = pc - code->start;
    if (paths.decoder == NULL)
        return false;
    paths.numbers = alloc_zeroed(code->size, sizeof *paths.numbers);
    bool found = at < code->size && follow_all(&paths, argument) && paths.numbers[at] != 0 &&
                 list_places(&paths.items[paths.numbers[at] - 1].state, &paths.escaped,
                             argument->width, ret);
    decoder_close(paths.decoder);
    free(paths.numbers);
    free(paths.items);
    free(paths.waiting);
    return found;
}
