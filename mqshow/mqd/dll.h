// SPDX-License-Identifier: BSD-3-Clause
// An MQD library that has been opened, known by its exported names only.
#ifndef MQSHOW_MQD_DLL_H
#define MQSHOW_MQD_DLL_H

#include "mqs_ext.h"
#include "mqs_handles.h"
#include "mqs_omp.h"

#include <stdbool.h>

/** Every function that is looked for: DLL_FUNCTION (name, whether a library without it is of no
 * use). What is required is what other debuggers require too.
 */
#define DLL_FUNCTIONS(DLL_FUNCTION)                     \
    DLL_FUNCTION(mqs_setup_basic_callbacks, true)       \
    DLL_FUNCTION(mqs_version_string, false)             \
    DLL_FUNCTION(mqs_version_compatibility, false)      \
    DLL_FUNCTION(mqs_dll_taddr_width, false)            \
    DLL_FUNCTION(mqs_dll_error_string, true)            \
    DLL_FUNCTION(mqs_setup_image, true)                 \
    DLL_FUNCTION(mqs_image_has_queues, true)            \
    DLL_FUNCTION(mqs_destroy_image_info, false)         \
    DLL_FUNCTION(mqs_setup_process, true)               \
    DLL_FUNCTION(mqs_process_has_queues, true)          \
    DLL_FUNCTION(mqs_destroy_process_info, false)       \
    DLL_FUNCTION(mqs_update_communicator_list, true)    \
    DLL_FUNCTION(mqs_setup_communicator_iterator, true) \
    DLL_FUNCTION(mqs_get_communicator, true)            \
    DLL_FUNCTION(mqs_get_comm_group, false)             \
    DLL_FUNCTION(mqs_next_communicator, true)           \
    DLL_FUNCTION(mqs_setup_operation_iterator, true)    \
    DLL_FUNCTION(mqs_next_operation, true)              \
    DLL_FUNCTION(mqs_get_global_rank, false)            \
    DLL_FUNCTION(mqs_get_comm_coll_state, false)        \
    DLL_FUNCTION(mqs_get_mpi_info, false)               \
    DLL_FUNCTION(mqs_get_communicator_details, false)   \
    DLL_FUNCTION(mqs_get_comm_remote_group, false)      \
    DLL_FUNCTION(mqs_get_comm_coll_peer, false)         \
    DLL_FUNCTION(mqs_get_comm_nonblocking, false)       \
    DLL_FUNCTION(mqs_get_comm_nonblocking_next, false)  \
    DLL_FUNCTION(mqs_get_conventions, false)            \
    DLL_FUNCTION(mqs_get_handle, false)                 \
    DLL_FUNCTION(mqs_check_request_handle, false)       \
    DLL_FUNCTION(mqs_get_mpi_phase, false)              \
    DLL_FUNCTION(mqs_get_mpi_thread_level, false)       \
    DLL_FUNCTION(mqs_get_mpi_progress, false)           \
    DLL_FUNCTION(mqs_get_comm_traffic, false)           \
    DLL_FUNCTION(mqs_get_operation_details, false)      \
    DLL_FUNCTION(mqs_get_process_message, false)        \
    DLL_FUNCTION(mqs_get_layout_row, false)             \
    DLL_FUNCTION(mqs_set_layout_origins, false)         \
    DLL_FUNCTION(mqs_set_layout_offset, false)          \
    DLL_FUNCTION(mqs_query_handle, false)               \
    DLL_FUNCTION(mqs_setup_object_iterator, false)      \
    DLL_FUNCTION(mqs_next_object, false)                \
    DLL_FUNCTION(mqs_setup_member_iterator, false)      \
    DLL_FUNCTION(mqs_next_member, false)                \
    DLL_FUNCTION(mqs_describe_object, false)            \
    DLL_FUNCTION(mqs_object_kind_name, false)           \
    DLL_FUNCTION(mqs_omp_process_has_openmp, false)     \
    DLL_FUNCTION(mqs_omp_get_info, false)               \
    DLL_FUNCTION(mqs_omp_setup_thread_iterator, false)  \
    DLL_FUNCTION(mqs_omp_next_thread, false)            \
    DLL_FUNCTION(mqs_omp_setup_region_iterator, false)  \
    DLL_FUNCTION(mqs_omp_next_region, false)            \
    DLL_FUNCTION(mqs_omp_setup_task_iterator, false)    \
    DLL_FUNCTION(mqs_omp_next_task, false)              \
    DLL_FUNCTION(mqs_omp_setup_icv_iterator, false)     \
    DLL_FUNCTION(mqs_omp_next_icv, false)               \
    DLL_FUNCTION(mqs_omp_get_control_var, false)        \
    DLL_FUNCTION(mqs_omp_get_state, false)              \
    DLL_FUNCTION(mqs_omp_get_message, false)

/** The library: a function pointer for each name, NULL for what it lacks. */
struct dll {
    void *handle;
    char *path;
    bool wide_type_sizes;   // it expects 7 ints in mqs_target_type_sizes, whatever the process
    bool narrow_type_sizes; // it has room for 5
#define DLL_FUNCTION(name, required) __typeof__(name) *name;
    DLL_FUNCTIONS(DLL_FUNCTION)
#undef DLL_FUNCTION
};

/** Opens a library and checks its version.
 * @return NULL, or why not, to free(); nothing is open then
 */
char *dll_open(struct dll *dll, const char *path);

/** Text of a result of the library, escaped, to free(). */
char *dll_error(const struct dll *dll, int code);

/** Name of the n-th function that a library must have; NULL past the last. */
const char *dll_required(unsigned n);

#endif
