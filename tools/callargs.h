// SPDX-License-Identifier: BSD-3-Clause
// The arguments that a function on a stack was called with, as debug information or code tells.
#ifndef TOOLS_CALLARGS_H
#define TOOLS_CALLARGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct image;
struct thread;

/** A parameter of a function. */
struct parameter {
    unsigned number; // from 0
    const char *name;
    size_t width; // bytes
};

/** Finds an argument of the call that a frame makes; the process must stand still.
 *
 * Optimized code of the caller says at each call how the arguments come about, else the function
 * that was called may say where it keeps its parameters, and plain code sets them before the call.
 * @param caller   number of the frame, whose registers and those of the next inner one are kept
 * @param function name of the function that is called, without the P of the profiling interface
 * @return false when nobody tells
 */
bool callargs_find(const struct image *image, const struct thread *thread, size_t caller,
                   const char *function, const struct parameter *parameter, uint64_t *ret);

#endif
