// SPDX-License-Identifier: BSD-3-Clause
// Runs damaged scripts and demands that the DLL behaves.
#ifndef TESTS_FUZZ_FUZZ_H
#define TESTS_FUZZ_FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Reads that a process of a few dozen objects may cost at most, however damaged it is. */
enum { MOST_READS = 20000 };

/** Name of the file that holds the script being run: after a crash it reproduces it. */
#define FUZZ_LAST "fuzz-last.case"

/** Runs a script given as a file. @return whether all is well; else it has been told why */
bool fuzz_file(const char *path);

/** Makes a script of the bytes and runs it: the first byte chooses what is damaged, the second one
 * the data model. */
bool fuzz_bytes(const uint8_t *data, size_t size);

/** Called by libFuzzer. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#endif
