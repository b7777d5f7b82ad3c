// SPDX-License-Identifier: BSD-3-Clause
// Operations of one queue that never matched, and that nothing nearly matches, in the verdict.
//
// There may be very many: they are one object with their numbers in the queue, packed, instead of
// an object for each.
#ifndef TOOLS_VERDICT_LONELY_H
#define TOOLS_VERDICT_LONELY_H

#include "tools/operations.h"

struct lonely {
    json_t *rank, *communicator, *communicator_id, *queue;
    const json_t *packed; // the queue in its document
    struct operations operations;
    const uint32_t *numbers; // of those in the queue
    size_t count;
};

/** An object for them, to json_decref(); their values and the queue are shared. */
json_t *lonely_json(const struct lonely *lonely);

/** Reads one. It lives as long. @return false: it is something else */
bool lonely_read(const json_t *value, struct lonely *ret);

#endif
