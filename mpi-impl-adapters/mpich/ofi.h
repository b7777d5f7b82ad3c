// SPDX-License-Identifier: BSD-3-Clause
// What libfabric has of the operations that device ch4:ofi hands it.
//
// MPICH makes one word of a message's context and tag, with bits of its own above them; the
// sender's rank is beside the word, or between tag and context. For a receive libfabric is given
// the place in MPICH's request where the device's part of it begins.
#ifndef MPICH_OFI_H
#define MPICH_OFI_H

#include "mpi-impl-adapters/mpich/search.h"

/** What MPICH's MPIDI_OFI_global_t says of libfabric. */
struct ofi_global {
    char provider[OFI_PROVIDER]; // "tcp;ofi_rxm"
    taddr endpoint;              // that receives
    bool several;                // network cards
};

/** Reads it at an address, which may be none of it.
 * @param vci number of a virtual interface, each of which has an endpoint */
CHECKED enum status
ofi_global_load(const struct mpi *mpi, taddr addr, uint32_t vci, struct ofi_global *ret);

/** Prepares to read what libfabric has for a virtual interface. @param provider its name; "" not
 * known
 * @return STATUS_MISMATCH when it cannot be read; the trail says why */
CHECKED enum status
ofi_netmod_open(const struct mpi *mpi, uint32_t vci, char provider[OFI_PROVIDER],
                struct ofi_form *form, struct ofi *ret);

/** What of messages between nodes cannot be seen, for adapter.transport(). */
void ofi_limit(const struct mpi *mpi, char *ret, size_t size);

/** Fills in which receives have no message yet, and which sends wait for an answer. */
CHECKED enum status ofi_prepare(struct search *search);

/** Emits the messages that nobody has received. */
CHECKED enum status ofi_messages(struct search *search);

/** Decodes the data of a receive that was handed to libfabric, as far as MPICH keeps it.
 * @param receive what libfabric has of it; NULL: not known */
CHECKED enum status ofi_decode_data(const struct mpi *mpi, const struct request *request,
                                    const struct ofi_receive *receive, struct found *ret);

/** Decodes a message that MPI_Mprobe has taken. @return STATUS_ABSENT: there is none yet, or it
 * cannot be told */
CHECKED enum status
ofi_decode_message(const struct mpi *mpi, const struct request *request, struct found *ret);

/** The place of a receive in the order of matching of what libfabric has; from 1 on. @return
 * whether it is there */
bool ofi_find_place(struct search *search, const struct request *request, uint32_t *ret);

/** Decodes a request that was handed to libfabric. */
CHECKED enum status
ofi_decode(struct search *search, const struct request *request, struct found *ret);

#endif
