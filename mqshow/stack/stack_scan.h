// SPDX-License-Identifier: BSD-3-Clause
// The words on the part of a thread's stack that is MPI's.
#ifndef MQSHOW_STACK_STACK_SCAN_H
#define MQSHOW_STACK_STACK_SCAN_H

#include <stddef.h>
#include <stdint.h>

struct image;
struct thread;

/** @param slot where the word lies; 0: in a register */
typedef void (*stack_scan_ft)(void *context, uint64_t slot, uint64_t word);

/** Scans the words of what is MPI's of a stack, and of the registers. */
void stack_scan(const struct thread *thread, const struct image *image, stack_scan_ft take,
                void *context);

#endif
