// SPDX-License-Identifier: BSD-3-Clause
// libfabric's structs by name, for the files of this folder.
#ifndef OFI_LAYOUT_H
#define OFI_LAYOUT_H

#include "mpi-impl-adapters/ofi/ofi.h"
#include "target/view.h"

#define NEEDS_FILE   "mpi-impl-adapters/ofi/needs.def"
#define NEEDS_PREFIX ofi
#include "target/layout_decl.h"

/** Finds the endpoint's queue, and whether what is in it can be what the layout says. */
CHECKED enum status ofi_confirm(struct ofi *ofi);

/** Whether the endpoint has lists by source. */
static inline bool
ofi_is_shared(const struct ofi *ofi)
{
    return ofi->layout.structs[S(ofi_shared)].origin != ORIGIN_NONE;
}

/** ofi_each_receive() and ofi_each_message() of such an endpoint. */
CHECKED enum status
ofi_shared_receives(const struct ofi *ofi,
                    enum status (*visit)(void *context, const struct ofi_receive *receive),
                    void *context);
CHECKED enum status
ofi_shared_messages(const struct ofi *ofi,
                    enum status (*visit)(void *context, const struct ofi_message *message),
                    void *context);

/** Decodes a message. @return STATUS_ABSENT: it is none of those that can be received */
CHECKED enum status
ofi_message_decode(const struct ofi *ofi, const struct view *item, struct ofi_message *ret);

/** Built-in layouts. */
extern const struct builtin_row ofi_builtin[];
extern const unsigned ofi_builtin_rows;

#endif
