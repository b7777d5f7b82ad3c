// SPDX-License-Identifier: BSD-3-Clause
// How many messages went to a peer and came from it, by the sequence numbers of PML ob1.
#include "mpi-impl-adapters/openmpi/ob1.h"

enum { SEQUENCE_MASK = 0xffff }; // what a message carries of its number

enum status
openmpi_traffic(const struct mpi *mpi, const struct comm *comm, uint32_t peer, struct traffic *ret)
{
    struct ob1_comm ob1;
    struct ob1_peer numbers;
    char name[COMM_NAME];
    enum pml pml;

    TRY(openmpi_pml(mpi, &pml, name, sizeof(name)));
    if (pml != PML_OB1)
        return STATUS_UNSUPPORTED;
    TRY(ob1_comm_load(mpi, comm, &ob1));
    if (!ob1.present)
        return STATUS_ABSENT;
    *ret = (struct traffic){0};
    const enum status status = ob1_peer_load(mpi, &ob1, peer, &numbers);
    if (status != STATUS_OK)
        return status == STATUS_ABSENT ? STATUS_OK : status;
    ret->sent = numbers.last_send & SEQUENCE_MASK;
    ret->received = (numbers.expected - 1u) & SEQUENCE_MASK;
    return STATUS_OK;
}
