// SPDX-License-Identifier: BSD-3-Clause
// A process that a signal had stopped is so again as soon as it was let go.
#include "mqshow/process/state.h"
#include "mqshow/process/stop.h"
#include "tests/check_run.h"

#include <check.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

enum { TIMES = 300 };

static int
kind_of(pid_t pid)
{
    struct state state = state_read(pid);
    int kind = state.kind;
    state_deinit(&state);
    return kind;
}

static void
await(pid_t pid, int kind)
{
    while (kind_of(pid) != kind)
        usleep(1000);
}

START_TEST(returns_to_its_stop)
{
    pid_t pid = fork();
    if (pid == 0)
        for (;;)
            pause();
    ck_assert_int_gt(pid, 0);
    await(pid, STATE_SLEEPING);
    ck_assert_int_eq(kill(pid, SIGSTOP), 0);
    await(pid, STATE_STOPPED);
    for (int i = 0; i < TIMES; i++) {
        struct stop stop;
        ck_assert_int_eq(stop_begin(&stop, pid), 0);
        ck_assert_uint_eq(stop_wait(&stop), 0);
        stop_end(&stop);
        ck_assert_int_eq(kind_of(pid), STATE_STOPPED);
    }
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("stop");
    TCase *tcase = tcase_create("stop");
    tcase_add_test(tcase, returns_to_its_stop);
    suite_add_tcase(suite, tcase);
    return check_run(srunner_create(suite));
}
