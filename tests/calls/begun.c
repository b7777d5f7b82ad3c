// SPDX-License-Identifier: BSD-3-Clause
// Nonblocking collectives that are begun in one place and waited for in another one.
#include "tests/calls/begun.h"

#include <stdio.h>
#include <string.h>

#define NOINLINE __attribute__((noinline, noipa))

int MPI_Ibcast(void *buffer, int count, handle datatype, int root, handle comm, handle *request);
int MPI_Bcast_init(void *buffer, int count, handle datatype, int root, handle comm, handle info,
                   handle *request);
int MPI_Ialltoallv(const void *out, const int *n_out, const int *at_out, handle datatype, void *in,
                   const int *n_in, const int *at_in, handle other, handle comm, handle *request);
int MPI_Start(handle *request);
int MPI_Wait(handle *request, void *status);

static struct object comms[] = {{.number = 0x44000000}};
static handle global, none;
static int buffer[4];
static volatile int one = 1;

#define BCAST(request) MPI_Ibcast(buffer, 4, none, 0, HANDLE(comms[0]), request)
#define ALLTOALL(request) \
    MPI_Ialltoallv(buffer, NULL, NULL, none, buffer, NULL, NULL, none, HANDLE(comms[0]), request)

static NOINLINE void
expect(int first, int second)
{
    printf("expected %d %d\n", first, second);
    fflush(stdout);
}

static NOINLINE int
finish(handle *request)
{
    return -MPI_Wait(request, NULL);
}

static NOINLINE int
restart(handle *request)
{
    return -BCAST(request);
}

static NOINLINE int
in_local(void)
{
    handle request;
    expect(__LINE__ + 1, 0);
    BCAST(&request);
    return -MPI_Wait(&request, NULL);
}

static NOINLINE int
in_global(void)
{
    expect(__LINE__ + 1, 0);
    ALLTOALL(&global);
    return -finish(&global);
}

static NOINLINE int
in_elements(void)
{
    handle requests[3];
    expect(__LINE__ + 1, __LINE__ + 2);
    BCAST(&requests[0]);
    ALLTOALL(&requests[1]);
    return -finish(&requests[1]);
}

static NOINLINE int
in_again(void)
{
    handle request;
    expect(0, __LINE__ + 2);
    BCAST(&request);
    ALLTOALL(&request);
    return -MPI_Wait(&request, NULL);
}

static NOINLINE int
in_persistent(void)
{
    handle request;
    expect(__LINE__ + 1, 0);
    MPI_Bcast_init(buffer, 4, none, 0, HANDLE(comms[0]), none, &request);
    MPI_Start(&request);
    return -MPI_Wait(&request, NULL);
}

// Of these it cannot be told.

static NOINLINE int
in_branch(void)
{
    handle request;
    expect(0, 0);
    if (one)
        BCAST(&request);
    else
        ALLTOALL(&request);
    return -MPI_Wait(&request, NULL);
}

static NOINLINE int
in_restart(void)
{
    handle request;
    expect(0, 0);
    BCAST(&request);
    restart(&request);
    return -MPI_Wait(&request, NULL);
}

static NOINLINE int
in_pointer(void)
{
    int (*volatile again)(handle *) = restart;
    handle request;
    expect(0, 0);
    BCAST(&request);
    again(&request);
    return -MPI_Wait(&request, NULL);
}

static NOINLINE int
in_swapped(void)
{
    handle first, second;
    expect(0, 0);
    BCAST(&first);
    ALLTOALL(&second);
    handle kept = first;
    first = second;
    second = kept;
    return -MPI_Wait(&first, NULL) - MPI_Wait(&second, NULL);
}

static NOINLINE int
in_index(void)
{
    handle requests[3];
    expect(0, 0);
    BCAST(&requests[1]);
    ALLTOALL(&requests[one]);
    return -finish(&requests[1]);
}

#define CASE(case)                \
    if (strcmp(name, #case) == 0) \
        return -in_##case ();

int
make_begun(const char *name)
{
    // Where a function begins that has no symbol is known by such a call.
    CASE(local)
    CASE(global)
    CASE(elements)
    CASE(again)
    CASE(persistent)
    CASE(branch)
    CASE(restart)
    CASE(pointer)
    CASE(swapped)
    CASE(index)
    return 1;
}
