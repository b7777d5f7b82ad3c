// SPDX-License-Identifier: BSD-3-Clause
// libucp's structs by name, for the files of this folder.
#ifndef UCP_LAYOUT_H
#define UCP_LAYOUT_H

#include "mpi-impl-adapters/ucp/ucp.h"
#include "target/view.h"

#define NEEDS_FILE   "mpi-impl-adapters/ucp/needs.def"
#define NEEDS_PREFIX ucp
#include "target/layout_decl.h"

/** Built-in layouts. */
extern const struct builtin_row ucp_builtin[];
extern const unsigned ucp_builtin_rows;

#endif
