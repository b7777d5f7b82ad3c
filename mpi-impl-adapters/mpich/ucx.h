// SPDX-License-Identifier: BSD-3-Clause
// What libucp has of the operations that device ch4:ucx hands it.
//
// MPICH makes one word of a message's context, rank of the sender, and tag; a receive has a mask
// beside it. A request of MPICH's points behind libucp's, which points back.
#ifndef MPICH_UCX_H
#define MPICH_UCX_H

#include "mpi-impl-adapters/mpich/search.h"

/** Parts of the word. */
enum { UCX_TAG_BITS = 32, UCX_RANK_BITS = 16, UCX_CONTEXT_SHIFT = 48, UCX_USABLE_TAG = 0x1fffffff };

struct ucx_word {
    uint32_t context;
    uint32_t rank;
    uint32_t tag;
};

static inline struct ucx_word
ucx_split(uint64_t word)
{
    return (struct ucx_word){
        .context = (uint32_t) (word >> UCX_CONTEXT_SHIFT),
        .rank = (uint32_t) (word >> UCX_TAG_BITS) & ((1u << UCX_RANK_BITS) - 1),
        .tag = (uint32_t) word & UCX_USABLE_TAG,
    };
}

/** Prepares to read libucp. @return whether it can be read: its layouts and the netmod's are known
 */
bool ucx_init(const struct mpi *mpi, struct ucp *ret);

/** Has the first worker choose libucp's layout, or leaves none if it confirms none. Before MPI_Init
 * nothing changes.
 * @param label of libucp's block, LAYOUT_LABEL bytes: likewise */
void ucx_settle(struct inferior *inf, struct layout *layout, char *label);

/** What MPICH's MPIDI_UCX_global_t has of libucp. */
struct ucx_global {
    taddr context;
    taddr ctx;       // the first of its MPIDI_UCX_context_t, one for each worker
    int64_t workers; // 1 at least
};

/** Reads it at an address, which may be none of it. */
CHECKED enum status ucx_global_load(const struct mpi *mpi, taddr addr, struct ucx_global *ret);

/** How many receives found no message and were queued, collective operations' included. */
CHECKED enum status ucx_progress(const struct mpi *mpi, uint64_t *ret);

/** The message that a receive has been matched with, from libucp's request. @return whether there
 * is one that could have matched */
bool ucx_matched(const struct mpi *mpi, taddr addr, struct outcome *ret);

/** Address of libucp's request; 0: there is none. */
CHECKED enum status
ucx_request_of(const struct search *search, const struct request *request, taddr *ret);

/** Notes the data of an operation that libucp has.
 * @param datatype the object of one that MPICH packs itself; 0: another, or not known */
void ucx_decode_data(const struct mpi *mpi, taddr datatype, uint64_t bytes, struct found *ret);

/** ucx_decode() of a receive. */
CHECKED enum status
ucx_decode_receive(struct search *search, const struct request *request, struct found *ret);

/** ucx_decode() of a send. */
CHECKED enum status
ucx_decode_send(struct search *search, const struct request *request, struct found *ret);

#endif
