// SPDX-License-Identifier: BSD-3-Clause
/** @file
 * Version 1 of an interface for MPI handles, for debuggers that were written to it: communicators,
 * error handlers, requests and statuses. Names, order and values are those of Open MPI's
 * ompi/debuggers/mpihandles_interface.h, the only publication of it.
 *
 * mqs_handles.h has all kinds of object, and what is not known of one; here it is 0, NULL, or what
 * a member's comment says. doc/handle-introspection.md lists what version 1 cannot express.
 *
 * Order of calls: mpidbg_init_once(), mpidbg_init_per_image(), mpidbg_init_per_process(), queries,
 * then the functions that finalize. A debugger that uses the interface of mqs.h for the same image
 * and process, too, sets that up first; what is hung onto them is the same, and lives until both
 * have ended. A query reads the process as it is then.
 *
 * What a query returns is allocated by the debugger's mqs_malloc, each array, string and struct by
 * a call of its own. The debugger frees it; there is no function for that.
 */
#ifndef MPIDBG_H
#define MPIDBG_H

#include "mqs.h"

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Bytes of a name, with its NUL: MPI_MAX_OBJECT_NAME of Open MPI, whatever the process runs. */
enum { MPIDBG_MAX_OBJECT_NAME = 64 };
enum { MPIDBG_MAX_FILENAME = 1024 };
enum { MPIDBG_INTERFACE_VERSION = 1 };

/** The debugger's types of MPI's handles, by their names in C; NULL: it has none. */
struct mpidbg_handle_info_t {
    mqs_type *hi_c_aint;
    mqs_type *hi_c_comm;
    mqs_type *hi_c_datatype;
    mqs_type *hi_c_errhandler;
    mqs_type *hi_c_file;
    mqs_type *hi_c_group;
    mqs_type *hi_c_info;
    mqs_type *hi_c_offset;
    mqs_type *hi_c_op;
    mqs_type *hi_c_request;
    mqs_type *hi_c_status;
    mqs_type *hi_c_win;

    // Those of the C++ bindings, which MPI 3.0 removed: always NULL.
    mqs_type *hi_cxx_aint;
    mqs_type *hi_cxx_comm;
    mqs_type *hi_cxx_intracomm;
    mqs_type *hi_cxx_intercomm;
    mqs_type *hi_cxx_graphcomm;
    mqs_type *hi_cxx_cartcomm;
    mqs_type *hi_cxx_datatype;
    mqs_type *hi_cxx_errhandler;
    mqs_type *hi_cxx_file;
    mqs_type *hi_cxx_group;
    mqs_type *hi_cxx_info;
    mqs_type *hi_cxx_offset;
    mqs_type *hi_cxx_op;
    mqs_type *hi_cxx_request;
    mqs_type *hi_cxx_prequest;
    mqs_type *hi_cxx_grequest;
    mqs_type *hi_cxx_status;
    mqs_type *hi_cxx_win;
};

/** Results. */
enum mpidbg_return_codes_t {
    MPIDBG_SUCCESS,
    MPIDBG_ERR_NOT_FOUND,     /**< it is no handle of this kind */
    MPIDBG_ERR_NOT_SUPPORTED, /**< no MPI library that is known; not implemented */
    MPIDBG_ERR_OUT_OF_RANGE,
    MPIDBG_ERR_UNAVAILABLE, /**< it cannot be read, or the order of calls is wrong */
    MPIDBG_ERR_NO_MEM,
    MPIDBG_MAX_RETURN_CODE
};

/** A member of a communicator. */
struct mpidbg_process_t {
    int mpi_comm_world_rank; /**< -1: not known, or of another job */
};

/** A predefined handle by its name. */
struct mpidbg_name_map_t {
    char *map_name; /**< NULL ends the array */
    mqs_taddr_t map_handle;
};

