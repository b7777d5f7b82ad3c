// SPDX-License-Identifier: BSD-3-Clause
// Files that are compressed in the format of gzip, or may be.
#ifndef MQSHOW_BASE_PACKED_H
#define MQSHOW_BASE_PACKED_H

#include <stdbool.h>
#include <stdio.h>

/** Opens what may be compressed, and reads it as it was before; closing it closes the descriptor.
 * A file that is damaged or ends too early fails, with errno EBADMSG. How much comes out of it is
 * for the caller to limit.
 * @param fd taken over, also on failure
 * @return NULL with errno set */
FILE *packed_reader(int fd);

/** Whether it is a plain file that is compressed, or begins as an object of JSON does. */
bool packed_is_object(const char *path);

/** Writes a compressed file, that is there as a whole or not at all: it is written beside, and
 * takes its place when it is complete. What is no plain file is written to as it is. Signals that
 * would end the program wait until then.
 * @param write writes to `out` what is compressed; that this was possible is checked here
 * @return NULL, or why it is not written, to free() */
char *
packed_write(const char *path, void (*write)(FILE *out, const void *context), const void *context);

#endif
