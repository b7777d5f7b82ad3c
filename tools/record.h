// SPDX-License-Identifier: BSD-3-Clause
// A record of all that a library asked about a process and was told, which tests can replay.
#ifndef TOOLS_RECORD_H
#define TOOLS_RECORD_H

#include "tools/objfile.h"

struct record;

/** Opens a file for the record of one process, readable by the user only: it holds memory.
 * @param pointer_size 4 or 8, of the process
 * @param image        name of its program
 * @return NULL with errno set when the file cannot be made
 */
struct record *record_create(const char *path, int pointer_size, int rank, const char *image);

/** Writes what is still to be written; NULL is fine.
 * @return 0, or the errno of the first thing that could not be written
 */
int record_flush(struct record *record);

/** Ends the record; NULL is fine. */
void record_destroy(struct record *record);

// One answer each; without a record they do nothing. What was already written is not repeated.
void record_symbol(struct record *record, const char *name, enum symbol_kind kind, bool found,
                   uint64_t addr);
void record_type(struct record *record, const char *name, bool found, int64_t size);
void record_field(struct record *record, const char *type, const char *name, int64_t offset);
/** @param bytes NULL: they could not be read */
void record_memory(struct record *record, uint64_t addr, size_t size, const void *bytes);

#endif
