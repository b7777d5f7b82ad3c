// SPDX-License-Identifier: BSD-3-Clause
// The contract between the OpenMP side and what reads one kind of OpenMP runtime.
//
// How to add a backend, in stages:
//
// 1. detect(): recognise the runtime by a symbol that only it has. open(): find its tables.
//    info(): name it. Debuggers now show which runtime a process uses.
// 2. threads(): emit every thread of the runtime once. A member that memory does not tell is left
// out
//    of `known`, and `note` says why.
//
// A function that is NULL is a capability that the backend lacks. All of them read the target
// through the inferior only, trust nothing that they read, and bound every walk. A backend keeps no
// address over a refresh but those of the runtime's variables.
#ifndef OMPD_BRIDGE_BACKEND_H
#define OMPD_BRIDGE_BACKEND_H

#include "ompd-bridge/notes.h"
#include "target/inferior.h"

/** Members of struct omp_thread that are known. */
enum omp_known {
    OMP_KNOWS_TID = 1 << 0,
    OMP_KNOWS_PTHREAD = 1 << 1,
    OMP_KNOWS_NUM = 1 << 2,
    OMP_KNOWS_TEAM_SIZE = 1 << 3,
    OMP_KNOWS_LEVEL = 1 << 4,
    OMP_KNOWS_ACTIVE_LEVEL = 1 << 5,
    OMP_KNOWS_STATE = 1 << 6,
    OMP_KNOWS_WAIT_ID = 1 << 7,
    OMP_KNOWS_TEAM = OMP_KNOWS_NUM | OMP_KNOWS_TEAM_SIZE | OMP_KNOWS_LEVEL | OMP_KNOWS_ACTIVE_LEVEL,
};

/** A thread of the runtime, as the innermost region that it executes sees it. A thread that waits
 * between regions has no members of OMP_KNOWS_TEAM, and its state is OMP_STATE_idle. */
struct omp_thread {
    unsigned known; // enum omp_known
    int64_t tid;    // the operating system's
    taddr pthread;
    int64_t num; // in its team
    int64_t team_size;
    int64_t level;
    int64_t active_level;
    int64_t state;    // enum omp_state or a runtime's own
    uint64_t wait_id; // what it waits for; 0: nothing
    const char *note; // why something is not known, below 64 bytes; a literal, never NULL
};

struct omp_info {
    char runtime[64];  // "LLVM OpenMP"
    char backend[256]; // "libomp table"
    bool tracking;     // the runtime keeps the states of its threads
    int64_t version;   // yyyymm of the specification; 0: not known
};

/** Where a backend puts the threads that it finds. */
struct thread_sink {
    /** Takes a copy. @return STATUS_NOMEM */
    enum status (*emit)(struct thread_sink *sink, const struct omp_thread *thread);
    /** A thread cannot be read, so that the list is not complete. */
    void (*broken)(struct thread_sink *sink, enum status status);
};

/** State of one backend for one process; each backend has a type of its own. */
struct backend_state;

struct backend {
    const char *name;

    /** Whether the process has loaded the runtime; looks up symbols only.
     * @return STATUS_ABSENT when it has not */
    enum status (*detect)(struct inferior *inf);

    /** Prepares to read the runtime.
     * @param notes for what the user may want to know; outlives the state
     * @return STATUS_ABSENT when the runtime has not started or cannot be read by this backend, and
     * the trail says so for the user; STATUS_NOMEM and others */
    enum status (*open)(struct inferior *inf, struct notes *notes, struct backend_state **ret);

    /** Frees the state; NULL is fine. */
    void (*close)(struct backend_state *state);

    /** The inferior was refreshed: reads again what may have changed. */
    enum status (*refresh)(struct backend_state *state);

    enum status (*info)(struct backend_state *state, struct omp_info *ret);

    /** Emits every thread once, in the runtime's order. What is emitted before a failure stays
     * good. A thread that makes no sense is left out with a note. */
    enum status (*threads)(struct backend_state *state, struct thread_sink *sink);
};

/** Reads the table that LLVM's runtime publishes. */
extern const struct backend backend_libomp;

/** Asks the OMPD library that LLVM's runtime names. */
extern const struct backend backend_library;

#endif
