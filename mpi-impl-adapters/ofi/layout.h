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

/** Built-in layouts. */
extern const struct builtin_row ofi_builtin[];
extern const unsigned ofi_builtin_rows;

#endif
