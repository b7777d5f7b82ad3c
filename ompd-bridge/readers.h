// SPDX-License-Identifier: BSD-3-Clause
// The backends that read the OpenMP runtime of one process, and which of them answers.
#ifndef OMPD_BRIDGE_READERS_H
#define OMPD_BRIDGE_READERS_H

#include "ompd-bridge/picture.h"

struct readers {
    struct inferior *inf;
    struct reader native;            // reads the runtime's own memory; no backend: nothing is open
    struct reader library;           // asks the runtime's OMPD library, if there is one to trust
    bool agreed;                     // both saw the same, the last time
    struct picture picture;          // what the native reader saw, as of the last time
    struct picture librarys_picture; // what the library saw, when both agreed; else empty
    struct notes notes;              // for the user
    unsigned n_lasting; // notes that stem from opening the readers; the others come after
    // A note tells of further runtimes that have started; false at first. That asks for symbols
    // that are mostly absent, which the callbacks of some tools for OMPD do not survive.
    bool notes_others;
};

/** Prepares; nothing is open. */
void readers_init(struct readers *readers, struct inferior *inf);

/** Frees all. */
void readers_deinit(struct readers *readers);

/** Whether the process has loaded a runtime that there is a native reader for, started or not. */
bool readers_can_read(const struct readers *readers);

/** Looks for a runtime, opens what can read it, and looks at all of it. Nothing is open before.
 * @return STATUS_ABSENT with an empty trail when there is no runtime; STATUS_ABSENT and others when
 * it cannot be read, and the trail says why; nothing is open then
 */
CHECKED enum status readers_open(struct readers *readers);

/** Looks anew, after the inferior was refreshed; the native reader is open.
 * @return anything but STATUS_OK: nothing is open any more
 */
CHECKED enum status readers_refresh(struct readers *readers);

/** Frees the pictures, for those who have no use for them; what is open stays so. */
void readers_forget_pictures(struct readers *readers);

/** Closes what is open. All objects of the readers but those of the pictures are released before.
 */
void readers_close(struct readers *readers);

/** The reader that answers: the library when it can be trusted to tell the truth. */
const struct reader *readers_speaker(const struct readers *readers);

/** What the reader that answers saw; items have the same numbers as in `picture`. */
const struct picture *readers_seen(const struct readers *readers);

/** Describes the runtime, and the reader that answers. The version of OpenMP is what either of them
 * knows; whether states are tracked is what the native reader sees, which sees more.
 */
CHECKED enum status readers_info(const struct readers *readers, struct omp_info *ret);

#endif
