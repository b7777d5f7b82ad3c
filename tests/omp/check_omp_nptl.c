// SPDX-License-Identifier: BSD-3-Clause
// The C library's lists of threads, of before glibc 2.34 and of later ones, sane and damaged.
#include "tests/omp/check_omp.h"

#include "ompd-bridge/nptl.h"

#include <stdlib.h>
#include <string.h>

enum { BASE = 0x10000, SIZE = 0x1000, LIST = 0x20, TID = 0x40, THREADS = 3, PTHREAD = 0x100 };
enum { RTLD = BASE + 0x100, USER = 0x40, USED = 0x60, FIRST = BASE + 0x800 };

/** A variable that has a name, and the words that stand there. */
static const struct {
    const char *name;
    bool is_old, is_new; // in which C library
    taddr addr;
    uint32_t words[3]; // of a descriptor
} variables[] = {
    {"_thread_db_pthread_tid", true, true, BASE, {32, 1, TID}},
    {"_thread_db_pthread_list", true, true, BASE + 12, {128, 1, LIST}},
    {"_thread_db_list_t_next", true, true, BASE + 24, {64, 1, 0}},
    {"_thread_db_list_t_prev", true, true, BASE + 36, {64, 1, 8}},
    {"_thread_db_sizeof_pthread", true, true, BASE + 48, {PTHREAD, 0, 0}},
    {"_thread_db_rtld_global__dl_stack_user", false, true, BASE + 60, {128, 1, USER}},
    {"_thread_db_rtld_global__dl_stack_used", false, true, BASE + 72, {128, 1, USED}},
    {"_rtld_global", true, true, RTLD, {0, 0, 0}},
    {"__stack_user", true, false, RTLD + USER, {0, 0, 0}},
    {"stack_used", true, false, RTLD + USED, {0, 0, 0}},
};
enum { VARIABLES = sizeof variables / sizeof *variables };

static struct {
    bool is_old;
    const char *lacks; // a name that is not there
    uint8_t bytes[SIZE];
} process;
static struct inferior inf;
static struct nptl nptl;
static struct nptl_heads heads;

static bool
read_bytes(void *host, taddr addr, size_t size, void *ret)
{
    (void) host;
    if (addr < BASE || addr - BASE > SIZE || size > SIZE - (addr - BASE))
        return false;
    memcpy(ret, process.bytes + (addr - BASE), size);
    return true;
}

static bool
find_symbol(void *host, const char *name, taddr *ret)
{
    (void) host;
    for (unsigned i = 0; i < VARIABLES; i++) {
        const bool is_there = process.is_old ? variables[i].is_old : variables[i].is_new;
        if (!is_there || strcmp(variables[i].name, name) != 0)
            continue;
        *ret = variables[i].addr;
        return process.lacks == NULL || strcmp(process.lacks, name) != 0;
    }
    return false;
}

static bool
data_model(void *host, struct datamodel *ret)
{
    (void) host;
    *ret = omp_models[0];
    return true;
}

static void
put(taddr addr, uint64_t value, size_t width)
{
    for (size_t i = 0; i < width; i++)
        process.bytes[addr - BASE + i] = (uint8_t) (value >> (8 * i));
}

static taddr
pthread_of(unsigned number)
{
    return FIRST + number * PTHREAD;
}

static void
link_nodes(taddr before, taddr after)
{
    put(before, after, 8);
    put(after + 8, before, 8);
}

// The first thread has a stack of its own; of the others, the last is the first of its list.
static void
set_up(void)
{
    static const struct target_ops ops = {.read = read_bytes,
                                          .find_symbol = find_symbol,
                                          .find_function = find_symbol,
                                          .data_model = data_model,
                                          .alloc = malloc,
                                          .free = free};
    const taddr user = RTLD + USER, used = RTLD + USED;
    memset(&process, 0, sizeof process);
    for (unsigned i = 0; i < VARIABLES; i++)
        for (unsigned k = 0; k < 3 && variables[i].words[0] != 0; k++)
            put(variables[i].addr + 4 * k, variables[i].words[k], 4);
    put(BASE + 48, PTHREAD, 4);
    link_nodes(user, pthread_of(0) + LIST);
    link_nodes(pthread_of(0) + LIST, user);
    link_nodes(used, pthread_of(2) + LIST);
    link_nodes(pthread_of(2) + LIST, pthread_of(1) + LIST);
    link_nodes(pthread_of(1) + LIST, used);
    for (unsigned i = 0; i < THREADS; i++)
        put(pthread_of(i) + TID, 1000 + i, 4);
    ck_assert_int_eq(inferior_init(&inf, (struct target){.ops = &ops}), STATUS_OK);
}

