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

static bool
is_near(const struct kmp *kmp, taddr addr)
{
    return addr - (kmp->variable - NEAR) <= 2 * NEAR;
}

// Address of the variable that an instruction loads; on aarch64 that is itself loaded, from the
// library's table of addresses. @return 0 when it is not known
static taddr
loaded_from(const struct kmp *kmp, const struct insn_refs *refs, const struct insn *insn)
{
    taddr addr = insn_refs_address(refs, insn);
    taddr slot = insn->base >= 0 ? refs->slots[insn->base] : 0;
    if (addr == 0 && slot != 0 && is_near(kmp, slot) && insn->offset == 0 &&
        inferior_read_pointer(kmp->inf, slot, &addr) != STATUS_OK)
        return 0;
    return addr;
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
        bool loads = insn.kind == INSN_LOAD && insn.width == size && insn.second < 0 &&
                     insn.to >= 0 && is_returned(&code, at, insn.to);
        found = loads ? loaded_from(kmp, &refs, &insn) : 0;
        insn_refs_apply(&refs, &insn);
        if (found != 0 && is_near(kmp, found) && found % size == 0) {
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

enum { PREFIX = 8, LIST_PART = 16 }; // bytes of a text that say whether it is of use; pointers

// Whether it begins like what is sought in the environment: a variable or, with no name, all that
// may be of a runtime.
static bool
is_of_use(const char *prefix, const char *name)
{
    if (name)
        return strncmp(prefix, name, strlen(name) < PREFIX ? strlen(name) : PREFIX) == 0;
    return strstr(prefix, "OMP_") || strstr(prefix, "KMP_");
}

// "NAME=VALUE" number `index`, or "" when it is of no use; STATUS_END past the last.
static enum status
environ_at(const struct kmp *kmp, unsigned index, const char *name, size_t size, char *ret)
{
    const unsigned width = kmp->inf->model.pointer_size;
    taddr list, text;
    char prefix[PREFIX + 1];
    if (index >= KMP_ENVIRON_MAX)
        return trail_begin(&kmp->inf->trail, STATUS_CORRUPT, "the environment has no end");
    TRY(find_environ(kmp, &list));
    if (list == 0)
        return STATUS_END;
    if (index % LIST_PART == 0)
        inferior_fetch(kmp->inf, list + (taddr) index * width, (size_t) LIST_PART * width);
    TRY(inferior_read_pointer(kmp->inf, list + (taddr) index * width, &text));
    if (text == 0)
        return STATUS_END;
    ret[0] = '\0';
    TRY(inferior_read_string(kmp->inf, text, sizeof(prefix), prefix));
    return is_of_use(prefix, name) ? inferior_read_string(kmp->inf, text, size, ret) : STATUS_OK;
}

// The value, when this setting is of the variable.
static bool
take_value(const char *setting, const char *name, size_t size, char *ret)
{
    size_t length = strlen(name);
    if (strncmp(setting, name, length) != 0 || setting[length] != '=')
        return false;
    snprintf(ret, size, "%s", setting + length + 1);
    return true;
}

enum status
kmp_environ_get(const struct kmp *kmp, const char *name, size_t size, char *ret)
{
    char setting[KMP_SETTING_MAX];
    for (unsigned i = 0;; i++) {
        enum status status = environ_at(kmp, i, name, sizeof(setting), setting);
        if (status != STATUS_OK)
            return status == STATUS_END ? STATUS_ABSENT : status;
        if (take_value(setting, name, size, ret))
            return STATUS_OK;
    }
}

// The settings of the environment that may be of a runtime, one behind the other.
struct settings {
    char *texts;
    size_t used, room;
};

static enum status
settings_add(struct settings *settings, struct inferior *inf, const char *text)
{
    size_t size = strlen(text) + 1;
    if (size > settings->room - settings->used) {
        size_t room = 2 * settings->room + size;
        char *texts = inferior_alloc(inf, room);
        if (!texts)
            return trail_begin(&inf->trail, STATUS_NOMEM, "%s", status_text(STATUS_NOMEM));
        if (settings->used > 0)
            memcpy(texts, settings->texts, settings->used);
        inferior_free(inf, settings->texts);
        settings->texts = texts;
        settings->room = room;
    }
    memcpy(settings->texts + settings->used, text, size);
    settings->used += size;
    return STATUS_OK;
}

static enum status
settings_load(struct settings *settings, const struct kmp *kmp)
{
    char setting[KMP_SETTING_MAX];
    for (unsigned i = 0;; i++) {
        enum status status = environ_at(kmp, i, NULL, sizeof(setting), setting);
        if (status != STATUS_OK)
            return status == STATUS_END ? STATUS_OK : status;
        if (setting[0] != '\0')
            TRY(settings_add(settings, kmp->inf, setting));
    }
}

// The next one; NULL behind the last.
static const char *
settings_next(const struct settings *settings, const char *text)
{
    const char *next = text ? text + strlen(text) + 1 : settings->texts;
    return next && next < settings->texts + settings->used ? next : NULL;
}

static bool
settings_get(const struct settings *settings, const char *name, size_t size, char *ret)
{
    for (const char *at = NULL; (at = settings_next(settings, at));)
        if (take_value(at, name, size, ret))
            return true;
    return false;
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
emit_line(const struct settings *settings, char *line, struct text_sink *sink)
{
    char setting[KMP_SETTING_MAX];
    size_t length = name_length(line);
    if (length == 0 || length + 2 > sizeof(setting))
        return STATUS_OK;
    char *value = setting + length + 1;
    size_t room = sizeof(setting) - length - 1;
    size_t own = length + 1 + (line[length] == ':' && line[length + 1] == ' ');
    memcpy(setting, line, length);
    setting[length] = '\0';
    if (!settings_get(settings, setting, room, value))
        snprintf(value, room, "%s", line + own);
    setting[length] = '=';
    return sink->emit(sink, setting);
}

static enum status
emit_listed(const struct settings *settings, char *line, struct text_sink *sink)
{
    while (*line != '\0') {
        size_t length = strcspn(line, "\n");
        bool last = line[length] == '\0';
        line[length] = '\0';
        TRY(emit_line(settings, line, sink));
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
emit_others(const struct settings *settings, const char *list, struct text_sink *sink)
{
    for (const char *at = NULL; (at = settings_next(settings, at));) {
        bool ours = strncmp(at, "OMP_", 4) == 0 || strncmp(at, "KMP_", 4) == 0;
        if (ours && !is_listed(list, at, strcspn(at, "=")))
            TRY(sink->emit(sink, at));
    }
    return STATUS_OK;
}

static enum status
emit_all(const struct kmp *kmp, struct settings *settings, char *list, struct text_sink *sink)
{
    size_t size = (size_t) kmp->table.values[WORD_ompd_env_block_size];
    TRY(inferior_read(kmp->inf, kmp->table.values[WORD_ompd_env_block], size, list));
    list[size] = '\0';
    TRY(settings_load(settings, kmp));
    TRY(emit_listed(settings, list, sink));
    return emit_others(settings, list, sink);
}

// The list is as long as was checked when it was found, and may have changed since.
enum status
kmp_control_vars(const struct kmp *kmp, struct text_sink *sink)
{
    struct inferior *inf = kmp->inf;
    struct settings settings = {.texts = NULL};
    if (kmp->table.builtin)
        return trail_begin(&inf->trail, STATUS_UNSUPPORTED,
                           "the OpenMP runtime publishes no list of its settings");
    char *list = inferior_alloc(inf, (size_t) kmp->table.values[WORD_ompd_env_block_size] + 1);
    if (!list)
        return trail_begin(&inf->trail, STATUS_NOMEM, "%s", status_text(STATUS_NOMEM));
    enum status status = emit_all(kmp, &settings, list, sink);
    inferior_free(inf, settings.texts);
    inferior_free(inf, list);
    return status;
}
