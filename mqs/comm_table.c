// SPDX-License-Identifier: BSD-3-Clause
// The communicators of a process, and the groups that they share.
#include "mqs/comm_table.h"

#include <string.h>

struct cached_group {
    struct cached_group *next;
    taddr addr;
    enum status status; // of its translation
    struct trail trail; // why that failed
    struct group group; // its size at least
};

void
comm_table_init(struct comm_table *table, struct target target)
{
    memset(table, 0, sizeof(*table));
    arena_init(&table->arena, target);
}

void
comm_table_deinit(struct comm_table *table)
{
    const struct target target = {.ops = table->arena.ops};

    arena_deinit(&table->arena);
    comm_table_init(table, target);
}

static enum status
grow(struct comm_table *table)
{
    const uint32_t room = table->room == 0 ? 16 : table->room * 2;
    struct comm *comms = arena_alloc(&table->arena, room, sizeof(*comms));
    struct comm_note *notes = arena_alloc(&table->arena, room, sizeof(*notes));

    if (comms == NULL || notes == NULL)
        return STATUS_NOMEM;
    if (table->count > 0) {
        memcpy(comms, table->comms, table->count * sizeof(*comms));
        memcpy(notes, table->notes, table->count * sizeof(*notes));
    }
    table->comms = comms;
    table->notes = notes;
    table->room = room;
    return STATUS_OK;
}

enum status
comm_table_add(struct comm_table *table, const struct comm *comm)
{
    if (table->count == table->room)
        TRY(grow(table));
    table->comms[table->count++] = *comm;
    return STATUS_OK;
}

uint32_t
comm_table_find(const struct comm_table *table, taddr addr, uint64_t id)
{
    uint32_t i = 0;

    while (i < table->count && (table->comms[i].addr != addr || table->comms[i].id != id))
        ++i;
    return i;
}

static enum status
translate(struct comm_table *table, const struct adapter *adapter, const struct mpi *mpi,
          struct cached_group *cached, int64_t size)
{
    int32_t *ranks = arena_alloc(&table->arena, (size_t) size + 1, sizeof(*ranks));

    if (ranks == NULL)
        return STATUS_NOMEM;
    TRY(adapter->group(mpi, cached->addr, (uint32_t) size, ranks));
    cached->group = (struct group){.size = (uint32_t) size, .ranks = ranks};
    return STATUS_OK;
}

// A process is in a group once. Only neighbours are compared: what is read by a wrong layout has
// many equal ones.
static enum status
check_group(struct trail *trail, const struct cached_group *cached)
{
    const struct group *group = &cached->group;

    for (uint32_t i = 1; i < group->size; ++i)
        if (group->ranks[i] != NO_RANK && group->ranks[i] == group->ranks[i - 1])
            return trail_begin(trail, STATUS_CORRUPT, "the group at %#llx has rank %d twice",
                               (unsigned long long) cached->addr, (int) group->ranks[i]);
    return STATUS_OK;
}

enum status
comm_table_group(struct comm_table *table, const struct adapter *adapter, const struct mpi *mpi,
                 taddr group, int64_t size, struct group *ret)
{
    struct cached_group *cached = table->groups;

    if (adapter->group == NULL || group == 0)
        return STATUS_UNSUPPORTED;
    if (size < 0 || size > GROUP_MAX)
        return STATUS_CORRUPT;
    // The first members of a group may be a smaller group at the same address.
    while (cached != NULL && (cached->addr != group || cached->group.size != (uint64_t) size))
        cached = cached->next;
    if (cached == NULL) {
        cached = arena_alloc(&table->arena, 1, sizeof(*cached));
        if (cached == NULL)
            return STATUS_NOMEM;
        cached->addr = group;
        cached->group = (struct group){.size = (uint32_t) size};
        cached->status = translate(table, adapter, mpi, cached, size);
        if (cached->status == STATUS_NOMEM)
            return STATUS_NOMEM;
        if (cached->status == STATUS_OK)
            cached->status = check_group(&mpi->inf->trail, cached);
        cached->trail = mpi->inf->trail;
        cached->next = table->groups;
        table->groups = cached;
    }
    // Every operation asks: a group that failed is not read again for each of them.
    if (cached->status != STATUS_OK)
        mpi->inf->trail = cached->trail;
    *ret = cached->group;
    return cached->status;
}
