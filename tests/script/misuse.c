// SPDX-License-Identifier: BSD-3-Clause
// What the tests of wrong calls share: a process, and what every answer must be like.
#include "tests/script/misuse.h"

#include "tests/check_run.h"

const struct dll *dll;
struct source source;
struct session session;
mqs_process *process;
mqs_image *image;

void
check_result(int result)
{
    ck_assert_msg(result == mqs_ok || result == mqs_no_information || result == mqs_end_of_list ||
                      result >= mqs_first_user_code,
                  "result %d", result);
    const char *text = dll->mqs_dll_error_string(result);
    ck_assert(text && *text);
}

void
check_refused(int result)
{
    check_result(result);
    ck_assert_int_ne(result, mqs_ok);
}

static void
call_openmp(void (*check)(int))
{
    mqs_omp_info info;
    mqs_omp_thread thread;
    mqs_omp_region region;
    mqs_omp_task task;
    mqs_omp_icv icv;
    const char *text;
    char *message;

    check(dll->mqs_omp_process_has_openmp(process, &message));
    check(dll->mqs_omp_get_info(process, &info));
    check(dll->mqs_omp_next_region(process, &region));
    check(dll->mqs_omp_next_task(process, &task));
    check(dll->mqs_omp_next_icv(process, &icv));
    check(dll->mqs_omp_setup_thread_iterator(process));
    check(dll->mqs_omp_next_thread(process, &thread));
    check(dll->mqs_omp_setup_region_iterator(process, MQS_OMP_ALL));
    check(dll->mqs_omp_next_region(process, &region));
    check(dll->mqs_omp_setup_task_iterator(process, MQS_OMP_ALL_TASKS, 0));
    check(dll->mqs_omp_next_task(process, &task));
    check(dll->mqs_omp_setup_icv_iterator(process, MQS_OMP_OF_PROCESS, 0));
    check(dll->mqs_omp_next_icv(process, &icv));
    check(dll->mqs_omp_get_control_var(process, 0, &text));
    check(dll->mqs_omp_get_message(process, 0, &text));
}

// A result of version 1 of the interface for handles, as one of mqs.h.
static int
as_result(int result)
{
    ck_assert_msg(result >= MPIDBG_SUCCESS && result < MPIDBG_MAX_RETURN_CODE, "result %d", result);
    return result == MPIDBG_SUCCESS ? mqs_ok : mqs_no_information;
}

static void
call_handles(void (*check)(int))
{
    mqs_object object = {.kind = mqs_object_communicator};
    mqs_object_member member;
    struct mpidbg_comm_info_t *comm;
    struct mpidbg_errhandler_info_t *handler;
    char text[MQS_OBJECT_TEXT];

    check(dll->mqs_query_handle(process, mqs_object_communicator, mqs_form_c, 1, &object));
    check(dll->mqs_next_object(process, &object));
    check(dll->mqs_next_member(process, &member));
    check(dll->mqs_setup_object_iterator(process, mqs_object_kind_count));
    check(dll->mqs_setup_object_iterator(process, mqs_object_communicator));
    check(dll->mqs_next_object(process, &object));
    object = (mqs_object){.kind = mqs_object_communicator, .address = 16};
    check(dll->mqs_setup_member_iterator(process, &object));
    check(dll->mqs_describe_object(process, &object, text, sizeof(text)));
    check(as_result(dll->mpidbg_comm_query(image, NULL, process, NULL, 1, &comm)));
    check(as_result(dll->mpidbg_errhandler_query(image, NULL, process, NULL, 1, &handler)));
}

void
call_everything(void (*check)(int))
{
    mqs_communicator comm;
    mqs_communicator_details comm_details;
    mqs_nonblocking_collective nonblocking;
    int64_t sequence;
    mqs_pending_operation op;
    mqs_operation_details details;
    mqs_mpi_info info;
    mqs_conventions conventions;
    mqs_layout_row row;
    int ranks[64];
    int number;
    const char *text;
    uint64_t progress;
    mqs_taddr_t thread;
    char *message;

    check(dll->mqs_process_has_queues(process, &message));
    check(dll->mqs_get_communicator(process, &comm));
    check(dll->mqs_get_comm_group(process, ranks));
    check(dll->mqs_next_communicator(process));
    check(dll->mqs_next_operation(process, &op));
    check(dll->mqs_setup_operation_iterator(process, mqs_pending_sends));
    check(dll->mqs_get_comm_coll_state(process, mqs_comm_barrier, &number, &number));
    check(dll->mqs_get_comm_coll_peer(process, mqs_comm_barrier, 0, &number));
    check(dll->mqs_get_comm_nonblocking(process, 0, &nonblocking));
    check(dll->mqs_get_comm_nonblocking_next(process, &sequence));
    check(dll->mqs_get_communicator_details(process, &comm_details));
    check(dll->mqs_get_comm_remote_group(process, ranks));
    check(dll->mqs_get_comm_traffic(process, 0, &number, &number));
    check(dll->mqs_get_operation_details(process, &details));
    check(dll->mqs_get_mpi_info(process, &info));
    check(dll->mqs_get_conventions(process, &conventions));
    check(dll->mqs_get_handle(process, 16, &progress));
    check(dll->mqs_check_request_handle(process, 0, &number));
    check(dll->mqs_get_mpi_phase(process, &number));
    check(dll->mqs_get_mpi_progress(process, &progress));
    check(dll->mqs_get_mpi_thread_level(process, &number, &thread));
    check(dll->mqs_get_process_message(process, 0, &text));
    check(dll->mqs_get_layout_row(process, 0, &row));
    check(dll->mqs_update_communicator_list(process));
    check(dll->mqs_setup_communicator_iterator(process));
    call_openmp(check);
    call_handles(check);
    ck_assert_int_ge(dll->mqs_get_global_rank(process), MQS_INVALID_PROCESS);
}

void
load_text(const char *text)
{
    dll = dll_open();
    source = (struct source){0};
    source_load_text(&source, CASES "/test", text);
    session_init(&session, &source, &models[0], false);
    process = &session.fake.process;
    image = &session.fake.image;
    host_forgive();
}

void
load(void)
{
    load_text("include openmpi-4.1.inc\n"
              "receives chunk 4\n"
              "repeat i 3\n"
              "  receive r$i chunk.items[$i].request world 1 $i $i\n"
              "  specific world r$i 1\n"
              "end\n"
              "eager e1 world 2 3 1 4\n");
}

void
start(void)
{
    load();
    ck_assert(debugger_start(&session.debugger));
    ck_assert_int_eq(dll->mqs_update_communicator_list(process), mqs_ok);
}

void
finish(void)
{
    debugger_stop(&session.debugger);
    session_deinit(&session);
    source_deinit(&source);
    ck_assert_msg(!host_violations(), "%s", host_first_violation());
}

int
operations_left(void)
{
    mqs_pending_operation op;
    int n = 0;
    int result;

    while ((result = dll->mqs_next_operation(process, &op)) == mqs_ok)
        n++;
    ck_assert_int_eq(result, mqs_end_of_list);
    return n;
}

int
misuse_run(const char *name, const TTest **const *tests, size_t n, int loops)
{
    Suite *suite = suite_create(name);
    TCase *all = tcase_create("all");

    for (size_t i = 0; i < n; i++) {
        if (loops && i == n - 1)
            tcase_add_loop_test(all, *tests[i], 0, loops);
        else
            tcase_add_test(all, *tests[i]);
    }
    suite_add_tcase(suite, all);
    return check_run(srunner_create(suite));
}
