// SPDX-License-Identifier: BSD-3-Clause
// Names of functions and variables as people write them, out of those that compilers make.
#ifndef MQSHOW_SYMBOLS_NAMES_H
#define MQSHOW_SYMBOLS_NAMES_H

#include <stdbool.h>

/** The short name that a symbol stands for: "solver<...>::run" of C++, "module::procedure" of
 * Fortran, without what compilers append to the name of a function whose code they part or copy.
 * The symbol may be anything.
 * @return escaped, for free(); NULL: the name is the compiler's from its beginning on
 */
char *names_readable(const char *symbol);

/** Whether a name is the code of C++ for another one. names_readable() may not be able to read it.
 */
bool names_is_mangled(const char *name);

/** Whether a symbol has the namespaces, classes or the module of what it names. */
bool names_is_qualified(const char *symbol);

/** Where what compilers put into the names of functions that they make of OpenMP regions and tasks
 * begins in a name; NULL: it is no such name.
 */
const char *names_mark(const char *name);

/** "parallel region at ring.c:14", of a function whose name has a mark. @param line 0: not known
 * @return escaped, for free()
 */
char *names_construct(const char *symbol, const char *file, int line);

/** What the names of the variables begin with that compilers make for critical constructs. */
extern const char names_critical_prefix[];

/** The construct as the source says it, "critical (NAME)" or "critical", for free().
 * @param symbol the variable that a compiler made for it; NULL: it is none of these
 */
char *names_critical(const char *symbol);

#endif
