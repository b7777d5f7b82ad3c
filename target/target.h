// SPDX-License-Identifier: BSD-3-Clause
// What a host (a debugger) provides about one process, for all layers above.
#ifndef TARGET_TARGET_H
#define TARGET_TARGET_H

#include "target/datamodel.h"

/** A type of the target, known to the host only. */
struct target_type;

/** The host's functions. `host` is the pointer of struct target.
 *
 * None may be NULL but find_type() and the two after it, all of them, of a host that knows no
 * types. A function that returns bool changes `ret` only when it returns true.
 */
struct target_ops {
    /** The host pays for bytes rather than for reads: none is read that is not asked for. */
    bool reads_exactly;
    /** Reads exactly `size` bytes, 1 to INT_MAX, or fails; what is in `ret` after a failure means
     * nothing. */
    bool (*read)(void *host, taddr addr, size_t size, void *ret);
    /** Address of a variable by its name in any loaded object. */
    bool (*find_symbol)(void *host, const char *name, taddr *ret);
    /** Address of a function by its name in any loaded object. */
    bool (*find_function)(void *host, const char *name, taddr *ret);
    /** A type by its C name, from debug information; NULL when there is none. */
    const struct target_type *(*find_type)(void *host, const char *name);
    /** Size of a type in bytes; negative when not known. */
    int64_t (*type_size)(void *host, const struct target_type *type);
    /** Offset of a direct member in bytes; negative when there is no such member. */
    int64_t (*field_offset)(void *host, const struct target_type *type, const char *field);
    /** Widths and byte order. */
    bool (*data_model)(void *host, struct datamodel *ret);
    /** Allocates like malloc(); NULL when there is no memory left. */
    void *(*alloc)(size_t size);
    /** Frees what alloc() gave; NULL is fine. */
    void (*free)(void *memory);
};

struct target {
    const struct target_ops *ops;
    void *host;
};

#endif
