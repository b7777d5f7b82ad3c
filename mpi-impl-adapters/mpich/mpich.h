// SPDX-License-Identifier: BSD-3-Clause
// Shared by the files of the MPICH adapter.
#ifndef MPICH_H
#define MPICH_H

#include "mqs/adapter.h"
#include "target/view.h"

#define NEEDS_FILE   "mpi-impl-adapters/mpich/needs.def"
#define NEEDS_PREFIX mpich
#include "target/layout_decl.h"

/** Values of MPICH's that this adapter relies on, the same in all releases since 3.4. */
enum {
    MPICH_ANY_SOURCE = -2,
    MPICH_ANY_TAG = -1,
    MPICH_PROC_NULL = -1,
    DEVICE_TEXT = 64, // bytes of the text of MPII_Version_device that are read
    STATUS_SIZE = 20, // of MPI_Status
};

/** In the library of MPI's standard ABI a status has more members, and these have other numbers. */
enum { ABI_ANY_SOURCE = -1, ABI_ANY_TAG = -2, ABI_PROC_NULL = -3, ABI_STATUS_SIZE = 32 };

/** Whether the library is that of the standard ABI. */
bool mpich_standard_abi(const struct layout *layout);

/** Handles: two bits of place, four bits of kind, the rest says which object. */
enum handle_place { HANDLE_INVALID, HANDLE_BUILTIN, HANDLE_DIRECT, HANDLE_INDIRECT };
enum handle_kind {
    HANDLE_COMM = 1,
    HANDLE_GROUP = 2,
    HANDLE_DATATYPE = 3,
    HANDLE_ERRHANDLER = 5,
    HANDLE_OP = 6,
    HANDLE_INFO = 7,
    HANDLE_WIN = 8,
    HANDLE_KEYVAL = 9,
    HANDLE_REQUEST = 0xb,
    HANDLE_SESSION = 0xe,
};
enum { REQUEST_POOLS = 64, REQUEST_POOL_SHIFT = 20 }; // one for each virtual interface

enum { KEYVAL_KIND = 15 << 22 }; // of the handle of a keyval: enum handle_kind of whose it is

static inline unsigned
keyval_kind(uint64_t handle)
{
    return (unsigned) (handle >> 22 & 15);
}

/** Whether objects in use of a kind have no references. */
static inline bool
is_uncounted(unsigned kind)
{
    return kind == HANDLE_WIN || kind == HANDLE_INFO || kind == HANDLE_SESSION;
}

#define OUT_OF_USE "the process has not called MPI_Init yet, or has called MPI_Finalize"

#define COMM_WORLD_HANDLE 0x44000000u
#define COMM_SELF_HANDLE  0x44000001u
#define DATATYPE_NULL     0x0c000000u

static inline enum handle_place
handle_place(uint64_t handle)
{
    return (enum handle_place)(handle >> 30 & 3);
}

static inline unsigned
handle_kind(uint64_t handle)
{
    return (unsigned) (handle >> 26 & 15);
}

/** Parts of a context id. What is left is the number of the user's communicator. */
enum {
    CONTEXT_COLLECTIVE = 1 << 0,
    CONTEXT_SUBCOMM =
        3 << 1,             // a communicator of the library's own, within one node or between nodes
    CONTEXT_LOCAL = 1 << 3, // the one within an intercommunicator
    CONTEXT_PARTS = 15,
};

enum {
    MPICH_FIRST_PAGE = 4096, // where nothing is
    MPICH_ADDRESS_BITS = 56  // of no machine has a process more
};

/** Whether a word may be a pointer to an object: what most words are not is seen at once, before
 * anything is read. */
static inline bool
mpich_is_pointer(const struct datamodel *model, taddr word)
{
    return word >= MPICH_FIRST_PAGE && word >> MPICH_ADDRESS_BITS == 0 &&
           word % model->pointer_size == 0;
}

/** Built-in layouts. */
extern const struct builtin_row mpich_builtin[];
extern const unsigned mpich_builtin_rows;

/** adapter.resolve() */
CHECKED enum status mpich_resolve(struct inferior *inf, unsigned origins, struct layout *ret);

