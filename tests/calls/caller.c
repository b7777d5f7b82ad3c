// SPDX-License-Identifier: BSD-3-Clause
// A program that makes the call of MPI that its argument names, once it has said where the objects
// are that the call is about: "communicator ADDRESS" and "request ADDRESS" on a line each. No
// function ends with its call, or it would not be on the stack.
#include "tests/calls/begun.h"

#include <stdio.h>
#include <string.h>

enum { REQUESTS = 3, SOURCE = 5, TAG = 42 };

static struct object comms[] = {{.number = 0x44000000}, {.number = 0x84000001}};
static struct object requests[REQUESTS] = {
    {.number = 0xac000001}, {.number = 0xac000002}, {.number = 0xac000003}};

int MPI_Wait(handle *request, void *status);
int MPI_Waitall(int count, handle array_of_requests[], void *array_of_statuses);
int MPI_Waitany(int count, handle array_of_requests[], int *index, void *status);
int
MPI_Recv(void *buffer, int count, handle datatype, int source, int tag, handle comm, void *status);
int MPI_Probe(int source, int tag, handle comm, void *status);
int MPI_Bcast(void *buffer, int count, handle datatype, int root, handle comm);
int MPI_Barrier(handle comm);

static handle handles[REQUESTS];
static int buffer[4];

static int
in_wait(void)
{
    return -MPI_Wait(&handles[1], NULL);
}

static int
in_waitall(void)
{
    return -MPI_Waitall(REQUESTS - 1, handles, NULL);
}

static int
in_waitany(void)
{
    int index = 0;
    return -MPI_Waitany(REQUESTS, handles, &index, NULL);
}

static int
in_recv(void)
{
    return -MPI_Recv(buffer, 4, HANDLE(comms[0]), SOURCE, TAG, HANDLE(comms[1]), NULL);
}

static int
in_probe(void)
{
    return -MPI_Probe(SOURCE, TAG, HANDLE(comms[1]), NULL);
}

static int
in_bcast(void)
{
    return -MPI_Bcast(buffer, 4, HANDLE(comms[0]), 0, HANDLE(comms[1]));
}

static int
in_barrier(void)
{
    return -MPI_Barrier(HANDLE(comms[0]));
}

static const struct {
    const char *name;
    int (*make)(void);
} calls[] = {
    {"MPI_Wait", in_wait},       {"MPI_Waitall", in_waitall}, {"MPI_Waitany", in_waitany},
    {"MPI_Recv", in_recv},       {"MPI_Probe", in_probe},     {"MPI_Bcast", in_bcast},
    {"MPI_Barrier", in_barrier},
};

int
main(int argc, char **argv)
{
    for (int i = 0; i < REQUESTS; i++) {
        handles[i] = HANDLE(requests[i]);
        printf("request %p\n", (void *) &requests[i]);
    }
    for (int i = 0; i < 2; i++)
        printf("communicator %p\n", (void *) &comms[i]);
    fflush(stdout);
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        if (argc > 1 && strcmp(argv[1], calls[i].name) == 0)
            return calls[i].make();
    return argc > 1 ? make_begun(argv[1]) : 1;
}
