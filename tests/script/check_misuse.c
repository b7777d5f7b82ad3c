// SPDX-License-Identifier: BSD-3-Clause
// Calls the DLL in every wrong order: it must say so, and neither crash nor leak.
#include "tests/script/misuse.h"

#include <string.h>

START_TEST(test_before_callbacks)
{
    load();
    check_refused(dll->mqs_setup_image(image, &session.fake.image_callbacks));
    check_refused(dll->mqs_image_has_queues(image, NULL));
    check_refused(dll->mqs_setup_process(process, &session.fake.process_callbacks));
    check_refused(dll->mqs_set_layout_origins(image, MQS_LAYOUT_BUILT_IN));
    call_everything(check_refused);
    dll->mqs_setup_basic_callbacks(NULL);
    check_refused(dll->mqs_setup_image(image, &session.fake.image_callbacks));
    call_everything(check_refused);
    finish();
}
END_TEST

START_TEST(test_texts)
{
    dll = dll_open();
    ck_assert(dll->mqs_version_string() && *dll->mqs_version_string());
    ck_assert_int_eq(dll->mqs_version_compatibility(), 2);
    ck_assert_int_eq(dll->mqs_dll_taddr_width(), (int) sizeof(mqs_taddr_t));
    for (int code = -3; code < 200; code++) {
        const char *text = dll->mqs_dll_error_string(code);
        ck_assert_msg(text && *text, "result %d has no text", code);
    }
}
END_TEST

START_TEST(test_before_setup)
{
    load();
    dll->mqs_setup_basic_callbacks(&session.fake.basic);
    check_refused(dll->mqs_image_has_queues(image, NULL));
    check_refused(dll->mqs_setup_process(process, &session.fake.process_callbacks));
    check_refused(dll->mqs_set_layout_origins(image, MQS_LAYOUT_BUILT_IN));
    call_everything(check_refused);
    finish();
}
END_TEST

START_TEST(test_process_before_image_is_asked)
{
    load();
    dll->mqs_setup_basic_callbacks(&session.fake.basic);
    ck_assert_int_eq(dll->mqs_setup_image(image, &session.fake.image_callbacks), mqs_ok);
    check_result(dll->mqs_setup_process(process, &session.fake.process_callbacks));
    call_everything(check_result);
    finish();
}
END_TEST

START_TEST(test_image_destroyed_before_its_process)
{
    start();
    mqs_image_info *info = session.fake.basic.mqs_get_image_info_fp(image);
    for (int i = 0; i < 2; i++) {
        ck_assert_int_eq(dll->mqs_destroy_image_info(info), mqs_ok);
        call_everything(check_refused);
    }
    finish();
}
END_TEST

START_TEST(test_image_set_up_again)
{
    start();
    for (int i = 0; i < 3; i++)
        ck_assert_int_eq(dll->mqs_setup_image(image, &session.fake.image_callbacks), mqs_ok);
    check_result(dll->mqs_update_communicator_list(process));
    ck_assert_int_eq(dll->mqs_setup_communicator_iterator(process), mqs_ok);
    finish();
}
END_TEST

// Version 1 of the interface for handles alone, before and after its processes, and twice.
START_TEST(test_version_1)
{
    struct mpidbg_handle_info_t types;
    struct fake *fake = &session.fake;

    load();
    dll->mqs_setup_basic_callbacks(NULL);
    ck_assert_int_ne(dll->mpidbg_init_per_image(image, &fake->image_callbacks, &types), 0);
    ck_assert_int_eq(dll->mpidbg_init_once(&fake->basic), MPIDBG_SUCCESS);
    ck_assert_int_ne(dll->mpidbg_init_per_process(process, &fake->process_callbacks, &types), 0);
    dll->mpidbg_finalize_per_process(process, NULL);
    dll->mpidbg_finalize_per_image(image, NULL);
    ck_assert_int_eq(dll->mpidbg_init_per_image(image, &fake->image_callbacks, &types), 0);
    int result = dll->mpidbg_init_per_process(process, &fake->process_callbacks, &types);
    call_everything(result == MPIDBG_SUCCESS ? check_result : check_refused);
    if (fake->process.info)
        dll->mpidbg_finalize_per_process(process, fake->process.info);
    fake->process.info = NULL;
    dll->mpidbg_finalize_per_image(image, fake->image.info);
    dll->mpidbg_finalize_per_image(image, fake->image.info);
    fake->image.info = NULL;
    finish();
}
END_TEST

