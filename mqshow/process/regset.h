// SPDX-License-Identifier: BSD-3-Clause
// The registers of a thread as the kernel gives them (NT_PRSTATUS of PTRACE_GETREGSET), by their
// numbers in debug information.
#ifndef MQSHOW_PROCESS_REGSET_H
#define MQSHOW_PROCESS_REGSET_H

#include "mqshow/process/system_call.h"

#include <elfutils/libdwfl.h>
#include <gelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    REGSET_BYTES = 512, // that the registers of a thread need at most
    REGSET_NAMED = 2    // registers that only their names place in what a stub gives
};

/** How a machine has them. */
struct regset;

/** That of a machine; NULL: it is not known. */
const struct regset *regset_of(GElf_Half machine);

/** Number of the stack pointer in debug information. @param regset may be NULL: -1 */
int regset_stack_pointer(const struct regset *regset);

/** Value of the stack pointer. @return false when `bytes` are too few */
bool regset_stack(const struct regset *regset, const void *bytes, size_t size, uint64_t *ret);

/** The call to the system that a thread waited in when it was stopped; of none the number is -1.
 * @return false: the registers do not say whether there is one: they are of another machine, or it
 * keeps that elsewhere
 */
bool
regset_call(const struct regset *regset, const void *bytes, size_t size, struct made_call *ret);

/** The pthread_t of a thread, where a register has it. @return 0: not known */
uint64_t regset_pthread(const struct regset *regset, const void *bytes, size_t size);

/** Gives them to libdwfl for the innermost frame. @return false when `bytes` are too few */
bool regset_give(const struct regset *regset, const void *bytes, size_t size, Dwfl_Thread *thread);

/** Orders registers that a debugger's stub gives (reply to "g") as the kernel does.
 * @param ret room for REGSET_BYTES
 * @return bytes of them; 0: `bytes` are too few
 */
size_t regset_from_stub(const struct regset *regset, const void *bytes, size_t size, void *ret);

/** Number, below REGSET_NAMED, of a register that tells of calls to the system and of which thread
 * it is. @param regset may be NULL @return -1: it is none of these */
int regset_named(const struct regset *regset, const char *name);

/** Adds these to what regset_from_stub() has ordered.
 * @param offsets  bytes before each of them; 0: not known
 * @param ret_size bytes of the registers, which may become more
 * @return whether all of them are there
 */
bool regset_add_named(const struct regset *regset, const size_t *offsets, const void *bytes,
                      size_t size, void *ret, size_t *ret_size);

#endif
