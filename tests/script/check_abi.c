// SPDX-License-Identifier: BSD-3-Clause
// Pins the records and tables of MQD 1.0 on 64-bit hosts, where all debuggers and libraries agree,
// and the records of mqs_omp.h.
#include "mqs_omp.h"

#include <stdio.h>

#define MEMBER(type, member, offset)                      \
    {                                                     \
#type "." #member, offsetof(type, member), offset \
    }
#define SIZE(type, size)          \
    {                             \
#type, sizeof(type), size \
    }
#define VALUE(name, value)                       \
    {                                            \
#name, (size_t) (name), (size_t) (value) \
    }

static const struct pin {
    const char *name;
    size_t is;
    size_t should_be;
} pins[] = {
    SIZE(mqs_tword_t, 8),
    SIZE(mqs_taddr_t, 8),
    SIZE(mqs_target_type_sizes, 20),
    SIZE(mqs_communicator, 88),
    MEMBER(mqs_communicator, unique_id, 0),
    MEMBER(mqs_communicator, local_rank, 8),
    MEMBER(mqs_communicator, size, 16),
    MEMBER(mqs_communicator, name, 24),
    SIZE(mqs_pending_operation, 416),
    MEMBER(mqs_pending_operation, status, 0),
    MEMBER(mqs_pending_operation, desired_local_rank, 8),
    MEMBER(mqs_pending_operation, desired_global_rank, 16),
    MEMBER(mqs_pending_operation, tag_wild, 24),
    MEMBER(mqs_pending_operation, desired_tag, 32),
    MEMBER(mqs_pending_operation, desired_length, 40),
    MEMBER(mqs_pending_operation, system_buffer, 48),
    MEMBER(mqs_pending_operation, buffer, 56),
    MEMBER(mqs_pending_operation, actual_local_rank, 64),
    MEMBER(mqs_pending_operation, actual_global_rank, 72),
    MEMBER(mqs_pending_operation, actual_tag, 80),
    MEMBER(mqs_pending_operation, actual_length, 88),
    MEMBER(mqs_pending_operation, extra_text, 96),
    SIZE(mqs_basic_callbacks, 64),
    MEMBER(mqs_basic_callbacks, mqs_malloc_fp, 0),
    MEMBER(mqs_basic_callbacks, mqs_free_fp, 8),
    MEMBER(mqs_basic_callbacks, mqs_dprints_fp, 16),
    MEMBER(mqs_basic_callbacks, mqs_errorstring_fp, 24),
    MEMBER(mqs_basic_callbacks, mqs_put_image_info_fp, 32),
    MEMBER(mqs_basic_callbacks, mqs_get_image_info_fp, 40),
    MEMBER(mqs_basic_callbacks, mqs_put_process_info_fp, 48),
    MEMBER(mqs_basic_callbacks, mqs_get_process_info_fp, 56),
    SIZE(mqs_image_callbacks, 48),
    MEMBER(mqs_image_callbacks, mqs_get_type_sizes_fp, 0),
    MEMBER(mqs_image_callbacks, mqs_find_function_fp, 8),
    MEMBER(mqs_image_callbacks, mqs_find_symbol_fp, 16),
    MEMBER(mqs_image_callbacks, mqs_find_type_fp, 24),
    MEMBER(mqs_image_callbacks, mqs_field_offset_fp, 32),
    MEMBER(mqs_image_callbacks, mqs_sizeof_fp, 40),
    SIZE(mqs_process_callbacks, 32),
    MEMBER(mqs_process_callbacks, mqs_get_global_rank_fp, 0),
    MEMBER(mqs_process_callbacks, mqs_get_image_fp, 8),
    MEMBER(mqs_process_callbacks, mqs_fetch_data_fp, 16),
    MEMBER(mqs_process_callbacks, mqs_target_to_host_fp, 24),
    SIZE(mqs_omp_info, 368),
    MEMBER(mqs_omp_info, release, 64),
    MEMBER(mqs_omp_info, backend, 96),
    MEMBER(mqs_omp_info, state_tracking, 352),
    MEMBER(mqs_omp_info, omp_version, 360),
    SIZE(mqs_omp_thread, 248),
    MEMBER(mqs_omp_thread, number, 4),
    MEMBER(mqs_omp_thread, id, 8),
    MEMBER(mqs_omp_thread, tid, 48),
    MEMBER(mqs_omp_thread, region, 64),
    MEMBER(mqs_omp_thread, thread_num, 72),
    MEMBER(mqs_omp_thread, state, 104),
    MEMBER(mqs_omp_thread, wait_id, 112),
    MEMBER(mqs_omp_thread, state_name, 120),
    MEMBER(mqs_omp_thread, tool_value, 168),
    MEMBER(mqs_omp_thread, note, 184),
    SIZE(mqs_omp_region, 184),
    MEMBER(mqs_omp_region, parent, 48),
    MEMBER(mqs_omp_region, team_size, 56),
    MEMBER(mqs_omp_region, function, 80),
    MEMBER(mqs_omp_region, tasks_queued, 88),
    MEMBER(mqs_omp_region, note, 120),
    SIZE(mqs_omp_task, 200),
    MEMBER(mqs_omp_task, region, 48),
    MEMBER(mqs_omp_task, scheduling, 60),
    MEMBER(mqs_omp_task, thread_num, 64),
    MEMBER(mqs_omp_task, flags, 72),
    MEMBER(mqs_omp_task, function, 80),
    MEMBER(mqs_omp_task, enter_flags, 112),
    MEMBER(mqs_omp_task, note, 136),
    SIZE(mqs_omp_icv, 640),
    MEMBER(mqs_omp_icv, name, 8),
    MEMBER(mqs_omp_icv, value, 56),
    MEMBER(mqs_omp_icv, text, 64),
    MEMBER(mqs_omp_icv, note, 576),
    VALUE(MQS_OMP_NONE, -1),
    VALUE(MQS_OMP_FRAMES, 1 << 18),
    VALUE(MQS_OMP_ALL_TASKS, 0),
    VALUE(MQS_OMP_TASKS_OF_REGION, 3),
    VALUE(MQS_OMP_OF_PROCESS, 2),
    VALUE(MQS_OMP_OF_TASK, 6),
    VALUE(MQS_INTERFACE_COMPATIBILITY, 2),
    VALUE(mqs_lang_c, 'c'),
    VALUE(mqs_lang_cplus, 'C'),
    VALUE(mqs_lang_f77, 'f'),
    VALUE(mqs_lang_f90, 'F'),
    VALUE(mqs_pending_sends, 0),
    VALUE(mqs_pending_receives, 1),
    VALUE(mqs_unexpected_messages, 2),
    VALUE(mqs_st_pending, 0),
    VALUE(mqs_st_matched, 1),
    VALUE(mqs_st_complete, 2),
    VALUE(mqs_ok, 0),
    VALUE(mqs_no_information, 1),
    VALUE(mqs_end_of_list, 2),
    VALUE(mqs_first_user_code, 100),
    VALUE(-MQS_INVALID_PROCESS, 1),
};

enum { EXIT_SKIP = 77 };

int
main(void)
{
    int wrong = 0;

    if (sizeof(void *) != 8) {
        puts("SKIP: the figures are for 64-bit hosts");
        return EXIT_SKIP;
    }
    for (size_t i = 0; i < sizeof(pins) / sizeof(pins[0]); i++) {
        if (pins[i].is == pins[i].should_be)
            continue;
        printf("%s is %zu, should be %zu\n", pins[i].name, pins[i].is, pins[i].should_be);
        wrong = 1;
    }
    return wrong;
}
