// SPDX-License-Identifier: BSD-3-Clause
// Readable names out of symbols, also out of symbols that nobody's compiler made.
#include "tests/check_run.h"
#include "mqshow/symbols/names.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *symbol, *name; // NULL: the compiler's
} plain[] = {
    {"work", "work"},
    {"work._omp_fn.0", "work"},
    {"work._omp_fn.0.constprop.1", "work"},
    {"work.omp_outlined", "work"},
    {"work.omp_outlined_debug__.12", "work"},
    {"work.constprop.0", "work"},
    {"work.part.0.isra.0", "work"},
    {"work.cold", "work"},
    {"work.llvm.1234567", "work"},
    {"inner.0", "inner"},
    {"clock_nanosleep@GLIBC_2.2.5", "clock_nanosleep"},
    {"sleep@@GLIBC_2.2.5", "sleep"},
    {"counter.1234", "counter"},
    {"main.main", "main.main"},
    {".omp_outlined.", NULL},
    {".omp_outlined._debug__.3", NULL},
    {".omp_task_entry.", NULL},
    {".omp.reduction.reduction_func", NULL},
    {"work._omp_cpyfn.2", "work"},
    {"", NULL},
    {"__halo_MOD_exchange", "halo::exchange"},
    {"__halo_MOD_share._omp_fn.0", "halo::share"},
    {"__halo_MOD_", "__halo_MOD_"},
    {"___MOD_", "___MOD_"},
    {"__libc_start_main", "__libc_start_main"},
    {"solve<double, std::vector<int> >", "solve<...>"},
    {"a\033[2Jb", "a\\x1b"},
    {"f<<<<<<", "f<...>"},
    {"operator<", "operator<"},
    {"operator-><int>", "operator-><...>"},
    {"my_operator<int>", "my_operator<...>"},
};

START_TEST(reads_symbols)
{
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++) {
        char *name = names_readable(plain[i].symbol);
        ck_assert_msg((name == NULL) == (plain[i].name == NULL) &&
                          (name == NULL || strcmp(name, plain[i].name) == 0),
                      "\"%s\" became \"%s\"", plain[i].symbol, name != NULL ? name : "nothing");
        free(name);
    }
}
END_TEST

#ifdef HAVE_LIBIBERTY
static const char *const mangled[][2] = {
    {"_ZN7physics6solverIdSt6vectorIdSaIdEEE3runEi", "physics::solver<...>::run"},
    {"_ZN7physics6solverIdE3runEi._omp_fn.0", "physics::solver<...>::run"},
    {"_ZN7physics12_GLOBAL__N_16hiddenEv", "physics::(anonymous namespace)::hidden"},
    {"_ZZ4mainENKUliE_clEi", "main::{lambda#1}"},
    {"_ZZN1AIiE3runEiENKUlvE_clEv.constprop.0", "A<...>::run::{lambda#1}"},
    {"_ZNK1AIiEcviEv", "A<...>::operator int"},
    {"_ZN1AlsERKS_", "A::operator<<"},
    {"_ZN1AptEv", "A::operator->"},
    {"_ZN1AclEv", "A::operator()"},
    {"_ZN1AIXadL_ZN1BgtEiEEE3runEv", "A<...>::run"},
    {"_ZN1AIXgtLi3ELi2EEE3runEv", "A<...>::run"},
    {"_ZN3fooB5cxx11Ev", "foo"},
    {"_Z5solveIiEvT_", "solve<...>"},
    {"_ZN2ns4lockE", "ns::lock"},
    {"_ZZNK1A3runEvENKUlvE_clEv", "A::run::{lambda#1}"},
    {"_Znonsense", "_Znonsense"},
    {"_Z", "_Z"},
};

START_TEST(reads_names_of_cplusplus)
{
    for (size_t i = 0; i < sizeof mangled / sizeof *mangled; i++) {
        char *name = names_readable(mangled[i][0]);
        ck_assert_str_eq(name, mangled[i][1]);
        free(name);
    }
}
END_TEST
#endif

// The number in base 36 by which a mangled name means an earlier part of itself.
static void
add_reference(char *text, unsigned part)
{
    char digits[3] = "";
    size_t length = 0;
    if (part > 36)
        digits[length++] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"[(part - 1) / 36];
    if (part > 0)
        digits[length] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"[(part - 1) % 36];
    sprintf(text + strlen(text), "S%s_", digits);
}

// Arguments of a template of which each is twice the one before it: 1 KiB that stands for 2^70.
START_TEST(is_not_blown_up)
{
    for (unsigned levels = 1; levels < 100; levels++) {
        char symbol[2048] = "_Z1fI1AIiE1BIS1_S1_E";
        for (unsigned part = 4; part < levels + 4; part++) {
            strcat(symbol, "S2_I");
            add_reference(symbol, part);
            add_reference(symbol, part);
            strcat(symbol, "E");
        }
        strcat(symbol, "Evv");
        char *name = names_readable(symbol);
        ck_assert_uint_le(strlen(name), 1000);
        free(name);
    }
}
END_TEST

// Every beginning and every single change of a name is read or left alone.
START_TEST(survives_what_nobody_made)
{
    static const char name[] =
        "_ZZN7physics6solverIdSt6vectorIdSaIdEEE3runEiENKUlvE_clEv._omp_fn.0";
    static const char signs[] = "_ISTEN09<>()[]{}.- \377";
    for (size_t i = 0; i < sizeof name - 1; i++) {
        for (size_t k = 0; k < sizeof signs; k++) {
            char symbol[sizeof name];
            strcpy(symbol, name);
            symbol[i] = signs[k];
            free(names_readable(symbol));
        }
    }
}
END_TEST

START_TEST(limits_lengths)
{
    char *symbol = malloc(100001);
    ck_assert_ptr_nonnull(symbol);
    static const char fillings[] = "a<(_";
    for (size_t i = 0; i < sizeof fillings - 1; i++) {
        memset(symbol, fillings[i], 100000);
        symbol[100000] = '\0';
        char *name = names_readable(symbol);
        ck_assert_uint_le(strlen(name), 1000);
        free(name);
        memcpy(symbol, "_ZN", 3);
        name = names_readable(symbol);
        ck_assert_uint_le(strlen(name), 1000);
        free(name);
    }
    free(symbol);
}
END_TEST

START_TEST(names_constructs)
{
    static const char *const expected[][2] = {
        {"work._omp_fn.0", "OpenMP region at ring.c:14"},
        {".omp_outlined.", "parallel region at ring.c:14"},
        {".omp_task_entry.", "task at ring.c:14"},
    };
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        char *text = names_construct(expected[i][0], "/home/me/ring.c", 14);
        ck_assert_str_eq(text, expected[i][1]);
        free(text);
    }
    char *text = names_construct(".omp_outlined.", NULL, 0);
    ck_assert_str_eq(text, "parallel region");
    free(text);
}
END_TEST

int
main(void)
{
    const TTest *const tests[] = {
        reads_symbols,
        is_not_blown_up,
        survives_what_nobody_made,
        limits_lengths,
        names_constructs,
#ifdef HAVE_LIBIBERTY
        reads_names_of_cplusplus,
#endif
    };
    Suite *suite = suite_create("names");
    TCase *tcase = tcase_create("names");
    for (size_t i = 0; i < sizeof tests / sizeof *tests; i++)
        tcase_add_test(tcase, tests[i]);
    suite_add_tcase(suite, tcase);
    return check_run(srunner_create(suite));
}
