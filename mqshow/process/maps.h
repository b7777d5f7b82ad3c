// SPDX-License-Identifier: BSD-3-Clause
// The memory map of a process.
#ifndef MQSHOW_PROCESS_MAPS_H
#define MQSHOW_PROCESS_MAPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/** Memory that the process can write, or addresses that it keeps for something else. */
struct mapping {
    uint64_t start, end;
    bool shared;   // with who else maps it
    bool reserved; // the processor may not even read it
};

struct maps {
    struct mapping *items; // in ascending order
    size_t count, capacity;
    uint64_t signature; // of the files mapped; 0: not known
    uint64_t pages;     // as of maps_pages(), when it was read
};

/** Reads it. maps_deinit() frees it. */
void maps_init(struct maps *maps, pid_t pid);

void maps_deinit(struct maps *maps);

/** How many pages the process has mapped, which tells in no time whether its map has changed; 0:
 * not known. */
uint64_t maps_pages(pid_t pid);

/** The memory that the process can write and that an address is in; NULL: none. */
const struct mapping *maps_find(const struct maps *maps, uint64_t addr);

/** Whether an address is kept for something else than the memory of the processor. */
bool maps_is_reserved(const struct maps *maps, uint64_t addr);

#endif
