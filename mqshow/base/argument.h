// SPDX-License-Identifier: BSD-3-Clause
// Words of the command line that are numbers or one of a few names; others end the program with
// EXIT_USAGE.
#ifndef MQSHOW_BASE_ARGUMENT_H
#define MQSHOW_BASE_ARGUMENT_H

/** Ends the program with a hint at --help. */
_Noreturn void argument_exit(void);

/** Says what is wrong with a value, and ends the program. */
_Noreturn void argument_wrong(const char *what, const char *value);

/** A whole number from `low` to `high`. @param what names what `text` is not: "no rank" */
long argument_number(const char *text, long low, long high, const char *what);

/** A time of at least a millisecond, with fractions. */
double argument_seconds(const char *text);

/** Number of the name in a list that ends with NULL. */
int argument_choice(const char *text, const char *const *names, const char *what);

#endif
