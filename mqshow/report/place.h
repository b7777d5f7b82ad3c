// SPDX-License-Identifier: BSD-3-Clause
// Where a thread is, for people: at which line of the program's own, and what that has called.
#ifndef MQSHOW_REPORT_PLACE_H
#define MQSHOW_REPORT_PLACE_H

#include "mqshow/report/report.h"

struct place {
    const struct frame_record *frame;   // NULL: not known
    const struct frame_record *library; // the library's function that it has called; NULL: none
};

/** The innermost frame that is neither of the system's libraries or headers, nor of an
 * interpreter's, nor of an installed package's; where there is none, the thread's own. */
struct place place_of(const struct thread_record *thread);

/** The first frame of the program's own, as place_of() has it, from a number of the stack on; NULL:
 * there is none. */
const struct frame_record *place_from(const struct thread_record *thread, size_t first);

/** Where an exception was raised, as far as that is the program's own; NULL: not known. */
const struct frame_record *place_raised(const struct exception_record *exception);

/** "exchange at ring.c:17", perhaps nothing, for free(). */
char *frame_text(const struct frame_record *frame);

/** The call that has begun a nonblocking collective, "MPI_Ibcast in solve at s.c:5", for free();
 * NULL: not known. */
char *nonblocking_call_text(const struct nonblocking_record *record);

/** "write_part at p2.py:8 (h5py Dataset.__setitem__)", perhaps nothing, for free().
 * @param both whether to begin with the innermost frame, the library's */
char *place_text(const struct thread_record *thread, bool both);

#endif
