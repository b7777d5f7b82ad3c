// SPDX-License-Identifier: BSD-3-Clause
// Whether functions of the program may lead to calls of some kind, as their code tells.
#ifndef MQSHOW_STACK_LEADS_H
#define MQSHOW_STACK_LEADS_H

#include "mqshow/base/runtime.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct image;

/** A question about functions, and what was found out of them. */
struct leads {
    const struct image *image;
    /** Whether a function is one of the calls that are meant. Only the program's functions are
     * looked into, whoever they call: others do not know it. @param runtime whose it is */
    bool (*is_meant)(const struct image *image, enum runtime runtime, uint64_t function);
    struct led {
        uint64_t function;
        bool may;
    } * items;
    size_t count, capacity;
};

/** Whether a function may lead there; of code that cannot be followed, true. */
bool leads_may(struct leads *leads, uint64_t function);

void leads_deinit(struct leads *leads);

#endif
