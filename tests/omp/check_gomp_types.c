// SPDX-License-Identifier: BSD-3-Clause
// A host that also knows the types of one library.
#include "tests/omp/check_gomp.h"
#include "mqshow/symbols/types.h"

#include <fcntl.h>
#include <unistd.h>

enum { TYPES = 32 };

static struct {
    int fd;
    Dwarf *dwarf;
    struct types types;
    struct type_entry found[TYPES];
    unsigned n_found;
    struct target_ops ops;
} typed = {.fd = -1};

static const struct target_type *
find_type(void *host, const char *name)
{
    (void) host;
    ck_assert_uint_lt(typed.n_found, TYPES);
    struct type_entry *entry = &typed.found[typed.n_found];
    if (!types_find(&typed.types, name, false, entry))
        return NULL;
    typed.n_found++;
    return (const struct target_type *) entry;
}

static int64_t
size_of_type(void *host, const struct target_type *type)
{
    (void) host;
    return type_size((const struct type_entry *) type);
}

static int64_t
offset_of_field(void *host, const struct target_type *type, const char *field)
{
    (void) host;
    return type_field_offset((const struct type_entry *) type, field);
}

struct target
gomp_typed_target(struct live_host *host, const char *library)
{
    struct target target = live_host_target(host);
    typed.fd = open(library, O_RDONLY | O_CLOEXEC);
    ck_assert_int_ge(typed.fd, 0);
    typed.dwarf = dwarf_begin(typed.fd, DWARF_C_READ);
    ck_assert_ptr_nonnull(typed.dwarf);
    types_read(&typed.types, typed.dwarf);
    typed.ops = *target.ops;
    typed.ops.find_type = find_type;
    typed.ops.type_size = size_of_type;
    typed.ops.field_offset = offset_of_field;
    target.ops = &typed.ops;
    return target;
}

void
gomp_forget_types(void)
{
    if (typed.fd < 0)
        return;
    types_deinit(&typed.types);
    dwarf_end(typed.dwarf);
    close(typed.fd);
    typed.fd = -1;
    typed.n_found = 0;
    typed.types = (struct types){.are_read = false};
}
