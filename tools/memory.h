// SPDX-License-Identifier: BSD-3-Clause
// Reading the memory of a process.
#ifndef TOOLS_MEMORY_H
#define TOOLS_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/** Reads exactly `size` bytes. @return false, and the buffer is undefined, when it cannot */
bool memory_read(pid_t pid, uint64_t addr, size_t size, void *ret);

/** Reads an integer of 1, 2, 4 or 8 bytes in the byte order of this machine. */
bool memory_read_uint(pid_t pid, uint64_t addr, size_t width, uint64_t *ret);

/** Reads a text up to its NUL, at most size - 1 bytes; always terminated.
 * @return false when no NUL can be read within that many bytes
 */
bool memory_read_text(pid_t pid, uint64_t addr, size_t size, char *ret);

#endif
