// SPDX-License-Identifier: BSD-3-Clause
// The source locations of an address of a file: resolved once for all processes that have loaded
// it.
#ifndef MQSHOW_SYMBOLS_SRCLOC_H
#define MQSHOW_SYMBOLS_SRCLOC_H

#include <elfutils/libdw.h>
#include <stddef.h>
#include <stdint.h>

struct objfile;

/** A function with the line in it. Texts are escaped; NULL: not known. */
struct srcloc_line {
    char *function;  // the user's; of code that the compiler outlined, that function
    char *symbol;    // what compiler and linker call it, when that is another name
    char *construct; // "parallel region at ring.c:14", of outlined code
    char *file;
    int line; // 0: not known
};

/** All functions around an address, of which all but the last are inlined in the next one. */
struct srcloc {
    uint64_t value; // link-time address
    char *symbol;   // as the file says it, not escaped; NULL: none
    struct srcloc_line *lines;
    size_t count; // at least 1
};

/** What lies at a link-time address; it lives as long as the file. */
const struct srcloc *srcloc_at(struct objfile *file, uint64_t value);

/** The functions around an address of a unit: the scopes that contain each other, innermost first.
 * @return their number, 0 or less when there are none; `*ret` is for free()
 */
int srcloc_scopes(Dwarf_Die *unit, Dwarf_Addr addr, Dwarf_Die **ret);

/** Frees what srcloc_at() made for a file. */
void srcloc_deinit(struct objfile *file);

#endif
