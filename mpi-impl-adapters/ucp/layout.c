// SPDX-License-Identifier: BSD-3-Clause
// Where the layouts of libucp's structs come from: it says its version, by a function of which the
// code is read.
#include "mpi-impl-adapters/ucp/layout.h"

#include "target/code.h"

#include <stdio.h>
#include <string.h>

enum { VERSION_TEXT = 16, VERSION_CODE = 64 };

static const char label_start[] = "UCX ", label_as[] = " as ";

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

void
ucp_put_back(const struct ucp *ucp, struct ucp_place place, struct layout *layout)
{
    memcpy(layout->structs + place.first_struct, ucp->layout.structs,
           NEEDS_STRUCTS * sizeof(*layout->structs));
    memcpy(layout->fields + place.first_field, ucp->layout.fields,
           NEEDS_FIELDS * sizeof(*layout->fields));
    if (ucp->layout.label[0] != '\0')
        snprintf(layout->label, sizeof(layout->label), "%s", ucp->layout.label);
}

// Labels are "UCX 1.18" and the like, with how the library was configured behind it if there are
// several for a release.
static bool
is_for(const char *label, const char *version)
{
    const char *number = label + sizeof(label_start) - 1;
    char release[LAYOUT_LABEL];

    snprintf(release, sizeof(release), "%.*s", (int) strcspn(number, " "), number);
    return layout_is_release(version, release);
}

static unsigned
count_blocks(void)
{
    unsigned ret = 0;

    while (layout_block_label(ucp_builtin, ucp_builtin_rows, ret) != NULL)
        ++ret;
    return ret;
}

// Takes a block. The label says so if it is for another release than the library's.
static enum status
take_block(struct ucp *ucp, unsigned block, const char *version)
{
    const char *label = layout_block_label(ucp_builtin, ucp_builtin_rows, block);
    const struct datamodel model = ucp->layout.model;

    layout_init(&ucp->layout, &ucp_needs, &model);
    TRY(layout_from_block(&ucp->layout, ucp_builtin, ucp_builtin_rows, block));
    if (!is_for(label, version))
        snprintf(ucp->layout.label, sizeof(ucp->layout.label), "%s%s%s%s", label_start, version,
                 label_as, label + sizeof(label_start) - 1);
    return STATUS_OK;
}

enum status
ucp_resolve(struct inferior *inf, struct ucp_place place, struct layout *layout)
{
    const unsigned count = count_blocks();
    char version[VERSION_TEXT];
    unsigned block = 0;
    struct ucp ucp;

    TRY(read_version(inf, version, sizeof(version)));
    while (block < count &&
           !is_for(layout_block_label(ucp_builtin, ucp_builtin_rows, block), version))
        ++block;
    ucp_init(&ucp, inf, layout, place);
    TRY(take_block(&ucp, block < count ? block : count - 1, version));
    ucp_put_back(&ucp, place, layout);
    return STATUS_OK;
}

void
ucp_drop_refused(enum status status, struct ucp_place place, struct layout *layout)
{
    struct ucp none;

    if (status != STATUS_CORRUPT && status != STATUS_MISMATCH &&
        strstr(layout->label, label_as) == NULL)
        return;
    layout_init(&none.layout, &ucp_needs, &layout->model);
    ucp_put_back(&none, place, layout);
    layout->label[0] = '\0';
}

// Those for the release come first, then the newest. @return whether the process confirms one
static bool
choose_block(struct ucp *ucp, const char *version, taddr context)
{
    for (int others = 0; others <= 1; ++others)
        for (unsigned block = count_blocks(); block-- > 0;) {
            const char *label = layout_block_label(ucp_builtin, ucp_builtin_rows, block);
            if (is_for(label, version) == others || take_block(ucp, block, version) != STATUS_OK)
                continue;
            if (ucp_confirm(ucp, context) == STATUS_OK && ucp_confirm_pool(ucp) == STATUS_OK)
                return true;
        }
    return false;
}

// A pool that is damaged refutes only what is not for the release, so that the rest is shown.
enum status
ucp_use_worker(struct ucp *ucp, taddr worker, taddr context)
{
    const struct layout own = ucp->layout;
    char version[VERSION_TEXT] = "";

    ucp->worker = worker;
    const enum status status = ucp_readable(ucp) ? ucp_confirm(ucp, context) : STATUS_MISMATCH;
    if (own.structs[S(ucp_worker_tags)].origin == ORIGIN_DEBUG ||
        (status == STATUS_OK && ucp_confirm_pool(ucp) == STATUS_OK))
        return status;
    const struct trail trail = ucp->inf->trail;
    if (read_version(ucp->inf, version, sizeof(version)) != STATUS_OK)
        version[0] = '\0';
    if (choose_block(ucp, version, context))
        return STATUS_OK;
    ucp->layout = own;
    ucp->inf->trail = trail;
    if (ucp_readable(ucp))
        return status;
    return trail_begin(&ucp->inf->trail, STATUS_MISMATCH,
                       "libucp %s has none of the layouts that are built in (%s to %s)", version,
                       layout_block_label(ucp_builtin, ucp_builtin_rows, 0) + sizeof(label_start) -
                           1,
                       layout_block_label(ucp_builtin, ucp_builtin_rows, count_blocks() - 1) +
                           sizeof(label_start) - 1);
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
