// SPDX-License-Identifier: BSD-3-Clause
// Where threads are, as paths of steps: their frames from the outermost on, those of runtimes
// folded.
#ifndef MQSHOW_TREE_PATHS_H
#define MQSHOW_TREE_PATHS_H

#include "mqshow/verdict/verdict.h"

enum step_kind {
    STEP_FUNCTION, // of the program, a library, or the C library where the program calls it
    STEP_CALL,     // of MPI
    STEP_WAIT,     // of OpenMP: what the thread waits for
    STEP_HELPERS,  // threads that run code of a runtime only
    STEP_UNKNOWN,
    STEP_HERE // the innermost frame is that of the step before
};

struct step {
    enum step_kind kind;
    const char *name; // "exchange", "MPI_Recv", "waits for critical (a)", "libx.so+0x17"
    const char *file; // path; NULL: not known
    int64_t line;     // 0: not known, or not distinguished
    uint32_t place;   // number of the same step without its line; its own: it has none
};

struct paths {
    const struct verdict *verdict;
    struct step *steps;
    size_t n_steps, steps_capacity;
    struct intern all;   // arrays of numbers of steps, outermost first
    uint32_t *of_thread; // by number of the thread in the job
    // While they are made.
    struct intern texts, keys, frames;
    struct frame_step *frame_steps; // of the frames
    size_t frame_steps_capacity;
};

/** Finds the paths of all threads of a job. The verdict must live as long. */
void paths_init(struct paths *paths, const struct verdict *verdict);
void paths_deinit(struct paths *paths);

/** The steps of a path. */
const uint32_t *paths_get(const struct paths *paths, uint32_t path, size_t *ret_count);

/** The number of a step. @param name, file are kept */
uint32_t paths_step(struct paths *paths, enum step_kind kind, const char *name, const char *file,
                    int64_t line);

/** The name of a function, "work (parallel region at x.c:3)", for free(). @param construct as in
 * struct frame_record */
char *paths_function_name(const char *function, const char *construct);

/** Puts threads of OpenMP that run a part of a region where the region was begun, which is on the
 * stack of its first thread: a step of paths_init(). */
void paths_begin_regions(struct paths *paths);

#endif