START_TEST(test_null_arguments)
{
    load();
    dll->mqs_setup_basic_callbacks(&session.fake.basic);
    check_refused(dll->mqs_setup_image(NULL, &session.fake.image_callbacks));
    check_refused(dll->mqs_setup_image(image, NULL));
    check_refused(dll->mqs_setup_process(NULL, &session.fake.process_callbacks));
    check_refused(dll->mqs_setup_process(process, NULL));
    check_refused(dll->mqs_image_has_queues(NULL, NULL));
    check_refused(dll->mqs_label_communicators(NULL, NULL, 1));
    check_refused(dll->mqs_label_communicators(NULL, NULL, -1));
    process = NULL;
    call_everything(check_refused);
    process = &session.fake.process;
    finish();
}
END_TEST

START_TEST(test_null_results)
{
    load();
    dll->mqs_setup_basic_callbacks(&session.fake.basic);
    ck_assert_int_eq(dll->mqs_setup_image(image, &session.fake.image_callbacks), mqs_ok);
    ck_assert_int_eq(dll->mqs_image_has_queues(image, NULL), mqs_ok);
    ck_assert_int_eq(dll->mqs_setup_process(process, &session.fake.process_callbacks), mqs_ok);
    ck_assert_int_eq(dll->mqs_process_has_queues(process, NULL), mqs_ok);
    ck_assert_int_eq(dll->mqs_update_communicator_list(process), mqs_ok);
    ck_assert_int_eq(dll->mqs_setup_communicator_iterator(process), mqs_ok);
    check_result(dll->mqs_get_communicator(process, NULL));
    check_result(dll->mqs_get_comm_group(process, NULL));
    check_result(dll->mqs_get_comm_remote_group(process, NULL));
    check_result(dll->mqs_get_comm_traffic(process, 0, NULL, NULL));
    check_result(dll->mqs_get_comm_coll_state(process, mqs_comm_barrier, NULL, NULL));
    check_result(dll->mqs_get_comm_coll_peer(process, mqs_comm_barrier, 0, NULL));
    check_result(dll->mqs_get_comm_nonblocking(process, 0, NULL));
    check_result(dll->mqs_get_comm_nonblocking_next(process, NULL));
    check_result(dll->mqs_get_communicator_details(process, NULL));
    check_result(dll->mqs_get_mpi_info(process, NULL));
    check_result(dll->mqs_get_conventions(process, NULL));
    check_result(dll->mqs_get_handle(process, 0, NULL));
    check_result(dll->mqs_check_request_handle(process, 0, NULL));
    check_result(dll->mqs_get_mpi_phase(process, NULL));
    check_result(dll->mqs_get_mpi_progress(process, NULL));
    check_result(dll->mqs_get_mpi_thread_level(process, NULL, NULL));
    check_result(dll->mqs_get_process_message(process, 0, NULL));
    check_result(dll->mqs_get_layout_row(process, 0, NULL));
    check_result(dll->mqs_omp_process_has_openmp(process, NULL));
    check_result(dll->mqs_omp_get_info(process, NULL));
    check_result(dll->mqs_omp_next_thread(process, NULL));
    check_refused(dll->mqs_omp_next_region(process, NULL));
    check_refused(dll->mqs_omp_next_task(process, NULL));
    check_refused(dll->mqs_omp_next_icv(process, NULL));
    check_refused(dll->mqs_omp_get_control_var(process, 0, NULL));
    check_refused(dll->mqs_omp_get_message(process, 0, NULL));
    check_refused(dll->mqs_omp_get_state(0, NULL, NULL));
    check_refused(dll->mqs_omp_get_breakpoint(process, 0, NULL, NULL));
    ck_assert_int_eq(dll->mqs_setup_operation_iterator(process, mqs_pending_receives), mqs_ok);
    check_result(dll->mqs_next_operation(process, NULL));
    check_result(dll->mqs_get_operation_details(process, NULL));
    finish();
}
END_TEST

