// SPDX-License-Identifier: BSD-3-Clause
// Which code belongs to a runtime and not to the user.
#ifndef MQSHOW_BASE_RUNTIME_H
#define MQSHOW_BASE_RUNTIME_H

#include <stdbool.h>

enum runtime { RUNTIME_NONE, RUNTIME_MPI, RUNTIME_OPENMP, RUNTIME_C, RUNTIME_PYTHON };

/** The runtime that a file belongs to, by its name. */
enum runtime runtime_of_file(const char *path);

/** The runtime whose function has this symbol, in a program that it is linked into. */
enum runtime runtime_of_linked(const char *function);

/** Whether a file, of machine code or of source, is where systems, compilers and Python's packages
 * are installed, and not where programs are made. */
bool runtime_is_installed(const char *path);

/** Whether a file is of an MPI library itself: libevent, for instance, is not. */
bool runtime_is_mpi_library(const char *path);

/** The names, as a pattern, of a library's threads that run nothing of the program's as long as all
 * their frames are in the library; NULL: there are none. What a library imports does not tell that,
 * as it may be given functions to call. */
const char *runtime_helpers(const char *path);

/** "MPI", "OpenMP", "C", "Python"; NULL for none. */
const char *runtime_name(enum runtime runtime);

/** A function's name without what the C library puts before it for itself. */
const char *runtime_plain_name(const char *function);

/** Whether a function has this plain name, whatever its version: "read" is "__read@GLIBC_2". */
bool runtime_is_named(const char *function, const char *name);

/** Whether a function is one that programs and threads begin in. */
bool runtime_starts(const char *function);

#endif
