// SPDX-License-Identifier: BSD-3-Clause
// Tests the script machine itself: layouts, values, lists, macros, what can be read.
#include "tests/check_run.h"
#include "tests/script/script.h"

#include <check.h>
#include <stdio.h>
#include <string.h>

static struct source source;
static struct script script;

static void
load(const char *text, const char *model)
{
    source = (struct source){0};
    source_load_text(&source, "test", text);
    script_load(&script, &source, model_find(model), false);
}

static void
unload(void)
{
    script_deinit(&script);
    source_deinit(&source);
}

static uint64_t
symbol(const char *name)
{
    const struct name *found = script_name(&script, NAME_SYMBOL, name);
    ck_assert_msg(found, "symbol %s", name);
    return found->value;
}

static void
assert_bytes(const char *name, const char *expected, size_t size)
{
    char bytes[64];
    ck_assert(memory_read(&script.memory, symbol(name), size, bytes));
    ck_assert_mem_eq(bytes, expected, size);
}

static const char mixed[] = "struct mixed\n"
                            "  char c\n  pointer p\n  int16 s\n  int64 l\n  char[3] t\n"
                            "end\n"
                            "symbol p offsetof(mixed, p)\n symbol s offsetof(mixed, s)\n"
                            "symbol l offsetof(mixed, l)\n symbol t offsetof(mixed, t)\n"
                            "symbol size sizeof(mixed)\n symbol wide wide ? 1 : 2";

START_TEST(test_layout_wide)
{
    load(mixed, "be64");
    ck_assert_uint_eq(symbol("p"), 8);
    ck_assert_uint_eq(symbol("s"), 16);
    ck_assert_uint_eq(symbol("l"), 24);
    ck_assert_uint_eq(symbol("t"), 32);
    ck_assert_uint_eq(symbol("size"), 40);
    ck_assert_uint_eq(symbol("wide"), 1);
    unload();
}
END_TEST

START_TEST(test_layout_narrow)
{
    load(mixed, "le32");
    ck_assert_uint_eq(symbol("p"), 4);
    ck_assert_uint_eq(symbol("s"), 8);
    ck_assert_uint_eq(symbol("l"), 16);
    ck_assert_uint_eq(symbol("t"), 24);
    ck_assert_uint_eq(symbol("size"), 32);
    ck_assert_uint_eq(symbol("wide"), 2);
    unload();
}
END_TEST

START_TEST(test_nested_and_union)
{
    load("struct in\n int8 a\n int32 b\nend\n"
         "union u\n in x\n int64 y\nend\n"
         "struct out\n int8 a\n in[3] i\n u v at 0x40\n pad 3\n extend 100\nend\n"
         "symbol i offsetof(out, i)\n symbol v offsetof(out, v)\n symbol size sizeof(out)\n"
         "object o out\n .i[2].b = 1 + 2 * 3 - 8 / 4 % 3\n symbol b &o.i[2].b\n"
         "alias part o.i[1]\n .b = -1\n symbol part &part",
         "le64");
    ck_assert_uint_eq(symbol("i"), 4);
    ck_assert_uint_eq(symbol("v"), 64);
    ck_assert_uint_eq(symbol("size"), 104);
    assert_bytes("b", "\5\0\0", 4);
    ck_assert_uint_eq(symbol("b") - symbol("part"), 12);
    unload();
}
END_TEST

START_TEST(test_values)
{
    load("let N 0x10\n"
         "struct s\n int32 i\n char[4] c\n pointer p\n pointer t\nend\n"
         "object o s\n .i = N << 4 | (1 == 1 && !0 ? 'A' : 7)\n .c = \"ab\\x01d\"\n .p = &later\n"
         ".t = \"text # more\"\n"
         "object later int32\n . = ~0\n"
         "symbol i &o.i\n symbol c &o.c\n symbol later &later\n symbol t value(o.t)\n"
         "symbol p value(o.p)",
         "be32");
    assert_bytes("i", "\0\0\1\x41", 4);
    assert_bytes("c", "ab\1d", 4);
    assert_bytes("t", "text # more", 12);
    assert_bytes("later", "\xff\xff\xff\xff", 4);
    ck_assert_uint_eq(symbol("p"), symbol("later"));
    unload();
}
END_TEST

START_TEST(test_macros)
{
    load("macro pair A B  # two\n"
         "  object ${A}_$B int32\n  . = $B\n"
         "end\n"
         "repeat i 3\n  repeat j 2\n    pair x$i $j\n  end\nend\n"
         "symbol last &x2_1",
         "le64");
    ck_assert_uint_eq(script.n_objects, 6);
    assert_bytes("last", "\1\0\0", 4);
    unload();
}
END_TEST

