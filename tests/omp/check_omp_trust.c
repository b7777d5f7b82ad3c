// SPDX-License-Identifier: BSD-3-Clause
// What may be loaded into the debugger, and that nothing else ever is.
#include "tests/omp/check_omp.h"

#include "ompd-bridge/library/trust.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LIBRARY_MAX = 1 << 20, MUTATIONS = 1000 };

static char folder[] = "/tmp/check-omp-XXXXXX";
static char copy[64];
static uint8_t bytes[LIBRARY_MAX];
static size_t size;
static struct diagnostics diagnostics;
static char resolved[PATH_MAX];

static void
write_copy(size_t length)
{
    FILE *file = fopen(copy, "we");
    ck_assert_ptr_nonnull(file);
    ck_assert_uint_eq(fwrite(bytes, 1, length, file), length);
    fclose(file);
}

static void
setup(void)
{
    FILE *file = fopen(omp_real_library(), "re");
    ck_assert_ptr_nonnull(file);
    size = fread(bytes, 1, sizeof(bytes), file);
    fclose(file);
    memcpy(folder + strlen(folder) - 6, "XXXXXX", 6);
    ck_assert_ptr_nonnull(mkdtemp(folder));
    snprintf(copy, sizeof(copy), "%s/libompd.so", folder);
    write_copy(size);
    diagnostics_reset(&diagnostics);
    unsetenv("MQS_OMPD_LIBRARY");
    unsetenv("MQS_OMPD_PLANTED_RAN");
}

static void
teardown(void)
{
    unlink(copy);
    rmdir(folder);
}

static void
replace_bytes(const char *from, const char *to, size_t length)
{
    uint8_t *found = memmem(bytes, size, from, length);
    ck_assert_ptr_nonnull(found);
    memcpy(found, to, length);
    write_copy(size);
}

START_TEST(system_library)
{
    char wanted[PATH_MAX], choice[PATH_MAX + 32];
    ck_assert_msg(trust_debuggees_choice(omp_real_library(), resolved, &diagnostics), "%s",
                  diagnostics.texts[0]);
    ck_assert_str_eq(resolved, realpath(omp_real_library(), wanted));
    ck_assert_uint_eq(diagnostics.count, 0);
    snprintf(choice, sizeof(choice), "/nowhere:relative:%s", omp_real_library());
    setenv("MQS_OMPD_LIBRARY", choice, 1);
    ck_assert(trust_users_choice(resolved, &diagnostics));
    ck_assert_str_eq(resolved, wanted);
    ck_assert_uint_ge(diagnostics.count, 2);
}
END_TEST

START_TEST(bad_places)
{
    static const char *const names[] = {"libompd.so",          "",         "../libompd.so",
                                        "/nowhere/libompd.so", "/usr/lib", "/etc/passwd",
                                        "/usr/bin/env"};
    ck_assert(!trust_debuggees_choice(names[_i], resolved, &diagnostics));
}
END_TEST

START_TEST(untrusted_folder)
{
    ck_assert(!trust_debuggees_choice(copy, resolved, &diagnostics));
    ck_assert_ptr_nonnull(strstr(diagnostics.texts[0], "trusted directory"));
}
END_TEST

// Below a folder that others can write to, even if the user names it.
START_TEST(unsafe_folder)
{
    setenv("MQS_OMPD_LIBRARY", folder, 1);
    ck_assert(!trust_users_choice(resolved, &diagnostics));
    ck_assert_ptr_nonnull(strstr(diagnostics.texts[0], "directory above"));
    ck_assert(!trust_debuggees_choice(copy, resolved, &diagnostics));
}
END_TEST

START_TEST(unsafe_file)
{
    setenv("MQS_OMPD_LIBRARY", copy, 1);
    ck_assert_int_eq(chmod(copy, 0666), 0);
    ck_assert(!trust_users_choice(resolved, &diagnostics));
    ck_assert_ptr_nonnull(strstr(diagnostics.texts[0], "write to it"));
}
END_TEST

START_TEST(cut_files)
{
    ck_assert_ptr_null(trust_check_file(copy));
    for (size_t length = 0; length < 0x5000; length += 97) {
        write_copy(length);
        ck_assert_ptr_nonnull(trust_check_file(copy));
    }
}
END_TEST

// Whatever the bytes say, the check ends, and touches nothing that is not there.
START_TEST(damaged_files)
{
    uint32_t random = 12345;
    for (unsigned i = 0; i < MUTATIONS; i++) {
        random = random * 1664525 + 1013904223;
        size_t at = (random >> 8) % (i % 2 ? 0x400 : 0x5000);
        uint8_t old = bytes[at];
        bytes[at] = (uint8_t) (random >> 3);
        write_copy(size);
        (void) trust_check_file(copy);
        bytes[at] = old;
    }
}
END_TEST

