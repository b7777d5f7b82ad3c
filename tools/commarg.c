// SPDX-License-Identifier: BSD-3-Clause
// The communicator that a call is given, as its arguments tell.
#include "tools/commarg.h"

#include "tools/callargs.h"
#include "tools/callsite.h"
#include "tools/image.h"
#include "tools/memory.h"
#include "tools/model.h"
#include "tools/runtime.h"
#include "tools/threads.h"

#include <string.h>

/** The place of the argument, from 0, in calls that have it in a register. */
static const struct call {
    const char *name;
    unsigned number;
} calls[] = {
    {"MPI_Barrier", 0},     {"MPI_Bcast", 4},
    {"MPI_Allreduce", 5},   {"MPI_Scan", 5},
    {"MPI_Exscan", 5},      {"MPI_Reduce_scatter", 5},
    {"MPI_Comm_dup", 0},    {"MPI_Reduce_scatter_block", 5},
    {"MPI_Comm_split", 0},  {"MPI_Comm_split_type", 0},
    {"MPI_Comm_create", 0}, {"MPI_Cart_create", 0},
    {"MPI_Cart_sub", 0},
};

static const struct call *
find_call(const struct image *image, const struct thread *thread)
{
    const char *symbol =
        thread->caller != 0 ? callsite_symbol(image, thread->frames[thread->caller].address) : NULL;
    for (size_t i = 0; symbol != NULL && i < sizeof calls / sizeof *calls; i++)
        if (runtime_is_call(symbol, calls[i].name))
            return &calls[i];
    return NULL;
}

/** Whether a handle is that of a communicator: an address, or the number that the object has. */
static bool
is_handle(const struct image *image, const struct communicator *comm, uint64_t handle, bool number)
{
    uint64_t own;
    if ((comm->known & MQS_COMM_ADDRESS) == 0)
        return false;
    if (!number)
        return handle == comm->address;
    return memory_read_uint(image, comm->address, sizeof(uint32_t), &own) &&
           own == (handle & UINT32_MAX);
}

void
commarg_gather(struct report *report, const struct image *image)
{
    bool number = report->implementation != NULL && strcmp(report->implementation, "MPICH") == 0;
    if (report->implementation == NULL)
        return;
    for (size_t i = 0; i < report->threads.count; i++) {
        struct thread *thread = &report->threads.items[i];
        const struct call *call = find_call(image, thread);
        uint64_t handle;
        if (call == NULL ||
            !callargs_find(
                image, thread, thread->caller, call->name,
                &(struct parameter){call->number, "comm",
                                    number ? sizeof(uint32_t) : (size_t) image->pointer_size},
                &handle))
            continue;
        for (size_t k = 0; k < report->n_comms; k++)
            if (is_handle(image, &report->comms[k], handle, number))
                thread->communicator = report->comms[k].address;
    }
}
