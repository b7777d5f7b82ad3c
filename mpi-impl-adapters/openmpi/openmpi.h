// SPDX-License-Identifier: BSD-3-Clause
// Shared by the files of the Open MPI adapter.
#ifndef OPENMPI_H
#define OPENMPI_H

#include "mqs/adapter.h"
#include "target/view.h"
#include "target/walk.h"

#define NEEDS_FILE   "mpi-impl-adapters/openmpi/needs.def"
#define NEEDS_PREFIX openmpi
#include "target/layout_decl.h"

/** Values of Open MPI's that this adapter relies on, the same in all releases of 4.x to 6. */
enum {
    OMPI_ANY_SOURCE = -1,
    OMPI_ANY_TAG = -1,
    OMPI_REQUEST_ACTIVE = 2,
    OMPI_REQUEST_LAST_STATE = 3, // cancelled; before are invalid and inactive
    OMPI_REQUEST_COMPLETED =
        1, // as the value of req_complete, beside 0 and a wait object's address
    COMM_FLAG_INTER = 0x1,
    COMM_FLAG_NAME_IS_SET = 0x2,
    COMM_FLAG_INTRINSIC = 0x4,
    COMM_FLAG_ISFREED = 0x10,
    COMM_FLAG_INVALID = 0x20,
    COMM_FLAG_PML_ADDED = 0x1000,
    COMM_FLAG_GLOBAL_INDEX = 0x10000, // from 5.0 on: all members have the same c_index
    COMM_SENTINEL = 1,                // a slot whose communicator is still being made
};

/** How far an operation is (op_ref.stage). */
enum { STAGE_POSTED, STAGE_MATCHED, STAGE_COMPLETE };

/** Built-in layouts. */
extern const struct builtin_row openmpi_builtin[];
extern const unsigned openmpi_builtin_rows;

/** adapter.resolve() */
CHECKED enum status openmpi_resolve(struct inferior *inf, unsigned origins, struct layout *ret);

/** adapter.has_modules() */
bool openmpi_has_modules(struct inferior *inf, const struct layout *layout);

/** adapter.comms() */
CHECKED enum status openmpi_comms(const struct mpi *mpi, struct comm_sink *sink);

/** The number that an ompi_communicator_t itself says that it has in this process's table. */
uint64_t openmpi_comm_number(const struct view *comm);

/** Name of an ompi_communicator_t. @param ret room for COMM_NAME; "" where there is none */
void openmpi_comm_name(const struct mpi *mpi, const struct view *comm, char *ret);

/** adapter.phase() */
CHECKED enum status openmpi_phase(const struct mpi *mpi, enum phase *ret);

/** adapter.rank() */
CHECKED enum status openmpi_rank(const struct mpi *mpi, int64_t *ret);

/** adapter.group() */
CHECKED enum status openmpi_group(const struct mpi *mpi, taddr group, uint32_t size, int32_t *ret);

/** Whether the name of this process, where it can be read, says the same of its rank in
 * MPI_COMM_WORLD. @return STATUS_CORRUPT when it does not */
CHECKED enum status openmpi_check_rank(const struct mpi *mpi, int64_t rank);

/** Number of members of a group. */
CHECKED enum status openmpi_group_size(const struct mpi *mpi, taddr group, int64_t *ret);

/** adapter.ops() */
CHECKED enum status openmpi_ops(const struct mpi *mpi, struct arena *arena, struct op_sink *sink);

/** Numbers of the communicators in the order of their addresses, for openmpi_find_comm(). @return
 * NULL when there is no memory */
uint32_t *openmpi_sort_comms(struct arena *arena, const struct op_sink *sink);

/** Number of the communicator at an address. @return whether there is one */
bool
openmpi_find_comm(const struct op_sink *sink, const uint32_t *by_addr, taddr addr, uint32_t *ret);

/** adapter.traffic() */
CHECKED enum status
openmpi_traffic(const struct mpi *mpi, const struct comm *comm, uint32_t peer, struct traffic *ret);

/** adapter.describe() */
CHECKED enum status openmpi_describe(const struct mpi *mpi, const struct comm *comm,
                                     const struct op_ref *ref, struct op *ret);

/** A free list: objects of one class, in chunks of memory. */
struct free_list {
    taddr class_addr;      // of the opal_class_t of its items; 0: not in use
    uint64_t allocated;    // items in all chunks
    uint64_t per_chunk;    // items that a chunk holds, but for the first one
    uint64_t stride;       // bytes from item to item
    uint64_t alignment;    // bytes; of the first item of a chunk
    taddr chunks_sentinel; // of the list of chunks
    uint64_t n_chunks;
};

/** Reads the description of a free list. */
CHECKED enum status free_list_load(const struct mpi *mpi, taddr addr, struct free_list *ret);

/** Calls `visit` for every item of the list, in order of memory within each chunk.
 *
 * Stops with the first status other than STATUS_OK that `visit` gives.
 * @return STATUS_CORRUPT when fewer items are found than the list says that it has; those that are
 * found have been visited
 */
CHECKED enum status
free_list_each(const struct mpi *mpi, const struct free_list *list, struct arena *arena,
               enum status (*visit)(void *context, taddr item), void *context);

/** Whether a class or one of its ancestors has this name. */
CHECKED enum status
openmpi_class_is(const struct mpi *mpi, taddr class_addr, const char *name, bool *ret);

/** Whether an object is of this class or one that is derived from it. */
CHECKED enum status
openmpi_object_is(const struct mpi *mpi, taddr addr, const char *class_name, bool *ret);

enum { LIST_MAX = 1 << 22 }; // items; a walk over a list goes no further

/** Address of the sentinel of a list, and the number of its items. */
CHECKED enum status
openmpi_list_load(const struct mpi *mpi, taddr list, taddr *ret_sentinel, uint64_t *ret_length);

/** Begins a walk over the items of a list. @param ret_length as the list says it; not believed */
CHECKED enum status
openmpi_list_walk(const struct mpi *mpi, taddr list, struct walk *ret, uint64_t *ret_length);

/** What the PML's requests look like. */
enum pml {
    PML_NONE, // none selected yet
    PML_OB1,  // ob1, perhaps with something on top of it
    PML_UCX,
    PML_CM,
    PML_OTHER, // keeps its queues elsewhere
};

/** Which collective (COLLECTIVE_*) sends and receives with a tag; -1: none, or it is not known. */
int openmpi_collective(int64_t tag);

/** Name of a datatype. @param ret room for DATATYPE_NAME @return whether it is known */
bool openmpi_datatype_name(const struct mpi *mpi, taddr datatype, char *ret);

/** Bytes of data of a datatype. @return whether that is known */
bool openmpi_datatype_size(const struct mpi *mpi, taddr datatype, uint64_t *ret);

/** Whether elements of a size are so many bytes. */
static inline bool
openmpi_is_length(uint64_t size, uint64_t count, uint64_t bytes)
{
    uint64_t product;

    return !__builtin_mul_overflow(size, count, &product) && product == bytes;
}

/** Reads the status of a request. @param request its ompi_request_t */
CHECKED enum status
openmpi_status_load(const struct mpi *mpi, const struct view *request, struct view *ret);

/** Decodes the status of a request: whether it was cancelled, and what came or went. */
CHECKED enum status
openmpi_status(const struct mpi *mpi, const struct view *request, struct op *op);

/** Finds out which PML is at work. @param name its name as Open MPI has it, "ob1"; "" unknown */
CHECKED enum status openmpi_pml(const struct mpi *mpi, enum pml *ret, char *name, size_t size);

#endif
