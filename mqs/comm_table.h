// SPDX-License-Identifier: BSD-3-Clause
// The communicators of a process, and the groups that they share.
#ifndef MQS_COMM_TABLE_H
#define MQS_COMM_TABLE_H

#include "mqs/adapter.h"

/** Peers in a collective that are noted: the partners of a tree or a ring, or a root's first ones.
 */
enum { COLLECTIVE_PEERS = 16 };

/** What a session notes of a communicator besides what the adapter says. */
struct comm_note {
    uint8_t asked;        // classes asked for since the last refresh, bits 1 << enum op_class
    uint32_t collectives; // that are in progress, bits 1 << COLLECTIVE_*
    struct awaited_peer {
        uint8_t kind; // COLLECTIVE_*
        int32_t peer;
    } awaited[COLLECTIVE_PEERS];    // whom this process waits for in them
    uint32_t n_awaited;             // more than COLLECTIVE_PEERS: not all of them are known
    enum status broken[OP_CLASSES]; // what broke the walk of a class
    int64_t next_nonblocking;       // sequence number; 0: not known
};

struct cached_group;

struct comm_table {
    struct arena arena;
    struct comm *comms;
    struct comm_note *notes;
    uint32_t count;
    uint32_t room;
    struct cached_group *groups;
};

/** Prepares an empty table. */
void comm_table_init(struct comm_table *table, struct target target);

/** Frees all; the table is then empty and can be used again. */
void comm_table_deinit(struct comm_table *table);

/** Takes a copy of a communicator. @return STATUS_NOMEM */
CHECKED enum status comm_table_add(struct comm_table *table, const struct comm *comm);

/** Number of the communicator at this address with this id; `count` when there is none. */
uint32_t comm_table_find(const struct comm_table *table, taddr addr, uint64_t id);

/** Ranks in MPI_COMM_WORLD of a group, translated at its first use and shared by all communicators
 * that have it.
 * @param ret lives until the table is emptied
 */
CHECKED enum status
comm_table_group(struct comm_table *table, const struct adapter *adapter, const struct mpi *mpi,
                 taddr group, int64_t size, struct group *ret);

#endif
