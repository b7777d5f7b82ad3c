// SPDX-License-Identifier: BSD-3-Clause
// libucp's structs by name, for the files of this folder.
#ifndef UCP_LAYOUT_H
#define UCP_LAYOUT_H

#include "mpi-impl-adapters/ucp/ucp.h"
#include "target/view.h"

#define NEEDS_FILE   "mpi-impl-adapters/ucp/needs.def"
#define NEEDS_PREFIX ucp
#include "target/layout_decl.h"

/** Queues of a worker's table: a number is two numbers below UCP_HASH_PRIME, combined by xor. */
enum { UCP_HASH_QUEUES = 1024, UCP_HASH_PRIME = 1021 };

/** Reads the worker. */
CHECKED enum status ucp_load_worker(const struct ucp *ucp, struct view *ret);

/** Whether what the worker has can be what a layout says. */
CHECKED enum status ucp_confirm(const struct ucp *ucp, taddr context);

/** Whether the requests in its pool can be: their size, and receives that are of this worker. */
CHECKED enum status ucp_confirm_pool(const struct ucp *ucp);

/** Built-in layouts. */
extern const struct builtin_row ucp_builtin[];
extern const unsigned ucp_builtin_rows;

#endif
