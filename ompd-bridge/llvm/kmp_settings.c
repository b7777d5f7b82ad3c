// SPDX-License-Identifier: BSD-3-Clause
// The settings of LLVM's runtime: its variables, by name or out of the code of the functions that
// return them; the environment; and the display control variables.
#include "ompd-bridge/llvm/kmp_settings.h"

#include "target/code.h"
#include "target/machine/machine.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum {
    CODE_MAX = 192,     // bytes of a function that are looked at
    NEAR = 1024 * 1024, // bytes between variables of one library
};

struct code {
    const struct machine *machine;
    uint8_t bytes[CODE_MAX];
    size_t size;
    taddr addr;
};

static bool
next(const struct code *code, size_t *at, struct insn *ret)
{
    return machine_sweep(code->machine, code->bytes, code->size, code->addr, at, ret);
}

// Whether an instruction takes a stack frame down, and leaves a register as it is.
static bool
unwinds(const struct code *code, const struct insn *insn, int8_t reg)
{
    bool moves =
        insn->base == (int8_t) code->machine->stack &&
        (insn->kind == INSN_LOAD || (insn->kind == INSN_ADDRESS && insn->to == insn->base));
    return moves && (insn->clobbers & UINT32_C(1) << reg) == 0;
}

// Whether the value of a register is what the function returns. A text is not returned, but its
// length taken: it becomes the argument of a call.
static bool
is_returned(const struct code *code, size_t at, int8_t reg)
{
    const struct machine *machine = code->machine;
    struct insn insn;
    while (next(code, &at, &insn)) {
        if (insn.kind == INSN_RETURN)
            return reg == (int8_t) machine->result;
        if (insn.kind == INSN_COPY && insn.from == reg && insn.width == 8 &&
            insn.to == (int8_t) machine->arguments[0])
            return next(code, &at, &insn) && insn.kind == INSN_CALL;
        if (!unwinds(code, &insn, reg))
            return false;
    }
    return false;
}

// Address of the variable of 4 or 8 bytes whose value a function of the interface returns, or
// copies from: it makes sure that the runtime has started, loads the variable and returns. What
// does not look exactly like that (other machines, other compilers) is not understood. The end of
// the code may be the end of a mapping.
static enum status
find_returned(const struct kmp *kmp, const char *function, uint64_t size, taddr *ret)
{
    struct code code = {.size = CODE_MAX};
    const struct target *target = &kmp->inf->target;
    taddr found, addr;
    bool fits = kmp->inf->model.pointer_size == 8 && !kmp->inf->model.big_endian;
    if (!fits || !target->ops->find_function(target->host, function, &addr))
        return trail_begin(&kmp->inf->trail, STATUS_ABSENT, "there is no %s to look into",
                           function);
    code.addr = addr;
    TRY(code_read(kmp->inf, addr, &code.size, code.bytes));
    code.machine = code_machine(code.bytes, code.size, addr);
    struct insn_refs refs = {.addresses = {0}};
    struct insn insn;
    for (size_t at = 0; next(&code, &at, &insn);) {
        found = insn_refs_address(&refs, &insn);
        insn_refs_apply(&refs, &insn);
        if (insn.kind == INSN_LOAD && insn.width == size && insn.second < 0 && found != 0 &&
            found - (kmp->variable - NEAR) <= 2 * NEAR && found % size == 0 && insn.to >= 0 &&
            is_returned(&code, at, insn.to)) {
            *ret = found;
            return STATUS_OK;
        }
    }
    return trail_begin(&kmp->inf->trail, STATUS_ABSENT, "the code of %s is of no known shape",
                       function);
}

static const struct {
    const char *name;
    enum published_entry size;
    const char *function;
} variables[] = {
#define VARIABLE(id, name, size, function) {name, size, function},
#include "ompd-bridge/llvm/kmp_variables.def"
#undef VARIABLE
};

enum status
kmp_variable_addr(const struct kmp *kmp, enum kmp_variable variable, taddr *ret)
{
    const char *function = variables[variable].function;
    uint64_t size = kmp->table.values[variables[variable].size];
    if (inferior_symbol(kmp->inf, variables[variable].name, ret) == STATUS_OK)
        return STATUS_OK;
    if (function[0] == '\0')
        return trail_begin(&kmp->inf->trail, STATUS_ABSENT, "the OpenMP runtime does not name %s",
                           variables[variable].name);
    return find_returned(kmp, function, size, ret);
}

enum status
kmp_variable_read(const struct kmp *kmp, enum kmp_variable variable, uint64_t *ret)
{
    taddr addr;
    TRY(kmp_variable_addr(kmp, variable, &addr));
    return inferior_read_uint(kmp->inf, addr, (size_t) kmp->table.values[variables[variable].size],
                              ret);
}

// The environment, where the C library keeps it.
static enum status
find_environ(const struct kmp *kmp, taddr *ret)
{
    taddr variable;
    if (inferior_symbol(kmp->inf, "__environ", &variable) != STATUS_OK &&
        inferior_symbol(kmp->inf, "environ", &variable) != STATUS_OK)
        return trail_begin(&kmp->inf->trail, STATUS_UNSUPPORTED,
                           "the address of the environment is not known");
    return inferior_read_pointer(kmp->inf, variable, ret);
}

