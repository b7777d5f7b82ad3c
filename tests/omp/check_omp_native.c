// SPDX-License-Identifier: BSD-3-Clause
// What the native reader of LLVM's runtime answers, question by question, in a sane process.
#include "tests/omp/native.h"

enum { FUNCTION = 0x4000, STATE_FIELD = 0x100 + 0x20 };

static void
start(int model)
{
    fake_kmp_init(&fake, &omp_models[model], FAKE_FORWARD, FAKE_TABLE);
}

START_TEST(links_of_one_region)
{
    start(_i);
    native_start();
    ck_assert_int_eq(native.taken, STATUS_OK);
    ck_assert_int_eq(native.snapshot.broken, STATUS_OK);
    ck_assert_uint_eq(native.snapshot.threads.count, FAKE_WORKERS + 1);
    ck_assert_uint_eq(native.snapshot.regions.count, 2);
    ck_assert_uint_eq(native.snapshot.tasks.count, FAKE_WORKERS + 2);
    ck_assert_uint_eq(native_region(0)->addr, fake.team);
    ck_assert_int_eq(snapshot_region(&native.snapshot, 0)->parent, 1);
    ck_assert_int_eq(snapshot_region(&native.snapshot, 1)->parent, OMP_NONE);
    for (unsigned i = 0; i <= FAKE_WORKERS; i++) {
        const struct snapshot_thread *thread = snapshot_thread(&native.snapshot, i);
        const struct snapshot_task *task = snapshot_task(&native.snapshot, thread->task);
        ck_assert_int_eq(thread->region, 0);
        ck_assert_uint_eq(task->object.addr, fake.tasks[i]);
        ck_assert_int_eq(task->num, (int) i);
        ck_assert_int_eq(task->thread, (int) i);
        ck_assert_int_eq(task->region, 0);
        ck_assert_int_eq(task->scheduling, OMP_NONE);
        ck_assert_uint_eq(native_task((unsigned) task->generating)->addr, fake.root_task);
    }
    native_stop();
}
END_TEST

START_TEST(functions_and_numbers)
{
    struct omp_object found;
    taddr function;
    start(_i);
    native_start();
    ck_assert_int_eq(NATIVE(task_function, native_task(0), &function), ompd_rc_ok);
    ck_assert_uint_eq(function, FAKE_BASE + FUNCTION);
    ck_assert_int_eq(NATIVE(thread_in_parallel, native_region(0), 2, &found), ompd_rc_ok);
    ck_assert_uint_eq(found.addr, fake.threads[2]);
    ck_assert_uint_eq(found.detail, FAKE_FIRST_PLACE + 1);
    ck_assert_int_eq(NATIVE(thread_in_parallel, native_region(0), -1, &found), ompd_rc_bad_input);
    ck_assert_int_eq(NATIVE(thread_in_parallel, native_region(0), 4, &found), ompd_rc_bad_input);
    ck_assert_int_eq(NATIVE(task_in_parallel, native_region(0), 4, &found), ompd_rc_bad_input);
    ck_assert_int_eq(native_value(native_region(0), "team-size-var"), 4);
    ck_assert_int_eq(native_value(native_region(0), "levels-var"), 1);
    ck_assert_int_eq(native_value(native_region(1), "active-levels-var"), 0);
    ck_assert_int_eq(native_value(native_thread(3), "thread-num-var"), 3);
    ck_assert_int_eq(native_value(native_task(0), "implicit-task-var"), 1);
    native_stop();
}
END_TEST

START_TEST(threads_are_found)
{
    struct omp_object found;
    start(_i);
    native_start();
    for (unsigned i = 0; i <= FAKE_WORKERS; i++) {
        ck_assert_int_eq(NATIVE(find_thread, OMPD_THREAD_ID_PTHREAD, fake.pthreads[i], &found),
                         ompd_rc_ok);
        ck_assert_uint_eq(found.addr, fake.threads[i]);
        ck_assert_int_eq(NATIVE(find_thread, OMPD_THREAD_ID_LWP, 1000 + i, &found), ompd_rc_ok);
        ck_assert_uint_eq(found.addr, fake.threads[i]);
    }
    ck_assert_int_eq(NATIVE(find_thread, OMPD_THREAD_ID_PTHREAD, 0, &found), ompd_rc_unavailable);
    ck_assert_int_eq(NATIVE(find_thread, OMPD_THREAD_ID_LWP, 1, &found), ompd_rc_unavailable);
    ck_assert_int_eq(NATIVE(find_thread, 7, 1000, &found), ompd_rc_unsupported);
    native_stop();
}
END_TEST

