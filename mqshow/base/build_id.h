// SPDX-License-Identifier: BSD-3-Clause
// Build-ids, which show whether two files are of one build.
#ifndef MQSHOW_BASE_BUILD_ID_H
#define MQSHOW_BASE_BUILD_ID_H

#include <libelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

enum { BUILD_ID_BYTES = 64 };

/** A build-id; none has the length 0. */
struct build_id {
    size_t length;
    unsigned char bytes[BUILD_ID_BYTES];
};

/** One as libelf and libdw give it; a length of 0 or less, or of more than BUILD_ID_BYTES: none. */
struct build_id build_id(const void *bytes, ssize_t length);

/** That of a file. */
struct build_id build_id_of(Elf *elf);

/** That of a file whose beginning is in memory. @return whether it is ELF */
bool build_id_of_start(char *bytes, size_t size, struct build_id *ret);

/** Whether both are the same, or both are none. */
bool build_id_equals(const struct build_id *a, const struct build_id *b);

/** In hexadecimal, "" for none, to free(). */
char *build_id_text(const struct build_id *id);

#endif
