// SPDX-License-Identifier: BSD-3-Clause
// The records of the installed headers are in Python what they are in C: sizes, offsets, constants.
#include "mqs_ext.h"
#include "mqs_omp.h"
#include "tests/check_run.h"
#include "tests/live/run.h"

#include <check.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

enum { GDB_SECONDS = 600 };

#define RECORD(python, type)        \
    {                               \
        python, "", sizeof(type), 0 \
    }
#define FIELD(python, type, member)                                           \
    {                                                                         \
        python, #member, sizeof(((type *) 0)->member), offsetof(type, member) \
    }
#define VALUE(python, value)             \
    {                                    \
        "=", python, (size_t) (value), 0 \
    }

/** A record, or one of its fields, or a constant. */
static const struct {
    const char *record, *field;
    size_t size, offset;
} rows[] = {
#include "tests/gdb/records.def"
};

static void
write_rows(const char *path)
{
    FILE *file = fopen(path, "w");
    ck_assert_ptr_nonnull(file);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        fprintf(file, "%s %s %zu %zu\n", rows[i].record,
                *rows[i].field != '\0' ? rows[i].field : "-", rows[i].size, rows[i].offset);
    ck_assert_int_eq(fclose(file), 0);
}

START_TEST(are_those_of_c)
{
    char path[] = "/tmp/mqs-records-XXXXXX";
    int file = mkstemp(path);
    ck_assert_int_ge(file, 0);
    write_rows(path);
    setenv("MQS_RECORDS", path, 1);
    setenv("PYTHONDONTWRITEBYTECODE", "1", 1);
    struct command command = {.count = 0};
    command_add(&command, "gdb", "-q", "-batch", "-nx", "-ex", "source " GDB_COMMANDS, "-ex",
                "source " GDB_RECORDS, NULL);
    struct outcome outcome = run(&command, GDB_SECONDS);
    remove(path);
    ck_assert_msg(strstr(outcome.out, "all records are equal") != NULL, "%s%s", outcome.out,
                  outcome.err);
    outcome_deinit(&outcome);
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("gdb records");
    TCase *all = tcase_create("all");
    tcase_add_test(all, are_those_of_c);
    suite_add_tcase(suite, all);
    SRunner *runner = srunner_create(suite);
    srunner_set_fork_status(runner, CK_NOFORK);
    return check_run(runner);
}
