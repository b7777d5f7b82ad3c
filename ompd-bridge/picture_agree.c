// SPDX-License-Identifier: BSD-3-Clause
// Compares what two readers see.
#include "ompd-bridge/picture.h"

static bool
threads_agree(const struct picture *a, const struct picture *b)
{
    for (uint32_t i = 0; i < a->threads.count; i++) {
        const struct picture_thread *one = picture_thread(a, i), *other = picture_thread(b, i);
        if (one->region != other->region || one->task != other->task)
            return false;
    }
    return true;
}

static bool
regions_agree(const struct picture *a, const struct picture *b)
{
    for (uint32_t i = 0; i < a->regions.count; i++) {
        const struct picture_region *one = picture_region(a, i), *other = picture_region(b, i);
        if (one->parent != other->parent || one->size != other->size)
            return false;
    }
    return true;
}

static bool
tasks_agree(const struct picture *a, const struct picture *b)
{
    for (uint32_t i = 0; i < a->tasks.count; i++) {
        const struct picture_task *one = picture_task(a, i), *other = picture_task(b, i);
        if (one->region != other->region || one->generating != other->generating ||
            one->scheduling != other->scheduling || one->num != other->num)
            return false;
    }
    return true;
}

bool
picture_agree(const struct picture *a, const struct picture *b)
{
    return a->threads.count == b->threads.count && a->regions.count == b->regions.count &&
           a->tasks.count == b->tasks.count && threads_agree(a, b) && regions_agree(a, b) &&
           tasks_agree(a, b);
}