START_TEST(needs_a_runtime)
{
    replace_bytes("libgcc_s.so.1", "libgomp.so.1\0", 13);
    ck_assert_ptr_nonnull(strstr(trust_check_file(copy), "OpenMP runtime"));
}
END_TEST

START_TEST(lacks_a_function)
{
    replace_bytes("ompd_get_state", "ompd_get_stat_", 14);
    ck_assert_ptr_nonnull(strstr(trust_check_file(copy), "lacks functions"));
}
END_TEST

START_TEST(other_machine)
{
    bytes[18] ^= 1;
    write_copy(size);
    ck_assert_ptr_nonnull(strstr(trust_check_file(copy), "machine"));
}
END_TEST

static void
assert_not_loaded(void)
{
    ck_assert_ptr_null(getenv("MQS_OMPD_PLANTED_RAN"));
    ck_assert_ptr_null(dlopen(PLANTED, RTLD_NOW | RTLD_NOLOAD));
}

// A process that names a library of its own. Where the native reader knows the runtime it answers,
// and nothing asks for a library; where it does not, the library is refused.
START_TEST(planted_by_the_process)
{
    const bool is_known = _i;
    fake_kmp_init(&fake, &omp_models[0], FAKE_NAMED, FAKE_TABLE);
    ck_assert_uint_lt(strlen(PLANTED), 0x700);
    ck_assert_ptr_nonnull(strstr(PLANTED, "planted"));
    snprintf((char *) fake.memory + FAKE_TEXTS + 0x1000, 0x700, "%s", PLANTED);
    fake_kmp_put(&fake, FAKE_BASE + FAKE_TEXTS + 8, 8, FAKE_BASE + FAKE_TEXTS + 0x1000);
    if (!is_known)
        unsetenv("MQS_OMPD_UNKNOWN_RUNTIME");
    struct omp_answers answers = omp_ask();
    setenv("MQS_OMPD_UNKNOWN_RUNTIME", "1", 1);
    ck_assert_int_eq(answers.has, is_known ? STATUS_OK : STATUS_UNSUPPORTED);
    ck_assert_uint_eq(answers.n_threads, is_known ? FAKE_WORKERS + 1 : 0);
    ck_assert_uint_eq(answers.n_notes, is_known ? 0 : 1);
    assert_not_loaded();
}
END_TEST

START_TEST(planted_by_the_environment)
{
    setenv("MQS_OMPD_LIBRARY", PLANTED, 1);
    ck_assert_ptr_nonnull(trust_check_file(PLANTED));
    ck_assert(!trust_users_choice(resolved, &diagnostics));
    assert_not_loaded();
}
END_TEST

// The library under test exports all functions of an OMPD library.
START_TEST(itself)
{
    ck_assert_ptr_nonnull(strstr(trust_check_file(DLL), "a library like the one"));
}
END_TEST

// What a path says may end on a terminal.
START_TEST(harmless_notes)
{
    setenv("MQS_OMPD_LIBRARY", "/\033[2J%s\n\377", 1);
    ck_assert(!trust_users_choice(resolved, &diagnostics));
    ck_assert_uint_eq(diagnostics.count, 1);
    for (const char *c = diagnostics.texts[0]; *c; c++)
        ck_assert(*c >= ' ' && *c <= '~' && *c != '%');
}
END_TEST

Suite *
suite_trust(void)
{
    Suite *suite = suite_create("trust");
    TCase *cases = tcase_create("trust");
    tcase_add_checked_fixture(cases, setup, teardown);
    tcase_set_timeout(cases, 600);
    tcase_add_test(cases, system_library);
    tcase_add_loop_test(cases, bad_places, 0, 7);
    tcase_add_test(cases, untrusted_folder);
    tcase_add_test(cases, unsafe_folder);
    tcase_add_test(cases, unsafe_file);
    tcase_add_test(cases, cut_files);
    tcase_add_test(cases, damaged_files);
    tcase_add_test(cases, needs_a_runtime);
    tcase_add_test(cases, lacks_a_function);
    tcase_add_test(cases, other_machine);
    tcase_add_loop_test(cases, planted_by_the_process, 0, 2);
    tcase_add_test(cases, planted_by_the_environment);
    tcase_add_test(cases, itself);
    tcase_add_test(cases, harmless_notes);
    suite_add_tcase(suite, cases);
    return suite;
}
