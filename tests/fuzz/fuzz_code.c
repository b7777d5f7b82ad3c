// SPDX-License-Identifier: BSD-3-Clause
// An input is machine code, or an expression of debug information, or a symbol; the first byte says
// which.
#include "ompd-bridge/gnu/gomp_decode.h"
#include "target/code.h"
#include "target/machine/machine.h"
#include "tests/fuzz/harness.h"
#include "mqshow/base/escape.h"
#include "mqshow/symbols/expression.h"
#include "mqshow/stack/keptargs.h"
#include "mqshow/symbols/names.h"

#include <stdlib.h>
#include <string.h>

enum { BASE = 0x10000, EXPRESSION_MAX = 80, ARGUMENTS = 8 };

/** The memory of a made-up process, which is the code. */
struct code {
    const uint8_t *bytes;
    size_t size;
};

static bool
is_there(const struct code *code, taddr addr, size_t size)
{
    return addr >= BASE && addr - BASE <= code->size && size <= code->size - (addr - BASE);
}

static bool
read_code(void *host, taddr addr, size_t size, void *ret)
{
    const struct code *code = host;
    if (!is_there(code, addr, size))
        return false;
    memcpy(ret, code->bytes + (addr - BASE), size);
    return true;
}

/** Every name is somewhere, functions are near each other. */
static bool
find_name(void *host, const char *name, taddr *ret)
{
    const struct code *code = host;
    unsigned hash = 0;
    while (*name != '\0')
        hash = 31 * hash + (unsigned char) *name++;
    *ret = BASE + (code->size > 0 ? hash % code->size : 0);
    return hash % 16 != 0;
}

static const struct target_type *
find_no_type(void *host, const char *name)
{
    (void) host, (void) name;
    return NULL;
}

static int64_t
no_size(void *host, const struct target_type *type)
{
    (void) host, (void) type;
    return -1;
}

static int64_t
no_offset(void *host, const struct target_type *type, const char *field)
{
    (void) host, (void) type, (void) field;
    return -1;
}

static bool
data_model(void *host, struct datamodel *ret)
{
    (void) host;
    *ret = (struct datamodel){false, 2, 4, 8, 8, 8, 1, 8};
    return true;
}

static const struct target_ops ops = {
    .read = read_code,
    .find_symbol = find_name,
    .find_function = find_name,
    .find_type = find_no_type,
    .type_size = no_size,
    .field_offset = no_offset,
    .data_model = data_model,
    .alloc = malloc,
    .free = free,
};

/** The code of a runtime, in which functions are told from each other by their places only. */
static void
decode(const uint8_t *data, size_t size)
{
    struct code code = {data, size};
    struct code_references references;
    struct gomp_facts facts;
    struct code_calls calls;
    struct inferior inf;
    char version[64];
    taddr addr;
    if (inferior_init(&inf, (struct target){&ops, &code}) != STATUS_OK)
        abort();
    if (code_references(&inf, "f", CODE_BYTES, &references) == STATUS_OK &&
        references.count > CODE_REFERENCES)
        abort();
    if (code_calls(&inf, "f", CODE_BYTES, &calls) == STATUS_OK && calls.count > CODE_CALLS)
        abort();
    if (code_text(&inf, "g", code_is_version, version, sizeof version, &addr) == STATUS_OK &&
        memchr(version, '\0', sizeof version) == NULL)
        abort();
    if (gomp_decode(&inf, &facts) == STATUS_OK && facts.machine == NULL)
        abort();
    inferior_deinit(&inf);
}

static bool
may_return(const void *context, uint64_t function)
{
    (void) context;
    return function % 5 != 0;
}

/** Notes the first argument of some functions, and forgets it in others. */
static void
note_call(void *context, struct flow_state *state, const struct insn *call, uint64_t after)
{
    const struct machine *machine = context;
    if (call->target % 3 == 0 && state->n_marks < FLOW_MARKS)
        state->marks[state->n_marks++] =
            (struct flow_mark){state->registers[machine->arguments[0]], (int) (after % 2)};
    else if (call->target % 3 == 1)
        state->n_marks = 0;
}

static void
follow_all(const struct function_code *code)
{
    const struct flow_question question = {
        .code = code, .all = true, .note_call = note_call, .context = (void *) code->machine};
    struct flow flow;
    if (flow_init(&flow, &question))
        for (uint64_t at = 0; at < code->size; at++) {
            const struct flow_state *state = flow_at(&flow, code->start + at);
            if (state != NULL && (state->n_slots > FLOW_SLOTS || state->n_marks > FLOW_MARKS))
                abort();
        }
    flow_deinit(&flow);
}

static void
follow_on(const struct machine *machine, const uint8_t *data, size_t size)
{
    const struct function_code code = {machine, data + 1, size - 1, BASE, NULL, may_return};
    for (unsigned i = 0; i < ARGUMENTS; i++) {
        struct kept_places places;
        struct kept_argument argument = {i, i % 2 == 0 ? 8 : 4};
        if (keptargs_find(&code, &argument, BASE + *data, &places))
            free(places.offsets);
    }
    follow_all(&code);
}

/** The code of a function that keeps its arguments. The first byte says where it stands. */
static void
follow(const uint8_t *data, size_t size)
{
    if (size == 0)
        return;
    follow_on(&machine_x86_64, data, size);
    follow_on(&machine_aarch64, data, size);
}

static bool
read_value(const void *memory, uint64_t addr, size_t width, uint64_t *ret)
{
    (void) memory;
    *ret = addr * 3 + width;
    return addr % 7 != 0;
}

/** An expression, of whose operations each takes nine bytes; half of it is where the frame is. */
static void
compute(const uint8_t *data, size_t size)
{
    Dwarf_Op operations[EXPRESSION_MAX];
    size_t count = 0;
    uint64_t value;
    for (; size >= 9 && count < EXPRESSION_MAX; data += 9, size -= 9) {
        operations[count] = (Dwarf_Op){.atom = data[0]};
        memcpy(&operations[count++].number, data + 1, 8);
    }
    const struct registers registers = {.values = {1, 2, 3, 4}, .known = 0x8000000f};
    const struct eval_context in = {.registers = &registers,
                                    .cfa = 0x8000,
                                    .bias = 0x550000000000,
                                    .base = operations + count / 2,
                                    .n_base = count - count / 2,
                                    .width = 8,
                                    .read = read_value};
    expression_value(&in, operations, count, &value);
    expression_variable(&in, operations, count / 2, 4, &value);
    expression_variable(&(struct eval_context){.read = read_value}, operations, count, 8, &value);
}

/** A symbol of C++, of Fortran, of a compiler's own. */
static void
name(const uint8_t *data, size_t size)
{
    char *symbol = malloc(size + 1);
    if (symbol == NULL)
        abort();
    memcpy(symbol, data, size);
    symbol[size] = '\0';
    free(names_readable(symbol));
    free(names_construct(symbol, "file.c", 7));
    names_is_mangled(symbol);
    names_is_qualified(symbol);
    names_mark(symbol);
    free(escape_text(symbol, size));
    free(symbol);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static void (*const readers[])(const uint8_t *data, size_t size) = {decode, follow, compute,
                                                                        name};
    if (size > 0)
        readers[*data % (sizeof readers / sizeof *readers)](data + 1, size - 1);
    return 0;
}
