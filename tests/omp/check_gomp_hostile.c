// SPDX-License-Identifier: BSD-3-Clause
// Real processes of which some memory reads as something else, and threads without OpenMP.
#include "tests/omp/check_gomp.h"

#include <dlfcn.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

enum { LIES = 4 };

/** What stands at an address instead of the truth. */
static struct lie {
    taddr addr;
    uint64_t value;
    uint8_t width;
} lies[LIES];
static unsigned n_lies;
static struct target_ops lying_ops;
static bool (*true_read)(void *host, taddr addr, size_t size, void *ret);
static struct gomp_subject subject;

static bool
lying_read(void *host, taddr addr, size_t size, void *ret)
{
    if (!true_read(host, addr, size, ret))
        return false;
    for (unsigned i = 0; i < n_lies; i++)
        for (unsigned k = 0; k < lies[i].width; k++)
            if (lies[i].addr + k >= addr && lies[i].addr + k - addr < size)
                ((uint8_t *) ret)[lies[i].addr + k - addr] = (uint8_t) (lies[i].value >> (8 * k));
    return true;
}

static void
lie(taddr addr, uint64_t value, uint8_t width)
{
    ck_assert_uint_lt(n_lies, LIES);
    lies[n_lies++] = (struct lie){addr, value, width};
}

static void
attach(pid_t pid)
{
    ck_assert(live_host_init(&subject.host, pid));
    struct target target = live_host_target(&subject.host);
    true_read = target.ops->read;
    lying_ops = *target.ops;
    lying_ops.read = lying_read;
    target.ops = &lying_ops;
    ck_assert_int_eq(inferior_init(&subject.inf, target), STATUS_OK);
    diagnostics_reset(&subject.diagnostics);
    ck_assert_int_eq(backend_libgomp.open(&subject.inf, &subject.diagnostics, &subject.state),
                     STATUS_OK);
}

static void
start(const char *situation)
{
    const struct park_choice choice = {OMP_PARK_GOMP, situation, NULL, false};
    ck_assert(park_start_choice(&subject.park, &choice));
    attach(subject.park.pid);
}

static void
set_up(void)
{
    n_lies = 0;
    memset(&subject, 0, sizeof(subject));
}

static void
tear_down(void)
{
    backend_libgomp.close(subject.state);
    if (subject.inf.target.ops)
        inferior_deinit(&subject.inf);
    live_host_deinit(&subject.host);
    if (subject.park.pid)
        park_stop(&subject.park);
    ck_assert_int_eq(live_host_blocks, 0);
}

static enum status
refresh(void)
{
    inferior_refresh(&subject.inf);
    diagnostics_reset(&subject.diagnostics);
    return backend_libgomp.refresh(subject.state);
}

static taddr
place_of(unsigned field)
{
    return (taddr) subject.state->gomp.layout.fields[field].offset;
}

// The innermost team of some thread whose team is nested.
static taddr
some_team(void)
{
    const struct gomp *gomp = &subject.state->gomp;
    for (unsigned i = 0; i < gomp->n_threads; i++)
        if (gomp->threads[i].place.level == 2)
            return gomp->threads[i].place.team;
    ck_abort_msg("no team is nested");
}

START_TEST(teams_lie)
{
    start("nested");
    const struct gomp *gomp = &subject.state->gomp;
    taddr team = some_team(), thread = gomp->threads[0].addr;
    taddr prev = team + place_of(F(gomp_team, prev_ts));
    const struct lie wanted[] = {
        {prev + place_of(F(gomp_team_state, team)), team, 8}, // encloses itself
        {prev + place_of(F(gomp_team_state, team)), 1, 8},
        {prev + place_of(F(gomp_team_state, level)), UINT32_MAX, 4},
        {prev + place_of(F(gomp_team_state, team_id)), UINT32_MAX, 4},
        {team + place_of(F(gomp_team, nthreads)), (uint64_t) 1 << 31, 4},
        {team + place_of(F(gomp_team, nthreads)), 0, 4},
        {thread + place_of(F(gomp_thread, ts)), 1, 8},
        {thread + place_of(F(gomp_thread, ts)), UINT64_MAX, 8},
    };
    lie(wanted[_i].addr, wanted[_i].value, wanted[_i].width);
    ck_assert_int_eq(refresh(), STATUS_OK);
    ck_assert_uint_gt(subject.diagnostics.count, 0);
    gomp_ask_everything(&subject);
}
END_TEST

// Of two threads that say that they are the same one of a team neither is believed, and the others
// are.
START_TEST(threads_claim_one_place)
{
    start("many");
    const struct gomp *gomp = &subject.state->gomp;
    const unsigned members = gomp->n_members, a = 20, b = 50;
    taddr of_a = gomp->threads[a].addr + place_of(F(gomp_thread, ts));
    ck_assert_uint_ne(gomp->threads[a].place.num, 0);
    ck_assert_uint_ne(gomp->threads[b].place.num, 0);
    ck_assert_uint_eq(gomp->threads[a].place.team, gomp->threads[b].place.team);
    lie(of_a + place_of(F(gomp_team_state, team_id)), gomp->threads[b].place.num, 4);
    ck_assert_int_eq(refresh(), STATUS_OK);
    ck_assert_uint_eq(subject.diagnostics.count, 2);
    ck_assert_ptr_nonnull(strstr(subject.diagnostics.texts[0], "has two threads"));
    ck_assert_uint_eq(gomp->n_members, members - 2);
    ck_assert_uint_eq(gomp->threads[a].addr, 0);
    ck_assert_uint_eq(gomp->threads[b].addr, 0);
    ck_assert(gomp->lacks_threads);
    gomp_ask_everything(&subject);
}
END_TEST