/** adapter.has_modules */
bool mpich_has_modules(struct inferior *inf, const struct layout *layout);

/** Text of one of the library's variables MPII_Version_string, ..._device and ..._configure, which
 * need not have a symbol. @param name a string literal */
CHECKED enum status mpich_text(struct inferior *inf, const char *name, char *ret, size_t size);

/** Makes sure that the library's variables can be found by name. Where it has no symbols for them,
 * they are found by the code of its functions, checked by what is in them, and remembered.
 * @return STATUS_ABSENT before MPI_Init; STATUS_MISMATCH, and the trail says what to install
 */
CHECKED enum status mpich_find_globals(const struct mpi *mpi);

/** Confirms a built-in layout by what can be checked in every process, even before MPI_Init: the
 * sizes that pools of objects say. */
CHECKED enum status mpich_confirm(const struct mpi *mpi);

/** Whether an address may be that of MPIR_Process: MPI_COMM_WORLD and MPI_COMM_SELF stand side by
 * side, and agree with what is said of the process. */
bool mpich_is_process(const struct mpi *mpi, taddr addr);

/** Whether MPIR_Process, at an address, has no MPI_COMM_WORLD. */
bool mpich_is_unused(const struct mpi *mpi, taddr addr);

/** Reads MPIR_Process. @return STATUS_ABSENT before MPI_Init and after MPI_Finalize */
CHECKED enum status mpich_process(const struct mpi *mpi, struct view *ret);

/** Device of the library. */
enum device { DEVICE_UNKNOWN, DEVICE_CH3, DEVICE_UCX, DEVICE_OFI, DEVICE_CH4 };

/** Which device this library was built for. @param name its own text, "ch4:ucx" */
CHECKED enum status mpich_device(struct inferior *inf, enum device *ret, char *name, size_t size);

/** Likewise, of several network modules ("ch4:ucx ofi") the one in use: UCX, or OFI.
 * mpich_find_globals() goes before. */
CHECKED enum status
mpich_device_in_use(const struct mpi *mpi, enum device *ret, char *name, size_t size);

/** Reads a communicator. @return STATUS_CORRUPT when it is none */
CHECKED enum status mpich_comm_load(const struct mpi *mpi, taddr addr, struct comm *ret);

/** adapter.comms() */
CHECKED enum status mpich_comms(const struct mpi *mpi, struct comm_sink *sink);

/** The two context ids of a communicator. */
struct contexts {
    uint32_t send;
    uint32_t receive;
};

/** Decodes the context ids of an MPIR_Comm. */
CHECKED enum status
mpich_contexts(const struct mpi *mpi, const struct view *comm, struct contexts *ret);

/** Bytes of a context id. */
unsigned mpich_context_width(const struct layout *layout);

/** adapter.group(): `group` is the address of a map of ranks, of a table of connections, or of a
 * group, as the device and the release have it. */
CHECKED enum status mpich_group(const struct mpi *mpi, taddr group, uint32_t size, int32_t *ret);

/** Numbers of a group's members, as MPICH has them: below 2^32 they are ranks in MPI_COMM_WORLD,
 * NO_RANK is a member that is not known. Otherwise as mpich_group(). */
CHECKED enum status mpich_members(const struct mpi *mpi, taddr group, uint32_t size, int64_t *ret);

/** Keys for mpich_group() of a communicator. @param ret_remote of the remote group if inter */
CHECKED enum status mpich_groups_of(const struct mpi *mpi, const struct view *comm,
                                    taddr *ret_local, taddr *ret_remote);

/** Whether groups have their processes themselves. */
bool pmap_readable(const struct layout *layout);

/** mpich_members() of such a group. */
CHECKED enum status pmap_members(const struct mpi *mpi, taddr group, uint32_t size, int64_t *ret);

/** adapter.ops() */
CHECKED enum status mpich_ops(const struct mpi *mpi, struct arena *arena, struct op_sink *sink);

/** adapter.describe() */
CHECKED enum status mpich_describe(const struct mpi *mpi, const struct comm *comm,
                                   const struct op_ref *ref, struct op *ret);

