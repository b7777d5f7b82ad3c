// SPDX-License-Identifier: BSD-3-Clause
// What PML ob1 keeps of each communicator.
#ifndef OPENMPI_OB1_H
#define OPENMPI_OB1_H

#include "mpi-impl-adapters/openmpi/openmpi.h"

/** ob1's part of a communicator. */
struct ob1_comm {
    bool present;          // ob1 has a part, and it could be read
    uint32_t next_receive; // sequence number of the next receive to be posted
    taddr wild_receives;   // the list of receives from any source
    uint64_t n_wild;
    taddr peers; // array of pointers to what it keeps of each peer; NULL for one never met
    uint32_t n_peers;
    uint64_t n_posted; // receives in its lists, wild and specific
    uint64_t n_seen;   // pending receives that the free list had for this communicator
};

/** ob1's part of one peer in a communicator. */
struct ob1_peer {
    uint32_t last_send; // sequence number of the newest send to it
    uint16_t
        expected; // sequence number of the next message from it that can be matched; the first is 1
    taddr receives; // list of receives from it
    uint64_t n_receives;
    taddr messages; // list of unexpected messages from it
    uint64_t n_messages;
};

/** Reads ob1's part of a communicator; n_posted and n_seen are left 0. */
CHECKED enum status
ob1_comm_load(const struct mpi *mpi, const struct comm *comm, struct ob1_comm *ret);

/** Reads ob1's part of a peer.
 * @return STATUS_ABSENT when the peer was never met
 */
CHECKED enum status ob1_peer_load(const struct mpi *mpi, const struct ob1_comm *comm, uint32_t peer,
                                  struct ob1_peer *ret);

#endif
