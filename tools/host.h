// SPDX-License-Identifier: BSD-3-Clause
// The debugger's side of MQD: its images, processes, types and the callbacks over them.
#ifndef TOOLS_HOST_H
#define TOOLS_HOST_H

#include "mqs.h"
#include "tools/image.h"

#include <stdbool.h>
#include <stdint.h>

struct dll;
struct record;

/** What the library knows as mqs_type. */
struct mqs_type_ {
    struct mqs_type_ *next;
    struct mqs_image_ *image;
    struct type_entry entry;
    char *name; // as it was asked for
};

/** What the library knows as mqs_image: one for each process, because of address randomisation. */
struct mqs_image_ {
    struct image image;
    mqs_image_info *info;
    struct mqs_type_ *types;
    struct record *record; // NULL: nothing is recorded
};

/** What the library knows as mqs_process. */
struct mqs_process_ {
    struct mqs_image_ image;
    mqs_process_info *info;
    pid_t pid;
    int rank;        // in MPI_COMM_WORLD, MQS_INVALID_PROCESS if not known
    bool wide_sizes; // whether mqs_target_type_sizes of the library holds 7 ints
};

/** Calls of callbacks over all processes, the memory that the library has from us, and where the
 * time of this program and its workers goes.
 */
struct host_stats {
    uint64_t reads;
    uint64_t bytes;
    uint64_t symbols;
    uint64_t types;
    uint64_t allocations;
    uint64_t held;               // bytes allocated and not freed yet, as malloc() rounds them up
    uint64_t peak;               // most bytes ever held
    uint64_t cpu_us, starved_us; // on a processor, and ready to run but without one
    uint64_t stops_us;           // waiting for threads to stop
    uint64_t pauses_us;          // between looks
};

extern struct host_stats host_stats;

/** Counts the time on a processor, and without one, since the last call in this process. */
void host_count_time(void);

extern const mqs_basic_callbacks host_basic;
extern const mqs_image_callbacks host_image;
extern const mqs_process_callbacks host_process;

/** Decides how many ints the type sizes of a process take in this library.
 *
 * The library tells when it can (struct dll); else a process that runs Open MPI, which has the
 * longer header, gets 7 and any other one gets 5.
 */
bool host_wants_wide_sizes(const struct dll *dll, const struct image *image);

/** Hands over each text that the library has printed since the last call, escaped, to free(). */
void host_take_printed(void (*take)(void *context, char *text), void *context);

/** Frees the types that the library has asked for. */
void host_free_types(struct mqs_image_ *image);

#endif
