// SPDX-License-Identifier: BSD-3-Clause
// Which function a call instruction calls.
//
// A function that ends by jumping to another one is on no stack: only the call has its name.
#ifndef MQSHOW_STACK_CALLSITE_H
#define MQSHOW_STACK_CALLSITE_H

#include "mqshow/base/runtime.h"

#include <stdbool.h>
#include <stdint.h>

struct image;

/** Finds where the code of the function begins that the call before an address calls, through a
 * procedure linkage table too, and behind functions that are nothing but a jump.
 * @param after the address to return to
 * @return false when it is no such call, or one of a machine that is not known here
 */
bool callsite_entry(const struct image *image, uint64_t after, uint64_t *ret);

/** Whether a function may return, as far as is known from the name that a procedure linkage table
 * has. */
bool callsite_returns(const struct image *image, uint64_t function);

/** callsite_returns() for struct function_code. */
bool callsite_may_return(const void *image, uint64_t function);

/** Follows a stub of a procedure linkage table; what is none stays as it is. */
void callsite_follow(const struct image *image, uint64_t *addr);

/** Whether an address is of a stub that nothing was called through yet: it has the address of the
 * dynamic linker's code, which looks the function up at the first call. */
bool callsite_is_unbound(const struct image *image, uint64_t stub);

/** The symbol of the function at an address; NULL: not known. */
const char *callsite_symbol_at(const struct image *image, uint64_t function);

/** The symbol of the function that the call before an address calls; NULL: not known. */
const char *callsite_symbol(const struct image *image, uint64_t after);

/** The symbol of the function of a runtime that a function jumps to at its end; NULL: it jumps to
 * none, or also to another one. */
const char *
callsite_jump_symbol(const struct image *image, uint64_t function, enum runtime runtime);

/** The MPI function that the call before an address calls, for free(). It need not be on the stack
 * itself: when it ends by jumping to another function it is not.
 * @return NULL when it is none, or not known
 */
char *callsite_mpi_call(const struct image *image, uint64_t after);

#endif
