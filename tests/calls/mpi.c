// SPDX-License-Identifier: BSD-3-Clause
// A library that looks like MPI from outside: calls that never return, and keep their arguments for
// what they would say of an error; and calls that begin collectives, and print where the request
// is.
#include "tests/calls/begun.h"

#include <stdio.h>

#define EXPORT   __attribute__((visibility("default")))
#define NOINLINE __attribute__((noinline))

EXPORT char ompi_request_null[64];
void wire_wait(const volatile int *end);

static volatile int error;

// Like functions that do something it needs many registers, and so saves those of its callers.
static NOINLINE int
wait_for_ever(void)
{
#ifdef __x86_64__
    __asm__ volatile("" : : : "rbx", "r12", "r13", "r14", "r15");
#endif
    wire_wait(&error);
    return error;
}

static NOINLINE int
complain(const char *function, const void *first, long second, long third)
{
    return fprintf(stderr, "%s: %p %ld %ld\n", function, first, second, third);
}

EXPORT int
MPI_Wait(handle *request, void *status)
{
    return wait_for_ever() == 0 ? 0 : -complain(__func__, request, (long) (intptr_t) status, 0);
}

EXPORT int
MPI_Waitall(int count, handle array_of_requests[], void *array_of_statuses)
{
    return wait_for_ever() == 0
               ? 0
               : -complain(__func__, array_of_requests, count, (long) (intptr_t) array_of_statuses);
}

EXPORT int
MPI_Waitany(int count, handle array_of_requests[], int *index, void *status)
{
    return wait_for_ever() == 0
               ? 0
               : -complain(__func__, array_of_requests, count, (long) (intptr_t) status + *index);
}

EXPORT int
MPI_Recv(void *buffer, int count, handle datatype, int source, int tag, handle comm, void *status)
{
    return wait_for_ever() == 0 ? 0
                                : -complain(__func__, buffer, count + source + tag,
                                            (long) (intptr_t) comm + (long) (intptr_t) datatype +
                                                (long) (intptr_t) status);
}

EXPORT int
MPI_Probe(int source, int tag, handle comm, void *status)
{
    return wait_for_ever() == 0 ? 0
                                : -complain(__func__, status, source + tag, (long) (intptr_t) comm);
}

EXPORT int
MPI_Bcast(void *buffer, int count, handle datatype, int root, handle comm)
{
    return wait_for_ever() == 0 ? 0
                                : -complain(__func__, buffer, count + root,
                                            (long) (intptr_t) comm + (long) (intptr_t) datatype);
}

static NOINLINE int
barrier(handle comm)
{
    return wait_for_ever() == 0 ? 0 : -complain(__func__, NULL, 0, (long) (intptr_t) comm);
}

// Nothing but a jump, where the compiler optimizes.
EXPORT int
MPI_Barrier(handle comm)
{
    return barrier(comm);
}

/** A new request: "begun ADDRESS". */
static NOINLINE int
begin(handle *request)
{
    static struct object requests[] = {{.number = 0xac000001}, {.number = 0xac000002}};
    static int count;
    struct object *object = &requests[count++ % 2];
    *request = HANDLE(*object);
    printf("begun %p\n", (void *) object);
    return fflush(stdout);
}

EXPORT int
MPI_Ibcast(void *buffer, int count, handle datatype, int root, handle comm, handle *request)
{
    (void) buffer, (void) count, (void) datatype, (void) root, (void) comm;
    return begin(request);
}

EXPORT int
MPI_Bcast_init(void *buffer, int count, handle datatype, int root, handle comm, handle info,
               handle *request)
{
    (void) buffer, (void) count, (void) datatype, (void) root, (void) comm, (void) info;
    return begin(request);
}

EXPORT int
MPI_Ialltoallv(const void *out, const int *n_out, const int *at_out, handle datatype, void *in,
               const int *n_in, const int *at_in, handle other, handle comm, handle *request)
{
    (void) out, (void) n_out, (void) at_out, (void) datatype, (void) in, (void) n_in, (void) at_in;
    (void) other, (void) comm;
    return begin(request);
}

EXPORT int
MPI_Start(handle *request)
{
    return request == NULL;
}
