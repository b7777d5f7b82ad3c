// SPDX-License-Identifier: BSD-3-Clause
// Build-ids, which show whether two files are of one build.
#include "mqshow/base/build_id.h"

#include "mqshow/base/alloc.h"

#include <elfutils/libdwelf.h>
#include <stdio.h>
#include <string.h>

struct build_id
build_id(const void *bytes, ssize_t length)
{
    struct build_id ret = {.length = 0};
    if (length > 0 && length <= BUILD_ID_BYTES) {
        ret.length = (size_t) length;
        memcpy(ret.bytes, bytes, ret.length);
    }
    return ret;
}

struct build_id
build_id_of(Elf *elf)
{
    const void *bytes;
    bool is_elf = elf != NULL && elf_kind(elf) == ELF_K_ELF;
    ssize_t length = is_elf ? dwelf_elf_gnu_build_id(elf, &bytes) : 0;
    return build_id(bytes, length);
}

bool
build_id_of_start(char *bytes, size_t size, struct build_id *ret)
{
    bool is_elf = size > SELFMAG && memcmp(bytes, ELFMAG, SELFMAG) == 0;
    Elf *elf = is_elf ? elf_memory(bytes, size) : NULL;
    *ret = build_id_of(elf);
    elf_end(elf);
    return is_elf;
}

bool
build_id_equals(const struct build_id *a, const struct build_id *b)
{
    return a->length == b->length && memcmp(a->bytes, b->bytes, a->length) == 0;
}

char *
build_id_text(const struct build_id *id)
{
    char *ret = alloc_zeroed(2 * id->length + 1, 1);
    for (size_t i = 0; i < id->length; i++)
        sprintf(ret + 2 * i, "%02x", id->bytes[i]);
    return ret;
}
