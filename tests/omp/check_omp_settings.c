// SPDX-License-Identifier: BSD-3-Clause
// Control variables, and what the runtime was started with.
#include "tests/omp/native.h"

#include <stdlib.h>
#include <string.h>

static void
start(int model, enum fake_order order)
{
    fake_kmp_init(&fake, &omp_models[model], order, FAKE_TABLE);
}

static void
put_icv(enum published_entry field, size_t width, uint64_t value)
{
    fake_kmp_put(&fake, fake_kmp_icv_field(fake.tasks[0], field), width, value);
}

static ompd_rc_t
text_of(const struct omp_object *object, const char *name, size_t size, char *ret)
{
    return ICV_ASK(&native.reader, native_icv(name), text, object, size, ret);
}

START_TEST(of_tasks)
{
    ompd_word_t value;
    char text[64], cut[4];
    start(_i, FAKE_FORWARD);
    put_icv(OFFSET_kmp_internal_control_t__dynamic, 1, 1);
    put_icv(OFFSET_kmp_internal_control_t__thread_limit, 4, 0x7fffffff);
    put_icv(OFFSET_kmp_internal_control_t__max_active_levels, 4, 3);
    put_icv(OFFSET_kmp_internal_control_t__default_device, 4, 0xffffffff);
    put_icv(OFFSET_kmp_internal_control_t__sched, 4, 36 | 1U << 30);
    native_start();
    ck_assert_int_eq(native_value(native_thread(0), "dyn-var"), 1);
    ck_assert_int_eq(native_value(native_thread(0), "default-device-var"), -1);
    ck_assert_int_eq(native_value(native_task(0), "thread-limit-var"), 0x7fffffff);
    ck_assert_int_eq(native_value(native_task(0), "max-active-levels-var"), 3);
    ck_assert_int_eq(
        ICV_ASK(&native.reader, native_icv("run-sched-var"), number, native_task(0), &value),
        ompd_rc_incompatible);
    ck_assert_int_eq(text_of(native_task(0), "run-sched-var", sizeof(text), text), ompd_rc_ok);
    ck_assert_str_eq(text, "nonmonotonic:guided,7");
    ck_assert_int_eq(text_of(native_task(0), "run-sched-var", sizeof(cut), cut), ompd_rc_ok);
    ck_assert_str_eq(cut, "non");
    ck_assert_int_eq(text_of(native_task(0), "thread-limit-var", sizeof(text), text),
                     ompd_rc_incompatible);
    native_stop();
}
END_TEST

static void
put_list(const char *name, unsigned used, const uint32_t *elements)
{
    taddr variable = fake_kmp_variable(name), list = fake_kmp_new_object(&fake);
    fake_kmp_put_pointer(&fake, variable, list);
    fake_kmp_put(&fake, variable + 12, 4, used);
    for (unsigned i = 0; i < used && i < 4; i++)
        fake_kmp_put(&fake, list + i * 4, 4, elements[i]);
}

START_TEST(lists)
{
    static const uint32_t elements[] = {8, 4, 3, 2};
    ompd_word_t value;
    char text[64];
    start(_i, FAKE_NAMED);
    put_list("__kmp_nested_nth", 4, elements);
    put_list("__kmp_nested_proc_bind", 2, elements);
    native_start();
    const struct omp_icv *icv = native_icv("nthreads-var");
    ck_assert_int_eq(ICV_ASK(&native.reader, icv, number, native_thread(0), &value),
                     ompd_rc_incomplete);
    ck_assert_int_eq(value, 4);
    ck_assert_int_eq(text_of(native_thread(0), "nthreads-var", sizeof(text), text), ompd_rc_ok);
    ck_assert_str_eq(text, "4,3,2");
    ck_assert_int_eq(text_of(native_task(0), "bind-var", sizeof(text), text), ompd_rc_ok);
    ck_assert_str_eq(text, "0");
    ck_assert_int_eq(native_value(native_task(0), "bind-var"), 0);
    native_stop();
}
END_TEST

