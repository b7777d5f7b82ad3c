// SPDX-License-Identifier: BSD-3-Clause
// What debug information says about code: whose function it is, and where that stands.
#ifndef TOOLS_SOURCE_H
#define TOOLS_SOURCE_H

#include <elfutils/libdwfl.h>

/** Where what compilers put into the names of functions that they make of OpenMP regions and tasks
 * begins in a name; NULL: it is no such name.
 */
const char *source_mark(const char *name);

/** The compilation unit that an address belongs to. @param addr as the session knows it */
Dwarf_Die *source_unit(Dwfl_Module *module, GElf_Addr addr, Dwarf_Addr *ret_bias);

/** The path of a source file: names are relative to the directory that was compiled in.
 * @return for free()
 */
char *source_path(Dwarf_Die *unit, const char *file);

/** The line of the directive that a function was taken out for; 0: not known. */
int source_line_of_directive(Dwarf_Die *unit, Dwarf_Die *function);

/** The user's function that the line of a directive stands in; NULL: not known. */
const char *source_function_of_line(Dwarf_Die *unit, const char *file, int number);

#endif
