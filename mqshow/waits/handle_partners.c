// SPDX-License-Identifier: BSD-3-Clause
#include "mqshow/waits/handle_partners.h"

#include "mqshow/base/alloc.h"
#include "mqshow/waits/handle_members.h"

#include <stdlib.h>

enum { PARTNERS_MAX = 1 << 16 }; // of a window or group

/** The processes of an object. */
struct members {
    struct partners all;
    struct partners exposed; // of a window: those of the exposure epoch
    bool has_epoch;          // it is known whether there is one
    int64_t own;             // rank in the object; -1: not known
    int64_t size;            // of the object that was read last: of a group, how many it has
    int kind;                // of the group or communicator that it is made of; -1: none
    uint64_t handle;         // of that
};

/** Adds a rank in MPI_COMM_WORLD. @return false: it is none, or one is missing before it */
static bool
add_rank(struct partners *ranks, const mqs_object_member *member)
{
    if (member->value < 0 || member->value > INT32_MAX || ranks->count == PARTNERS_MAX ||
        (size_t) member->index != ranks->count)
        return false;
    *ALLOC_ADD(ranks->items, ranks->count, ranks->capacity) = (int32_t) member->value;
    return true;
}

/** @return false: not all can be had */
static bool
take_member(void *context, const mqs_object_member *member)
{
    struct members *members = context;
    switch (member->member) {
    case mqs_member_rank:
        members->own = member->value;
        return true;
    case mqs_member_size:
        members->size = member->value;
        return true;
    case mqs_member_group:
    case mqs_member_communicator:
        members->kind = member->kind;
        members->handle = (uint64_t) member->value;
        return true;
    case mqs_member_member:
        return add_rank(&members->all, member);
    case mqs_member_exposure_member:
        members->has_epoch = true;
        return add_rank(&members->exposed, member);
    case mqs_member_epoch:
        members->has_epoch = true;
        return true;
    default:
        return true;
    }
}

/** Whether the processes of a group are all known. */
static bool
has_all(const struct members *members)
{
    return (int64_t) members->all.count == members->size;
}

static int
compare(const void *left, const void *right)
{
    const int32_t *a = left, *b = right;
    return (*a > *b) - (*a < *b);
}

/** Adds those that are not there yet. @param left_out its number is left out; -1: none */
static void
add_all(struct partners *partners, const struct partners *all, int64_t left_out)
{
    size_t count = 0;
    for (size_t i = 0; i < all->count; i++)
        if ((int64_t) i != left_out)
            *ALLOC_ADD(partners->items, partners->count, partners->capacity) = all->items[i];
    if (partners->count > 0)
        qsort(partners->items, partners->count, sizeof *partners->items, compare);
    for (size_t i = 0; i < partners->count; i++)
        if (i == 0 || partners->items[i] != partners->items[count - 1])
            partners->items[count++] = partners->items[i];
    partners->count = count;
}

/** Reads the group or communicator that a window is made of. */
static bool
read_group(const struct request_handles *handles, struct members *members)
{
    mqs_object within = {.known = 0};
    return members->kind >= 0 && handle_query(handles, members->kind, members->handle, &within) &&
           handle_members_each(handles, &within, take_member, members) && has_all(members);
}

static void
members_deinit(struct members *members)
{
    free(members->exposed.items);
    free(members->all.items);
}

/** What is asked of windows. */
struct search {
    const struct request_handles *handles;
    bool exposed; // of the exposure epoch only, where that is known
    struct partners *partners;
};

static bool
add_window(void *context, const mqs_object *window)
{
    const struct search *search = context;
    struct members members = {.own = -1, .kind = -1};
    bool is_known = handle_members_each(search->handles, window, take_member, &members);
    bool by_epoch = search->exposed && members.has_epoch;
    if (!by_epoch)
        is_known = is_known && members.own >= 0 && read_group(search->handles, &members);
    if (is_known)
        add_all(search->partners, by_epoch ? &members.exposed : &members.all,
                by_epoch ? -1 : members.own);
    members_deinit(&members);
    return is_known;
}

void
partners_of_group(const struct request_handles *handles, uint64_t group, struct partners *ret)
{
    struct members members = {.own = -1, .kind = -1};
    mqs_object object = {.known = 0};
    if (handle_query(handles, mqs_object_group, group, &object) &&
        handle_members_each(handles, &object, take_member, &members) && has_all(&members))
        add_all(ret, &members.all, -1);
    members_deinit(&members);
}

void
partners_of_window(const struct request_handles *handles, const uint64_t *window, bool exposed,
                   struct partners *ret)
{
    mqs_object object = {.known = 0};
    struct search search = {handles, exposed, ret};
    bool is_known = window ? handle_query(handles, mqs_object_window, *window, &object) &&
                                 add_window(&search, &object)
                           : handle_objects_each(handles, mqs_object_window, add_window, &search);
    if (!is_known)
        ret->count = 0;
}

int32_t
partner_in_window(const struct request_handles *handles, const mqs_object *window, int rank)
{
    struct members members = {.own = -1, .kind = -1};
    int32_t found = -1;
    if (handle_members_each(handles, window, take_member, &members) &&
        read_group(handles, &members) && rank >= 0 && (size_t) rank < members.all.count)
        found = members.all.items[rank];
    members_deinit(&members);
    return found;
}
