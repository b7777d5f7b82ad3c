// SPDX-License-Identifier: BSD-3-Clause
// Finds what does not change while the process runs: the layout of the runtime's structs, by debug
// information or by its code, which must agree, and the place of threads' records.
#include "ompd-bridge/gnu/gomp.h"
#include "target/layout_define.h"

#include <inttypes.h>

// The offset that the code tells of a field; -1: it tells none.
static int32_t
told_offset(const struct gomp_facts *facts, unsigned field)
{
    return facts->known[1 + field] ? (int32_t) facts->values[1 + field] : -1;
}

// Sets one struct from the code. Sizes are told of tasks only;
// other structs end with the last field that is known.
static enum status
set_from_code(struct layout *layout, const struct gomp_facts *facts, unsigned number)
{
    int32_t offsets[NEEDS_FIELDS], count = 0;
    uint32_t size = 0;
    for (unsigned i = 0; i < NEEDS_FIELDS; i++) {
        const struct field_need *need = &gomp_needs.fields[i];
        if (need->owner != number)
            continue;
        int32_t offset = told_offset(facts, i);
        uint32_t width =
            need->kind == KIND_EMBEDS
                ? layout->structs[need->extra].size
                : (uint32_t) layout_kind_width(need->kind, need->extra, &layout->model);
        if (offset >= 0 && (uint32_t) offset + width > size)
            size = (uint32_t) offset + width;
        offsets[count++] = offset;
    }
    if (number == S(gomp_task) && facts->known[FACT_TASK_SIZE] &&
        facts->values[FACT_TASK_SIZE] > size)
        size = (uint32_t) facts->values[FACT_TASK_SIZE];
    return layout_set(layout, number, size, offsets);
}

static enum status
check_agreement(struct inferior *inf, const struct layout *layout, const struct gomp_facts *facts)
{
    for (unsigned i = 0; i < NEEDS_FIELDS; i++) {
        const struct field_need *need = &gomp_needs.fields[i];
        int32_t told = told_offset(facts, i);
        if (told >= 0 && layout->fields[i].offset >= 0 && layout->fields[i].offset != told)
            return trail_begin(&inf->trail, STATUS_MISMATCH,
                               "libgomp's debug information and its code disagree about %s.%s: "
                               "install the libgomp1-dbgsym of the same version",
                               gomp_needs.structs[need->owner].name, need->name);
    }
    return STATUS_OK;
}

// Makes the layout of debug information, as far as there is any, and of what the code tells.
static enum status
resolve_layout(struct inferior *inf, const struct gomp_facts *facts, struct layout *ret)
{
    layout_init(ret, &gomp_needs, &inf->model);
    layout_from_debug(ret, inf);
    TRY(check_agreement(inf, ret, facts));
    for (unsigned i = 0; i < NEEDS_STRUCTS; i++)
        if (ret->structs[i].origin == ORIGIN_NONE && set_from_code(ret, facts, i) != STATUS_OK &&
            i <= S(gomp_team))
            break;
    const char *missing = layout_missing(ret);
    if (missing)
        return trail_begin(&inf->trail, STATUS_ABSENT,
                           "the layout of %s is not known for this libgomp: install "
                           "libgomp1-dbgsym",
                           missing);
    return STATUS_OK;
}

enum { TLS_MAX = 1 << 20 }; // bytes between a thread's pthread_t and its variables

// The offset from the thread pointer stands in the runtime's own table of such offsets, or in its
// code where it is linked statically.
static enum status
find_tls(struct gomp *gomp)
{
    struct inferior *inf = gomp->inf;
    uint64_t offset = gomp->facts.values[FACT_OFFSET];
    if (!gomp->facts.known[FACT_OFFSET])
        TRY(inferior_read_uint(inf, gomp->facts.values[FACT_SLOT], 8, &offset));
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
gomp_find(struct inferior *inf, struct diagnostics *diagnostics, struct gomp *ret)
{
    *ret = (struct gomp){.inf = inf, .diagnostics = diagnostics};
    TRY(gomp_decode(inf, &ret->facts));
    TRY(resolve_layout(inf, &ret->facts, &ret->layout));
    TRY(nptl_find(inf, &ret->nptl));
    TRY(nptl_find_heads(&ret->nptl, inf, &ret->heads));
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