/** An attribute. */
struct mpidbg_attribute_pair_t {
    int keyval;
    char *keyval_name; /**< of a predefined keyval; else NULL */
    char *value;       /**< as text: the address that it is, in hexadecimal */
};

enum mpidbg_comm_capabilities_t {
    MPIDBG_COMM_CAP_BASIC = 0x01,
    MPIDBG_COMM_CAP_STRING_NAMES = 0x02,
    MPIDBG_COMM_CAP_FREED_HANDLE = 0x04,
    MPIDBG_COMM_CAP_FREED_OBJECT = 0x08,
    MPIDBG_COMM_CAP_REQUEST_LIST = 0x10,
    MPIDBG_COMM_CAP_WINDOW_LIST = 0x20,
    MPIDBG_COMM_CAP_FILE_LIST = 0x40,
    MPIDBG_COMM_CAP_MAX
};

enum mpidbg_comm_info_bitmap_t {
    MPIDBG_COMM_INFO_PREDEFINED = 0x01,
    MPIDBG_COMM_INFO_CARTESIAN = 0x02,
    MPIDBG_COMM_INFO_GRAPH = 0x04,
    MPIDBG_COMM_INFO_TOPO_REORDERED = 0x08, /**< never set: no implementation keeps it */
    MPIDBG_COMM_INFO_INTERCOMM = 0x10,
    MPIDBG_COMM_INFO_FREED_HANDLE = 0x20, /**< freed by the program, and still in use */
    MPIDBG_COMM_INFO_FREED_OBJECT = 0x40, /**< never set: such a handle is not found */
    MPIDBG_COMM_INFO_COMM_NULL = 0x80,
    MPIDBG_COMM_INFO_DIST_GRAPH = 0x400,
    MPIDBG_COMM_INFO_MAX
};

/** A communicator. Ranks count from 0. */
struct mpidbg_comm_info_t {
    char comm_name[MPIDBG_MAX_OBJECT_NAME]; /**< cut if longer */
    enum mpidbg_comm_info_bitmap_t comm_bitflags;
    int comm_rank; /**< of this process */
    int comm_size; /**< of the local group */

    int comm_num_local_procs;
    struct mpidbg_process_t *comm_local_procs; /**< in the order of the group */
    int comm_num_remote_procs;                 /**< of an intercommunicator */
    struct mpidbg_process_t *comm_remote_procs;

    int comm_cart_num_dims;
    int *comm_cart_dims;
    int8_t *comm_cart_periods;

    // A graph: 0 and NULL, as only the neighbours of this process are read.
    int comm_graph_num_nodes;
    int *comm_graph_index;
    int *comm_graph_edges;

    mqs_taddr_t comm_c_handle;
    int comm_fortran_handle; /**< MPIDBG_ERR_UNAVAILABLE: it has none */

    int comm_num_attrs;
    struct mpidbg_attribute_pair_t *comm_attrs;

    // Pending requests, windows and files: MPIDBG_ERR_NOT_SUPPORTED and NULL where not known.
    int comm_num_pending_requests;
    mqs_taddr_t *comm_pending_requests;
    int comm_num_derived_windows;
    mqs_taddr_t *comm_derived_windows;
    int comm_num_derived_files;
    mqs_taddr_t *comm_derived_files;
};

enum mpidbg_request_capabilities_t { MPIDBG_REQUEST_CAP_BASIC = 0x01, MPIDBG_REQUEST_CAP_MAX };
enum mpidbg_request_info_bitmap_t {
    MPIDBG_REQUEST_INFO_PREDEFINED = 0x01,
    MPIDBG_REQUEST_INFO_MAX
};

struct mpidbg_request_info_t {
    enum mpidbg_request_info_bitmap_t req_bitflags;
    mqs_taddr_t req_c_handle;
    int req_fortran_handle; /**< MPIDBG_ERR_UNAVAILABLE: it has none */
};

