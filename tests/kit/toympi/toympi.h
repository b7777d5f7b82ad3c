// SPDX-License-Identifier: BSD-3-Clause
// Shared by the files of the toympi adapter.
#ifndef TOYMPI_H
#define TOYMPI_H

#include "mqs/adapter.h"
#include "target/view.h"
#include "target/walk.h"

#define NEEDS_FILE   "tests/kit/toympi/needs.def"
#define NEEDS_PREFIX toympi
#include "target/layout_decl.h"

/** Values of toympi's that this adapter relies on, the same in all its releases. */
enum {
    TOYMPI_ANY_SOURCE = -2,
    TOYMPI_ANY_TAG = -1,
    TOYMPI_PENDING = 0,
    TOYMPI_COMPLETE = 2,
};

/** Built-in layouts. */
extern const struct builtin_row toympi_builtin[];
extern const unsigned toympi_builtin_rows;

/** adapter.resolve() */
CHECKED enum status toympi_resolve(struct inferior *inf, unsigned origins, struct layout *ret);

/** adapter.version() */
CHECKED enum status toympi_version(struct inferior *inf, char *ret, size_t size);

/** adapter.comms() */
CHECKED enum status toympi_comms(const struct mpi *mpi, struct comm_sink *sink);

/** adapter.group() */
CHECKED enum status toympi_group(const struct mpi *mpi, taddr group, uint32_t size, int32_t *ret);

/** adapter.ops() */
CHECKED enum status toympi_ops(const struct mpi *mpi, struct arena *arena, struct op_sink *sink);

/** adapter.describe() */
CHECKED enum status toympi_describe(const struct mpi *mpi, const struct comm *comm,
                                    const struct op_ref *ref, struct op *ret);

/** Starts a walk over a list of objects that come from one pool.
 * @param list name of the variable that points to the first
 * @param pool name of the pool's variable
 * @param link number of the field that points to the next
 */
CHECKED enum status toympi_walk(const struct mpi *mpi, const char *list, const char *pool,
                                unsigned link, struct walk *ret);

#endif
