// SPDX-License-Identifier: BSD-3-Clause
// Calls of MPI that wait for rank LATE, and what they share.
#ifndef TESTS_WAITS_BLOCKED_H
#define TESTS_WAITS_BLOCKED_H

#include <mpi.h>

enum { LATE = 1, RANKS = 3 };

/** A wait: all ranks make it, LATE after it was let go on. */
struct wait {
    const char *name; // of the call in which the others wait, and of another one that matters
    void (*before)(void), (*run)(void), (*after)(void);
};

extern int rank;
extern MPI_Comm comm;
extern const char *folder; // of the test

/** Those of windows and files. */
extern const struct wait sided_waits[];
extern const int sided_count;

#endif