START_TEST(tasks_lie)
{
    start("taskgroup");
    const struct gomp *gomp = &subject.state->gomp;
    taddr task = gomp->threads[(unsigned) _i % 2].task;
    const struct lie wanted[] = {
        {task + place_of(F(gomp_task, parent)), task, 8}, // its own parent
        {task + place_of(F(gomp_task, parent)), 1, 8},
        {task + place_of(F(gomp_task, kind)), 77, 4},
        {task + place_of(F(gomp_task, kind)), GOMP_TIED, 4},
        {task + place_of(F(gomp_task, taskgroup)), UINT64_MAX - 7, 8},
        {task + place_of(F(gomp_task, taskwait)), 4096, 8},
        {task + place_of(F(gomp_task, icv)) + place_of(F(gomp_task_icv, run_sched_var)), 99, 4},
    };
    lie(wanted[_i / 2].addr, wanted[_i / 2].value, wanted[_i / 2].width);
    ck_assert_int_eq(refresh(), STATUS_OK);
    gomp_ask_everything(&subject);
}
END_TEST

// A list of threads that leads back into itself ends there, and what came before stays.
START_TEST(list_of_threads_is_a_circle)
{
    start("many");
    const struct gomp *gomp = &subject.state->gomp;
    taddr node = gomp->threads[50].pthread + gomp->nptl.list;
    taddr earlier = gomp->threads[20].pthread + gomp->nptl.list;
    lie(node + (_i ? gomp->nptl.next : gomp->nptl.prev), earlier, 8);
    ck_assert_int_eq(refresh(), STATUS_OK);
    ck_assert_int_eq(gomp->broken, STATUS_CORRUPT);
    ck_assert_uint_ge(gomp->n_threads, 50);
    ck_assert_uint_le(gomp->n_threads, 51);
    gomp_ask_everything(&subject);
}
END_TEST

// Numbers of any kind in the structs that are read.
START_TEST(noise_is_harmless)
{
    static const uint64_t values[] = {0, 1, 7, 0xff, 4096, INT32_MAX, UINT32_MAX, UINT64_MAX - 7};
    start(_i % 2 ? "suspended" : "nested");
    const struct gomp *gomp = &subject.state->gomp;
    uint64_t seed = 88172645463325252U + (unsigned) _i;
    const struct gomp_thread first = gomp->threads[(unsigned) _i % gomp->n_threads];
    const taddr bases[] = {first.addr, first.place.team, first.task};
    for (unsigned round = 0; round < 300; round++) {
        n_lies = 0;
        for (unsigned i = 0; i < LIES; i++) {
            seed ^= seed << 13;
            seed ^= seed >> 7;
            seed ^= seed << 17;
            lie(bases[seed % 3] + (seed >> 8) % 60 * 4, values[(seed >> 20) % 8],
                seed >> 40 & 1 ? 8 : 4);
        }
        if (refresh() == STATUS_OK)
            gomp_ask_everything(&subject);
    }
}
END_TEST

static void
nothing(void *unused)
{
    (void) unused;
}

static void *
sleep_on(void *unused)
{
    sleep(3600);
    return unused;
}

// The test itself runs a region, and a thread that has nothing to do with it.
START_TEST(plain_threads_are_left_out)
{
    void *library = dlopen("libgomp.so.1", RTLD_NOW | RTLD_GLOBAL);
    ck_assert_ptr_nonnull(library);
    void *found = dlsym(library, "GOMP_parallel");
    void (*parallel)(void (*)(void *), void *, unsigned, unsigned);
    pthread_t plain;
    memcpy(&parallel, &found, sizeof(parallel));
    ck_assert_int_eq(pthread_create(&plain, NULL, sleep_on, NULL), 0);
    parallel(nothing, NULL, 3, 0);
    usleep(100000);
    attach(getpid());
    ck_assert_uint_eq(subject.state->gomp.n_threads, 3);
    struct omp_object object;
    ck_assert_int_eq(backend_libgomp.find_thread(subject.state, OMPD_THREAD_ID_PTHREAD,
                                                 (uint64_t) plain, &object),
                     ompd_rc_unavailable);
    gomp_ask_everything(&subject);
}
END_TEST

TCase *
gomp_hostile_cases(void)
{
    TCase *cases = tcase_create("hostile");
    tcase_add_checked_fixture(cases, set_up, tear_down);
    tcase_set_timeout(cases, 600);
    tcase_add_loop_test(cases, teams_lie, 0, 8);
    tcase_add_test(cases, threads_claim_one_place);
    tcase_add_loop_test(cases, tasks_lie, 0, 14);
    tcase_add_loop_test(cases, list_of_threads_is_a_circle, 0, 2);
    tcase_add_loop_test(cases, noise_is_harmless, 0, 6);
    tcase_add_test(cases, plain_threads_are_left_out);
    return cases;
}
