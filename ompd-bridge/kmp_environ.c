// SPDX-License-Identifier: BSD-3-Clause
// Reads the environment of the process where the C library keeps it.
#include "ompd-bridge/kmp_environ.h"

#include <string.h>

static enum status
find_environ(const struct kmp *kmp, taddr *ret)
{
    taddr variable;
    if (inferior_symbol(kmp->inf, "__environ", &variable) != STATUS_OK &&
        inferior_symbol(kmp->inf, "environ", &variable) != STATUS_OK)
        return trail_begin(&kmp->inf->trail, STATUS_UNSUPPORTED,
                           "the C library does not tell where the environment is");
    return inferior_read_pointer(kmp->inf, variable, ret);
}

enum status
kmp_environ_at(const struct kmp *kmp, unsigned index, size_t size, char *ret)
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
        status = kmp_environ_at(kmp, i, sizeof(setting), setting);
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
