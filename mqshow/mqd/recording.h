// SPDX-License-Identifier: BSD-3-Clause
// A record of all that a library asked about a process and the answers, which tests can replay.
#ifndef MQSHOW_MQD_RECORDING_H
#define MQSHOW_MQD_RECORDING_H

#include "mqshow/symbols/objfile.h"

struct recording;

/** Opens a file for the record of one process, readable by the user only: it holds memory.
 * @param pointer_size 4 or 8, of the process
 * @param image        name of its program
 * @return NULL with errno set when the file cannot be made
 */
struct recording *recording_create(const char *path, int pointer_size, int rank, const char *image);

/** Writes what is still to be written; NULL is fine.
 * @return 0, or the errno of the first thing that could not be written
 */
int recording_flush(struct recording *recording);

/** Ends the record; NULL is fine. */
void recording_destroy(struct recording *recording);

// One answer each; without a record they do nothing. What was already written is not repeated.
void recording_symbol(struct recording *recording, const char *name, enum symbol_kind kind,
                      bool found, uint64_t addr);
void recording_type(struct recording *recording, const char *name, bool found, int64_t size);
void
recording_field(struct recording *recording, const char *type, const char *name, int64_t offset);
/** @param bytes NULL: they could not be read */
void recording_memory(struct recording *recording, uint64_t addr, size_t size, const void *bytes);

#endif
