// SPDX-License-Identifier: BSD-3-Clause
// Files that a process or another file names, and what of them may be read.
//
// Whoever owns the process chooses these names: one may lead to a pipe without a writer, to a
// device, or to a small file that unpacks to a big one.
#ifndef MQSHOW_BASE_NAMED_FILE_H
#define MQSHOW_BASE_NAMED_FILE_H

#include "mqshow/base/build_id.h"

#include <gelf.h>
#include <stdbool.h>

/** Where the files are that a core or a debugger names. */
struct named_places {
    const char *program; // the program of the process; NULL: it is where it says
    const char *sysroot; // folder that stands for the root of the process; NULL: "/"
};

/** Where a path of the process is on this machine, to free(). */
char *named_file_place(const struct named_places *places, const char *path);

/** Whether a library may be let open a file: there is none, or a regular one that begins as ELF and
 * is not too long. One that is compressed as a whole, a library would unpack before it reads it.
 */
bool named_file_may_be_opened(const char *path);

/** Whether an open file may be read as ELF: a regular one that begins as ELF, and that neither
 * itself nor with its compressed sections is too long, and names no file that may not be opened.
 * @param wanted the build-id that it must have; NULL: any
 */
bool named_file_may_be_read(int fd, const char *path, const struct build_id *wanted);

/** Whether a header is of a file for the machine of this program. */
bool named_file_is_native(const GElf_Ehdr *header);

#endif