// An explicit task: what it interrupts is told only while the runtime keeps states.
START_TEST(explicit_task)
{
    struct omp_object found;
    struct omp_task_flags flags;
    taddr function;
    start(_i / 2);
    taddr task = fake_kmp_add_task(&fake, 2, fake.tasks[2]);
    fake_kmp_set_entry(&fake, WORD_ompd_state, (unsigned) _i % 2);
    native_start();
    const struct snapshot_thread *thread = snapshot_thread(&native.snapshot, 2);
    const struct omp_object *object = native_task((unsigned) thread->task);
    ck_assert_uint_eq(object->addr, task);
    ck_assert_int_eq(NATIVE(task_function, object, &function), ompd_rc_ok);
    ck_assert_uint_eq(function, FAKE_BASE + FUNCTION + 0x10);
    ck_assert_int_eq(NATIVE(generating_task, object, &found), ompd_rc_ok);
    ck_assert_uint_eq(found.addr, fake.tasks[2]);
    ck_assert_int_eq(NATIVE(scheduling_task, object, &found),
                     _i % 2 ? ompd_rc_ok : ompd_rc_needs_state_tracking);
    ck_assert_int_eq(NATIVE(task_flags, object, &flags), ompd_rc_ok);
    ck_assert_uint_eq(flags.set, OMP_TASK_FINAL | OMP_TASK_STARTED);
    ck_assert_uint_eq(flags.known & (OMP_TASK_IMPLICIT | OMP_TASK_UNTIED | OMP_TASK_UNDEFERRED),
                      OMP_TASK_IMPLICIT | OMP_TASK_UNTIED | OMP_TASK_UNDEFERRED);
    ck_assert_int_eq(native_value(object, "final-task-var"), 1);
    ck_assert_int_eq(native_value(object, "implicit-task-var"), 0);
    native_stop();
}
END_TEST

static void
put_frame(taddr info, uint64_t leave, uint64_t enter, uint64_t flags)
{
    fake_kmp_put(&fake, info, 8, leave);
    fake_kmp_put(&fake, info + 8, 8, enter);
    fake_kmp_put(&fake, info + 16, 4, flags);
    fake_kmp_put(&fake, info + 20, 4, flags);
    fake_kmp_put(&fake, info + 24, 8, leave + 1);
}

// The team's own record is that of the innermost region; those around it hang on the team.
START_TEST(serialised_regions)
{
    enum { NESTED = 2, LEVEL = 2 + NESTED };
    taddr team, ptr;
    ompd_word_t value;
    ompd_frame_info_t leave, enter;
    start(_i);
    fake_kmp_set_entry(&fake, WORD_ompd_state, 1);
    taddr task = fake_kmp_serialise(&fake, 1, NESTED, &team);
    put_frame(fake_kmp_task_info_field(task, OFFSET_ompt_task_info_t__frame), 0x100, 0x200, 0x20);
    for (unsigned i = 1; i <= NESTED; i++)
        put_frame(fake_kmp_lwt(&fake, team, i) + 0x10, 0x100 + i, 0x200 + i, 0x123);
    native_start();
    ck_assert_int_eq(native.snapshot.broken, STATUS_OK);
    int32_t region = snapshot_thread(&native.snapshot, 1)->region;
    int32_t number = snapshot_thread(&native.snapshot, 1)->task;
    for (unsigned i = 0; i <= NESTED; i++) {
        const struct snapshot_region *one = snapshot_region(&native.snapshot, region);
        const struct snapshot_task *its = snapshot_task(&native.snapshot, number);
        ck_assert_uint_eq(one->object.addr, team);
        ck_assert_uint_eq(one->object.detail, i ? fake_kmp_lwt(&fake, team, i) : 0);
        ck_assert_int_eq(its->region, region);
        ck_assert_int_eq(native_value(&one->object, "levels-var"), LEVEL - i);
        ck_assert_int_eq(native_value(&one->object, "active-levels-var"), 1);
        ck_assert_int_eq(native_value(&one->object, "team-size-var"), 1);
        ck_assert_int_eq(NATIVE(task_frame, &its->object, &leave, &enter), ompd_rc_ok);
        ck_assert_uint_eq(leave.frame_address.address, 0x100 + i);
        ck_assert_uint_eq(enter.frame_address.address, 0x200 + i);
        ck_assert_int_eq(enter.frame_flag, i == 0 ? 0x20 : 0);
        ck_assert_int_eq(NATIVE(tool_data, OMP_TASK, &its->object, &value, &ptr), ompd_rc_ok);
        ck_assert_uint_eq(ptr, 0x101 + i);
        ck_assert_int_eq(NATIVE(task_function, &its->object, &ptr), ompd_rc_unavailable);
        region = one->parent;
        number = its->generating;
    }
    ck_assert_uint_eq(native_region((unsigned) region)->addr, fake.team);
    ck_assert_uint_eq(native_task((unsigned) number)->addr, fake.tasks[1]);
    native_stop();
}
END_TEST

