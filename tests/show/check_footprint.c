// SPDX-License-Identifier: BSD-3-Clause
// What was read of a process once is copied at once the next time, as it is at that moment.
#include "mqshow/process/debuggee.h"
#include "mqshow/process/footprint.h"
#include "mqshow/process/memory.h"
#include "tests/check_run.h"

#include <check.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PAGE = 4096, PAGES = 8, HOLE = 5, LIST = 3000 };

static unsigned char *pages; // shared with the process that is read, at the same address
static struct footprint footprint;
static struct debuggee debuggee;

static uint64_t
at(size_t offset)
{
    return (uint64_t) (uintptr_t) (pages + offset);
}

static bool
look(size_t offset, size_t size, void *ret)
{
    return memory_read(&debuggee, at(offset), size, ret);
}

static void
begin(void)
{
    pages = mmap(NULL, PAGES * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    ck_assert_ptr_ne(pages, MAP_FAILED);
    ck_assert_int_eq(mprotect(pages + HOLE * PAGE, PAGE, PROT_NONE), 0);
    pid_t pid = fork();
    if (pid == 0)
        for (;;)
            pause();
    ck_assert_int_gt(pid, 0);
    debuggee = (struct debuggee){.pid = pid, .footprint = &footprint, .pointer_size = 8};
}

static void
end(void)
{
    footprint_deinit(&footprint);
    kill(debuggee.pid, SIGKILL);
    waitpid(debuggee.pid, NULL, 0);
    munmap(pages, PAGES * PAGE);
}

START_TEST(is_of_one_moment)
{
    unsigned char seen[600];
    memset(pages, 1, 600);
    ck_assert(look(0, sizeof seen, seen));
    ck_assert(look(400, 100, seen));
    ck_assert(look(2 * PAGE, 8, seen));
    ck_assert(footprint_prepare(&footprint));
    memset(pages, 2, 600);
    footprint_copy(&footprint, debuggee.pid);
    memset(pages, 3, 600);
    ck_assert(look(100, 500, seen));
    ck_assert_uint_eq(seen[0], 2);
    ck_assert_uint_eq(seen[499], 2);
    ck_assert(look(2 * PAGE + 4, 4, seen));
    ck_assert(!footprint.missed);
    ck_assert_uint_eq(footprint.copied.count, 2);
}
END_TEST

START_TEST(notices_what_is_missing)
{
    unsigned char seen[16];
    ck_assert(look(0, 8, seen));
    ck_assert(footprint_prepare(&footprint));
    footprint_copy(&footprint, debuggee.pid);
    ck_assert(look(0, 16, seen));
    ck_assert(footprint.missed);
    ck_assert(footprint_prepare(&footprint));
    footprint_copy(&footprint, debuggee.pid);
    ck_assert(look(0, 16, seen));
    ck_assert(!footprint.missed);
}
END_TEST

// More than a page may be asked for in vain: what was foreseen of it is asked for again.
START_TEST(does_without_what_is_read_ahead)
{
    static unsigned char seen[2 * PAGE];
    ck_assert(look(0, PAGE, seen));
    ck_assert(footprint_prepare(&footprint));
    footprint_copy(&footprint, debuggee.pid);
    footprint.moment = FOOTPRINT_PAST;
    ck_assert(!memory_read_ahead(&debuggee, at(0), sizeof seen, seen));
    ck_assert(memory_read_ahead(&debuggee, at(0), PAGE, seen));
    ck_assert(!footprint.missed);
    ck_assert(memory_read_ahead(&debuggee, at(PAGE), PAGE, seen));
    ck_assert(footprint.missed);
    footprint.moment = FOOTPRINT_STILL;
    ck_assert(memory_read_ahead(&debuggee, at(0), sizeof seen, seen));
}
END_TEST

START_TEST(copies_what_was_planned)
{
    unsigned char seen[8];
    ck_assert(look(0, 8, seen));
    ck_assert(footprint_prepare(&footprint));
    for (size_t i = 0; i < 4000; i++)
        ck_assert(look(PAGE + i, 8, seen));
    footprint_copy(&footprint, debuggee.pid);
    ck_assert_uint_eq(footprint.copied.count, 1);
    ck_assert(footprint.missed);
}
END_TEST

START_TEST(knows_what_cannot_be_read)
{
    unsigned char seen[16];
    ck_assert(look(HOLE * PAGE - 8, 8, seen));
    ck_assert(!look(HOLE * PAGE - 8, 16, seen));
    ck_assert(!look(HOLE * PAGE, 8, seen));
    ck_assert(look((HOLE + 1) * PAGE, 8, seen));
    ck_assert(footprint_prepare(&footprint));
    footprint_copy(&footprint, debuggee.pid);
    ck_assert(!look(HOLE * PAGE - 8, 16, seen));
    ck_assert(!look(HOLE * PAGE, 8, seen));
    ck_assert(look((HOLE + 1) * PAGE, 8, seen));
    ck_assert(!footprint.missed);
    ck_assert(!look(HOLE * PAGE + 8, 8, seen));
    ck_assert(footprint.missed);
}
END_TEST

// A part that is gone does not take the others with it.
START_TEST(skips_what_is_gone)
{
    unsigned char seen[8];
    for (size_t i = 0; i < PAGES; i++)
        look(i * PAGE, 8, seen);
    footprint_note(&footprint, at(HOLE * PAGE), 8, true);
    ck_assert(footprint_prepare(&footprint));
    footprint_copy(&footprint, debuggee.pid);
    ck_assert_uint_eq(footprint.noted.count, PAGES);
    ck_assert_uint_eq(footprint.copied.count, PAGES - 1);
    footprint_rest(&footprint);
    ck_assert(footprint_prepare(&footprint));
    footprint_copy(&footprint, debuggee.pid);
    ck_assert_uint_eq(footprint.noted.count, PAGES - 1);
    ck_assert(look((PAGES - 1) * PAGE, 8, seen));
    ck_assert(!footprint.missed);
}
END_TEST

START_TEST(copies_more_than_one_call_reads)
{
    static struct item {
        uint64_t value;
        char apart[1000];
    } items[LIST];
    uint64_t seen;
    // The child has them where they were when it was forked.
    for (size_t i = 0; i < LIST; i++)
        ck_assert(memory_read_uint(&debuggee, (uint64_t) (uintptr_t) &items[i].value, 8, &seen));
    ck_assert(footprint_prepare(&footprint));
    footprint_copy(&footprint, debuggee.pid);
    ck_assert_uint_eq(footprint.copied.count, LIST);
    ck_assert_uint_eq(footprint.size, LIST * 8);
}
END_TEST

START_TEST(gives_up_what_is_too_much)
{
    for (uint64_t i = 0; i < 40; i++)
        footprint_note(&footprint, i << 20, 1 << 20, true);
    ck_assert(footprint.full);
    ck_assert(!footprint_prepare(&footprint));
    footprint_copy(&footprint, debuggee.pid);
    unsigned char seen[8];
    pages[0] = 7;
    footprint.moment = FOOTPRINT_AHEAD;
    ck_assert(!memory_read(&debuggee, at(0), 8, &(uint64_t){0}));
    footprint.moment = FOOTPRINT_STILL;
    ck_assert(look(0, 8, seen));
    ck_assert_uint_eq(seen[0], 7);
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("footprint");
    TCase *tcase = tcase_create("footprint");
    tcase_add_checked_fixture(tcase, begin, end);
    tcase_add_test(tcase, is_of_one_moment);
    tcase_add_test(tcase, notices_what_is_missing);
    tcase_add_test(tcase, does_without_what_is_read_ahead);
    tcase_add_test(tcase, copies_what_was_planned);
    tcase_add_test(tcase, knows_what_cannot_be_read);
    tcase_add_test(tcase, skips_what_is_gone);
    tcase_add_test(tcase, copies_more_than_one_call_reads);
    tcase_add_test(tcase, gives_up_what_is_too_much);
    suite_add_tcase(suite, tcase);
    return check_run(srunner_create(suite));
}
