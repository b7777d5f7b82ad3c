// SPDX-License-Identifier: BSD-3-Clause
// A host for tests: reads a running process of this machine, knows symbols and no types.
#ifndef TESTS_OMP_LIVE_HOST_H
#define TESTS_OMP_LIVE_HOST_H

#include "target/target.h"

#include <sys/types.h>

enum { LIVE_FILES = 64 };

struct live_host {
    pid_t pid;
    bool stripped; // pretend that files have exported symbols only
    unsigned reads;
    uint64_t bytes; // of the reads
    unsigned lookups;
    unsigned n_files;
    struct live_file {
        char path[256];
        taddr base;
        const uint8_t *bytes;
        size_t size;
    } files[LIVE_FILES];
};

/** Maps the files of the process. @return false when the process cannot be seen */
bool live_host_init(struct live_host *host, pid_t pid);

void live_host_deinit(struct live_host *host);

/** Maps the files that the process has loaded since. */
void live_host_update(struct live_host *host);

/** The host as a target. */
struct target live_host_target(struct live_host *host);

/** Blocks that alloc() gave and free() did not take. */
extern int live_host_blocks;

#endif
