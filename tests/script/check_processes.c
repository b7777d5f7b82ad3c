// SPDX-License-Identifier: BSD-3-Clause
// Several processes, records that go early, callbacks that a debugger leaves out.
#include "tests/script/misuse.h"

#include <pthread.h>
#include <stdlib.h>

START_TEST(test_destroy_null)
{
    load();
    check_result(dll->mqs_destroy_process_info(NULL));
    check_result(dll->mqs_destroy_image_info(NULL));
    dll->mqs_setup_basic_callbacks(&session.fake.basic);
    check_result(dll->mqs_destroy_process_info(NULL));
    check_result(dll->mqs_destroy_image_info(NULL));
    finish();
}
END_TEST

START_TEST(test_destroy_image_first)
{
    mqs_pending_operation op;

    start();
    ck_assert_int_eq(dll->mqs_setup_communicator_iterator(process), mqs_ok);
    ck_assert_int_eq(dll->mqs_setup_operation_iterator(process, mqs_pending_receives), mqs_ok);
    ck_assert_int_eq(dll->mqs_next_operation(process, &op), mqs_ok);
    dll->mqs_destroy_image_info(image->info);
    image->info = NULL;
    dll->mqs_destroy_process_info(process->info);
    process->info = NULL;
    finish();
}
END_TEST

START_TEST(test_destroyed_and_used)
{
    start();
    dll->mqs_destroy_process_info(process->info);
    process->info = NULL;
    call_everything(check_refused);
    finish();
}
END_TEST

START_TEST(test_put_before_get)
{
    load();
    image->info = (mqs_image_info *) 0x5a5a5a5a;
    process->info = (mqs_process_info *) 0x5a5a5a5a;
    ck_assert(debugger_start(&session.debugger));
    ck_assert_uint_ne((uintptr_t) image->info, 0x5a5a5a5a);
    ck_assert_uint_ne((uintptr_t) process->info, 0x5a5a5a5a);
    finish();
}
END_TEST

START_TEST(test_double_setup)
{
    load();
    ck_assert(debugger_start(&session.debugger));
    mqs_image_info *first_image = image->info;
    mqs_process_info *first_process = process->info;
    ck_assert(debugger_start(&session.debugger));
    dll->mqs_destroy_process_info(first_process);
    if (first_image != image->info)
        dll->mqs_destroy_image_info(first_image);
    ck_assert_int_eq(dll->mqs_setup_communicator_iterator(process), mqs_ok);
    finish();
}
END_TEST

START_TEST(test_interleaved)
{
    struct session other;
    mqs_pending_operation op;

    start();
    session_init(&other, &source, model_find("be32"), false);
    ck_assert(debugger_start(&other.debugger));
    mqs_process *both[] = {process, &other.fake.process};
    for (int i = 0; i < 2; i++)
        ck_assert_int_eq(dll->mqs_update_communicator_list(both[i]), mqs_ok);
    for (int i = 0; i < 2; i++)
        ck_assert_int_eq(dll->mqs_setup_communicator_iterator(both[i]), mqs_ok);
    for (int i = 0; i < 2; i++)
        ck_assert_int_eq(dll->mqs_setup_operation_iterator(both[i], mqs_pending_receives), mqs_ok);
    for (int tag = 0; tag < 3; tag++) {
        for (int i = 0; i < 2; i++) {
            ck_assert_int_eq(dll->mqs_next_operation(both[i], &op), mqs_ok);
            ck_assert_int_eq(op.desired_tag, tag);
        }
    }
    dll->mqs_destroy_process_info(other.fake.process.info);
    dll->mqs_destroy_image_info(other.fake.image.info);
    session_deinit(&other);
    ck_assert_int_eq(dll->mqs_next_operation(process, &op), mqs_end_of_list);
    finish();
}
END_TEST

START_TEST(test_shared_image)
{
    struct mqs_process_ second;
    mqs_pending_operation op;

    start();
    second = *process;
    second.info = NULL;
    size_t types = host_count(ASK_TYPE);
    ck_assert_int_eq(dll->mqs_setup_process(&second, &session.fake.process_callbacks), mqs_ok);
    ck_assert_int_eq(dll->mqs_process_has_queues(&second, NULL), mqs_ok);
    ck_assert_uint_eq(host_count(ASK_TYPE), types);
    ck_assert_int_eq(dll->mqs_setup_communicator_iterator(&second), mqs_ok);
    ck_assert_int_eq(dll->mqs_setup_operation_iterator(&second, mqs_unexpected_messages), mqs_ok);
    ck_assert_int_eq(dll->mqs_next_operation(&second, &op), mqs_ok);
    ck_assert_int_eq(op.desired_tag, 3);
    dll->mqs_destroy_process_info(second.info);
    finish();
}
END_TEST

typedef void *work_ft(void *debugger);

static void *
begin(void *debugger)
{
    return debugger_start(debugger) ? debugger : NULL;
}

static void *
show(void *debugger)
{
    debugger_show(debugger);
    return debugger;
}

// What a thread does, when it is over.
static void *
in_a_thread(work_ft *work)
{
    pthread_t thread;
    void *done = NULL;

    ck_assert_int_eq(pthread_create(&thread, NULL, work, &session.debugger), 0);
    ck_assert_int_eq(pthread_join(thread, &done), 0);
    return done;
}

// What is shown twice when another thread does each step, or the same one all of them.
static char *
shown(bool by_threads)
{
    work_ft *const steps[] = {begin, show, show};

    load();
    for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++)
        ck_assert_ptr_nonnull(by_threads ? in_a_thread(steps[i]) : steps[i](&session.debugger));
    char *text = session_text(&session);
    finish();
    return text;
}

START_TEST(test_threads_take_turns)
{
    char *one = shown(false), *several = shown(true);

    ck_assert_str_eq(several, one);
    free(several);
    free(one);
}
END_TEST

START_TEST(test_without_all)
{
    load();
    session.script.without = (1U << CALLBACKS) - 1;
    fake_init(&session.fake, &session.script);
    if (debugger_start(&session.debugger))
        debugger_show(&session.debugger);
    finish();
}
END_TEST

START_TEST(test_no_mpi)
{
    char *message = (char *) "unchanged";

    load_text("function main 0x1000\n");
    dll->mqs_setup_basic_callbacks(&session.fake.basic);
    ck_assert_int_eq(dll->mqs_setup_image(image, &session.fake.image_callbacks), mqs_ok);
    ck_assert_int_eq(dll->mqs_image_has_queues(image, &message), mqs_no_information);
    ck_assert_ptr_null(message);
    check_result(dll->mqs_setup_process(process, &session.fake.process_callbacks));
    check_refused(dll->mqs_process_has_queues(process, &message));
    ck_assert_ptr_null(message);
    check_refused(dll->mqs_setup_communicator_iterator(process));
    finish();
}
END_TEST

START_TEST(test_without_callback)
{
    load();
    session.script.without = 1U << _i;
    session.fake = (struct fake){0};
    fake_init(&session.fake, &session.script);
    if (debugger_start(&session.debugger))
        debugger_show(&session.debugger);
    finish();
}
END_TEST

static const TTest **const tests[] = {
    &test_destroy_null,   &test_destroy_image_first, &test_destroyed_and_used,
    &test_put_before_get, &test_double_setup,        &test_interleaved,
    &test_shared_image,   &test_threads_take_turns,  &test_without_all,
    &test_no_mpi,         &test_without_callback,
};

int
main(void)
{
    return misuse_run("processes", tests, sizeof(tests) / sizeof(tests[0]), CALLBACKS);
}