START_TEST(test_before_iterators)
{
    mqs_communicator comm;
    mqs_pending_operation op;
    mqs_operation_details details;
    int ranks[64];

    start();
    check_refused(dll->mqs_get_communicator(process, &comm));
    check_refused(dll->mqs_get_comm_group(process, ranks));
    check_refused(dll->mqs_setup_operation_iterator(process, mqs_pending_receives));
    check_refused(dll->mqs_next_operation(process, &op));
    check_refused(dll->mqs_next_communicator(process));
    ck_assert_int_eq(dll->mqs_setup_communicator_iterator(process), mqs_ok);
    check_refused(dll->mqs_next_operation(process, &op));
    check_refused(dll->mqs_get_operation_details(process, &details));
    ck_assert_int_eq(dll->mqs_setup_operation_iterator(process, mqs_pending_receives), mqs_ok);
    check_refused(dll->mqs_get_operation_details(process, &details));
    ck_assert_int_eq(operations_left(), 3);
    finish();
}
END_TEST

START_TEST(test_past_the_end)
{
    mqs_communicator comm;
    mqs_pending_operation op;
    int ranks[64];
    int n = 0;

    start();
    ck_assert_int_eq(dll->mqs_setup_communicator_iterator(process), mqs_ok);
    ck_assert_int_eq(dll->mqs_setup_operation_iterator(process, mqs_pending_receives), mqs_ok);
    ck_assert_int_eq(operations_left(), 3);
    ck_assert_int_eq(dll->mqs_next_operation(process, &op), mqs_end_of_list);
    ck_assert_int_eq(dll->mqs_next_operation(process, &op), mqs_end_of_list);
    while (dll->mqs_next_communicator(process) == mqs_ok)
        n++;
    ck_assert_int_eq(n, 1);
    ck_assert_int_eq(dll->mqs_next_communicator(process), mqs_end_of_list);
    check_refused(dll->mqs_get_communicator(process, &comm));
    check_refused(dll->mqs_get_comm_group(process, ranks));
    check_refused(dll->mqs_setup_operation_iterator(process, mqs_pending_receives));
    check_refused(dll->mqs_next_operation(process, &op));
    ck_assert_int_eq(dll->mqs_setup_communicator_iterator(process), mqs_ok);
    ck_assert_int_eq(dll->mqs_get_communicator(process, &comm), mqs_ok);
    ck_assert_str_eq(comm.name, "MPI_COMM_WORLD");
    finish();
}
END_TEST

START_TEST(test_iterators_start_again)
{
    mqs_pending_operation op;

    start();
    ck_assert_int_eq(dll->mqs_setup_communicator_iterator(process), mqs_ok);
    for (int i = 0; i < 3; i++) {
        ck_assert_int_eq(dll->mqs_setup_operation_iterator(process, mqs_pending_receives), mqs_ok);
        ck_assert_int_eq(dll->mqs_next_operation(process, &op), mqs_ok);
        ck_assert_int_eq(op.desired_tag, 0);
        ck_assert_int_eq(dll->mqs_next_operation(process, &op), mqs_ok);
        ck_assert_int_eq(op.desired_tag, 1);
    }
    // Refreshed in the middle: nothing is said about the rest, but it must be safe.
    ck_assert_int_eq(dll->mqs_update_communicator_list(process), mqs_ok);
    check_result(dll->mqs_next_operation(process, &op));
    ck_assert_int_eq(dll->mqs_setup_communicator_iterator(process), mqs_ok);
    check_result(dll->mqs_next_operation(process, &op));
    ck_assert_int_eq(dll->mqs_setup_operation_iterator(process, mqs_pending_receives), mqs_ok);
    ck_assert_int_eq(operations_left(), 3);
    // A new communicator is no place to go on with the old one's queue.
    ck_assert_int_eq(dll->mqs_setup_operation_iterator(process, mqs_pending_receives), mqs_ok);
    ck_assert_int_eq(dll->mqs_next_communicator(process), mqs_ok);
    check_refused(dll->mqs_next_operation(process, &op));
    finish();
}
END_TEST

