// SPDX-License-Identifier: BSD-3-Clause
// Where the layouts of libucp's structs come from: it says its version, by a function of which the
// code is read.
#include "mpi-impl-adapters/ucp/layout.h"

#include "target/code.h"

#include <stdio.h>
#include <string.h>

enum { VERSION_TEXT = 16, VERSION_CODE = 64 };

static const char label_start[] = "UCX ";

// "1.13.1": ucp_get_version_string() gives the address of its text.
static enum status
read_version(struct inferior *inf, char *ret, size_t size)
{
    struct code_references references;

    TRY(code_references(inf, "ucp_get_version_string", VERSION_CODE, &references));
    if (references.count == 0)
        return trail_begin(&inf->trail, STATUS_MISMATCH, "the version of libucp is not known");
    return inferior_read_string(inf, references.at[0].addr, size, ret);
}

void
ucp_init(struct ucp *ucp, struct inferior *inf, const struct layout *layout, struct ucp_place place)
{
    *ucp = (struct ucp){.inf = inf};
    layout_init(&ucp->layout, &ucp_needs, &layout->model);
    memcpy(ucp->layout.structs, layout->structs + place.first_struct,
           NEEDS_STRUCTS * sizeof(*layout->structs));
    memcpy(ucp->layout.fields, layout->fields + place.first_field,
           NEEDS_FIELDS * sizeof(*layout->fields));
}

// Puts libucp's structs back among an adapter's.
static void
put_back(const struct ucp *ucp, struct ucp_place place, struct layout *layout)
{
    memcpy(layout->structs + place.first_struct, ucp->layout.structs,
           NEEDS_STRUCTS * sizeof(*layout->structs));
    memcpy(layout->fields + place.first_field, ucp->layout.fields,
           NEEDS_FIELDS * sizeof(*layout->fields));
    if (ucp->layout.label[0] != '\0')
        snprintf(layout->label, sizeof(layout->label), "%s", ucp->layout.label);
}

enum status
ucp_resolve(struct inferior *inf, struct ucp_place place, struct layout *layout)
{
    const size_t start = sizeof(label_start) - 1;
    char version[VERSION_TEXT];
    const char *label;
    struct ucp ucp;

    TRY(read_version(inf, version, sizeof(version)));
    ucp_init(&ucp, inf, layout, place);
    for (unsigned block = 0;
         (label = layout_block_label(ucp_builtin, ucp_builtin_rows, block)) != NULL; ++block) {
        if (!layout_is_release(version, label + start))
            continue;
        TRY(layout_from_block(&ucp.layout, ucp_builtin, ucp_builtin_rows, block));
        put_back(&ucp, place, layout);
        return STATUS_OK;
    }
    return trail_begin(&inf->trail, STATUS_MISMATCH, "the layout of libucp %s is not known",
                       version);
}

enum status
ucp_use_worker(struct ucp *ucp, taddr worker, taddr context)
{
    const struct layout own = ucp->layout;
    char version[VERSION_TEXT] = "";

    ucp->worker = worker;
    const enum status status = ucp_readable(ucp) ? ucp_confirm(ucp, context) : STATUS_MISMATCH;
    if (status == STATUS_OK || own.structs[S(ucp_worker_tags)].origin == ORIGIN_DEBUG)
        return status;
    const struct trail trail = ucp->inf->trail;
    for (unsigned block = 0; layout_block_label(ucp_builtin, ucp_builtin_rows, block) != NULL;
         ++block) {
        layout_init(&ucp->layout, &ucp_needs, &own.model);
        if (layout_from_block(&ucp->layout, ucp_builtin, ucp_builtin_rows, block) == STATUS_OK &&
            ucp_confirm(ucp, context) == STATUS_OK)
            return STATUS_OK;
    }
    ucp->layout = own;
    ucp->inf->trail = trail;
    if (status != STATUS_MISMATCH)
        return status;
    if (read_version(ucp->inf, version, sizeof(version)) != STATUS_OK)
        version[0] = '\0';
    return trail_begin(&ucp->inf->trail, STATUS_MISMATCH, "the layout of libucp %s is not known",
                       version);
}

bool
ucp_readable(const struct ucp *ucp)
{
    static const unsigned needed[] = {
        S(ucp_request_send), S(ucp_request_recv),   S(ucp_request_queue),
        S(ucp_worker_tags),  S(ucp_recv_desc_tags),
    };

    for (size_t i = 0; i < sizeof(needed) / sizeof(needed[0]); ++i)
        if (ucp->layout.structs[needed[i]].origin == ORIGIN_NONE)
            return false;
    return true;
}
