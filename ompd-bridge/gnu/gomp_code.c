// SPDX-License-Identifier: BSD-3-Clause
// Steps through the instructions of a short function and notes where values come from.
#include "ompd-bridge/gnu/gomp_code.h"

#include <string.h>

enum { NUMBER_MAX = 1 << 20 }; // an offset within a struct is less

struct stepper {
    const struct code_machine *machine;
    struct code_value registers[CODE_REGISTERS];
    struct code_result result;
    bool ended;
};

static const struct code_value unknown = {.base = BASE_UNKNOWN};

int64_t
code_number(uint64_t word, struct code_field field, bool is_signed, unsigned scale)
{
    if (field.bits == 0)
        return 0;
    uint64_t number = word >> field.shift & (UINT64_MAX >> (64 - field.bits));
    uint64_t sign = (uint64_t) 1 << (field.bits - 1);
    if (is_signed && (number & sign))
        number -= sign << 1;
    return (int64_t) (number << scale);
}

static bool
is_offset(int64_t number)
{
    return number > -NUMBER_MAX && number < NUMBER_MAX;
}

// Adds to where a value points; false when that makes no sense.
static bool
add(struct code_value *value, int64_t number)
{
    if (value->base == BASE_CONSTANT || value->base == BASE_UNKNOWN)
        return true;
    if (value->base == BASE_IMAGE && value->n_loads == 0) {
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
    if (!is_offset(number))
        return false;
    if (value->base == BASE_IMAGE && value->n_loads == 0) {
        value->addr += (taddr) number;
        number = 0;
    }
    if (value->n_loads == CODE_LOADS)
        return false;
    value->loads[value->n_loads++] = (struct code_load){value->added, (int32_t) number, width};
    value->added = 0;
    return true;
}

// The thread pointer + what was loaded from the image: the offset of a thread-local variable.
static bool
add_thread(struct code_value *value)
{
    if (value->base != BASE_IMAGE || value->n_loads != 1 || value->loads[0].width != 8 ||
        value->added != 0)
        return false;
    *value = (struct code_value){.base = BASE_VARIABLE, .addr = value->addr};
    return true;
}

static bool
add_values(const struct code_value *a, const struct code_value *b, struct code_value *ret)
{
    struct code_value sum = unknown;
    if (a->base == BASE_THREAD)
        sum = *b;
    else if (b->base == BASE_THREAD)
        sum = *a;
    *ret = sum;
    return sum.base == BASE_UNKNOWN || add_thread(ret);
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
    const struct code_machine *machine = stepper->machine;
    unsigned number = jumps ? machine->arguments[0] : machine->result;
    stepper->result.value = stepper->registers[number];
    stepper->result.jumps = jumps;
    stepper->ended = true;
}

static bool
step(struct stepper *stepper, const struct code_form *form, uint64_t word, taddr addr)
{
    struct code_value *registers = stepper->registers;
    struct code_value *to = &registers[code_number(word, form->to, false, 0)];
    struct code_value from = registers[code_number(word, form->from, false, 0)];
    struct code_value second = registers[code_number(word, form->second, false, 0)];
    int64_t number = code_number(word, form->number, form->is_signed, form->scale);
    switch (form->action) {
    case DO_NOTHING:
        return true;
    case DO_LOSE:
        *to = unknown;
        return true;
    case DO_CONSTANT:
        *to = (struct code_value){.base = BASE_CONSTANT};
        return true;
    case DO_MOVE:
        *to = second;
        return true;
    case DO_GIVE_UP:
        return false;
    case DO_ADD:
    case DO_SUBTRACT:
        *to = from;
        return add(to, form->action == DO_ADD ? number : -number);
    case DO_ADD_VALUE:
        return add_values(&from, &second, to);
    case DO_THREAD:
        *to = (struct code_value){.base = BASE_THREAD};
        return true;
    case DO_ADD_THREAD:
        return add_thread(to);
    case DO_LOAD:
        *to = from;
        return load(to, number, form->width);
    case DO_LOAD_THREAD:
        *to = from;
        return add_thread(to) && load(to, number, form->width);
    case DO_ADDRESS:
        *to = (struct code_value){.base = BASE_IMAGE, .addr = addr + form->size + (taddr) number};
        return true;
    case DO_PAGE:
        *to = (struct code_value){.base = BASE_IMAGE, .addr = (addr & ~(taddr) 4095)};
        return add(to, (number + code_number(word, form->second, false, 0)) * 4096);
    case DO_LOAD_IMAGE:
        *to = (struct code_value){.base = BASE_IMAGE, .addr = addr + form->size + (taddr) number};
        return load(to, 0, form->width);
    case DO_CHOOSE:
        return choose(&from, &second, to);
    case DO_STORE:
        store(stepper, to, &from);
        return true;
    case DO_RETURN:
    case DO_JUMP:
        end(stepper, form->action == DO_JUMP);
        return true;
    }
    return false;
}

static uint64_t
word_at(const uint8_t *code, size_t size)
{
    uint64_t word = 0;
    for (size_t i = 0; i < 8 && i < size; i++)
        word |= (uint64_t) code[i] << (8 * i);
    return word;
}

static const struct code_form *
find_form(const struct code_machine *machine, uint64_t word, size_t left)
{
    for (unsigned i = 0; i < machine->n_forms; i++)
        if (machine->forms[i].size <= left &&
            (word & machine->forms[i].mask) == machine->forms[i].value)
            return &machine->forms[i];
    return NULL;
}

bool
code_step_through(const struct code_machine *machine, const uint8_t *code, size_t size, taddr addr,
                  struct code_result *ret)
{
    struct stepper stepper = {.machine = machine};
    for (unsigned i = 0; i < 2; i++)
        stepper.registers[machine->arguments[i]] =
            (struct code_value){.base = BASE_ARGUMENT, .addr = i};
    size_t at = 0;
    for (unsigned i = 0; i < CODE_STEPS && !stepper.ended; i++) {
        uint64_t word = word_at(code + at, size - at);
        const struct code_form *form = find_form(machine, word, size - at);
        if (!form || !step(&stepper, form, word, addr + at))
            return false;
        at += form->size;
    }
    if (stepper.ended)
        *ret = stepper.result;
    return stepper.ended;
}
