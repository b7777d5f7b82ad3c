// SPDX-License-Identifier: BSD-3-Clause
// Steps through the instructions of a short function and notes where values come from.
#include "ompd-bridge/gnu/gomp_code.h"

enum { NUMBER_MAX = 1 << 20 }; // an offset within a struct is less

struct stepper {
    const struct machine *machine;
    struct code_value registers[MACHINE_REGISTERS];
    struct code_result result;
    bool ended;
};

static const struct code_value unknown = {.base = BASE_UNKNOWN};
static const struct code_value constant = {.base = BASE_CONSTANT};

static bool
is_offset(int64_t number)
{
    return number > -NUMBER_MAX && number < NUMBER_MAX;
}

// Adds to where a value points; false when that is invalid.
static bool
add(struct code_value *value, int64_t number)
{
    if (value->base == BASE_UNKNOWN)
        return true;
    if (value->base == BASE_CONSTANT || (value->base == BASE_IMAGE && value->n_loads == 0)) {
        value->addr += (taddr) number;
        return true;
    }
    if (!is_offset(number) || !is_offset(value->added + number))
        return false;
    value->added += (int32_t) number;
    return true;
}

static bool
load(struct code_value *value, int64_t number, uint8_t width)
{
    if (value->base == BASE_UNKNOWN || value->base == BASE_CONSTANT) {
        *value = unknown;
        return true;
    }
    if (value->base == BASE_IMAGE && value->n_loads == 0) {
        value->addr += (taddr) number;
        number = 0;
    }
    // Of what is counted from the thread pointer, it is not known where the variable begins.
    if (value->base == BASE_THREAD)
        *value =
            (struct code_value){.base = BASE_VARIABLE, .is_offset = true, .added = value->added};
    if (!is_offset(number) || value->n_loads == CODE_LOADS)
        return false;
    value->loads[value->n_loads++] = (struct code_load){value->added, (int32_t) number, width};
    value->added = 0;
    return true;
}

// The thread pointer + what was loaded from the image, or a number: the offset of a thread-local
// variable.
static bool
add_thread(struct code_value *value)
{
    if (value->base == BASE_CONSTANT && is_offset((int64_t) value->addr)) {
        *value = (struct code_value){.base = BASE_VARIABLE, .addr = value->addr, .is_offset = true};
        return true;
    }
    if (value->base != BASE_IMAGE || value->n_loads != 1 || value->loads[0].width != 8 ||
        value->added != 0)
        return false;
    *value = (struct code_value){.base = BASE_VARIABLE, .addr = value->addr};
    return true;
}

static bool
add_values(const struct code_value *a, const struct code_value *b, struct code_value *ret)
{
    *ret = a->base == BASE_THREAD ? *b : b->base == BASE_THREAD ? *a : unknown;
    return ret->base == BASE_UNKNOWN || add_thread(ret);
}

// A pointer that was followed, or the variable that stands in for NULL; or a value and its limit.
static bool
choose(const struct code_value *a, const struct code_value *b, struct code_value *ret)
{
    const struct code_value *main = a->base == BASE_VARIABLE ? a : b;
    const struct code_value *other = main == a ? b : a;
    if (main->base != BASE_VARIABLE)
        return false;
    *ret = *main;
    if (other->base == BASE_IMAGE && other->n_loads == 0)
        ret->fallback = other->addr;
    else if (other->base != BASE_CONSTANT)
        return false;
    return true;
}

static void
store(struct stepper *stepper, const struct code_value *value, const struct code_value *place)
{
    if (place->base == BASE_ARGUMENT && place->addr < 2 && place->n_loads == 0)
        stepper->result.stored[place->addr] = *value;
}

static void
end(struct stepper *stepper, bool jumps)
{
    const struct machine *machine = stepper->machine;
    unsigned number = jumps ? machine->arguments[0] : machine->result;
    stepper->result.value = stepper->registers[number];
    stepper->result.jumps = jumps;
    stepper->ended = true;
}

// What a register holds; the one that is no register is 0.
static struct code_value
held(const struct stepper *stepper, int8_t reg)
{
    return reg >= 0 ? stepper->registers[reg] : constant;
}

