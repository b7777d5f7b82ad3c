// SPDX-License-Identifier: BSD-3-Clause
// Makes communicators, requests and datatypes whose values all differ, and writes what they are
// into FOLDER/known.RANK, for `solve`; then it waits to be looked at. For two ranks and more.
//
//   STRUCT HANDLE FIELD NUMBER | "TEXT" | @STRUCT HANDLE
//
// FIELD is a path of members; "a:T.b" is b where a holds a T, "a+8" what is 8 bytes on, "a#note" is
// a in some releases only and solved on its own. HANDLE is the number that the object has in
// Fortran, which an MPICH writes into the object's first word. @ is the address of another object.
// "-" is in the place of the handle of a struct of which there is one.
#include <mpi.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { COMMS = 6, RECEIVES = 6, ELEMENTS = 64, LARGE = 1 << 20, FIRST_TAG = 7001, POLLS = 200000 };

static FILE *out;
static int rank, size;
static int buffers[RECEIVES][ELEMENTS], large[LARGE];

static void
fact(const char *type, int handle, const char *field, long value)
{
    fprintf(out, "%s %x %s %ld\n", type, (unsigned) handle, field, value);
}

static void
link_to(int handle, const char *field, const char *type, int other)
{
    fprintf(out, "MPIR_Request %x %s @%s %x\n", (unsigned) handle, field, type, (unsigned) other);
}

static void
tell_comm(MPI_Comm comm, const char *name)
{
    int own, members, remote, inter;

    MPI_Comm_rank(comm, &own);
    MPI_Comm_size(comm, &members);
    MPI_Comm_test_inter(comm, &inter);
    remote = members;
    if (inter)
        MPI_Comm_remote_size(comm, &remote);
    if (name != NULL)
        MPI_Comm_set_name(comm, name);
    const int handle = MPI_Comm_c2f(comm);
    fact("MPIR_Comm", handle, "handle", handle);
    fact("MPIR_Comm", handle, "rank", own);
    fact("MPIR_Comm", handle, "local_size", members);
    fact("MPIR_Comm", handle, "remote_size", remote);
    fact("MPIR_Comm", handle, "comm_kind", inter);
    if (name != NULL)
        fprintf(out, "MPIR_Comm %x name \"%s\"\n", (unsigned) handle, name);
}

// World, its processes from last to first, all but the first and the first alone, one of each, and
// two that face each other.
static void
make_comms(MPI_Comm comms[COMMS])
{
    const int side = rank > 0;

    comms[0] = MPI_COMM_WORLD;
    comms[1] = MPI_COMM_SELF;
    MPI_Comm_split(MPI_COMM_WORLD, 0, size - rank, &comms[2]);
    MPI_Comm_split(MPI_COMM_WORLD, side, rank, &comms[3]);
    MPI_Intercomm_create(comms[3], 0, MPI_COMM_WORLD, side ? 0 : 1, 5, &comms[4]);
    MPI_Comm_dup(MPI_COMM_WORLD, &comms[5]);
    tell_comm(comms[0], "MPI_COMM_WORLD");
    tell_comm(comms[1], "MPI_COMM_SELF");
    tell_comm(comms[2], "solve: backwards");
    tell_comm(comms[3], "solve: a part");
    tell_comm(comms[4], "solve: between");
    tell_comm(comms[5], NULL);
}

static void
tell_data(int request, const char *part, const void *buffer, int count, MPI_Datatype type)
{
    char field[64];

    snprintf(field, sizeof field, "%s.buffer", part);
    fact("MPIR_Request", request, field, (long) buffer);
    snprintf(field, sizeof field, "%s.count", part);
    fact("MPIR_Request", request, field, count);
    snprintf(field, sizeof field, "%s.datatype", part);
    fact("MPIR_Request", request, field, MPI_Type_c2f(type));
}

// Where releases have kept the envelope: in the device's part, or in the status.
static void
tell_envelope(int request, int source, int tag)
{
    fact("MPIR_Request", request, "dev.ch4.u", source);
    fact("MPIR_Request", request, "dev.ch4.u+8", tag);
    fact("MPIR_Request", request, "status.MPI_SOURCE#posted", source);
    fact("MPIR_Request", request, "status.MPI_TAG#posted", tag);
}