enum mpidbg_status_capabilities_t { MPIDBG_STATUS_CAP_BASIC = 0x01, MPIDBG_STATUS_CAP_MAX };
enum mpidbg_status_info_bitmap_t { MPIDBG_STATUS_INFO_PREDEFINED = 0x01, MPIDBG_STATUS_INFO_MAX };

struct mpidbg_status_info_t {
    enum mpidbg_status_info_bitmap_t status_bitflags; /**< predefined: MPI_STATUS_IGNORE */
};

enum mpidbg_errhandler_capabilities_t {
    MPIDBG_ERRH_CAP_BASIC = 0x01,
    MPIDBG_ERRH_CAP_STRING_NAMES = 0x02,
    MPIDBG_ERRH_CAP_FREED_HANDLE = 0x04,
    MPIDBG_ERRH_CAP_FREED_OBJECT = 0x08,
    MPIDBG_ERRH_CAP_HANDLE_LIST = 0x10,
    MPIDBG_ERRH_CAP_MAX
};

enum mpidbg_errhandler_info_bitmap_t {
    MPIDBG_ERRH_INFO_PREDEFINED = 0x01,
    MPIDBG_ERRH_INFO_COMMUNICATOR = 0x02,
    MPIDBG_ERRH_INFO_FILE = 0x04,
    MPIDBG_ERRH_INFO_WINDOW = 0x08,
    MPIDBG_ERRH_INFO_C_CALLBACK = 0x10,
    MPIDBG_ERRH_INFO_FREED_HANDLE = 0x20,
    MPIDBG_ERRH_INFO_FREED_OBJECT = 0x40, /**< never set: such a handle is not found */
    MPIDBG_ERRH_INFO_MAX
};

struct mpidbg_errhandler_info_t {
    char eh_name[MPIDBG_MAX_OBJECT_NAME]; /**< of a predefined one; else "" */
    enum mpidbg_errhandler_info_bitmap_t eh_bitflags;
    mqs_taddr_t eh_c_handle;
    int eh_fortran_handle;   /**< MPIDBG_ERR_UNAVAILABLE: it has none */
    int16_t eh_refcount;     /**< always MPIDBG_ERR_NOT_SUPPORTED */
    mqs_taddr_t *eh_handles; /**< NULL */
    mqs_taddr_t eh_callback_func;
};

extern char mpidbg_dll_is_big_endian; /**< of this library: 0 or 1 */
extern char mpidbg_dll_bitness;       /**< 64 */

// Valid after mpidbg_init_per_process(). The handles of a map are those of the process that was
// initialized last, and the library's.
extern enum mpidbg_comm_capabilities_t mpidbg_comm_capabilities;
extern struct mpidbg_name_map_t *mpidbg_comm_name_map;
extern enum mpidbg_errhandler_capabilities_t mpidbg_errhandler_capabilities;
extern struct mpidbg_name_map_t *mpidbg_errhandler_name_map;
extern enum mpidbg_request_capabilities_t mpidbg_request_capabilities;
extern struct mpidbg_name_map_t *mpidbg_request_name_map;
extern enum mpidbg_status_capabilities_t mpidbg_status_capabilities;
extern struct mpidbg_name_map_t *mpidbg_status_name_map;

/** mqs_setup_basic_callbacks(). */
extern int mpidbg_init_once(const mqs_basic_callbacks *callbacks);

/** @return MPIDBG_INTERFACE_VERSION */
extern int mpidbg_interface_version_compatibility(void);

extern char *mpidbg_version_string(void);

/** @return sizeof(mqs_taddr_t) */
extern int mpidbg_dll_taddr_width(void);

/** mqs_setup_image(), unless that was done.
 * @param handle_types to be filled; the types are the debugger's
 * @return MPIDBG_ERR_NOT_SUPPORTED: no MPI library that is known; nothing is to be finalized
 */
extern int mpidbg_init_per_image(mqs_image *image, const mqs_image_callbacks *callbacks,
                                 struct mpidbg_handle_info_t *handle_types);

