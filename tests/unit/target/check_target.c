// SPDX-License-Identifier: BSD-3-Clause
// Runs the unit tests of target/.
#include "tests/check_run.h"
#include "tests/unit/target/fake.h"

int
main(void)
{
    SRunner *runner = srunner_create(suite_basics());
    srunner_add_suite(runner, suite_snapshot());
    srunner_add_suite(runner, suite_pieces());
    srunner_add_suite(runner, suite_edges());
    srunner_add_suite(runner, suite_inferior());
    srunner_add_suite(runner, suite_code());
    srunner_add_suite(runner, suite_machine());
    srunner_add_suite(runner, suite_layout());
    srunner_add_suite(runner, suite_block());
    srunner_add_suite(runner, suite_view());
    srunner_add_suite(runner, suite_walk());
    return check_run(runner);
}
