// SPDX-License-Identifier: BSD-3-Clause
/** @file
 * Handle introspection: what an MPI handle is, in the idiom of mqs.h and through the same loading
 * path.
 *
 * A process needs mqs_setup_process() and mqs_process_has_queues() first; results are those of
 * mqs.h. Everything that is given is a copy of the time of the call: after the process has run,
 * objects are queried anew. The document is doc/handle-introspection.md.
 */
#ifndef MQS_HANDLES_H
#define MQS_HANDLES_H

#include "mqs.h"

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Kinds of MPI object. */
typedef enum {
    mqs_object_communicator,
    mqs_object_group,
    mqs_object_datatype,
    mqs_object_request,
    mqs_object_status,
    mqs_object_window,
    mqs_object_file,
    mqs_object_op,
    mqs_object_errhandler,
    mqs_object_info,
    mqs_object_message,
    mqs_object_session,
    mqs_object_comm_keyval,
    mqs_object_type_keyval,
    mqs_object_win_keyval,
    mqs_object_kind_count
} mqs_object_kind;

/** How a value names an object. A status has no handle: its value is its address. */
typedef enum {
    mqs_form_c,       /**< as C has it: MPI_Comm, MPI_Request, ...; an int for keyvals */
    mqs_form_fortran, /**< an INTEGER: a handle in mpif.h and mpi, MPI_VAL of a handle of mpi_f08 */
    mqs_form_abi,     /**< as C has it in a program built for MPI's standard ABI */
    mqs_form_address, /**< the address of the library's own object */
    mqs_form_count
} mqs_handle_form;

/** What becomes of an object. */
typedef enum {
    mqs_object_null,       /**< MPI_COMM_NULL, MPI_REQUEST_NULL, ...: there is none */
    mqs_object_predefined, /**< made by the library: MPI_COMM_WORLD, MPI_INT, ... */
    mqs_object_live,       /**< made by the program, or for it */
    mqs_object_freed,      /**< freed by the program; something pending still uses it */
    mqs_object_state_count
} mqs_object_state;

/** Members of mqs_object that are known. */
enum {
    MQS_OBJECT_HANDLE = 1 << 0,
    MQS_OBJECT_FORTRAN = 1 << 1,
    MQS_OBJECT_ADDRESS = 1 << 2,
    MQS_OBJECT_NAME = 1 << 3, /**< also when it is "": it has none */
    MQS_OBJECT_REFERENCES = 1 << 4
};

/** Bytes of a name or text with its NUL; longer ones are cut. */
enum { MQS_OBJECT_NAME_SIZE = 128, MQS_MEMBER_TEXT = 256, MQS_OBJECT_TEXT = 512 };

/** An object. Kind and state are always known. */
typedef struct {
    uint32_t known;      /**< MQS_OBJECT_* */
    int kind;            /**< mqs_object_kind */
    int state;           /**< mqs_object_state */
    int fortran;         /**< its INTEGER */
    uint64_t handle;     /**< its value in C */
    mqs_taddr_t address; /**< of the library's object; 0: it has none, as numbers of MPI_INT have */
    int64_t references;  /**< to the object, the program's own and the library's */
    char name[MQS_OBJECT_NAME_SIZE]; /**< that the program gave it, or of the predefined object */
} mqs_object;

/** What can be known of an object, numbered as mqs_members.def lists them. */
typedef enum {
#define MEMBER(enumerator, name, type) mqs_member_##enumerator,
#include "mqs_members.def"
#undef MEMBER
    mqs_member_count_of_all
} mqs_member_number;

/** What the value of a member is. */
typedef enum {
    mqs_value_integer, /**< `value` */
    mqs_value_truth,   /**< `value`, 0 or 1 */
    mqs_value_address, /**< `value`, an address in the process */
    mqs_value_handle,  /**< `value`, a handle in C of an object of `kind` */
    mqs_value_text     /**< `text` */
} mqs_value_type;

/** One thing that is known of an object. What is not known is not given. */
typedef struct {
    int member; /**< mqs_member_number */
    int type;   /**< mqs_value_type */
    int index;  /**< from 0, of those that the object has several of; else 0 */
    int kind;   /**< mqs_object_kind of the handle */
    int64_t value;
    char text[MQS_MEMBER_TEXT];
} mqs_object_member;

/** What a handle is.
 * @param kind  mqs_object_kind
 * @param form  mqs_handle_form
 * @param value the handle, widened to 64 bits without sign; of a status its address
 * @return mqs_no_information: it is no handle of this kind; any other but mqs_ok: it cannot be read
 */
extern int
mqs_query_handle(mqs_process *process, int kind, int form, uint64_t value, mqs_object *object);

/** Prepares to list the objects of a kind that exist, in the order of the implementation's own
 * table. Not for statuses, which it does not know of.
 * @return mqs_no_information: the implementation keeps no list of these
 */
extern int mqs_setup_object_iterator(mqs_process *process, int kind);

/** The next object. Predefined ones are among them. @return mqs_end_of_list past the last; after
 * what broke the list that error, once, before it */
extern int mqs_next_object(mqs_process *process, mqs_object *object);

/** Prepares to list what is known of an object.
 * @param object as mqs_query_handle() or mqs_next_object() gave it
 */
extern int mqs_setup_member_iterator(mqs_process *process, const mqs_object *object);

/** The next member. Independent of mqs_next_object(). @return mqs_end_of_list past the last */
extern int mqs_next_member(mqs_process *process, mqs_object_member *member);

/** One line for people: "vector(3, 2, 4) of MPI_INT", "solver: 4 ranks, this is 2, 2x2 periodic x".
 * @param text room for `size` bytes, cut to that; an MQS_OBJECT_TEXT is enough
 */
extern int
mqs_describe_object(mqs_process *process, const mqs_object *object, char *text, size_t size);

/** "communicator", "datatype", ...; NULL: there is no such kind. */
extern const char *mqs_object_kind_name(int kind);

/** "size", "dims", ...; NULL: there is no such member. */
extern const char *mqs_member_name(int member);

#ifdef __cplusplus
}
#endif

#endif