// Without names, the environment tells whether there can be more elements than the task's.
START_TEST(lists_without_names)
{
    static const struct {
        const char *setting;
        ompd_rc_t number, text;
    } cases[] = {{"LANG=C", ompd_rc_ok, ompd_rc_ok},
                 {"OMP_NUM_THREADS=8", ompd_rc_ok, ompd_rc_ok},
                 {"OMP_NUM_THREADS=8,4", ompd_rc_ok, ompd_rc_ok},
                 {"OMP_NUM_THREADS=8,4,2", ompd_rc_incomplete, ompd_rc_unavailable},
                 {"KMP_NESTING_MODE=1", ompd_rc_incomplete, ompd_rc_unavailable}};
    ompd_word_t value;
    char text[64];
    start(0, FAKE_FORWARD);
    fake_kmp_set_environ(&fake, "HOME=/");
    fake_kmp_set_environ(&fake, cases[_i].setting);
    native_start();
    ck_assert_int_eq(
        ICV_ASK(&native.reader, native_icv("nthreads-var"), number, native_thread(0), &value),
        cases[_i].number);
    ck_assert_int_eq(value, 4);
    ck_assert_int_eq(text_of(native_thread(0), "nthreads-var", sizeof(text), text), cases[_i].text);
    native_stop();
}
END_TEST

static void
put_variable(const char *name, size_t width, uint64_t value)
{
    fake_kmp_put(&fake, fake_kmp_variable(name), width, value);
}

START_TEST(of_the_process)
{
    char text[64];
    start(_i, FAKE_NAMED);
    put_variable("__kmp_stksize", fake.model.pointer_size, 0x80000000);
    put_variable("__kmp_omp_cancellation", 4, 1);
    put_variable("__kmp_max_task_priority", 4, 5);
    put_variable("__kmp_avail_proc", 4, 64);
    fake_kmp_put_pointer(&fake, fake_kmp_variable("__kmp_affinity_format"), FAKE_BASE + 0x3f00);
    memcpy(fake.memory + 0x3f00, "%n on %A", 9);
    native_start();
    ck_assert_int_eq(native_value(NULL, "stacksize-var"), 0x80000000);
    ck_assert_int_eq(native_value(NULL, "cancel-var"), 1);
    ck_assert_int_eq(native_value(NULL, "max-task-priority-var"), 5);
    ck_assert_int_eq(native_value(NULL, "num-procs-var"), 64);
    ck_assert_int_eq(native_value(NULL, "debug-var"), 0);
    ck_assert_int_eq(text_of(NULL, "affinity-format-var", sizeof(text), text), ompd_rc_ok);
    ck_assert_str_eq(text, "%n on %A");
    ck_assert_int_eq(text_of(NULL, "tool-libraries-var", sizeof(text), text), ompd_rc_ok);
    ck_assert_str_eq(text, "");
    native_stop();
}
END_TEST

// What cannot be read is not "no".
START_TEST(unreadable_debug)
{
    ompd_word_t value;
    start(_i, FAKE_NAMED);
    fake_kmp_set_entry(&fake, WORD_ompd_state, 1);
    native_start();
    ck_assert_int_eq(native_value(NULL, "debug-var"), 1);
    inferior_refresh(&native.inf);
    fake.fail_read = fake.reads + 1;
    fake.fail_all_reads = true;
    ck_assert_int_ne(ICV_ASK(&native.reader, native_icv("debug-var"), number, NULL, &value),
                     ompd_rc_ok);
    fake.fail_all_reads = false;
    inferior_refresh(&native.inf);
    ck_assert_int_eq(native_value(NULL, "debug-var"), 1);
    native_stop();
}
END_TEST

START_TEST(unknown_without_names)
{
    ompd_word_t value;
    char text[64];
    start(0, FAKE_FORWARD);
    native_start();
    ck_assert_int_eq(ICV_ASK(&native.reader, native_icv("stacksize-var"), number, NULL, &value),
                     ompd_rc_unavailable);
    ck_assert_int_eq(text_of(NULL, "tool-libraries-var", sizeof(text), text), ompd_rc_unavailable);
    native_stop();
}
END_TEST

