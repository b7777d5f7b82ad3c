// SPDX-License-Identifier: BSD-3-Clause
// Where the layouts of libfabric's structs come from: the first block for the provider that what is
// in the endpoint confirms.
#include "mpi-impl-adapters/ofi/layout.h"

#include <string.h>

// Whether a block is for a provider, or for one of those that it is made of: "tcp;ofi_rxm".
static bool
is_for(const char *label, const char *provider)
{
    const char *name = strrchr(label, ' ');
    const char *at = name == NULL ? NULL : strstr(provider, name + 1);

    if (at == NULL)
        return false;
    const char end = at[strlen(name + 1)];
    return (at == provider || at[-1] == ';') && (end == '\0' || end == ';');
}

static enum status
use_block(struct ofi *ofi, unsigned block)
{
    const struct datamodel model = ofi->layout.model;

    layout_init(&ofi->layout, &ofi_needs, &model);
    TRY(layout_from_block(&ofi->layout, ofi_builtin, ofi_builtin_rows, block));
    return ofi_confirm(ofi);
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
    if (ret->layout.structs[S(ofi_queue)].origin == ORIGIN_DEBUG)
        return ofi_confirm(ret);
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
                             : "only those of ofi_rxm can be");
}
