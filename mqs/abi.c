// SPDX-License-Identifier: BSD-3-Clause
// Pins the ABI of mqs.h and mpidbg.h: sizes and offsets that debuggers and MPI implementations rely
// on.
#include "include/mpidbg.h"
#include "include/mqs.h"

#define PIN_SIZE(type, size)            _Static_assert(sizeof(type) == (size), #type)
#define PIN_OFFSET(type, member, place) _Static_assert(offsetof(type, member) == (place), #member)

_Static_assert(sizeof(long) == 8 && sizeof(void *) == 8, "the debugger's side is LP64");
_Static_assert(MQS_INTERFACE_COMPATIBILITY == 2, "interface compatibility");

PIN_SIZE(mqs_taddr_t, 8);
PIN_SIZE(mqs_tword_t, 8);
PIN_SIZE(mqs_target_type_sizes, 20);

PIN_SIZE(mqs_communicator, 88);
PIN_OFFSET(mqs_communicator, unique_id, 0);
PIN_OFFSET(mqs_communicator, local_rank, 8);
PIN_OFFSET(mqs_communicator, size, 16);
PIN_OFFSET(mqs_communicator, name, 24);

PIN_SIZE(mqs_pending_operation, 416);
PIN_OFFSET(mqs_pending_operation, status, 0);
PIN_OFFSET(mqs_pending_operation, desired_local_rank, 8);
PIN_OFFSET(mqs_pending_operation, desired_global_rank, 16);
PIN_OFFSET(mqs_pending_operation, tag_wild, 24);
PIN_OFFSET(mqs_pending_operation, desired_tag, 32);
PIN_OFFSET(mqs_pending_operation, desired_length, 40);
PIN_OFFSET(mqs_pending_operation, system_buffer, 48);
PIN_OFFSET(mqs_pending_operation, buffer, 56);
PIN_OFFSET(mqs_pending_operation, actual_local_rank, 64);
PIN_OFFSET(mqs_pending_operation, actual_global_rank, 72);
PIN_OFFSET(mqs_pending_operation, actual_tag, 80);
PIN_OFFSET(mqs_pending_operation, actual_length, 88);
PIN_OFFSET(mqs_pending_operation, extra_text, 96);

PIN_SIZE(mqs_basic_callbacks, 64);
PIN_OFFSET(mqs_basic_callbacks, mqs_malloc_fp, 0);
PIN_OFFSET(mqs_basic_callbacks, mqs_free_fp, 8);
PIN_OFFSET(mqs_basic_callbacks, mqs_dprints_fp, 16);
PIN_OFFSET(mqs_basic_callbacks, mqs_errorstring_fp, 24);
PIN_OFFSET(mqs_basic_callbacks, mqs_put_image_info_fp, 32);
PIN_OFFSET(mqs_basic_callbacks, mqs_get_image_info_fp, 40);
PIN_OFFSET(mqs_basic_callbacks, mqs_put_process_info_fp, 48);
PIN_OFFSET(mqs_basic_callbacks, mqs_get_process_info_fp, 56);

PIN_SIZE(mqs_image_callbacks, 48);
PIN_OFFSET(mqs_image_callbacks, mqs_get_type_sizes_fp, 0);
PIN_OFFSET(mqs_image_callbacks, mqs_find_function_fp, 8);
PIN_OFFSET(mqs_image_callbacks, mqs_find_symbol_fp, 16);
PIN_OFFSET(mqs_image_callbacks, mqs_find_type_fp, 24);
PIN_OFFSET(mqs_image_callbacks, mqs_field_offset_fp, 32);
PIN_OFFSET(mqs_image_callbacks, mqs_sizeof_fp, 40);

PIN_SIZE(mqs_process_callbacks, 32);
PIN_OFFSET(mqs_process_callbacks, mqs_get_global_rank_fp, 0);
PIN_OFFSET(mqs_process_callbacks, mqs_get_image_fp, 8);
PIN_OFFSET(mqs_process_callbacks, mqs_fetch_data_fp, 16);
PIN_OFFSET(mqs_process_callbacks, mqs_target_to_host_fp, 24);

PIN_SIZE(struct mpidbg_handle_info_t, 240);
PIN_OFFSET(struct mpidbg_handle_info_t, hi_c_win, 88);
PIN_SIZE(struct mpidbg_process_t, 4);
PIN_SIZE(struct mpidbg_name_map_t, 16);
PIN_SIZE(struct mpidbg_attribute_pair_t, 24);

PIN_SIZE(struct mpidbg_comm_info_t, 224);
PIN_OFFSET(struct mpidbg_comm_info_t, comm_bitflags, 64);
PIN_OFFSET(struct mpidbg_comm_info_t, comm_num_local_procs, 76);
PIN_OFFSET(struct mpidbg_comm_info_t, comm_cart_num_dims, 104);
PIN_OFFSET(struct mpidbg_comm_info_t, comm_graph_num_nodes, 128);
PIN_OFFSET(struct mpidbg_comm_info_t, comm_c_handle, 152);
PIN_OFFSET(struct mpidbg_comm_info_t, comm_num_attrs, 164);
PIN_OFFSET(struct mpidbg_comm_info_t, comm_num_pending_requests, 176);
PIN_OFFSET(struct mpidbg_comm_info_t, comm_derived_files, 216);

PIN_SIZE(struct mpidbg_request_info_t, 24);
PIN_SIZE(struct mpidbg_status_info_t, 4);
PIN_SIZE(struct mpidbg_errhandler_info_t, 104);
PIN_OFFSET(struct mpidbg_errhandler_info_t, eh_bitflags, 64);
PIN_OFFSET(struct mpidbg_errhandler_info_t, eh_refcount, 84);
PIN_OFFSET(struct mpidbg_errhandler_info_t, eh_callback_func, 96);