// In a process without OpenMP.
static void
check_strange_openmp(int number)
{
    const char *text;
    int64_t state;
    mqs_taddr_t addr;

    check_refused(dll->mqs_omp_setup_region_iterator(process, number));
    check_refused(dll->mqs_omp_setup_task_iterator(process, number, number));
    check_refused(dll->mqs_omp_setup_task_iterator(process, MQS_OMP_TASKS_OF_REGION, number));
    check_refused(dll->mqs_omp_setup_icv_iterator(process, number, number));
    check_refused(dll->mqs_omp_setup_icv_iterator(process, MQS_OMP_OF_TASK, number));
    check_refused(dll->mqs_omp_get_control_var(process, number, &text));
    check_refused(dll->mqs_omp_get_message(process, number, &text));
    check_result(dll->mqs_omp_get_state(number, &state, &text));
    check_result(dll->mqs_omp_get_breakpoint(process, number, &text, &addr));
}

// They need no process.
START_TEST(test_states_of_openmp)
{
    const char *name, *other;
    int64_t state = -1, earlier;
    int n;

    dll = dll_open();
    for (n = 0; dll->mqs_omp_get_state(n, &state, &name) == mqs_ok; n++) {
        ck_assert(name && *name && strlen(name) < sizeof(((mqs_omp_thread *) 0)->state_name));
        for (int i = 0; i < n; i++) {
            ck_assert_int_eq(dll->mqs_omp_get_state(i, &earlier, &other), mqs_ok);
            ck_assert(earlier != state && strcmp(other, name) != 0);
        }
    }
    ck_assert_int_eq(n, 23);
    ck_assert_int_eq(dll->mqs_omp_get_state(n, &state, &name), mqs_end_of_list);
    check_refused(dll->mqs_omp_get_state(-1, &state, &name));
}
END_TEST

START_TEST(test_breakpoints_of_openmp)
{
    const char *name;
    mqs_taddr_t addr;
    int n = 0;

    start();
    while (dll->mqs_omp_get_breakpoint(process, n, &name, &addr) == mqs_ok) {
        ck_assert_msg(strncmp(name, "ompd_bp_", 8) == 0, "%s", name);
        ck_assert(addr == 0);
        n++;
    }
    ck_assert_int_eq(n, 8);
    ck_assert_int_eq(dll->mqs_omp_get_breakpoint(process, n, &name, &addr), mqs_end_of_list);
    finish();
}
END_TEST

START_TEST(test_strange_numbers)
{
    static const int numbers[] = {-1, 3, 14, 99, 0x7fffffff, -0x7fffffff - 1};
    mqs_layout_row row;
    const char *text;
    int value;

    start();
    ck_assert_int_eq(dll->mqs_setup_communicator_iterator(process), mqs_ok);
    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
        check_refused(dll->mqs_setup_operation_iterator(process, numbers[i]));
        check_refused(dll->mqs_get_process_message(process, numbers[i], &text));
        check_result(dll->mqs_get_layout_row(process, numbers[i], &row));
        check_result(dll->mqs_get_comm_coll_state(process, numbers[i], &value, &value));
        check_result(dll->mqs_set_layout_origins(image, numbers[i]));
        check_strange_openmp(numbers[i]);
    }
    finish();
}
END_TEST

// The first one comes before any other has given callbacks to the DLL.
static const TTest **const tests[] = {
    &test_before_callbacks,
    &test_texts,
    &test_before_setup,
    &test_process_before_image_is_asked,
    &test_image_destroyed_before_its_process,
    &test_image_set_up_again,
    &test_version_1,
    &test_null_arguments,
    &test_null_results,
    &test_before_iterators,
    &test_past_the_end,
    &test_iterators_start_again,
    &test_strange_numbers,
    &test_states_of_openmp,
    &test_breakpoints_of_openmp,
};

int
main(void)
{
    return misuse_run("misuse", tests, sizeof(tests) / sizeof(tests[0]), 0);
}
