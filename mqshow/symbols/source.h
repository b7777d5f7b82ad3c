// SPDX-License-Identifier: BSD-3-Clause
// What debug information says about code: whose function it is, and where that stands.
#ifndef MQSHOW_SYMBOLS_SOURCE_H
#define MQSHOW_SYMBOLS_SOURCE_H

#include <elfutils/libdwfl.h>
#include <stdbool.h>

/** The name of a function as names_readable() has it, for free(); NULL: not known.
 * @param symbol the one that it has; NULL: none that is known
 */
char *source_function_name(Dwarf_Die *function, const char *symbol);

/** A number of an entry; 0: it has none. */
int source_number(Dwarf_Die *die, unsigned name);

/** The file that an entry of a unit names by a number; NULL: none. */
const char *source_file(Dwarf_Die *unit, Dwarf_Die *die, unsigned name);

/** The name of a function in debug information as it is; NULL: none. */
const char *source_raw_name(Dwarf_Die *function);

/** The name that the linker knows a function by; NULL: debug information has none. */
const char *source_linkage_name(Dwarf_Die *function);

/** Whether a compiler took a function out of another one for an OpenMP construct. */
bool source_is_outlined(Dwarf_Die *function);

/** The compilation unit that an address belongs to. @param addr as the session knows it */
Dwarf_Die *source_unit(Dwfl_Module *module, GElf_Addr addr, Dwarf_Addr *ret_bias);

/** The path of a source file: names are relative to the directory that was compiled in.
 * @return for free()
 */
char *source_path(Dwarf_Die *unit, const char *file);

/** The line of the directive that a function was outlined for; 0: not known. */
int source_line_of_directive(Dwarf_Die *unit, Dwarf_Die *function);

/** The name of the user's function that the line of a directive stands in, for free(); NULL: not
 * known. */
char *source_function_of_line(Dwarf_Die *unit, const char *file, int number);

#endif
