// SPDX-License-Identifier: BSD-3-Clause
// Registers and stacks of a process that stands still, copied: they are followed after it went on.
#ifndef MQSHOW_PROCESS_COPY_H
#define MQSHOW_PROCESS_COPY_H

#include "mqshow/process/footprint.h"
#include "mqshow/process/regset.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct maps;
struct stop;

struct copied_thread {
    pid_t tid;
    const struct regset *regset; // of its registers; NULL: the kernel did not give them, or the
                                 // machine is not known
    size_t size;                 // bytes of them
    unsigned char registers[REGSET_BYTES];
    uint64_t stack; // where what is used of its stack begins
    struct system_state call;
};

/** Some bytes of what registers and the innermost frames point to, at a multiple of their number.
 */
struct copied_line {
    uint64_t start;
    unsigned char bytes[64];
};

struct copy {
    struct copied_thread *threads;
    size_t n_threads;
    struct footprint stacks;
    struct copied_line *lines; // in ascending order
    size_t n_lines;
};

/** Copies those of a process that stands still for the calling thread. Of a stack that is too large
 * both ends are copied. copy_deinit() frees it.
 * @param locks whether also what threads may be about to change, to which they have addresses
 */
void copy_init(struct copy *copy, GElf_Half machine, const struct stop *stop,
               const struct maps *maps, bool locks);

/** Takes from the registers of a thread which call to the system it was stopped in.
 * @param maps of the process; NULL: not known, and memory may be that of others, too */
void copy_call(struct copied_thread *thread, const struct maps *maps);

void copy_deinit(struct copy *copy);

/** Reads exactly `size` bytes as they were. @return false: they are not in the copy
 */
bool copy_read(const struct copy *copy, uint64_t addr, size_t size, void *ret);

#endif
