// SPDX-License-Identifier: BSD-3-Clause
// Lets every callback of a case fail once, and from then on.
#ifndef TESTS_SCRIPT_FAULTS_H
#define TESTS_SCRIPT_FAULTS_H

#include "tests/script/case.h"

/** Runs the first phase of a script once for every call of this kind that it makes, with that call
 * failing.
 *
 * Wanted: no violation, nothing leaked, a part of the good output, and the whole of it when the
 * process is looked at again.
 * @param exact nothing around what is described can be read, so that more is asked for
 * @param count how many calls fail in a row
 * @return NULL, or what went wrong; the caller frees it
 */
char *faults_check(const struct source *source, const struct model *model, bool exact,
                   enum ask kind, size_t count);

#endif
