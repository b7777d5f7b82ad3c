// SPDX-License-Identifier: BSD-3-Clause
// Runs the unit tests of target/.
#include "tests/check_target_fake.h"

#include <stdlib.h>

int
main(void)
{
    SRunner *runner = srunner_create(suite_basics());
    srunner_add_suite(runner, suite_snapshot());
    srunner_add_suite(runner, suite_edges());
    srunner_add_suite(runner, suite_inferior());
    srunner_add_suite(runner, suite_code());
    srunner_add_suite(runner, suite_layout());
    srunner_add_suite(runner, suite_block());
    srunner_add_suite(runner, suite_view());
    srunner_add_suite(runner, suite_walk());
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
