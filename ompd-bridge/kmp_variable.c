// SPDX-License-Identifier: BSD-3-Clause
// Finds the runtime's settings by name or by a look at the code that returns them.
#include "ompd-bridge/kmp_variable.h"

#include "ompd-bridge/kmp_code.h"

static const struct {
    const char *name;
    enum published_entry size;
    const char *function;
} variables[] = {
#define VARIABLE(id, name, size, function) {name, size, function},
#include "ompd-bridge/kmp_variables.def"
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
    return kmp_code_returned(kmp, function, size, ret);
}

enum status
kmp_variable_read(const struct kmp *kmp, enum kmp_variable variable, uint64_t *ret)
{
    taddr addr;
    TRY(kmp_variable_addr(kmp, variable, &addr));
    return inferior_read_uint(kmp->inf, addr, (size_t) kmp->table.values[variables[variable].size],
                              ret);
}
