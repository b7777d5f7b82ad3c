// SPDX-License-Identifier: BSD-3-Clause
// What the tests of wrong calls share: a process, and what every answer must be like.
#ifndef TESTS_SCRIPT_MISUSE_H
#define TESTS_SCRIPT_MISUSE_H

#include "tests/script/case.h"

#include <check.h>

extern const struct dll *dll;
extern struct source source;
extern struct session session;
extern mqs_process *process;
extern mqs_image *image;

/** A result that MQD 1.0 knows, with a text if it is the DLL's own. */
void check_result(int result);

/** The same, and not mqs_ok. */
void check_refused(int result);

/** Makes all calls about the process. */
void call_everything(void (*check)(int));

/** Loads a script given as text. */
void load_text(const char *text);

/** Loads MPI_COMM_WORLD with receives of tags 0, 1, 2 and a message of tag 3, and an empty
 * MPI_COMM_SELF. */
void load(void);

/** The same, up to a first mqs_update_communicator_list(). */
void start(void);

/** Destroys what is there; fails if the DLL has misbehaved. */
void finish(void);

/** Number of operations that mqs_next_operation() still gives, up to the end of the list. */
int operations_left(void);

/** Runs tests, and the last one once for each number below `loops` (0: once).
 * @return exit code
 */
int misuse_run(const char *name, const TTest **const *tests, size_t n, int loops);

#endif