START_TEST(waits_between_regions)
{
    struct omp_object found;
    ompd_word_t value;
    omp_start();
    omp_put_threads_team(0, fake.root_team);
    native_start();
    ck_assert_int_eq(NATIVE(curr_parallel, native_thread(2), &found), ompd_rc_unavailable);
    ck_assert_int_eq(NATIVE(curr_task, native_thread(2), &found), ompd_rc_unavailable);
    ck_assert_int_eq(
        ICV_ASK(&native.reader, native_icv("thread-num-var"), number, native_thread(2), &value),
        ompd_rc_unavailable);
    native_stop();
}
END_TEST

START_TEST(no_states)
{
    ompd_word_t value;
    ompd_wait_id_t wait_id;
    ompd_frame_info_t leave, enter;
    taddr ptr;
    omp_start();
    native_start();
    ck_assert_int_eq(NATIVE(thread_state, native_thread(0), &value, &wait_id),
                     ompd_rc_needs_state_tracking);
    ck_assert_int_eq(NATIVE(task_frame, native_task(0), &leave, &enter),
                     ompd_rc_needs_state_tracking);
    ck_assert_int_eq(NATIVE(tool_data, OMP_THREAD, native_thread(0), &value, &ptr),
                     ompd_rc_unavailable);
    native_stop();
}
END_TEST

// What has gone since; each in a process that goes on after its snapshot was taken.
START_TEST(stale)
{
    struct omp_object found;
    struct omp_thread_id id;
    taddr team, function;
    omp_start();
    taddr task = fake_kmp_add_task(&fake, 2, fake.tasks[2]);
    fake_kmp_serialise(&fake, 1, 1, &team);
    taddr lwt = fake_kmp_lwt(&fake, team, 1);
    native_start();
    struct omp_object thread = {fake.threads[3], FAKE_FIRST_PLACE + 2};
    struct omp_object region = {team, lwt}, explicit = {task, 0}, joined = {fake.team, 0};
    ck_assert_int_eq(NATIVE(thread_id, &thread, &id), ompd_rc_ok);
    ck_assert_int_eq(NATIVE(enclosing_parallel, &region, &found), ompd_rc_ok);
    ck_assert_int_eq(NATIVE(task_function, &explicit, &function), ompd_rc_ok);
    fake_kmp_put_pointer(&fake, fake_kmp_place(&fake, FAKE_FIRST_PLACE + 2), 0);
    fake_kmp_put_pointer(
        &fake, fake_kmp_field(team, OFFSET_kmp_base_team_t__ompt_serialized_team_info), 0);
    fake_kmp_put(&fake, fake_kmp_field(task, OFFSET_kmp_taskdata_t__td_flags), 4, 4U << 9);
    inferior_refresh(&native.inf);
    ck_assert_int_eq(NATIVE(thread_id, &thread, &id), ompd_rc_stale_handle);
    ck_assert_int_eq(NATIVE(enclosing_parallel, &region, &found), ompd_rc_stale_handle);
    ck_assert_int_eq(NATIVE(task_function, &explicit, &function), ompd_rc_stale_handle);
    ck_assert_int_eq(NATIVE(enclosing_parallel, &joined, &found), ompd_rc_ok);
    omp_put_threads_team(0, fake.root_team);
    inferior_refresh(&native.inf);
    ck_assert_int_eq(NATIVE(enclosing_parallel, &joined, &found), ompd_rc_stale_handle);
    native_stop();
}
END_TEST

Suite *
suite_native(void)
{
    Suite *suite = suite_create("native reader");
    TCase *cases = tcase_create("sane");
    tcase_add_loop_test(cases, links_of_one_region, 0, OMP_MODELS);
    tcase_add_loop_test(cases, functions_and_numbers, 0, OMP_MODELS);
    tcase_add_loop_test(cases, threads_are_found, 0, OMP_MODELS);
    tcase_add_loop_test(cases, explicit_task, 0, 2 * OMP_MODELS);
    tcase_add_loop_test(cases, serialised_regions, 0, OMP_MODELS);
    tcase_add_test(cases, waits_between_regions);
    tcase_add_test(cases, no_states);
    tcase_add_test(cases, stale);
    suite_add_tcase(suite, cases);
    suite_add_tcase(suite, native_settings());
    suite_add_tcase(suite, native_hostile());
    return suite;
}