/** After the functions that finalize its processes. */
extern void mpidbg_finalize_per_image(mqs_image *image, mqs_image_info *image_info);

/** mqs_setup_process(), unless that was done.
 * @param handle_types left as mpidbg_init_per_image() has filled it
 */
extern int mpidbg_init_per_process(mqs_process *process, const mqs_process_callbacks *callbacks,
                                   struct mpidbg_handle_info_t *handle_types);

extern void mpidbg_finalize_per_process(mqs_process *process, mqs_process_info *process_info);

/** What an MPI_Comm is. The parameters but `process`, the handle and `info` are not used.
 * @param info allocated, as the head of this file says, on success only
 */
extern int mpidbg_comm_query(mqs_image *image, mqs_image_info *image_info, mqs_process *process,
                             mqs_process_info *process_info, mqs_taddr_t c_comm,
                             struct mpidbg_comm_info_t **info);

/** The MPI_Comm that an INTEGER is. */
extern int
mpidbg_comm_f2c(mqs_image *image, mqs_image_info *image_info, mqs_process *process,
                mqs_process_info *process_info, mqs_taddr_t f77_comm, mqs_taddr_t *c_comm);

/** C++ bindings: always MPIDBG_ERR_NOT_SUPPORTED. */
extern int mpidbg_comm_cxx2c(mqs_image *image, mqs_image_info *image_info, mqs_process *process,
                             mqs_process_info *process_info, mqs_taddr_t cxx_comm,
                             enum mpidbg_comm_info_bitmap_t comm_type, mqs_taddr_t *c_comm);

extern int mpidbg_errhandler_query(mqs_image *image, mqs_image_info *image_info,
                                   mqs_process *process, mqs_process_info *process_info,
                                   mqs_taddr_t errhandler, struct mpidbg_errhandler_info_t **info);
extern int mpidbg_errhandler_f2c(mqs_image *image, mqs_image_info *image_info, mqs_process *process,
                                 mqs_process_info *process_info, mqs_taddr_t f77_errhandler,
                                 mqs_taddr_t *c_errhandler);
extern int mpidbg_errhandler_cxx2c(mqs_image *image, mqs_image_info *image_info,
                                   mqs_process *process, mqs_process_info *process_info,
                                   mqs_taddr_t cxx_errhandler, mqs_taddr_t *c_errhandler);

extern int mpidbg_request_query(mqs_image *image, mqs_image_info *image_info, mqs_process *process,
                                mqs_process_info *process_info, mqs_taddr_t request,
                                struct mpidbg_request_info_t **info);
extern int
mpidbg_request_f2c(mqs_image *image, mqs_image_info *image_info, mqs_process *process,
                   mqs_process_info *process_info, mqs_taddr_t f77_request, mqs_taddr_t *c_request);
extern int
mpidbg_request_cxx2c(mqs_image *image, mqs_image_info *image_info, mqs_process *process,
                     mqs_process_info *process_info, mqs_taddr_t cxx_request,
                     enum mpidbg_request_info_bitmap_t request_type, mqs_taddr_t *c_request);

/** @param status the address of an MPI_Status */
extern int mpidbg_status_query(mqs_image *image, mqs_image_info *image_info, mqs_process *process,
                               mqs_process_info *process_info, mqs_taddr_t status,
                               struct mpidbg_status_info_t **info);

/** @param f77_status the address of a status of Fortran, which is one of C: it is returned */
extern int
mpidbg_status_f2c(mqs_image *image, mqs_image_info *image_info, mqs_process *process,
                  mqs_process_info *process_info, mqs_taddr_t f77_status, mqs_taddr_t *c_status);
extern int
mpidbg_status_cxx2c(mqs_image *image, mqs_image_info *image_info, mqs_process *process,
                    mqs_process_info *process_info, mqs_taddr_t cxx_status, mqs_taddr_t *c_status);

#ifdef __cplusplus
}
#endif

#endif
