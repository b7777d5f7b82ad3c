// SPDX-License-Identifier: BSD-3-Clause
// Turns bytes into lines of a script that damage the process of another script.
#ifndef TESTS_FUZZ_MUTATE_H
#define TESTS_FUZZ_MUTATE_H

#include "tests/script/script.h"

/** Bytes that make one line. */
enum { MUTATION_BYTES = 8 };

/** Lines for a script that is like `base` in the same data model. Any bytes give a valid script.
 * @return the caller frees it
 */
char *mutate(const struct script *base, const uint8_t *data, size_t size);

#endif
