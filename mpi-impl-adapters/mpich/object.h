// SPDX-License-Identifier: BSD-3-Clause
// What is known of the objects of handles (object_*.c).
#ifndef MPICH_OBJECT_H
#define MPICH_OBJECT_H

#include "mpi-impl-adapters/mpich/mpich.h"

/** An object whose members are asked for, and where they go. */
struct describing {
    const struct mpi *mpi;
    const struct object *object;
    struct member_sink *sink;
    uint32_t number; // MPICH's own handle
};

/** The handle in C of what has a handle of MPICH's own: the same, or that of the standard ABI.
 * @return STATUS_ABSENT when it is no handle */
CHECKED enum status
mpich_object_handle(const struct mpi *mpi, enum object_kind kind, uint32_t number, uint64_t *ret);

/** Emit one member. */
CHECKED enum status
say_number(const struct describing *it, enum member_id id, uint32_t index, int64_t value);
CHECKED enum status
say_text(const struct describing *it, enum member_id id, uint32_t index, const char *text);

/** Emits a name out of a table; nothing where the number has none. */
CHECKED enum status say_name(const struct describing *it, enum member_id id,
                             const char *const *names, size_t count, int64_t number);

#define SAY_NAME(it, id, names, number) \
    say_name(it, id, names, sizeof(names) / sizeof(*(names)), number)

/** Emits the handle of what has a handle of MPICH's own; nothing when it is no handle. */
CHECKED enum status say_handle(const struct describing *it, enum member_id id, uint32_t index,
                               enum object_kind kind, uint32_t number);

/** Likewise, of the object at an address, which begins with it. */
CHECKED enum status
say_object(const struct describing *it, enum member_id id, enum object_kind kind, taddr addr);

/** Emits the text at an address. */
CHECKED enum status
say_text_at(const struct describing *it, enum member_id id, uint32_t index, taddr addr);

/** Emits numbers of `width` bytes that are in a row in memory. */
CHECKED enum status say_numbers(const struct describing *it, enum member_id id, taddr addr,
                                uint64_t count, unsigned width);

/** Emits the pairs of a list of attributes that the program has set. @param kind of their keyvals
 */
CHECKED enum status say_attributes(const struct describing *it, taddr first, enum object_kind kind);

/** Finds an attribute of the list by the handle of its keyval. @param ret_value what is set
 * @return STATUS_ABSENT */
CHECKED enum status
mpich_find_attribute(const struct mpi *mpi, taddr first, uint32_t keyval, taddr *ret_value);

/** Emits the error handler of an object: that at an address, or the default one where it is 0. */
CHECKED enum status say_errhandler(const struct describing *it, taddr addr);

/** Emits the ranks in MPI_COMM_WORLD of the members of the MPIR_Group at an address, as far as they
 * have one. */
CHECKED enum status
say_group(const struct describing *it, enum member_id id, taddr addr, int64_t *ret_size);

/** The members of an object of a kind. */
CHECKED enum status mpich_comm_members(const struct describing *it);
CHECKED enum status mpich_group_object_members(const struct describing *it);
CHECKED enum status mpich_datatype_members(const struct describing *it);
CHECKED enum status mpich_request_members(const struct describing *it);
CHECKED enum status mpich_status_members(const struct describing *it);
CHECKED enum status mpich_window_members(const struct describing *it);
CHECKED enum status mpich_file_members(const struct describing *it);
CHECKED enum status mpich_op_members(const struct describing *it);
CHECKED enum status mpich_errhandler_members(const struct describing *it);
CHECKED enum status mpich_info_members(const struct describing *it);
CHECKED enum status mpich_keyval_members(const struct describing *it);
CHECKED enum status mpich_session_members(const struct describing *it);

/** The topology of a communicator. @param attributes its list */
CHECKED enum status
mpich_topology_members(const struct describing *it, taddr attributes, int64_t rank);

/** adapter.object() of kinds whose handles are addresses. */
CHECKED enum status
mpich_file_object(const struct mpi *mpi, enum handle_form form, uint64_t value, struct object *ret);
CHECKED enum status mpich_status_object(const struct mpi *mpi, uint64_t value, struct object *ret);

/** What becomes of an object of the pools that is in use, and whether it is one of the kind.
 * @return STATUS_ABSENT when it is not */
CHECKED enum status mpich_request_state(const struct mpi *mpi, struct object *object);
CHECKED enum status mpich_keyval_state(const struct mpi *mpi, struct object *object);
CHECKED enum status mpich_info_state(const struct mpi *mpi, struct object *object);

#endif