static void
tear_down(void)
{
    inferior_deinit(&inf);
}

static enum status
find_all(void)
{
    TRY(nptl_find(&inf, &nptl));
    return nptl_find_heads(&nptl, &inf, &heads);
}

static enum status
take_thread(void *closure, taddr pthread)
{
    unsigned *count = closure;
    int64_t tid = 0;
    ck_assert_uint_eq(pthread, pthread_of(*count));
    ck_assert_int_eq(nptl_tid(&nptl, &inf, pthread, &tid), STATUS_OK);
    ck_assert_int_eq(tid, 1000 + (int) (*count)++);
    return STATUS_OK;
}

START_TEST(threads_of_both)
{
    unsigned count = 0;
    process.is_old = _i == 0;
    ck_assert_int_eq(find_all(), STATUS_OK);
    ck_assert_uint_eq(heads.descriptor, PTHREAD);
    ck_assert_int_eq(nptl_walk(&nptl, &heads, &inf, take_thread, &count), STATUS_OK);
    ck_assert_uint_eq(count, THREADS);
}
END_TEST

// libpthread without a symbol table.
START_TEST(names_lack)
{
    static const char *const lacks[] = {"__stack_user", "stack_used"};
    process.is_old = true;
    process.lacks = lacks[_i];
    ck_assert_int_eq(find_all(), STATUS_ABSENT);
    ck_assert_ptr_nonnull(strstr(trail_text(&inf.trail), lacks[_i]));
}
END_TEST

// What has the name of a list but is none; 0 is what a variable of another kind often is.
START_TEST(no_list_is_there)
{
    static const uint64_t values[] = {0, 1, BASE, UINT64_MAX};
    process.is_old = _i % 2 == 0;
    put(RTLD + (_i / 2 % 2 ? USER : USED) + 8, values[_i / 4], 8);
    ck_assert_int_eq(find_all(), STATUS_CORRUPT);
}
END_TEST

static enum status
count_thread(void *closure, taddr pthread)
{
    unsigned *count = closure;
    (void) pthread;
    ++*count;
    return STATUS_OK;
}

// Any one pointer of the lists is another: the walk ends, and visits no thread twice.
START_TEST(links_lie)
{
    unsigned count = 0;
    const taddr nodes[] = {pthread_of(0) + LIST, pthread_of(1) + LIST, pthread_of(2) + LIST};
    process.is_old = true;
    ck_assert_int_eq(find_all(), STATUS_OK);
    put(nodes[_i % 3] + (_i / 3 % 2 ? 8 : 0), _i / 6 % 4 < 3 ? nodes[_i / 6 % 4] : 1, 8);
    inferior_refresh(&inf);
    enum status status = nptl_walk(&nptl, &heads, &inf, count_thread, &count);
    ck_assert_uint_le(count, THREADS);
    ck_assert(status != STATUS_OK || count == THREADS);
}
END_TEST

Suite *
suite_nptl(void)
{
    Suite *suite = suite_create("threads of the C library");
    TCase *cases = tcase_create("lists");
    tcase_add_checked_fixture(cases, set_up, tear_down);
    tcase_add_loop_test(cases, threads_of_both, 0, 2);
    tcase_add_loop_test(cases, names_lack, 0, 2);
    tcase_add_loop_test(cases, no_list_is_there, 0, 16);
    tcase_add_loop_test(cases, links_lie, 0, 24);
    suite_add_tcase(suite, cases);
    return suite;
}
