// SPDX-License-Identifier: BSD-3-Clause
/** @file
 * Running gdb with our commands, and comparing its JSON with that of mqshow.
 */
#ifndef MQS_TESTS_GDB_GDB_H
#define MQS_TESTS_GDB_GDB_H

#include "tests/live/run.h"

#include <jansson.h>

/** The beginning of a command line of gdb that knows our commands; further ones follow with "-ex".
 * Sets the environment so that gdb finds the library and mqshow.
 */
struct command gdb_command(void);

/** Runs gdb on a script, which ends at its first error.
 * @param script its text; it is put into the file `folder`/script
 * @return NULL, or what went wrong, on the heap; a Python traceback is something wrong
 */
char *gdb_run_script(const char *folder, const char *script);

/** The commands that write what is known of all inferiors into files of `folder`, on the heap. */
char *gdb_writes(const char *folder);

/** What these files hold as one document; released with json_decref().
 * @return NULL, or what went wrong, on the heap
 */
char *gdb_read(const char *folder, json_t **ret);

/** Whether gdb told what mqshow did: all of it, and nothing else but what only gdb tells.
 * @return NULL if so, else the first difference with its place, on the heap
 */
char *gdb_compare(const json_t *of_mqshow, const json_t *of_gdb);

#endif
