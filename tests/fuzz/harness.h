// SPDX-License-Identifier: BSD-3-Clause
// A harness: what a fuzzer calls, or tests/fuzz/replay.c in the place of one.
//
// An input that shows a fault crashes the program, by a sanitizer or by abort().
#ifndef TESTS_FUZZ_HARNESS_H
#define TESTS_FUZZ_HARNESS_H

#include <stddef.h>
#include <stdint.h>

/** Prepares what all inputs share. */
int LLVMFuzzerInitialize(int *argc, char ***argv);

/** Runs an input. @return 0 */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/** Changes an input in place to another one of at most `max` bytes. @return its size */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed);

/** The fuzzer's own way to do so; NULL: there is none. */
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max) __attribute__((weak));

#endif