/** A pool of objects of one kind. */
struct pool {
    taddr addr; // of the MPIR_Object_alloc_t
    unsigned kind;
    uint32_t stride;   // bytes from object to object
    taddr direct;      // the objects in the library's own data
    uint32_t n_direct; // 0 as long as none was used
    taddr blocks;      // array of pointers to blocks of more
    uint32_t n_blocks;
    uint32_t per_block; // objects of a block
    taddr avail;        // list of those that are not in use; 0: none, or not known
    bool uncounted;     // objects in use have no references: they are those that are not in it
    int64_t n_live;     // objects in use as the pool says; -1: it does not say
};

/** Reads the description of a pool and checks it against the kind and the size of its objects.
 * @param kind   enum handle_kind
 * @param number of the struct of its objects
 */
CHECKED enum status
pool_load(const struct mpi *mpi, taddr addr, unsigned kind, unsigned number, struct pool *ret);

/** Calls `visit` for every object in use (its count of references is above 0, unless the pool's are
 * uncounted, and its handle is of the pool's kind), the direct ones first.
 *
 * Stops with the first status other than STATUS_OK that `visit` gives. @param ret_live objects seen
 */
CHECKED enum status
pool_each(const struct mpi *mpi, const struct pool *pool,
          enum status (*visit)(void *context, taddr object), void *context, int64_t *ret_live);

/** Calls `visit` for every object of a pool that is in its list of those that are not in use.
 * Otherwise as pool_each(). */
CHECKED enum status
pool_each_free(const struct mpi *mpi, const struct pool *pool,
               enum status (*visit)(void *context, taddr object), void *context);

/** The object of a handle that is not built in; it may not be in use.
 * @return STATUS_ABSENT when there is none */
CHECKED enum status
pool_find(const struct mpi *mpi, const struct pool *pool, uint32_t handle, taddr *ret);

/** The pool of a kind of objects. @param number of requests, below REQUEST_POOLS; else 0
 * @return STATUS_UNSUPPORTED when it is not known where it is */
CHECKED enum status
mpich_pool(const struct mpi *mpi, unsigned kind, unsigned number, struct pool *ret);

/** Likewise, of any handle: the object has this handle. */
CHECKED enum status
mpich_find_object(const struct mpi *mpi, unsigned kind, uint32_t handle, taddr *ret);

/** Address of the handle of the keyval of the attribute that is a communicator's topology.
 * @return STATUS_UNSUPPORTED */
CHECKED enum status mpich_topology_keyval(const struct mpi *mpi, taddr *ret);

/** Bytes of data of a datatype. */
CHECKED enum status mpich_datatype_size(const struct mpi *mpi, uint32_t handle, uint64_t *ret);

/** Bytes of the two parts of a predefined pair, such as MPI_DOUBLE_INT: MPI counts no gap between
 * them. Not all releases have objects of these. @return 0: it is none, or of how many bytes a long
 * double is not known */
uint64_t mpich_pair_size(const struct datamodel *model, uint32_t handle);

/** Handle of the datatype that is an object at an address. @return whether there is one */
bool mpich_datatype_at(const struct mpi *mpi, taddr addr, uint32_t *ret);

/** Name of a datatype, "" when it has none. @param ret room for DATATYPE_NAME @return whether it is
 * known */
bool mpich_datatype_name(const struct mpi *mpi, uint32_t handle, char *ret);

/** Name of a predefined datatype; NULL: it is none. */
const char *mpich_datatype_predefined(uint32_t handle);

/** The user's handle of a datatype for which MPICH may have put one of its own. */
uint32_t mpich_datatype_of_user(uint32_t handle);

/** Handle of the n-th predefined datatype; 0: there are no more. */
uint32_t mpich_datatype_number(unsigned n);

/** adapter.object(), adapter.objects(), adapter.members() */
CHECKED enum status mpich_object(const struct mpi *mpi, enum object_kind kind,
                                 enum handle_form form, uint64_t value, struct object *ret);
CHECKED enum status
mpich_objects(const struct mpi *mpi, enum object_kind kind, struct object_sink *sink);
CHECKED enum status
mpich_object_members(const struct mpi *mpi, const struct object *object, struct member_sink *sink);

#endif
