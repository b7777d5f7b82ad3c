// SPDX-License-Identifier: BSD-3-Clause
// What a case must print.
#ifndef TESTS_SCRIPT_EXPECTED_H
#define TESTS_SCRIPT_EXPECTED_H

/** Reads the text that must be printed: macros and repeats as in scripts, and `$(VALUE)` of
 * numbers. A mistake in it ends the program with exit code 99 and a message.
 * @return to be freed
 */
char *expected_load(const char *path);

#endif
