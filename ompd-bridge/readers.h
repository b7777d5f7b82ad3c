// SPDX-License-Identifier: BSD-3-Clause
// The backends that read the OpenMP runtime of one process, and the threads that they find.
#ifndef OMPD_BRIDGE_READERS_H
#define OMPD_BRIDGE_READERS_H

#include "ompd-bridge/thread_list.h"

/** A backend and its state for the process; no backend: not in use. */
struct reader {
    const struct backend *backend;
    struct backend_state *state;
};

struct readers {
    struct inferior *inf;
    struct reader native;       // reads the runtime's own memory
    struct reader library;      // asks the runtime's OMPD library, if there is one to trust
    bool agreed;                // both gave the same threads, the last time
    struct thread_list threads; // as of the last time
    struct notes notes;         // for the user
    unsigned n_lasting;         // notes that stem from opening the readers; the others come after
};

/** Prepares; nothing is open. */
void readers_init(struct readers *readers, struct inferior *inf);

/** Frees all. */
void readers_deinit(struct readers *readers);

/** Looks for a runtime, opens what can read it, and lists its threads. Nothing is open before.
 * @return STATUS_ABSENT with an empty trail when there is no runtime; STATUS_ABSENT and others when
 * it cannot be read, and the trail says why; nothing is open then
 */
CHECKED enum status readers_open(struct readers *readers);

/** Reads and lists the threads anew, after the inferior was refreshed; the native reader is open.
 * @return anything but STATUS_OK: nothing is open any more
 */
CHECKED enum status readers_refresh(struct readers *readers);

/** Closes what is open. */
void readers_close(struct readers *readers);

/** Describes the runtime, and the reader that answers: the library when it can be trusted to tell
 * the truth. Whether states are tracked is what the native reader sees, which sees more.
 */
CHECKED enum status readers_info(const struct readers *readers, struct omp_info *ret);

#endif
