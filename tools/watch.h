// SPDX-License-Identifier: BSD-3-Clause
// Looking again and again, and telling what changed.
#ifndef TOOLS_WATCH_H
#define TOOLS_WATCH_H

#include "tools/series.h"

#include <stdio.h>

/** Prints all that the last look of a series saw. */
typedef void (*watch_print_ft)(const struct series *series, FILE *out);

/** From now on an interrupt ends the watch, after the look that is under way. */
void watch_begin(void);

/** Follows a series until it is interrupted or has as many looks as the options say.
 *
 * On a terminal each look replaces the one before. Elsewhere the first one is printed as a whole,
 * and of the others what changed. JSON is one document in a line for each look, with what changed
 * in the member "changes".
 */
void watch_run(struct series *series, FILE *out, watch_print_ft print);

/** Says what changed since the look that was compared with: a line that counts, and a line for each
 * operation that is new or gone, a screen of them at most unless `all`.
 */
void watch_tell(const struct series *series, FILE *out, bool all);

#endif
