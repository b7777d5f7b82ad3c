// SPDX-License-Identifier: BSD-3-Clause
// The one reader that answers for the OpenMP runtime of a process.
//
// A native reader answers alone where it recognises the runtime. The runtime's own OMPD library is
// asked only where none does: a vendor's runtime, or a release to come.
#ifndef OMPD_BRIDGE_EXPORTS_ACTIVE_READER_H
#define OMPD_BRIDGE_EXPORTS_ACTIVE_READER_H

#include "ompd-bridge/backend.h"

struct active_reader {
    struct inferior *inf;
    struct reader reader; // no backend: nothing is open
    struct diagnostics diagnostics;
    unsigned n_lasting; // diagnostics of opening the reader; those of a snapshot come after
    // Report further runtimes that have started; false at first. That asks for symbols that are
    // mostly absent, which the callbacks of some tools for OMPD do not survive.
    bool reports_others;
};

/** Prepares; nothing is open. */
void active_reader_init(struct active_reader *active, struct inferior *inf);

/** Whether the process has loaded a runtime that may be readable, started or not. */
bool active_reader_detect(const struct active_reader *active);

/** Looks for a runtime and opens its reader. Nothing is open before.
 * @return STATUS_ABSENT with an empty trail when there is no runtime; STATUS_UNUSED where it is
 * not in use, others when it cannot be read, and the trail says why; nothing is open then
 */
CHECKED enum status active_reader_open(struct active_reader *active);

/** Reads anew after the inferior was refreshed; the reader is open.
 * @return anything but STATUS_OK: the reader should be closed
 */
CHECKED enum status active_reader_refresh(struct active_reader *active);

/** Closes what is open. All objects of the reader are released before. */
void active_reader_close(struct active_reader *active);

#endif
