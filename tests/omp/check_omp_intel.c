// SPDX-License-Identifier: BSD-3-Clause
// What Intel's runtime exports for debuggers: read where it makes sense, refused where it does not.
#include "tests/omp/check_omp.h"

#include "ompd-bridge/llvm/intel.h"

#include <string.h>

// One page with the table, and behind it the variables that it names.
enum { BASE = 0x7000000, NUMBERS = 0x800, BANNER = 0x900, PAGE = 0x1000, ENTRY = 16, QUEUES = 660 };

static struct {
    uint8_t bytes[PAGE];
    unsigned reads, fail;
    bool named;
} made;

static struct inferior inf;
static struct intel intel;

static bool
read_page(void *host, taddr addr, size_t size, void *ret)
{
    (void) host;
    if ((made.fail != 0 && ++made.reads >= made.fail) || addr < BASE || addr > BASE + PAGE ||
        size > BASE + PAGE - addr)
        return false;
    memcpy(ret, made.bytes + (addr - BASE), size);
    return true;
}

static bool
find_table(void *host, const char *name, taddr *ret)
{
    (void) host;
    *ret = BASE;
    return made.named && strcmp(name, "__kmp_omp_debug_struct_info") == 0;
}

static void
put(unsigned at, size_t width, uint64_t value)
{
    for (size_t i = 0; i < width; i++)
        made.bytes[at + (inf.model.big_endian ? width - 1 - i : i)] = (uint8_t) (value >> 8 * i);
}

// The number, size and address of a variable.
static void
put_entry(unsigned number, uint64_t size)
{
    put(8 + number * ENTRY, 8, BASE + NUMBERS + number * 8);
    put(8 + number * ENTRY + 8, 4, size);
}

static enum status
ask(void)
{
    made.reads = 0;
    inferior_refresh(&inf);
    return intel_find(&inf, &intel);
}

static void
start(unsigned model)
{
    static struct target_ops ops;
    fake_kmp_init(&fake, &omp_models[model], FAKE_FORWARD, FAKE_TABLE);
    ops = *fake_kmp_target(&fake).ops;
    ops.read = read_page;
    ops.find_symbol = find_table;
    memset(&made, 0, sizeof(made));
    made.named = true;
    ck_assert_int_eq(inferior_init(&inf, (struct target){&ops, &fake}), STATUS_OK);
    const uint64_t width = inf.model.pointer_size, sizes[] = {4, 4, 4, 4, 0, width, width, 4};
    for (unsigned i = 0; i < 8; i++)
        put_entry(i, sizes[i]);
    put(8 + 4 * ENTRY, 8, BASE + BANNER);
    memcpy(made.bytes + BANNER, "Intel(R) OMP", 13);
    static const uint64_t numbers[] = {5, 0, 20231107, 201611};
    for (unsigned i = 0; i < 4; i++)
        put(NUMBERS + i * 8, 4, numbers[i]);
    put(QUEUES, 4, 144);
    put(QUEUES + 4, 4, width);
}

START_TEST(is_read)
{
    start((unsigned) _i);
    ck_assert_int_eq(ask(), STATUS_OK);
    ck_assert_str_eq(intel.release, "5.0.20231107");
    ck_assert_int_eq(intel.version, 201611);
    ck_assert_uint_eq(intel.queues, 144);
    ck_assert_uint_eq(intel.threads, BASE + NUMBERS + 5 * 8);
    ck_assert_uint_eq(intel.capacity, BASE + NUMBERS + 7 * 8);
    inferior_deinit(&inf);
}
END_TEST

START_TEST(another_runtime)
{
    start(0);
    memcpy(made.bytes + BANNER, "LLVM OMP", 9);
    ck_assert_int_eq(ask(), STATUS_ABSENT);
    made.named = false;
    inferior_deinit(&inf);
    start(0);
    made.named = false;
    ck_assert_int_eq(ask(), STATUS_ABSENT);
    inferior_deinit(&inf);
}
END_TEST

// Another size, an address far away, queues at no place that a struct has.
START_TEST(nonsense_is_refused)
{
    static const struct {
        unsigned at, width;
        uint64_t value;
    } wrong[] = {
        {8 + 8, 4, 8},         {8 + 5 * ENTRY + 8, 4, 5}, {8 + 7 * ENTRY, 8, 0x7f0000000000},
        {8 + 5 * ENTRY, 8, 0}, {QUEUES, 4, 145},          {QUEUES, 4, 0x10000},
        {QUEUES + 4, 4, 0}};
    for (unsigned i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        start(0);
        put(wrong[i].at, wrong[i].width, wrong[i].value);
        ck_assert_int_eq(ask(), STATUS_CORRUPT);
        inferior_deinit(&inf);
    }
}
END_TEST

START_TEST(reads_fail)
{
    for (unsigned i = 1; i < 4; i++) {
        start(0);
        made.fail = i;
        enum status status = ask();
        ck_assert(status == STATUS_OK || status == STATUS_UNREADABLE);
        ck_assert(status != STATUS_OK || i > 1);
        inferior_deinit(&inf);
    }
}
END_TEST

Suite *
suite_intel(void)
{
    Suite *suite = suite_create("Intel's table");
    TCase *cases = tcase_create("read or refused");
    tcase_add_loop_test(cases, is_read, 0, OMP_MODELS);
    tcase_add_test(cases, another_runtime);
    tcase_add_test(cases, nonsense_is_refused);
    tcase_add_test(cases, reads_fail);
    suite_add_tcase(suite, cases);
    return suite;
}
