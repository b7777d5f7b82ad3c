// SPDX-License-Identifier: BSD-3-Clause
// MPI objects by their handles, and what is known of them.
#ifndef OPENMPI_OBJECTS_H
#define OPENMPI_OBJECTS_H

#include "mpi-impl-adapters/openmpi/openmpi.h"

enum {
    NO_INTEGER = -32766,     // MPI_UNDEFINED: an object that has not been asked for its INTEGER
    NO_INTEGER_YET = -1,     // likewise, of a datatype
    ARRAY_MAX = 1 << 20,     // numbers in an array; more is taken for damaged memory
    NO_FIELD = NEEDS_FIELDS, // none of needs.def
};

/** Values of Open MPI's, the same in all releases of 4.x and 5.x. */
enum {
    COMM_FLAG_CART = 0x100,
    COMM_FLAG_GRAPH = 0x200,
    COMM_FLAG_DIST_GRAPH = 0x400,
    OP_FLAG_INTRINSIC = 0x1,
    OP_FLAG_COMMUTE = 0x40,
};

/** adapter.object(), adapter.objects(), adapter.members() */
CHECKED enum status openmpi_object(const struct mpi *mpi, enum object_kind kind,
                                   enum handle_form form, uint64_t value, struct object *ret);
CHECKED enum status
openmpi_objects(const struct mpi *mpi, enum object_kind kind, struct object_sink *sink);
CHECKED enum status
openmpi_members(const struct mpi *mpi, const struct object *object, struct member_sink *sink);

// Parts of them.

/** Emits one member. */
CHECKED enum status emit_number(struct member_sink *sink, enum member_id id, int64_t value);
CHECKED enum status
emit_indexed(struct member_sink *sink, enum member_id id, uint32_t index, int64_t value);
CHECKED enum status emit_text(struct member_sink *sink, enum member_id id, const char *text);

/** Emits the name of a number, if it has one. */
CHECKED enum status emit_choice(struct member_sink *sink, enum member_id id,
                                const char *const *names, size_t n, int64_t value);

/** Emits a handle, unless it is 0, which is no handle. */
CHECKED enum status emit_handle(struct member_sink *sink, enum member_id id, enum object_kind kind,
                                uint32_t index, taddr object);

/** Emits an array of the target: `count` numbers of `width` bytes with a sign.
 * @return STATUS_CORRUPT when there are more than ARRAY_MAX */
CHECKED enum status emit_array(const struct mpi *mpi, struct member_sink *sink, enum member_id id,
                               taddr addr, int64_t count, size_t width);

/** Likewise an array of handles. */
CHECKED enum status emit_handles(const struct mpi *mpi, struct member_sink *sink, enum member_id id,
                                 enum object_kind kind, taddr addr, int64_t count);

/** Name of an object that is an array up to some release and a pointer later. @param pointer may be
 * NO_FIELD @param ret room for OBJECT_NAME */
bool object_name(const struct mpi *mpi, const struct view *view, unsigned array, unsigned pointer,
                 char *ret);

/** An attribute of an object, or the entry of a keyval. */
struct hash_entry {
    uint32_t key;
    taddr value; // an object
};

/** Looks up a key in a hash table of Open MPI. @return STATUS_ABSENT */
CHECKED enum status
hash_find(const struct mpi *mpi, taddr table, uint32_t key, struct hash_entry *ret);

/** Calls `visit` for each entry of a hash table, 0 being an empty one; stops with the first status
 * other than STATUS_OK. */
CHECKED enum status
hash_each(const struct mpi *mpi, taddr table,
          enum status (*visit)(void *context, const struct hash_entry *entry), void *context);

/** Emits the attributes in a hash table. */
CHECKED enum status emit_attributes(const struct mpi *mpi, struct member_sink *sink, taddr table,
                                    enum object_kind keyval_kind);

/** Emits the hints of a communicator, window or file, as MPI_Comm_get_info gives them; nothing
 * where they are not known. */
CHECKED enum status emit_hints(const struct mpi *mpi, struct member_sink *sink, taddr object);

/** Emits the members of a group as ranks in MPI_COMM_WORLD. @param size of openmpi_group_size() */
CHECKED enum status emit_ranks(const struct mpi *mpi, struct member_sink *sink, enum member_id id,
                               taddr group, int64_t size);

/** Value of an attribute. */
CHECKED enum status attribute_value(const struct mpi *mpi, taddr table, uint32_t key, int64_t *ret);

/** A keyval, which has a number and no address. @return STATUS_ABSENT */
CHECKED enum status
keyval_object(const struct mpi *mpi, enum object_kind kind, uint64_t value, struct object *ret);
CHECKED enum status
keyval_objects(const struct mpi *mpi, enum object_kind kind, struct object_sink *sink);
CHECKED enum status
keyval_members(const struct mpi *mpi, const struct object *object, struct member_sink *sink);

/** A window whose epoch is asked for. */
struct window {
    taddr addr, module; // of the object, of what its module keeps of it; 0: not known
    taddr group;        // of its processes
    int64_t rank, size; // in it, of it
};

/** Finds out whether a request is in use, and whether the program has freed it.
 * @return STATUS_ABSENT when it is not in use */
CHECKED enum status
request_state(const struct mpi *mpi, const struct view *request, struct object *ret);

/** Emits the requests of the free lists, or the messages, that have no INTEGER. */
CHECKED enum status request_objects(const struct mpi *mpi, struct object_sink *sink);
CHECKED enum status message_objects(const struct mpi *mpi, struct object_sink *sink);

/** Emits what is known of the epoch and the locks of a window; nothing where its module is not one
 * of those that are known, or not confirmed. */
CHECKED enum status
window_epoch(const struct mpi *mpi, const struct window *window, struct member_sink *sink);

/** adapter.members() of each kind. */
CHECKED enum status
comm_members(const struct mpi *mpi, const struct object *object, struct member_sink *sink);
CHECKED enum status
group_members(const struct mpi *mpi, const struct object *object, struct member_sink *sink);
CHECKED enum status
datatype_members(const struct mpi *mpi, const struct object *object, struct member_sink *sink);
CHECKED enum status
request_members(const struct mpi *mpi, const struct object *object, struct member_sink *sink);
CHECKED enum status
status_members(const struct mpi *mpi, const struct object *object, struct member_sink *sink);
CHECKED enum status
message_members(const struct mpi *mpi, const struct object *object, struct member_sink *sink);
CHECKED enum status
window_members(const struct mpi *mpi, const struct object *object, struct member_sink *sink);
CHECKED enum status
file_members(const struct mpi *mpi, const struct object *object, struct member_sink *sink);
CHECKED enum status
op_members(const struct mpi *mpi, const struct object *object, struct member_sink *sink);
CHECKED enum status
errhandler_members(const struct mpi *mpi, const struct object *object, struct member_sink *sink);
CHECKED enum status
info_members(const struct mpi *mpi, const struct object *object, struct member_sink *sink);

#endif
