// SPDX-License-Identifier: BSD-3-Clause
// What the parts of the search for awaited operations share.
#ifndef MQSHOW_WAITS_AWAITS_PARTS_H
#define MQSHOW_WAITS_AWAITS_PARTS_H

#include "mqshow/waits/awaits.h"

struct handles;
struct image;
struct thread;

enum { AWAITS_ARRAY_MAX = 1000000 }; // entries of an array of requests

/** The requests that are looked for, in ascending order of addresses. */
struct wanted {
    const struct handles *handles;
    bool partial; // there may be others
    struct wanted_request {
        uint64_t address;
        bool sends;
        bool blocks; // the library says that a thread waits for it
    } * items;
    size_t count, capacity;
};

/** The request that is looked for at an address; NULL: there is none. */
const struct wanted_request *awaits_find(const struct wanted *wanted, uint64_t addr);

/** Adds a request to what a thread may wait for. @param slot where it was found */
void
awaits_add(struct thread *thread, const struct wanted_request *found, uint64_t slot, bool certain);

/** Adds those that the arguments of a thread's call name, if these can be told, and notes whether
 * there may be others.
 */
void awaits_add_told(struct thread *thread, const struct image *image, const struct wanted *wanted);

#endif
