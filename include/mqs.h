// SPDX-License-Identifier: BSD-3-Clause
/** @file
 * The MPI Message Queue Dumping interface (MQD), version 1.0.
 *
 * Written from the document "The MPI Message Queue Dumping Interface, Version 1.0" that the MPI
 * Forum accepted on December 12, 2013; "MQD" and a number below is a section of it. A debugger
 * finds the name of a library with these functions in the variable MPIR_dll_name of an MPI process
 * (MQD 5.1), opens it, and calls it; the library reads the process through the debugger's
 * callbacks.
 *
 * The tables and records are the ABI: their order, sizes and offsets are those that debuggers and
 * MPI implementations have used since interface compatibility 2.
 *
 * Any thread of a debugger may call the functions of this library, also those of mqs_ext.h,
 * mqs_omp.h and OMPD, but one at a time: nothing that they share is locked. Nothing depends on
 * which thread that is.
 */
#ifndef MQS_H
#define MQS_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Signed integer wide enough for a target's long (MQD 5.2.1). */
typedef long mqs_tword_t;

/** Unsigned integer wide enough for a target's address (MQD 5.2.2). */
typedef unsigned long mqs_taddr_t;

/** Sizes in bytes of the target's C types (MQD 5.2.3).
 *
 * Debuggers built with Open MPI's header write two further ints (bool, size_t) behind these five: a
 * library hands the callback a larger, zeroed buffer.
 */
typedef struct {
    int short_size;
    int int_size;
    int long_size;
    int long_long_size;
    int pointer_size;
} mqs_target_type_sizes;

// Objects of the debugger, opaque to the library (MQD 5.3).
typedef struct mqs_image_ mqs_image;
typedef struct mqs_process_ mqs_process;
typedef struct mqs_type_ mqs_type;

// What the library hangs onto an image and a process of the debugger's (MQD 5.3).
typedef struct mqs_image_info_ mqs_image_info;
typedef struct mqs_process_info_ mqs_process_info;

/** Language of a name that is looked up (MQD 5.4.1). */
typedef enum {
    mqs_lang_c = 'c',
    mqs_lang_cplus = 'C',
    mqs_lang_f77 = 'f',
    mqs_lang_f90 = 'F'
} mqs_lang_code;

/** The queues that can be iterated (MQD 5.4.2). */
typedef enum { mqs_pending_sends, mqs_pending_receives, mqs_unexpected_messages } mqs_op_class;

/** Version of this interface (MQD 5.4.3). */
enum { MQS_INTERFACE_COMPATIBILITY = 2 };

/** Status of an operation (MQD 5.4.4). */
enum mqs_status { mqs_st_pending, mqs_st_matched, mqs_st_complete };

/** Results (MQD 5.4.5). Anything from mqs_first_user_code on is text in mqs_dll_error_string(). */
enum { mqs_ok = 0, mqs_no_information, mqs_end_of_list, mqs_first_user_code = 100 };

/** A rank in MPI_COMM_WORLD that is not known, or of a process outside it (MQD 5.4.6). */
enum { MQS_INVALID_PROCESS = -1 };

/** A communicator (MQD 5.5.1). */
typedef struct {
    mqs_taddr_t unique_id;  /**< the same number on all members */
    mqs_tword_t local_rank; /**< of this process in the communicator, from 0 */
    mqs_tword_t size;       /**< number of processes (of the local group of an intercommunicator) */
    char name[64];          /**< NUL terminated, zero filled; "" when it has none */
} mqs_communicator;

/** An operation in a queue (MQD 5.5.2).
 *
 * The ranks called local count within the communicator (the remote group of an intercommunicator),
 * the global ones within MPI_COMM_WORLD; -1 is any source, or not known. The actual members hold
 * for sends, and for receives and unexpected messages whose status is matched or complete. Lengths
 * are bytes.
 */
typedef struct {
    int status; /**< enum mqs_status */
    mqs_tword_t desired_local_rank;
    mqs_tword_t desired_global_rank;
    int tag_wild; /**< 1: any tag, and desired_tag means nothing */
    mqs_tword_t desired_tag;
    mqs_tword_t desired_length;
    int system_buffer;  /**< 1: the data is in memory of MPI's own */
    mqs_taddr_t buffer; /**< the user's; of an unexpected message, MPI's; 0: not known */
    mqs_tword_t actual_local_rank;
    mqs_tword_t actual_global_rank;
    mqs_tword_t actual_tag;
    mqs_tword_t actual_length;
    char extra_text[5][64]; /**< lines for people; the first empty one ends them */
} mqs_pending_operation;

// Basic callbacks (MQD 5.6.2 to 5.6.9).
typedef void *(*mqs_malloc_ft)(size_t size);
typedef void (*mqs_free_ft)(void *buf);
typedef void (*mqs_dprints_ft)(const char *buf);
typedef char *(*mqs_errorstring_ft)(int error_code);
typedef void (*mqs_put_image_info_ft)(mqs_image *image, mqs_image_info *info);
typedef mqs_image_info *(*mqs_get_image_info_ft)(mqs_image *image);
typedef void (*mqs_put_process_info_ft)(mqs_process *process, mqs_process_info *info);
typedef mqs_process_info *(*mqs_get_process_info_ft)(mqs_process *process);

/** What every debugger provides (MQD 5.6.1); dprints and errorstring may be NULL in practice. */
typedef struct mqs_basic_callbacks {
    mqs_malloc_ft mqs_malloc_fp;
    mqs_free_ft mqs_free_fp;
    mqs_dprints_ft mqs_dprints_fp;
    mqs_errorstring_ft mqs_errorstring_fp;
    mqs_put_image_info_ft mqs_put_image_info_fp;
    mqs_get_image_info_ft mqs_get_image_info_fp;
    mqs_put_process_info_ft mqs_put_process_info_fp;
    mqs_get_process_info_ft mqs_get_process_info_fp;
} mqs_basic_callbacks;

