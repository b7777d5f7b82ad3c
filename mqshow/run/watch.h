// SPDX-License-Identifier: BSD-3-Clause
// Samples again and again, and what changes between them.
#ifndef MQSHOW_RUN_WATCH_H
#define MQSHOW_RUN_WATCH_H

#include "mqshow/run/sampler.h"

#include <stdio.h>

/** Prints the last sample of a sampler, and behind the verdict what changed. */
typedef void (*watch_print_ft)(struct sampler *sampler, FILE *out, const char *changes);

/** From now on an interrupt ends the watch, after the sample that is being taken. */
void watch_begin(void);

/** Follows a sampler until it is interrupted or has as many samples as the options ask for.
 *
 * On a terminal each sample replaces the one before. Elsewhere the first one is printed as a whole,
 * and of the others what changed. JSON is one document in a line for each sample, with what changed
 * in the member "changes".
 */
void watch_run(struct sampler *sampler, FILE *out, watch_print_ft print);

/** What changed between the samples of a sampler that were compared, to free(): a line that counts,
 * and a line for each operation that is new or gone, a few of them unless `all`.
 */
char *watch_changes(const struct sampler *sampler, bool all);

#endif
