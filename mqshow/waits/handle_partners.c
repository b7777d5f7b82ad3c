// SPDX-License-Identifier: BSD-3-Clause
#include "mqshow/waits/handle_partners.h"

#include "mqshow/base/alloc.h"

#include <stdlib.h>

enum {
    PARTNERS_MAX = 1 << 16, // of a window or group
    WINDOWS_MAX = 1000
};

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
take_member(struct members *members, const mqs_object_member *member)
{
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

static bool
read_members(const struct request_handles *handles, const mqs_object *object,
             struct members *members)
{
    const struct dll *dll = handles->dll;
    mqs_object_member member;
    int code = dll->mqs_setup_member_iterator(handles->process, object);
    while (code == mqs_ok) {
        code = dll->mqs_next_member(handles->process, &member);
        if (code == mqs_ok && !take_member(members, &member))
            return false;
    }
    return code == mqs_end_of_list;
}

/** Whether the processes of a group are all known. */
static bool
has_all(const struct members *members)
{
    return (int64_t) members->all.count == members->size;
}

static bool
query(const struct request_handles *handles, int kind, uint64_t handle, mqs_object *ret)
{
    return handles->dll->mqs_query_handle(handles->process, kind, mqs_form_c, handle, ret) ==
           mqs_ok;
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

/** @param exposed of the exposure epoch only, where that is known */
static bool
add_window(const struct request_handles *handles, const mqs_object *window, bool exposed,
           struct partners *partners)
{
    struct members members = {.own = -1, .kind = -1};
    mqs_object within = {.known = 0};
    bool is_known = read_members(handles, window, &members);
    if (is_known && exposed && members.has_epoch) {
        add_all(partners, &members.exposed, -1);
    } else if (is_known) {
        is_known = members.kind >= 0 && members.own >= 0 &&
                   query(handles, members.kind, members.handle, &within) &&
                   read_members(handles, &within, &members) && has_all(&members);
        if (is_known)
            add_all(partners, &members.all, members.own);
    }
    free(members.exposed.items);
    free(members.all.items);
    return is_known;
}

/** Of a window that is not known: all that may be it. */
static bool
add_windows(const struct request_handles *handles, bool exposed, struct partners *partners)
{
    const struct dll *dll = handles->dll;
    mqs_object window = {.known = 0};
    int code = dll->mqs_setup_object_iterator(handles->process, mqs_object_window);
    for (size_t i = 0; code == mqs_ok && i < WINDOWS_MAX; i++) {
        code = dll->mqs_next_object(handles->process, &window);
        bool may_be = code == mqs_ok && window.state != mqs_object_null;
        if (may_be && !add_window(handles, &window, exposed, partners))
            return false;
    }
    return code == mqs_end_of_list;
}

static bool
knows_objects(const struct dll *dll)
{
    return dll->mqs_query_handle && dll->mqs_setup_member_iterator && dll->mqs_next_member &&
           dll->mqs_setup_object_iterator && dll->mqs_next_object;
}

void
partners_of_group(const struct request_handles *handles, uint64_t group, struct partners *ret)
{
    struct members members = {.own = -1, .kind = -1};
    mqs_object object = {.known = 0};
    if (knows_objects(handles->dll) && query(handles, mqs_object_group, group, &object) &&
        read_members(handles, &object, &members) && has_all(&members))
        add_all(ret, &members.all, -1);
    free(members.exposed.items);
    free(members.all.items);
}

void
partners_of_window(const struct request_handles *handles, const uint64_t *window, bool exposed,
                   struct partners *ret)
{
    mqs_object object = {.known = 0};
    bool is_known = false;
    if (!knows_objects(handles->dll))
        return;
    if (!window)
        is_known = add_windows(handles, exposed, ret);
    else if (query(handles, mqs_object_window, *window, &object))
        is_known = add_window(handles, &object, exposed, ret);
    if (!is_known)
        ret->count = 0;
}

char *
handle_file_name(const struct request_handles *handles, uint64_t file)
{
    const struct dll *dll = handles->dll;
    mqs_object object = {.known = 0};
    mqs_object_member member;
    if (!knows_objects(dll) || !query(handles, mqs_object_file, file, &object) ||
        object.state != mqs_object_live ||
        dll->mqs_setup_member_iterator(handles->process, &object) != mqs_ok)
        return NULL;
    while (dll->mqs_next_member(handles->process, &member) == mqs_ok)
        if (member.member == mqs_member_file_name)
            return alloc_text(member.text);
    return NULL;
}
