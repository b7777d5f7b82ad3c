// SPDX-License-Identifier: BSD-3-Clause
// Reads what PML ob1 keeps of each communicator and peer.
#include "mpi-impl-adapters/openmpi/ob1.h"

enum status
ob1_comm_load(const struct mpi *mpi, const struct comm *comm, struct ob1_comm *ret)
{
    struct view object, view;
    taddr sentinel;

    *ret = (struct ob1_comm){0};
    TRY(view_load(mpi->inf, mpi->layout, S(ompi_communicator_t), comm->addr, &object));
    const taddr part = view_uint(&object, F(ompi_communicator_t, c_pml_comm));
    const uint64_t flags = view_uint(&object, F(ompi_communicator_t, c_flags));
    if (part == 0)
        return comm->freed || !(flags & COMM_FLAG_PML_ADDED)
                   ? STATUS_OK
                   : trail_begin(&mpi->inf->trail, STATUS_CORRUPT, "ob1 has no part of it");
    TRY(view_load(mpi->inf, mpi->layout, S(mca_pml_ob1_comm_t), part, &view));
    const uint64_t n_peers = view_uint(&view, F(mca_pml_ob1_comm_t, num_procs));
    if (n_peers != (uint64_t) comm->peer_size)
        return trail_begin(&mpi->inf->trail, STATUS_CORRUPT,
                           "mca_pml_ob1_comm_t at %#llx: %llu peers in a group of %lld",
                           (unsigned long long) part, (unsigned long long) n_peers,
                           (long long) comm->peer_size);
    ret->next_receive = (uint32_t) view_uint(&view, F(mca_pml_ob1_comm_t, recv_sequence));
    ret->wild_receives = view_addr(&view, F(mca_pml_ob1_comm_t, wild_receives));
    ret->peers = view_uint(&view, F(mca_pml_ob1_comm_t, procs));
    ret->n_peers = (uint32_t) n_peers;
    TRY(openmpi_list_load(mpi, ret->wild_receives, &sentinel, &ret->n_wild));
    ret->present = true;
    return STATUS_OK;
}

enum status
ob1_peer_load(const struct mpi *mpi, const struct ob1_comm *comm, uint32_t peer,
              struct ob1_peer *ret)
{
    struct view view;
    taddr addr, sentinel;

    if (peer >= comm->n_peers)
        return trail_begin(&mpi->inf->trail, STATUS_CORRUPT, "peer %u of %u", peer, comm->n_peers);
    TRY(inferior_read_pointer(mpi->inf, comm->peers + (taddr) peer * mpi->inf->model.pointer_size,
                              &addr));
    if (addr == 0)
        return STATUS_ABSENT;
    TRY(view_load(mpi->inf, mpi->layout, S(mca_pml_ob1_comm_proc_t), addr, &view));
    ret->last_send = (uint32_t) view_uint(&view, F(mca_pml_ob1_comm_proc_t, send_sequence));
    ret->expected = (uint16_t) view_uint(&view, F(mca_pml_ob1_comm_proc_t, expected_sequence));
    ret->receives = view_addr(&view, F(mca_pml_ob1_comm_proc_t, specific_receives));
    ret->messages = view_addr(&view, F(mca_pml_ob1_comm_proc_t, unexpected_frags));
    TRY(openmpi_list_load(mpi, ret->receives, &sentinel, &ret->n_receives));
    return openmpi_list_load(mpi, ret->messages, &sentinel, &ret->n_messages);
}
