// SPDX-License-Identifier: BSD-3-Clause
// libfabric's structs by name, for the files of this folder.
#ifndef OFI_LAYOUT_H
#define OFI_LAYOUT_H

#include "mpi-impl-adapters/ofi/ofi.h"
#include "target/view.h"

#define NEEDS_FILE   "mpi-impl-adapters/ofi/needs.def"
#define NEEDS_PREFIX ofi
#include "target/layout_decl.h"

/** A kind of queues, which a provider has if the layout has the struct. */
struct ofi_kind {
    unsigned number; // of the struct
    /** Finds the endpoint's queue, and whether what is in it can be what the layout says. */
    enum status (*confirm)(struct ofi *ofi);
    enum status (*each_receive)(const struct ofi *ofi,
                                enum status (*visit)(void *context,
                                                     const struct ofi_receive *receive),
                                void *context);
    enum status (*each_message)(const struct ofi *ofi,
                                enum status (*visit)(void *context,
                                                     const struct ofi_message *message),
                                void *context);
};

/** One queue, and lists by source. */
extern const struct ofi_kind ofi_kind_queue, ofi_kind_shared;

CHECKED enum status ofi_confirm_queue(struct ofi *ofi);
CHECKED enum status ofi_confirm_shared(struct ofi *ofi);

/** Where a member of a queue is that is too long for a view. */
static inline taddr
ofi_member(const struct ofi *ofi, unsigned field)
{
    return ofi->queue + (taddr) ofi->layout.fields[field].offset;
}

/** Reads such a member: a number or a pointer. */
CHECKED enum status ofi_member_load(const struct ofi *ofi, unsigned field, uint64_t *ret);

/** Decodes a message. @return STATUS_ABSENT: it is none of those that can be received */
CHECKED enum status
ofi_message_decode(const struct ofi *ofi, const struct view *item, struct ofi_message *ret);

/** Likewise, of the header at `frame`, for `ret` that has the address. */
CHECKED enum status ofi_frame_decode(const struct ofi *ofi, taddr frame, struct ofi_message *ret);

/** Built-in layouts. */
extern const struct builtin_row ofi_builtin[];
extern const unsigned ofi_builtin_rows;

#endif
