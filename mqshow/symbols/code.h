// SPDX-License-Identifier: BSD-3-Clause
// What code lies at an address of a file: looked up once for all processes that have loaded it.
#ifndef MQSHOW_SYMBOLS_CODE_H
#define MQSHOW_SYMBOLS_CODE_H

#include <elfutils/libdw.h>
#include <stddef.h>
#include <stdint.h>

struct objfile;

/** A function with the line in it. Texts are escaped; NULL: not known. */
struct code_line {
    char *function;  // the user's; of code that the compiler outlined, that function
    char *symbol;    // what compiler and linker call it, when that is another name
    char *construct; // "parallel region at ring.c:14", of outlined code
    char *file;
    int line; // 0: not known
};

/** All functions around an address, of which all but the last are inlined in the next one. */
struct code {
    uint64_t value; // link-time address
    char *symbol;   // as the file says it, not escaped; NULL: none
    struct code_line *lines;
    size_t count; // at least 1
};

/** What lies at a link-time address; it lives as long as the file. */
const struct code *code_at(struct objfile *file, uint64_t value);

/** The functions around an address of a unit: the scopes that contain each other, innermost first.
 * @return their number, 0 or less when there are none; `*ret` is for free()
 */
int code_scopes(Dwarf_Die *unit, Dwarf_Addr addr, Dwarf_Die **ret);

/** Frees what code_at() made for a file. */
void code_deinit(struct objfile *file);

#endif
