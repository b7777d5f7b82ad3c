// SPDX-License-Identifier: BSD-3-Clause
// What a debugger has asked of the MPI objects of a process: a list of them, and the members of
// one.
#ifndef MQS_OBJECTS_H
#define MQS_OBJECTS_H

#include "mqs/adapter.h"

enum { FOUND_MAX = 1 << 20 }; // items of a list; more is taken for damaged memory

/** What an item begins with. */
struct found_item {
    struct found_item *next;
};

struct object_item {
    struct found_item item;
    struct object object;
};

struct member_item {
    struct found_item item;
    struct member member; // its text is behind it
};

/** Objects of one kind, or members of one object. */
struct found_list {
    struct arena arena;
    struct found_item *first, **end, *next; // `next` is to be given
    uint32_t count;
    bool ready;       // next may be given
    enum status tail; // what broke the list, given once after the last
};

void found_list_init(struct found_list *list, struct target target);
void found_list_deinit(struct found_list *list);

/** Empties the list and fills it with the objects of a kind. A list that broke is kept; `tail` has
 * the status.
 * @return STATUS_UNSUPPORTED, STATUS_NOMEM */
CHECKED enum status objects_find(struct found_list *list, const struct adapter *adapter,
                                 const struct mpi *mpi, enum object_kind kind);

/** The next. @return STATUS_MISUSE before objects_find(), STATUS_END */
CHECKED enum status objects_next(struct found_list *list, struct object *ret);

/** Likewise, with the members of an object. */
CHECKED enum status members_find(struct found_list *list, const struct adapter *adapter,
                                 const struct mpi *mpi, const struct object *object);

/** The next. The text lives until the list is filled again. */
CHECKED enum status members_next(struct found_list *list, struct member *ret);

/** The item that begins like this. */
static inline const struct member *
member_of(const struct found_item *item)
{
    return &((const struct member_item *) item)->member;
}

/** The first member of a list with an id; NULL: not known. */
const struct member *members_first(const struct found_list *list, enum member_id id);

/** One line about an object: mqs_describe_object(). */
CHECKED enum status object_text(const struct adapter *adapter, const struct mpi *mpi,
                                const struct object *object, char *ret, size_t size);

#endif