// Receives that nobody sends to, on two communicators: they are in one list, in this order.
static void
post(const MPI_Comm comms[COMMS], MPI_Datatype type)
{
    int handles[RECEIVES];

    for (int i = 0; i < RECEIVES; i++) {
        MPI_Request request;
        const MPI_Comm comm = comms[i % 2 == 0 ? 5 : 0];
        const MPI_Datatype element = i % 3 == 0 ? MPI_INT : i % 3 == 1 ? type : MPI_SHORT;
        const int source = i == 4 ? MPI_ANY_SOURCE : (rank + 1) % size, count = 3 + 2 * i;
        MPI_Irecv(buffers[i], count, element, source, FIRST_TAG + i, comm, &request);
        handles[i] = MPI_Request_c2f(request);
        fact("MPIR_Request", handles[i], "handle", handles[i]);
        fact("MPIR_Request", handles[i], "kind", 2);
        link_to(handles[i], "comm", "MPIR_Comm", MPI_Comm_c2f(comm));
        tell_data(handles[i], "dev.ch4", buffers[i], count, element);
        tell_envelope(handles[i], source, FIRST_TAG + i);
    }
    for (int i = 0; i + 1 < RECEIVES; i++) {
        link_to(handles[i], "next", "MPIR_Request", handles[i + 1]);
        link_to(handles[i + 1], "prev", "MPIR_Request", handles[i]);
    }
    link_to(handles[0], "prev", "MPIR_Request", handles[RECEIVES - 1]);
    fprintf(out, "MPIDI_global - per_vci.posted_list @MPIR_Request %x\n", (unsigned) handles[0]);
}

static void
post_persistent(void)
{
    for (int i = 0; i < 3; i++) {
        MPI_Request request;
        const char part[] = "dev.ch4:MPIDI_prequest_t";
        char field[64];
        MPI_Recv_init(buffers[i], 20 + i, MPI_INT, (rank + 1) % size, FIRST_TAG + 50 + i,
                      MPI_COMM_WORLD, &request);
        const int handle = MPI_Request_c2f(request);
        fact("MPIR_Request", handle, "kind", 4);
        tell_data(handle, part, buffers[i], 20 + i, MPI_INT);
        snprintf(field, sizeof field, "%s.rank", part);
        fact("MPIR_Request", handle, field, (rank + 1) % size);
        snprintf(field, sizeof field, "%s.tag", part);
        fact("MPIR_Request", handle, field, FIRST_TAG + 50 + i);
    }
}

// Receives whose message has come, and that are not collected: their status says which.
static void
complete(void)
{
    const int to = (rank + 1) % size, from = (rank + size - 1) % size;

    for (int i = 0; i < 3; i++) {
        MPI_Request request;
        int flag;
        MPI_Irecv(buffers[i], ELEMENTS, MPI_INT, MPI_ANY_SOURCE, FIRST_TAG + 80 + i, MPI_COMM_WORLD,
                  &request);
        MPI_Send(large, 7 + i, MPI_INT, to, FIRST_TAG + 80 + i, MPI_COMM_WORLD);
        do
            MPI_Request_get_status(request, &flag, MPI_STATUS_IGNORE);
        while (!flag);
        const int handle = MPI_Request_c2f(request);
        fact("MPIR_Request", handle, "status.count_lo", (7 + i) * (long) sizeof(int));
        fact("MPIR_Request", handle, "status.MPI_SOURCE", from);
        fact("MPIR_Request", handle, "status.MPI_TAG", FIRST_TAG + 80 + i);
    }
}

static MPI_Datatype
make_types(void)
{
    MPI_Datatype type = MPI_DATATYPE_NULL;

    for (int i = 0; i < 3; i++) {
        char name[32];
        MPI_Type_contiguous(3 + 4 * i, MPI_SHORT, &type);
        MPI_Type_commit(&type);
        snprintf(name, sizeof name, "solve: %d shorts", 3 + 4 * i);
        MPI_Type_set_name(type, name);
        const int handle = MPI_Type_c2f(type);
        fact("MPIR_Datatype", handle, "handle", handle);
        fact("MPIR_Datatype", handle, "size", (3 + 4 * i) * (long) sizeof(short));
        fprintf(out, "MPIR_Datatype %x name \"%s\"\n", (unsigned) handle, name);
    }
    return type;
}

static void
tell_process(void)
{
    fprintf(out, "MPIR_Process - rank %d\nMPIR_Process - size %d\n", rank, size);
    fprintf(out, "MPIR_Process - comm_world @MPIR_Comm %x\n",
            (unsigned) MPI_Comm_c2f(MPI_COMM_WORLD));
    fprintf(out, "MPIR_Process - comm_self @MPIR_Comm %x\n",
            (unsigned) MPI_Comm_c2f(MPI_COMM_SELF));
}

int
main(int argc, char **argv)
{
    MPI_Comm comms[COMMS];
    MPI_Request request;
    char path[4096];
    int flag;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    snprintf(path, sizeof path, "%s/known.%d", argc > 1 ? argv[1] : ".", rank);
    if (size < 2 || (out = fopen(path, "w")) == NULL)
        MPI_Abort(MPI_COMM_WORLD, 1);
    fprintf(out, "# %d\n", (int) getpid());
    tell_process();
    make_comms(comms);
    const MPI_Datatype type = make_types();
    complete();
    post(comms, type);
    post_persistent();
    // What nobody receives, and MPI_Iprobe has MPI take note of.
    MPI_Isend(large, 9, MPI_INT, (rank + 1) % size, FIRST_TAG + 90, MPI_COMM_WORLD, &request);
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < POLLS; i++)
        MPI_Iprobe(MPI_ANY_SOURCE, FIRST_TAG + 99, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
    fprintf(out, "end\n");
    fclose(out);
    for (;;)
        pause();
}