// "NAME=VALUE" number `index`; STATUS_END past the last.
static enum status
environ_at(const struct kmp *kmp, unsigned index, size_t size, char *ret)
{
    taddr list, text;
    if (index >= KMP_ENVIRON_MAX)
        return trail_begin(&kmp->inf->trail, STATUS_CORRUPT, "the environment has no end");
    TRY(find_environ(kmp, &list));
    if (list == 0)
        return STATUS_END;
    TRY(inferior_read_pointer(kmp->inf, list + (taddr) index * kmp->inf->model.pointer_size,
                              &text));
    return text == 0 ? STATUS_END : inferior_read_string(kmp->inf, text, size, ret);
}

enum status
kmp_environ_get(const struct kmp *kmp, const char *name, size_t size, char *ret)
{
    char setting[KMP_SETTING_MAX];
    size_t length = strlen(name);
    enum status status;
    for (unsigned i = 0;; i++) {
        status = environ_at(kmp, i, sizeof(setting), setting);
        if (status != STATUS_OK)
            return status == STATUS_END ? STATUS_ABSENT : status;
        if (strncmp(setting, name, length) != 0 || setting[length] != '=')
            continue;
        size_t rest = strlen(setting + length + 1);
        rest = rest < size ? rest : size - 1;
        memcpy(ret, setting + length + 1, rest);
        ret[rest] = '\0';
        return STATUS_OK;
    }
}

// The runtime writes its list (ompd_env_block) down before it reads the environment: it knows
// all names, and the values that they have when nothing is set.
static size_t
name_length(const char *line)
{
    size_t length = 0;
    while (isalnum((unsigned char) line[length]) || line[length] == '_')
        length++;
    return line[length] == '=' || line[length] == ':' ? length : 0;
}

// Emits one line, or what the environment has instead. One of the lines has ": " for '='.
static enum status
emit_line(const struct kmp *kmp, char *line, struct text_sink *sink)
{
    char setting[KMP_SETTING_MAX];
    size_t length = name_length(line);
    if (length == 0 || length + 2 > sizeof(setting))
        return STATUS_OK;
    size_t value = length + 1 + (line[length] == ':' && line[length + 1] == ' ');
    memcpy(setting, line, length);
    setting[length] = '\0';
    enum status status =
        kmp_environ_get(kmp, setting, sizeof(setting) - length - 1, setting + length + 1);
    setting[length] = '=';
    if (status == STATUS_ABSENT)
        snprintf(setting + length + 1, sizeof(setting) - length - 1, "%s", line + value);
    else if (status != STATUS_OK)
        return status;
    return sink->emit(sink, setting);
}

static enum status
emit_listed(const struct kmp *kmp, char *line, struct text_sink *sink)
{
    while (*line != '\0') {
        size_t length = strcspn(line, "\n");
        bool last = line[length] == '\0';
        line[length] = '\0';
        TRY(emit_line(kmp, line, sink));
        line[length] = last ? '\0' : '\n';
        line += length + !last;
    }
    return STATUS_OK;
}

static bool
is_listed(const char *line, const char *setting, size_t length)
{
    for (; *line != '\0'; line += line[0] == '\n') {
        if (strncmp(line, setting, length) == 0 && name_length(line) == length)
            return true;
        line += strcspn(line, "\n");
    }
    return false;
}

// Emits the other variables of the environment for an OpenMP runtime: OMP_DEBUG is such a variable.
static enum status
emit_others(const struct kmp *kmp, const char *settings, struct text_sink *sink)
{
    char setting[KMP_SETTING_MAX];
    for (unsigned i = 0;; i++) {
        enum status status = environ_at(kmp, i, sizeof(setting), setting);
        if (status != STATUS_OK)
            return status == STATUS_END ? STATUS_OK : status;
        size_t length = strcspn(setting, "=");
        bool ours = strncmp(setting, "OMP_", 4) == 0 || strncmp(setting, "KMP_", 4) == 0;
        if (ours && !is_listed(settings, setting, length))
            TRY(sink->emit(sink, setting));
    }
}

// The list is as long as was checked when it was found, and may have changed since.
enum status
kmp_control_vars(const struct kmp *kmp, struct text_sink *sink)
{
    struct inferior *inf = kmp->inf;
    size_t size = (size_t) kmp->table.values[WORD_ompd_env_block_size];
    if (kmp->table.builtin)
        return trail_begin(&inf->trail, STATUS_UNSUPPORTED,
                           "the OpenMP runtime publishes no list of its settings");
    char *settings = inferior_alloc(inf, size + 1);
    if (!settings)
        return trail_begin(&inf->trail, STATUS_NOMEM, "%s", status_text(STATUS_NOMEM));
    enum status status = inferior_read(inf, kmp->table.values[WORD_ompd_env_block], size, settings);
    settings[size] = '\0';
    if (status == STATUS_OK)
        status = emit_listed(kmp, settings, sink);
    if (status == STATUS_OK)
        status = emit_others(kmp, settings, sink);
    inferior_free(inf, settings);
    return status;
}
