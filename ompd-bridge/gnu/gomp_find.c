// SPDX-License-Identifier: BSD-3-Clause
// Finds what does not change while the process runs: layouts, and the place of threads' records.
#include "ompd-bridge/gnu/gomp.h"

#include <inttypes.h>

enum { TLS_MAX = 1 << 20 }; // bytes between a thread's pthread_t and its variables

// The offset from the thread pointer stands in the runtime's own table of such offsets.
static enum status
find_tls(struct gomp *gomp)
{
    struct inferior *inf = gomp->inf;
    taddr slot = gomp->facts.values[FACT_SLOT];
    uint64_t offset;
    TRY(inferior_read_uint(inf, slot, 8, &offset));
    bool behind = gomp->facts.machine->thread_behind;
    // Variables lie before the thread pointer on some machines and behind it on others.
    bool near = behind ? offset <= TLS_MAX : offset >= UINT64_MAX - TLS_MAX;
    if (offset == 0 || offset % 8 != 0 || !near)
        return trail_begin(&inf->trail, STATUS_CORRUPT,
                           "libgomp's thread-local variable cannot be at offset 0x%" PRIx64,
                           offset);
    gomp->tls = behind ? gomp->heads.descriptor + offset : offset;
    return STATUS_OK;
}

enum status
gomp_find(struct inferior *inf, struct gomp *ret)
{
    *ret = (struct gomp){.inf = inf};
    TRY(gomp_decode(inf, &ret->facts));
    TRY(gomp_layout_resolve(inf, &ret->facts, &ret->layout));
    TRY(nptl_find(inf, &ret->nptl));
    TRY(nptl_find_heads(inf, &ret->heads));
    return find_tls(ret);
}

enum status
gomp_read_field(const struct gomp *gomp, taddr addr, unsigned field, uint64_t *ret)
{
    const struct field_layout *place = &gomp->layout.fields[field];
    if (place->offset < 0)
        return trail_begin(&gomp->inf->trail, STATUS_UNSUPPORTED, "%s.%s is not known",
                           gomp_needs.structs[gomp_needs.fields[field].owner].name,
                           gomp_needs.fields[field].name);
    if (addr < 4096 || addr % gomp->inf->model.pointer_size != 0)
        return trail_begin(&gomp->inf->trail, STATUS_CORRUPT, "%s cannot be at 0x%" PRIx64,
                           gomp_needs.structs[gomp_needs.fields[field].owner].name, addr);
    return inferior_read_uint(gomp->inf, addr + (taddr) place->offset, place->width, ret);
}