// Where an address counts from.
static struct code_value
base_of(const struct stepper *stepper, const struct insn *insn)
{
    return insn->base == INSN_ABSOLUTE ? (struct code_value){.base = BASE_IMAGE}
                                       : held(stepper, insn->base);
}

// What is loaded from `offset` behind the place of an instruction. The thread pointer itself is the
// first member of what it points to.
static bool
load_from(const struct stepper *stepper, const struct insn *insn, int64_t offset,
          struct code_value *ret)
{
    *ret = base_of(stepper, insn);
    if (insn->thread && insn->base == INSN_ABSOLUTE) {
        *ret = (struct code_value){.base = BASE_THREAD};
        return offset == 0 || load(ret, offset, insn->width);
    }
    return (!insn->thread || add_thread(ret)) && load(ret, offset, insn->width);
}

// The value that an instruction writes to a register.
static bool
compute(const struct stepper *stepper, const struct insn *insn, struct code_value *ret)
{
    const struct code_value from = held(stepper, insn->from), second = held(stepper, insn->second);
    struct code_value loaded;
    *ret = unknown;
    switch (insn->kind) {
    case INSN_COPY:
        *ret = insn->width >= 4 ? from : unknown;
        return true;
    case INSN_NUMBER:
        *ret = (struct code_value){.base = BASE_CONSTANT, .addr = (taddr) insn->number};
        return true;
    case INSN_ADDRESS:
    case INSN_PAGE:
        *ret = base_of(stepper, insn);
        return add(ret, insn->offset);
    case INSN_SUM:
        if (!insn->memory)
            return add_values(&from, &second, ret);
        return load_from(stepper, insn, insn->offset, &loaded) &&
               (loaded.base != BASE_THREAD || add_values(&from, &loaded, ret));
    case INSN_CHOOSE:
        return choose(&from, &second, ret);
    case INSN_THREAD:
        *ret = (struct code_value){.base = BASE_THREAD};
        return true;
    case INSN_LOAD:
        return load_from(stepper, insn, insn->offset, ret);
    default:
        return true;
    }
}

// Follows one instruction. Conditional jumps are not taken.
static bool
step(struct stepper *stepper, const struct insn *insn)
{
    struct code_value *registers = stepper->registers;
    struct code_value value, second = unknown, base = base_of(stepper, insn);
    if (insn->kind == INSN_UNKNOWN || insn->kind == INSN_CALL || insn->kind == INSN_STOP ||
        (insn->kind == INSN_JUMP && insn->target == 0) || !compute(stepper, insn, &value))
        return false;
    if (insn->kind == INSN_LOAD && insn->second >= 0 &&
        !load_from(stepper, insn, insn->offset + insn->width, &second))
        return false;
    if (insn->kind == INSN_STORE && insn->from >= 0 && !insn->thread)
        store(stepper, &registers[insn->from], &base);
    for (unsigned i = 0; i < MACHINE_REGISTERS; i++)
        if ((insn->clobbers & UINT32_C(1) << i) != 0)
            registers[i] = unknown;
    if (insn->change != 0 && insn->base >= 0 && !add(&registers[insn->base], insn->change))
        return false;
    if (insn->kind == INSN_LOAD && insn->second >= 0)
        registers[insn->second] = second;
    if (insn->to >= 0)
        registers[insn->to] = value;
    if (insn->kind == INSN_RETURN || insn->kind == INSN_JUMP)
        end(stepper, insn->kind == INSN_JUMP);
    return true;
}

bool
code_step_through(const struct machine *machine, const uint8_t *code, size_t size, taddr addr,
                  struct code_result *ret)
{
    struct stepper stepper = {.machine = machine};
    for (unsigned i = 0; i < 2; i++)
        stepper.registers[machine->arguments[i]] =
            (struct code_value){.base = BASE_ARGUMENT, .addr = i};
    size_t at = 0;
    for (unsigned i = 0; i < CODE_STEPS && !stepper.ended; i++) {
        struct insn insn;
        if (!machine_decode(machine, code + at, size - at, addr + at, &insn) ||
            !step(&stepper, &insn))
            return false;
        at += insn.length;
    }
    if (stepper.ended)
        *ret = stepper.result;
    return stepper.ended;
}
