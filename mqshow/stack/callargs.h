// SPDX-License-Identifier: BSD-3-Clause
// The arguments that a function on a stack was called with, from debug information or code.
#ifndef MQSHOW_STACK_CALLARGS_H
#define MQSHOW_STACK_CALLARGS_H

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
 * Debug information of the caller's optimized code says at each call how the arguments come about,
 * that of the function that was called where it keeps its parameters; else its code does.
 * @param caller   number of the frame, whose registers and those of the next inner one are kept
 * @param function name of the function that is called, without the P of the profiling interface
 * @return false when it is not known
 */
bool callargs_find(const struct image *image, const struct thread *thread, size_t caller,
                   const char *function, const struct parameter *parameter, uint64_t *ret);

/** Finds an integer or pointer that a frame passes in the call that it makes: what debug
 * information says at the call, what the frame's code has in a register or a place too, or where
 * the function that is called keeps it, or those that it passes it on to. Nothing is assumed of
 * functions that code does not lead to.
 * @param number of the argument, from 0
 */
bool callargs_passed(const struct image *image, const struct thread *thread, size_t caller,
                     unsigned number, size_t width, uint64_t *ret);

/** Finds an integer or pointer that the function of a frame was called with, by its code, whoever
 * has called it. @param number of the argument, from 0 */
bool callargs_received(const struct image *image, const struct thread *thread, size_t frame,
                       unsigned number, size_t width, uint64_t *ret);

/** The C function of MPI that a thread is in, the outermost one: those for Fortran call it.
 * @param ret_name its name without the P of the profiling interface, as long as the image lives
 * @return number of the frame that calls it, 0: not known
 */
size_t
callargs_mpi_call(const struct image *image, const struct thread *thread, const char **ret_name);

#endif
