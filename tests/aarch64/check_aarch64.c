// SPDX-License-Identifier: BSD-3-Clause
// Debian's stripped packages for aarch64, in an emulator: what mqshow reports through its stub is
// what the programs recorded.
//
// CK_RUN_CASE=openmpi/self runs one case.
#include "tests/live/limits.h"
#include "tests/live/paths.h"
#include "tests/live/suite.h"
#include "tests/live/tool.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WAIT_MS = 100, WAITS = 600 };

static const char target[] = "debian-12-arm64";

/** The MPI libraries: which headers and libraries programs are built with. */
static const struct library {
    const char *name;
    const char *options; // below the root
    struct build build;
} libraries[] = {
    {.name = "openmpi",
     .options = "-I%1$s/usr/lib/aarch64-linux-gnu/openmpi/include "
                "-L%1$s/usr/lib/aarch64-linux-gnu/openmpi/lib -lmpi",
     .build = {.name = "openmpi", .device = DEVICE_OB1, .starter = EMULATE}},
    {.name = "mpich",
     .options = "-I%1$s/usr/include/aarch64-linux-gnu/mpich "
                "-L%1$s/usr/lib/aarch64-linux-gnu -lmpich",
     .build = {.name = "mpich-ucx-aarch64", .device = DEVICE_UCX, .starter = EMULATE}},
};
enum { LIBRARIES = sizeof libraries / sizeof *libraries };

static const char *const programs[] = {"alone", "self"};
enum { PROGRAMS = sizeof programs / sizeof *programs };

/** Builds a program for the other machine. @return the folder that it is in, on the heap */
static char *
build_program(const struct library *library, const char *program, const char *root)
{
    char *folder = run_text("%s/tests/aarch64/%s", BUILD_FOLDER, library->name);
    char *options = run_text(library->options, root);
    char *line =
        run_text("mkdir -p '%s' && cd '%s' && aarch64-linux-gnu-gcc --sysroot='%s' "
                 "-std=gnu11 -g -O1 -pthread -I. -o '%s/%s' tests/live/%s.c " LIVE_COMMON " %s",
                 folder, SOURCE_FOLDER, root, folder, program, program, options);
    ck_assert_msg(system(line) == 0, "this has failed: %s", line);
    free(line);
    free(options);
    return folder;
}

/** The port that the starter offers. @return on the heap */
static char *
await_port(void)
{
    char *path = run_text("%s/port", suite_job.folder), *ret = NULL;
    for (int i = 0; i < WAITS && ret == NULL; i++) {
        ret = run_read_file(path);
        run_sleep_ms(WAIT_MS);
    }
    ck_assert_msg(ret != NULL, "the emulator's stub was not offered");
    free(path);
    ret[strcspn(ret, "\n")] = '\0';
    return ret;
}

/** The emulator has process ids of its own. */
static void
take_pid(json_t *truth, const json_t *report)
{
    const json_t *process = json_array_get(json_object_get(report, "processes"), 0);
    json_object_set(truth, "pid", json_object_get(process, "pid"));
}

static void
look(const char *root, const char *program, const struct build *build, const char *where)
{
    struct command command = tool_command(path_dll());
    char *port = await_port(), *address = run_text("localhost:%s", port);
    json_t *report = NULL, *truth = json_array_get(suite_job.truths, 0);
    command_add(&command, "--sysroot", root, "--exe", program, "--remote", address, NULL);
    suite_expect_none(tool_run(&command, TOOL_ALL, &report));
    take_pid(truth, report);
    json_t *limits = limits_load(build->device);
    ck_assert_ptr_nonnull(limits);
    suite_expect_none(limits_compare(limits, where, truth, report));
    json_decref(limits);
    json_decref(report);
    free(address);
    free(port);
}

START_TEST(agrees_with_the_program)
{
    const struct library *library = &libraries[_i / PROGRAMS];
    const char *program = programs[_i % PROGRAMS];
    char *root = build_target(target);
    ck_assert_msg(root != NULL, "the target %s cannot be made", target);
    char *folder = build_program(library, program, root);
    char *sysroot = run_text("MQS_SYSROOT=%s", root);
    char *path = run_text("%s/%s", folder, program);
    const struct scenario scenario = {
        .name = program, .program = program, .ranks = 1, .variable = sysroot};
    setenv("MQS_LIMITS", SOURCE_FOLDER "/tests/aarch64/mpich-limits.txt", 1);
    setenv("MQS_LIVE_PROGRAMS", folder, 1);
    setenv("MQS_LIVE_PROGRAMS_MPICH", folder, 1);
    setenv("OMPI_MCA_ess_singleton_isolated", "1", 1);
    setenv("OMPI_MCA_pml", "ob1", 1);
    suite_start(&scenario, &library->build);
    char *where = run_text("%s/%s", library->build.name, program);
    look(root, path, &library->build, where);
    free(where);
    free(path);
    free(sysroot);
    free(folder);
    free(root);
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("aarch64");
    for (int i = 0; i < LIBRARIES * PROGRAMS; i++)
        suite_add_case(suite, libraries[i / PROGRAMS].name, programs[i % PROGRAMS],
                       agrees_with_the_program, i);
    return suite_run(suite);
}
