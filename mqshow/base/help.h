// SPDX-License-Identifier: BSD-3-Clause
// What --help and --version print.
#ifndef MQSHOW_BASE_HELP_H
#define MQSHOW_BASE_HELP_H

/** Prints a summary of the options, and ends the program. */
_Noreturn void help_and_exit(void);

/** Prints the version, and ends the program. */
_Noreturn void version_and_exit(void);

#endif