// Image callbacks (MQD 5.6.11 to 5.6.16).
typedef void (*mqs_get_type_sizes_ft)(mqs_process *process, mqs_target_type_sizes *sizes);
typedef int (*mqs_find_function_ft)(mqs_image *image, char *fname, mqs_lang_code lang,
                                    mqs_taddr_t *addr);
typedef int (*mqs_find_symbol_ft)(mqs_image *image, char *sname, mqs_taddr_t *addr);
typedef mqs_type *(*mqs_find_type_ft)(mqs_image *image, char *tname, mqs_lang_code lang);
typedef int (*mqs_field_offset_ft)(mqs_type *type, char *fname);
typedef int (*mqs_sizeof_ft)(mqs_type *type);

/** Symbols and types of the files that a process has loaded (MQD 5.6.10). */
typedef struct mqs_image_callbacks {
    mqs_get_type_sizes_ft mqs_get_type_sizes_fp;
    mqs_find_function_ft mqs_find_function_fp;
    mqs_find_symbol_ft mqs_find_symbol_fp;
    mqs_find_type_ft mqs_find_type_fp;
    mqs_field_offset_ft mqs_field_offset_fp;
    mqs_sizeof_ft mqs_sizeof_fp;
} mqs_image_callbacks;

// Process callbacks (MQD 5.6.18 to 5.6.21).
typedef int (*mqs_get_global_rank_ft)(mqs_process *process);
typedef mqs_image *(*mqs_get_image_ft)(mqs_process *process);
typedef int (*mqs_fetch_data_ft)(mqs_process *process, mqs_taddr_t addr, int size, void *buf);
typedef void (*mqs_target_to_host_ft)(mqs_process *process, const void *indata, void *outdata,
                                      int size);

/** Rank, image and memory of a process (MQD 5.6.17). */
typedef struct mqs_process_callbacks {
    mqs_get_global_rank_ft mqs_get_global_rank_fp;
    mqs_get_image_ft mqs_get_image_fp;
    mqs_fetch_data_ft mqs_fetch_data_fp;
    mqs_target_to_host_ft mqs_target_to_host_fp;
} mqs_process_callbacks;

/** Gives the library the debugger's callbacks, before any other call (MQD 5.7.1).
 * The table stays the debugger's and must live as long as the library is used.
 */
extern void mqs_setup_basic_callbacks(const mqs_basic_callbacks *cb);

/** Name and version of the library, owned by it (MQD 5.7.2). */
extern char *mqs_version_string(void);

/** MQS_INTERFACE_COMPATIBILITY of the library (MQD 5.7.3). */
extern int mqs_version_compatibility(void);

/** sizeof (mqs_taddr_t) of the library (MQD 5.7.4). */
extern int mqs_dll_taddr_width(void);

/** Text of a result of this library, owned by it, never NULL (MQD 5.7.5). */
extern char *mqs_dll_error_string(int error_code);

/** Prepares an image; once for each, before its processes (MQD 5.8.1). */
extern int mqs_setup_image(mqs_image *image, const mqs_image_callbacks *cb);

/** Whether the image is of an MPI program whose queues can be read (MQD 5.8.2).
 * @param message NULL, or set to NULL or to a text with at most one %s for the image's name. The
 * text is the library's and lives as long as the image's information.
 */
extern int mqs_image_has_queues(mqs_image *image, char **message);

/** Frees what mqs_setup_image() made (MQD 5.8.3). NULL is fine. */
extern int mqs_destroy_image_info(mqs_image_info *info);

/** Prepares a process, after its image (MQD 5.9.1). */
extern int mqs_setup_process(mqs_process *process, const mqs_process_callbacks *cb);

/** Whether this process has queues that can be read now (MQD 5.9.2); `message` as for the image. */
extern int mqs_process_has_queues(mqs_process *process, char **message);

/** Frees what mqs_setup_process() made (MQD 5.9.3). NULL is fine. */
extern int mqs_destroy_process_info(mqs_process_info *info);

/** Reads the list of communicators anew (MQD 5.10.1). */
extern int mqs_update_communicator_list(mqs_process *process);

/** Sets the iterator to the first communicator (MQD 5.10.2). */
extern int mqs_setup_communicator_iterator(mqs_process *process);

/** Describes the current communicator (MQD 5.10.3); mqs_end_of_list when there is none. */
extern int mqs_get_communicator(mqs_process *process, mqs_communicator *comm);

/** Ranks in MPI_COMM_WORLD of the members, in order (MQD 5.10.4).
 * @param ranks room for as many ints as mqs_get_communicator() said in `size`; an element is
 * MQS_INVALID_PROCESS for a process of another job.
 */
extern int mqs_get_comm_group(mqs_process *process, int *ranks);

/** Moves to the next communicator (MQD 5.10.5); mqs_end_of_list past the last. */
extern int mqs_next_communicator(mqs_process *process);

/** Prepares to iterate one queue, an mqs_op_class, of the current communicator (MQD 5.10.6).
 * mqs_no_information when the implementation cannot show this queue.
 */
extern int mqs_setup_operation_iterator(mqs_process *process, int op_class);

/** Fetches the next operation (MQD 5.10.7); mqs_end_of_list past the last, mqs_no_information there
 * when there may be others that the implementation cannot show.
 */
extern int mqs_next_operation(mqs_process *process, mqs_pending_operation *op);

#ifdef __cplusplus
}
#endif

#endif
