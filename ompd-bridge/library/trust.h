// SPDX-License-Identifier: BSD-3-Clause
// Decides which OMPD library may be loaded into the debugger. Nothing of the library runs here.
#ifndef OMPD_BRIDGE_LIBRARY_TRUST_H
#define OMPD_BRIDGE_LIBRARY_TRUST_H

#include "ompd-bridge/diagnostics.h"

#include <stdbool.h>
#include <limits.h>

/** Looks for a library in the places that the user names in the environment variable
 * MQS_OMPD_LIBRARY: files, and directories that hold a libompd.so, separated by colons.
 * @param ret room for PATH_MAX bytes: the resolved path of the first that passes all checks
 * @return whether there is one; for each that does not pass, a note says why
 */
bool trust_users_choice(char *ret, struct diagnostics *diagnostics);

/** Checks a path that the debuggee names: it must resolve to a file below a system directory, or
 * below a directory of MQS_OMPD_LIBRARY; the file and all directories above it must belong to root
 * or the user, and nobody else may write to them; its ELF headers must be those of an OMPD library
 * for this machine that needs no OpenMP runtime.
 * @param path absolute; others are refused
 * @param ret  room for PATH_MAX bytes: the resolved path
 * @return whether it passes; when not, a note says why, unless there is no such file here
 */
bool trust_debuggees_choice(const char *path, char *ret, struct diagnostics *diagnostics);

/** Checks a file alone, wherever it is: its ELF headers, what it exports, what it needs.
 * @return NULL, or why it is not to be loaded, a literal
 */
const char *trust_check_file(const char *path);

#endif
