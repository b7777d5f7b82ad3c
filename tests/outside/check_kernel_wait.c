// SPDX-License-Identifier: BSD-3-Clause
// What stacks in the kernel, paths of drivers' files and types of file systems say: of machines
// with GPUs and network file systems, which are not at hand.
#include "mqshow/base/escape.h"
#include "mqshow/process/kernel_wait.h"
#include "mqshow/process/mounts.h"
#include "tests/check_run.h"

#include <check.h>
#include <stdio.h>

static const struct {
    const char *stack, *function, *module;
} stacks[] = {
    {"[<0>] nfs_wait_bit_killable+0x1e/0x90 [nfs]\n[<0>] vfs_read+0x1/0x2\n",
     "nfs_wait_bit_killable", "nfs"},
    {"[<0>] schedule_timeout+0x9f/0x150\n[<0>] nv_ioctl+0x2b/0x1d0 [nvidia]\n"
     "[<0>] nvidia_frontend_ioctl+0x3/0x4 [other]\n",
     "schedule_timeout", "nvidia"},
    {"[<ffffffff8123abcd>] pipe_read+0x1/0x2\n[<ffffffffffffffff>] 0xffffffffffffffff\n",
     "pipe_read", NULL},
    {"", NULL, NULL},
    {"[<0>] \n[<0>]\n[<0>] a+", "a", NULL},
    {"[<0>] evil\x1b[31m+0x1/0x2 [mod\x1bule]\n", "evil", NULL},
    {"no stack", NULL, NULL},
};

START_TEST(parses_stacks)
{
    struct kernel_wait wait = {.function = NULL};
    char text[256];
    snprintf(text, sizeof text, "%s", stacks[_i].stack);
    kernel_wait_parse(&wait, text);
    ck_assert(text_equals(wait.function, stacks[_i].function));
    ck_assert(text_equals(wait.module, stacks[_i].module));
    kernel_wait_deinit(&wait);
}
END_TEST

START_TEST(knows_drivers)
{
    ck_assert(text_equals(driver_of_file("/dev/nvidia0"), "NVIDIA's driver (nvidia)"));
    ck_assert(text_equals(driver_of_file("/dev/nvidia-uvm"), "NVIDIA's driver (nvidia_uvm)"));
    ck_assert(text_equals(driver_of_file("/dev/kfd"), "AMD's driver (amdgpu)"));
    ck_assert_ptr_nonnull(driver_of_file("/dev/dri/renderD128"));
    ck_assert_ptr_null(driver_of_file("/dev/null"));
    ck_assert_ptr_null(driver_of_file("/home/dev/nvidia0"));
    ck_assert(text_equals(driver_of_module("nvidia_uvm"), "NVIDIA's driver (nvidia_uvm)"));
    ck_assert_ptr_null(driver_of_module("ext4"));
}
END_TEST

START_TEST(sorts_file_systems)
{
    ck_assert(text_equals(mount_sort("nfs4"), "network"));
    ck_assert(text_equals(mount_sort("lustre"), "network"));
    ck_assert(text_equals(mount_sort("fuse.sshfs"), "FUSE"));
    ck_assert_ptr_null(mount_sort("ext4"));
    ck_assert_ptr_null(mount_sort("nf"));
    ck_assert_ptr_null(mount_sort("unheard"));
    // Only what is known to be of this machine is asked for its space.
    ck_assert(mount_is_local("tmpfs"));
    ck_assert(!mount_is_local("nfs") && !mount_is_local("fuse") && !mount_is_local("unheard"));
    ck_assert(!mount_is_local("") && !mount_is_local("overlay"));
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("kernel_wait");
    TCase *tcase = tcase_create("words");
    tcase_add_loop_test(tcase, parses_stacks, 0, (int) (sizeof stacks / sizeof *stacks));
    tcase_add_test(tcase, knows_drivers);
    tcase_add_test(tcase, sorts_file_systems);
    suite_add_tcase(suite, tcase);
    return check_run(srunner_create(suite));
}
