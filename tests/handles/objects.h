// SPDX-License-Identifier: BSD-3-Clause
// MPI objects of every kind, and what MPI itself says of each: lines
//
//   KIND C-HANDLE FORTRAN MEMBER INDEX VALUE
//
// with `_` for the spaces in the names of kinds and members, and the rest of the line for VALUE. A
// handle is "-" where it is not known. Besides the members of mqs_members.def there are `state`
// (null, predefined, live, freed, none: it is no handle) and `name`. A VALUE of several words with
// `|` between them is any of them. Of a member with an index all values are written.
#ifndef MQS_TESTS_HANDLES_OBJECTS_H
#define MQS_TESTS_HANDLES_OBJECTS_H

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/** In the standard ABI a handle's number has another name. */
#ifdef MPI_ABI
#define MPI_Comm_c2f       MPI_Comm_toint
#define MPI_Group_c2f      MPI_Group_toint
#define MPI_Type_c2f       MPI_Type_toint
#define MPI_Request_c2f    MPI_Request_toint
#define MPI_Message_c2f    MPI_Message_toint
#define MPI_Win_c2f        MPI_Win_toint
#define MPI_File_c2f       MPI_File_toint
#define MPI_Op_c2f         MPI_Op_toint
#define MPI_Errhandler_c2f MPI_Errhandler_toint
#define MPI_Info_c2f       MPI_Info_toint
#define MPI_Session_c2f    MPI_Session_toint
#endif

/** The object that the next lines are about. */
struct about {
    const char *kind;
    uint64_t handle;
    bool has_fortran;
    int fortran;
};

/** The bits of a handle, whatever its type is. */
#define BITS(handle)                 bits_of(&(handle), sizeof(handle))
#define ABOUT(kind, handle, fortran) ((struct about){kind, BITS(handle), true, (int) (fortran)})
/** Of an object whose INTEGER is made when it is asked for, and is not. */
#define ABOUT_C(kind, handle) ((struct about){kind, BITS(handle), false, 0})

static inline uint64_t
bits_of(const void *handle, size_t size)
{
    uint64_t wide = 0;
    uint32_t narrow;
    if (size == sizeof(narrow)) {
        memcpy(&narrow, handle, size);
        return narrow;
    }
    memcpy(&wide, handle, size);
    return wide;
}

/** Writes a line. */
__attribute__((format(printf, 4, 5))) void
say(const struct about *about, const char *member, int index, const char *format, ...);

void say_number(const struct about *about, const char *member, int index, int64_t value);
void say_address(const struct about *about, const char *member, const void *value);
void say_handle(const struct about *about, const char *member, int index, uint64_t value);
void say_state(const struct about *about, const char *state, const char *name);

/** Stops the job when a call has failed. */
void need(int result);

/** The pairs of an info, which is freed. */
void say_pairs(const struct about *about, MPI_Info info);

/** The errhandler that a communicator, window or file has. */
void say_errhandler(const struct about *about, MPI_Errhandler handler);

/** Say what there is of each kind, and leave it. What is collective is called by all ranks. */
void make_communicators(void);
void make_groups(void);
void make_datatypes(void);
void make_requests(void);
void make_messages(void);
void make_windows(void);
void make_files(const char *path);
void make_ops(void);
void make_errhandlers(void);
void make_infos(void);
void make_keyvals(void);
void make_sessions(void);

/** Handles of objects that do not exist any more, said last. */
void free_objects(void);

/** Ones that free_objects() is to free. */
extern MPI_Comm doomed_comm;

#endif
