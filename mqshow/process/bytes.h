// SPDX-License-Identifier: BSD-3-Clause
// Bytes of a running process or of a file, and the integers in them.
#ifndef MQSHOW_PROCESS_BYTES_H
#define MQSHOW_PROCESS_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/uio.h>

/** Reads exactly `size` bytes of a process as they are now. @return false, and the buffer is
 * undefined, when it cannot
 */
bool bytes_read_process(pid_t pid, uint64_t addr, size_t size, void *ret);

enum { BYTES_VECTOR_MAX = 1024 }; // pieces of the memory of a process that one call reads

/** Reads pieces, each as long in both lists and at least 1 byte, in one call.
 * @param count at most BYTES_VECTOR_MAX
 * @return how many of the first were read whole: one that cannot be read ends it */
size_t
bytes_read_vector(pid_t pid, const struct iovec *local, const struct iovec *remote, size_t count);

/** Reads many pieces of one size of a process, in as few calls as the kernel allows.
 * @param stride bytes from one piece in `ret` to the next
 * @return how many of the first were read: one that cannot be read ends it */
size_t bytes_read_pieces(pid_t pid, const uint64_t *addrs, size_t count, size_t size, void *ret,
                         size_t stride);

/** Reads a piece of a file. @return number of bytes, fewer at its end */
size_t bytes_read_file(int fd, uint64_t offset, size_t size, void *ret);

/** The integer of 1, 2, 4 or 8 bytes, in the byte order of this machine, that was read. */
uint64_t bytes_uint(const void *bytes, size_t width);

#endif
