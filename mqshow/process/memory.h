// SPDX-License-Identifier: BSD-3-Clause
// Reading the memory of a process, or what its core has of it.
#ifndef MQSHOW_PROCESS_MEMORY_H
#define MQSHOW_PROCESS_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct debuggee;

/** Reads exactly `size` bytes of a process or core; of a process of which some were copied, these
 * as they were then. @return false, and the buffer is undefined, when it cannot
 */
bool memory_read(const struct debuggee *debuggee, uint64_t addr, size_t size, void *ret);

/** Whether the process has gone on since what is read of it was copied. */
bool memory_is_past(const struct debuggee *debuggee);

/** memory_read() for one who asks for more than is needed, and then for less: of a process that has
 * gone on since it was copied, more than a page is only read of the copy. */
bool memory_read_ahead(const struct debuggee *debuggee, uint64_t addr, size_t size, void *ret);

/** Reads an integer of 1, 2, 4 or 8 bytes. */
bool memory_read_uint(const struct debuggee *debuggee, uint64_t addr, size_t width, uint64_t *ret);

/** Reads words of 8 bytes that lie apart, of a running process in one call. @param ret 0: that one
 * cannot be read */
void memory_read_words(const struct debuggee *debuggee, const uint64_t *addrs, size_t count,
                       uint64_t *ret);

/** Reads a text up to its NUL, at most size - 1 bytes; always terminated.
 * @return false when no NUL can be read within that many bytes
 */
bool memory_read_text(const struct debuggee *debuggee, uint64_t addr, size_t size, char *ret);

enum { PTHREAD_TID_AT = 720 }; // bytes from a pthread_t to the thread's id, in glibc on x86-64

/** Reads the id that glibc on x86-64 has for a thread: that of the process's PID namespace. */
bool memory_read_tid(const struct debuggee *debuggee, uint64_t pthread, pid_t *ret);

/** Words of an entry in the dynamic linker's list of files: `struct link_map` without its tail. */
enum { MAP_BIAS, MAP_NAME, MAP_DYNAMIC, MAP_NEXT, MAP_WORDS };

/** Reads the first words, as wide as a pointer, of such an entry, or of the linker's other structs.
 */
bool memory_read_map(const struct debuggee *debuggee, uint64_t addr, size_t count, uint64_t *ret);

/** Value of a variable in the environment that the process started with, to free(); NULL: none, or
 * not known.
 */
char *memory_environment(const struct debuggee *debuggee, const char *name);

#endif