struct text_collector {
    struct text_sink sink;
    char all[1024];
};

static enum status
collect(struct text_sink *sink, const char *text)
{
    struct text_collector *collector = (struct text_collector *) sink;
    size_t used = strlen(collector->all);
    ck_assert_uint_lt(used + strlen(text) + 2, sizeof(collector->all));
    strcat(collector->all, text);
    strcat(collector->all, "\n");
    return STATUS_OK;
}

// The runtime lists what it knows before it looks at the environment.
START_TEST(control_variables)
{
    struct text_collector collector = {.sink = {collect}};
    static const char settings[] =
        "KMP_BLOCKTIME=200\nOMP_NESTED: deprecated\nOMP_STACKSIZE=4M\nOMP_NUM_THREADS=undefined";
    start(_i, FAKE_FORWARD);
    memcpy(fake.memory + FAKE_TEXTS + 0x80, settings, sizeof(settings));
    fake_kmp_set_entry(&fake, WORD_ompd_env_block_size, sizeof(settings) - 1);
    fake_kmp_set_environ(&fake, "OMP_NUM_THREADS=4,3");
    fake_kmp_set_environ(&fake, "HOME=/");
    fake_kmp_set_environ(&fake, "OMP_DEBUG=enabled");
    native_start();
    ck_assert_int_eq(NATIVE(control_vars, &collector.sink), ompd_rc_ok);
    ck_assert_str_eq(collector.all, "KMP_BLOCKTIME=200\nOMP_NESTED=deprecated\nOMP_STACKSIZE=4M\n"
                                    "OMP_NUM_THREADS=4,3\nOMP_DEBUG=enabled\n");
    native_stop();
}
END_TEST

START_TEST(environment_without_end)
{
    struct text_collector collector = {.sink = {collect}};
    start(0, FAKE_FORWARD);
    taddr list = FAKE_BASE + 0x30000;
    fake_kmp_put_pointer(&fake, FAKE_BASE + FAKE_ENVIRON, list);
    for (taddr at = list; at < FAKE_BASE + FAKE_SIZE; at += 8)
        fake_kmp_put_pointer(&fake, at, FAKE_BASE + FAKE_TEXTS + 0x80);
    native_start();
    ck_assert_int_ne(NATIVE(control_vars, &collector.sink), ompd_rc_ok);
    native_stop();
}
END_TEST

// Only releases that were seen are read, unless the user wants it otherwise.
START_TEST(unknown_release)
{
    start(0, FAKE_FORWARD);
    unsetenv("MQS_OMPD_UNKNOWN_RUNTIME");
    struct omp_answers answers = omp_ask();
    setenv("MQS_OMPD_UNKNOWN_RUNTIME", "1", 1);
    ck_assert_int_eq(answers.has, STATUS_UNSUPPORTED);
    ck_assert_msg(strstr(answers.message, "14, 15, 16, 17, 18, 19 or later"), "%s",
                  answers.message);
    ck_assert_msg(strstr(answers.message, "MQS_OMPD_UNKNOWN_RUNTIME"), "%s", answers.message);
}
END_TEST

TCase *
native_settings(void)
{
    TCase *cases = tcase_create("settings");
    tcase_add_loop_test(cases, of_tasks, 0, OMP_MODELS);
    tcase_add_loop_test(cases, lists, 0, OMP_MODELS);
    tcase_add_loop_test(cases, lists_without_names, 0, 5);
    tcase_add_loop_test(cases, of_the_process, 0, OMP_MODELS);
    tcase_add_loop_test(cases, unreadable_debug, 0, OMP_MODELS);
    tcase_add_test(cases, unknown_without_names);
    tcase_add_loop_test(cases, control_variables, 0, OMP_MODELS);
    tcase_add_test(cases, environment_without_end);
    tcase_add_test(cases, unknown_release);
    return cases;
}
