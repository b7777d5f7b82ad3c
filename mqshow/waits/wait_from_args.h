// SPDX-License-Identifier: BSD-3-Clause
// Which requests the arguments of a call name, of those that are pending.
#ifndef MQSHOW_WAITS_WAIT_FROM_ARGS_H
#define MQSHOW_WAITS_WAIT_FROM_ARGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct request_handles;
struct image;
struct thread;

enum { REQUESTS_MAX = 1000000 }; // entries of an array of requests

/** The requests that are searched for, in ascending order of addresses. */
struct pending_set {
    const struct request_handles *handles;
    bool partial; // there may be others
    struct pending_request {
        uint64_t address;
        bool sends;
        bool blocks; // the library says that a thread waits for it
    } * items;
    size_t count, capacity;
};

/** The request that is searched for at an address; NULL: there is none. */
const struct pending_request *pending_find(const struct pending_set *pending, uint64_t addr);

/** Adds a request to what a thread may wait for. @param slot where it was found */
void wait_add_request(struct thread *thread, const struct pending_request *found, uint64_t slot,
                      bool certain);

/** Adds those that the arguments of a thread's call name, if these are known, and notes whether
 * there may be others.
 */
void
wait_from_args(struct thread *thread, const struct image *image, const struct pending_set *pending);

#endif
