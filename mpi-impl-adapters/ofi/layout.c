// SPDX-License-Identifier: BSD-3-Clause
// Where the layouts of libfabric's structs come from: the first block for the provider that what is
// in the endpoint confirms.
#include "mpi-impl-adapters/ofi/layout.h"

#include <string.h>

static const struct ofi_kind *const kinds[] = {&ofi_kind_queue, &ofi_kind_shared};

// Whether a block is for a provider. Of "tcp;ofi_rxm" it is the last one that matches.
static bool
is_for(const char *label, const char *provider)
{
    const char *name = strrchr(label, ' '), *last = strrchr(provider, ';');

    return name != NULL && strcmp(name + 1, last == NULL ? provider : last + 1) == 0;
}

static enum status
confirm(struct ofi *ofi)
{
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); ++i) {
        ofi->kind = kinds[i];
        if (ofi->layout.structs[kinds[i]->number].origin != ORIGIN_NONE)
            return ofi->kind->confirm(ofi);
    }
    return trail_begin(&ofi->inf->trail, STATUS_MISMATCH, "the layout of its queues is not known");
}

static enum status
use_block(struct ofi *ofi, unsigned block)
{
    const struct datamodel model = ofi->layout.model;

    layout_init(&ofi->layout, &ofi_needs, &model);
    TRY(layout_from_block(&ofi->layout, ofi_builtin, ofi_builtin_rows, block));
    return confirm(ofi);
}

enum status
ofi_open(struct inferior *inf, const struct layout *layout, struct ofi_place place,
         const char *provider, taddr endpoint, struct ofi *ret)
{
    const char *label;
    bool known = false;

    *ret = (struct ofi){.inf = inf, .endpoint = endpoint};
    layout_init(&ret->layout, &ofi_needs, &layout->model);
    memcpy(ret->layout.structs, layout->structs + place.first_struct,
           NEEDS_STRUCTS * sizeof(*layout->structs));
    memcpy(ret->layout.fields, layout->fields + place.first_field,
           NEEDS_FIELDS * sizeof(*layout->fields));
    if (ret->layout.structs[S(ofi_endpoint)].origin == ORIGIN_DEBUG)
        return confirm(ret);
    for (unsigned block = 0;
         (label = layout_block_label(ofi_builtin, ofi_builtin_rows, block)) != NULL; ++block) {
        if (!is_for(label, provider))
            continue;
        known = true;
        if (use_block(ret, block) == STATUS_OK)
            return STATUS_OK;
    }
    return trail_begin(&inf->trail, STATUS_MISMATCH, "%s",
                       known ? "the layout of its queues is not known"
                             : "only those of ofi_rxm, tcp and sockets can be");
}

enum status
ofi_member_load(const struct ofi *ofi, unsigned field, uint64_t *ret)
{
    return inferior_read_uint(ofi->inf, ofi_member(ofi, field), ofi->layout.fields[field].width,
                              ret);
}

enum status
ofi_each_receive(const struct ofi *ofi,
                 enum status (*visit)(void *context, const struct ofi_receive *receive),
                 void *context)
{
    return ofi->kind->each_receive(ofi, visit, context);
}

enum status
ofi_each_message(const struct ofi *ofi,
                 enum status (*visit)(void *context, const struct ofi_message *message),
                 void *context)
{
    return ofi->kind->each_message(ofi, visit, context);
}
