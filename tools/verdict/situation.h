// SPDX-License-Identifier: BSD-3-Clause
// What a thread does: in which MPI call it is, or what it waits for otherwise, from its stack and
// from what OpenMP says of it.
#ifndef TOOLS_VERDICT_SITUATION_H
#define TOOLS_VERDICT_SITUATION_H

#include "tools/verdict/jobview.h"

enum doing {
    DOING_WORK,       // runs the user's code, or polls
    DOING_MESSAGES,   // in a call that waits for operations
    DOING_COLLECTIVE, // in a collective call
    DOING_BARRIER,    // at a barrier of its parallel region
    DOING_LOCK,       // waits for something that another thread of the process can give
    DOING_IDLE,       // waits for work: nothing waits for it
    DOING_HELP,       // a thread of a library: it runs no code of the user
    DOING_UNKNOWN
};

struct situation {
    enum doing doing;
    bool any;                     // one of the operations suffices
    bool receives, sends, probes; // which operations the call can wait for
    bool one_side;                // collective: not all that are in it wait for all that are not
    const char *collective;       // "barrier"
};

/** Judges a thread. */
struct situation situation_of(const struct jv_thread *thread);

/** The call to the system, by its C function, in which the user's code waits for something outside
 * of the job: a file, a clock, a signal. NULL: it is in none that is known. */
const char *situation_system_call(const struct jv_thread *thread);

/** A collective call by its name in small letters without MPI_: whether all wait for all. */
bool situation_is_one_sided(const char *collective);

#endif