static const char ring[] = "struct item\n int32 tag\n pointer next\n pointer prev\nend\n"
                           "struct ring_t\n item head\n size length\nend\n"
                           "ring ring_t head next prev length\n"
                           "object r ring_t\n object a item\n object b item\n"
                           "list r : a b\n"
                           "symbol first value(r.head.next)\n symbol length value(r.length)\n"
                           "symbol back value(r.head.prev)\n symbol a &a\n symbol b &b\n"
                           "then\n list r : b\n symbol first value(r.head.next)\n"
                           "append r a\n symbol back value(r.head.prev)\n";

START_TEST(test_ring)
{
    load(ring, "be64");
    ck_assert_uint_eq(symbol("length"), 2);
    ck_assert_uint_eq(symbol("first"), symbol("a"));
    ck_assert_uint_eq(symbol("back"), symbol("b"));
    ck_assert(script_then(&script));
    ck_assert_uint_eq(symbol("first"), symbol("b"));
    ck_assert_uint_eq(symbol("back"), symbol("a"));
    ck_assert(!script_then(&script));
    unload();
}
END_TEST

START_TEST(test_raw)
{
    char byte;

    load("model le64\nmemory 0x1ffe 0102 ff*3 # over a page\nno memory 0x2000 1\n"
         "symbol s 0x1ffe\ntype t 12\nfield t f 4\nno type u\nfunction main 0x400000",
         "le64");
    ck_assert_uint_eq(script_models(&source), 1);
    assert_bytes("s", "\1\2", 2);
    ck_assert(!memory_read(&script.memory, 0x2000, 1, &byte));
    ck_assert(memory_read(&script.memory, 0x2001, 1, &byte));
    ck_assert(!memory_read(&script.memory, 0x2003, 1, &byte));
    ck_assert(!memory_read(&script.memory, 0x1ffd, 2, &byte));
    const struct record *record = types_find(&script.types, "t");
    ck_assert(record && record->told && record->told_size == 12);
    ck_assert_int_eq(record_find(record, "f")->told_offset, 4);
    ck_assert(!types_find(&script.types, "u")->told);
    ck_assert(script_name(&script, NAME_FUNCTION, "main"));
    unload();
}
END_TEST

START_TEST(test_pages)
{
    char byte;

    load("object o int32\nsymbol o &o", "le64");
    uint64_t page = symbol("o") - symbol("o") % MEMORY_PAGE;
    ck_assert(memory_read(&script.memory, page + MEMORY_PAGE - 1, 1, &byte));
    ck_assert_int_eq((unsigned char) byte, 0xa5);
    ck_assert(!memory_read(&script.memory, page + MEMORY_PAGE, 1, &byte));
    script_deinit(&script);
    script_load(&script, &source, &models[0], true);
    ck_assert(memory_read(&script.memory, symbol("o") + 3, 1, &byte));
    ck_assert(!memory_read(&script.memory, symbol("o") + 4, 1, &byte));
    unload();
}
END_TEST

START_TEST(test_show)
{
    char text[64];

    load("struct in\n int32[4] a\nend\nstruct out\n int64 x\n in i\nend\nobject o out\nsymbol o &o",
         "le64");
    ck_assert_str_eq(script_show(&script, symbol("o"), text, sizeof(text)), "&o");
    ck_assert_str_eq(script_show(&script, symbol("o") + 16, text, sizeof(text)), "&o.i.a[2]");
    ck_assert_str_eq(script_show(&script, symbol("o") + 17, text, sizeof(text)), "&o.i.a[2]+1");
    ck_assert_str_eq(script_show(&script, 0x1234, text, sizeof(text)), "0x1234");
    unload();
}
END_TEST

/** Scripts that end the program. */
static const char *const wrong[] = {
    "struct s\n int32 a",
    "object o nothing",
    "object o int8\n. = 256",
    "object o int8\n. = -129",
    "object o char[2]\n. = \"abc\"",
    "object o int32\n.a = 1",
    "object o int32[2]\n.[2] = 1",
    "nonsense 1 2",
    "assert 1 == 2",
    "macro m A\nend\nm",
    "macro m A\nend\nm 1 2",
    "repeat i 2",
    "symbol s 1 / 0",
    "symbol s (1",
    "symbol s &nothing",
    "memory 0 0g",
    "include nothing-of-that-name",
    "macro m\nm\nend\nm",
};

START_TEST(test_wrong)
{
    ck_assert(freopen("/dev/null", "w", stderr));
    load(wrong[_i], "le64");
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("script format");
    TCase *tests = tcase_create("all");

    tcase_add_test(tests, test_layout_wide);
    tcase_add_test(tests, test_layout_narrow);
    tcase_add_test(tests, test_nested_and_union);
    tcase_add_test(tests, test_values);
    tcase_add_test(tests, test_macros);
    tcase_add_test(tests, test_ring);
    tcase_add_test(tests, test_raw);
    tcase_add_test(tests, test_pages);
    tcase_add_test(tests, test_show);
    tcase_add_loop_exit_test(tests, test_wrong, 99, 0, (int) (sizeof(wrong) / sizeof(wrong[0])));
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_set_fork_status(runner, CK_FORK); // scripts that are wrong end the program
    return check_run(runner);
}
