// SPDX-License-Identifier: BSD-3-Clause
// Calls the DLL in the order in which a debugger does, and prints what it would see.
#ifndef TESTS_SCRIPT_DEBUGGER_H
#define TESTS_SCRIPT_DEBUGGER_H

#include "tests/script/host.h"

#include <stdio.h>

/** A debugger's look at one process. */
struct debugger {
    const struct dll *dll;
    struct fake *fake;
    FILE *out;
    const char *indent; // of the line being printed
};

/** Sets up image and process and asks whether there are queues; prints only what goes wrong.
 * @return whether there are
 */
bool debugger_start(struct debugger *debugger);

/** Refreshes, and prints everything. */
void debugger_show(struct debugger *debugger);

/** Prints the MPI objects of each kind that there is a list of, and asks for them by version 1 of the
 * interface for handles, too. */
void debugger_handles(struct debugger *debugger);

/** Destroys process and image, and notes a violation if something was not freed. */
void debugger_stop(struct debugger *debugger);

/** Prints a result other than mqs_ok in words; any text of the DLL's must be there. */
void debugger_result(struct debugger *debugger, int result);

/** Prints a failed call, and the message that came with it if that is not NULL.
 * @return whether it succeeded
 */
bool
debugger_succeeded(struct debugger *debugger, const char *what, int result, const char *message);

/** Prints a text of the DLL's in quotes, addresses in it as labels. */
void debugger_text(struct debugger *debugger, const char *text);

/** Prints the current communicator and its queues. @return whether there is one */
bool debugger_communicator(struct debugger *debugger);

/** Prints the operations of one queue of the current communicator. */
void debugger_queue(struct debugger *debugger, const char *name, int op_class);

/** Notes a violation unless the bytes behind the text's NUL are zero. */
void check_zero_filled(const char *what, const char *text, size_t size);

#endif
