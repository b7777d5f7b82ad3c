// SPDX-License-Identifier: BSD-3-Clause
// What main() of a program of Check does last.
#ifndef MQS_TESTS_CHECK_RUN_H
#define MQS_TESTS_CHECK_RUN_H

#include <check.h>
#include <stdlib.h>

/** Runs what a runner has, and frees it. @return the exit status of the program */
static inline int
check_run(SRunner *runner)
{
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

#endif
