// SPDX-License-Identifier: BSD-3-Clause
// Threads of one process: locks, barriers, and what they have to do with messages.
#include "tests/verdict/check_verdict.h"

/** Each of two ranks has a thread in MPI_Recv from the other one. */
static json_t *
two_receive(void)
{
    json_t *job = made_job(2);
    for (int i = 0; i < 2; i++)
        made_wait(job, i, 0, "MPI_Recv", "all", made_receive(job, i, 1 - i, 7), (json_t *) NULL);
    return job;
}

START_TEST(lock_and_message)
{
    json_t *job = two_receive();
    for (int i = 0; i < 2; i++)
        made_openmp(job, i, "wait_critical", 2);
    expect(json_deep_copy(job), "unknown", "[[0,1]]");
    made_settled(job);
    json_t *judged = judge(job);
    check_member(judged, "kind", "\"deadlock\"");
    check_member(judged, "cycles", "[[0,1]]");
    check_fact(judged, "a thread of each of ranks 0,1 waits (wait_critical)");
    json_decref(judged);
}
END_TEST

START_TEST(critical_without_a_name)
{
    json_t *job = two_receive();
    for (int i = 0; i < 2; i++) {
        made_openmp(job, i, "wait_lock", 2);
        made_awaited(job, i, 0, "critical");
    }
    made_settled(job);
    json_t *judged = judge(job);
    check_fact(judged, "a thread of each of ranks 0,1 waits for critical in ");
    json_decref(judged);
}
END_TEST

START_TEST(another_thread_computes)
{
    json_t *job = two_receive();
    made_openmp(job, 1, "work_parallel", 2);
    made_settled(job);
    json_t *judged = judge(json_deep_copy(job));
    // Not what the other thread does, which waits in MPI.
    check_member(
        judged, "text",
        "\"no deadlock seen: rank 1 computes in compute at solve.c:88, rank 0 waits for it\"");
    json_decref(judged);
    expect(job, "no deadlock seen", "[]");
}
END_TEST

// Whatever a thread sleeps in for a time, it may send then; one that waits for others does not.
START_TEST(another_thread_sleeps)
{
    static const struct {
        const char *call, *waits_for;
        bool times_out;
        const char *does; // NULL: it does not help
    } sleeps[] = {
        {"clock_nanosleep", "time", true, "sleeps in clock_nanosleep()"},
        {"poll", "file", true, "waits for input or output in poll()"},
        {"epoll_wait", "file", false, "waits for input or output in epoll_wait()"},
        {"futex", "memory", true, "waits for a time in futex()"},
        {"rt_sigsuspend", "signal", false, "waits for a signal in rt_sigsuspend()"},
        {"futex", "memory", false, NULL},
    };
    for (size_t i = 0; i < sizeof sleeps / sizeof *sleeps; i++) {
        json_t *job = two_receive();
        made_sleeping(job, 1, sleeps[i].call, sleeps[i].waits_for, sleeps[i].times_out);
        made_settled(job);
        json_t *judged = judge(job);
        check_member(judged, "kind",
                     sleeps[i].does != NULL ? "\"deadlock unless\"" : "\"deadlock\"");
        check_member(judged, "cycles", "[[0,1]]");
        if (sleeps[i].does != NULL) {
            char fact[128];
            snprintf(fact, sizeof fact,
                     "rank 1's thread 2001 %s in compute at solve.c:88, and may then send",
                     sleeps[i].does);
            check_fact(judged, fact);
            check_member(
                judged, "text",
                "\"DEADLOCK unless rank 1's thread 2001 (compute at solve.c:88) sends: ranks "
                "0 -> 1 -> 0 wait for each other in MPI_Recv\"");
            check_member(judged, "unless", "[{\"rank\":1,\"tid\":2001}]");
        }
        json_decref(judged);
    }
}
END_TEST

// Where it is leaves the line rather than what it is about.
START_TEST(line_with_a_thread_that_sleeps)
{
    json_t *job = made_job(4);
    for (int i = 0; i < 4; i++)
        if (i != 1)
            made_collective(job, i, 0, "allreduce");
    made_wait(job, 1, 0, "MPI_Recv", "all", made_receive(job, 1, 0, 7), (json_t *) NULL);
    made_sleeping(job, 1, "clock_nanosleep", "time", true);
    made_settled(job);
    json_t *judged = judge(job);
    check_member(judged, "text",
                 "\"DEADLOCK unless rank 1's thread 2001 sends: rank 1 is in MPI_Recv, ranks 0,2,3 "
                 "are in MPI_Allreduce\"");
    json_decref(judged);
}
END_TEST

// What rank 1 is to send within a collective, no other thread of it does; rank 0 waits for all in
// MPI_Finalize.
START_TEST(another_thread_in_a_collective)
{
    json_t *job = made_job(3);
    made_call(job, 0, 0, "MPI_Finalize");
    for (int i = 1; i < 3; i++) {
        made_collective(job, i, 0, "scan");
        json_object_set_new(
            json_array_get(json_object_get(made_communicator(job, i, 0), "collectives"), 0),
            "peers", json_pack("[i]", i - 1));
    }
    made_sleeping(job, 1, "clock_nanosleep", "time", true);
    made_settled(job);
    expect(json_deep_copy(job), "deadlock", "[[0,2]]");
    json_object_set_new(made_process(job, 1), "settled", json_false()); // it has moved
    expect(job, "no deadlock seen", "[]");
}
END_TEST

// Each waits for the other one's part, which that one's other thread cannot do.
START_TEST(threads_in_a_collective)
{
    json_t *job = made_job(2);
    for (int i = 0; i < 2; i++) {
        made_collective(job, i, 0, "bcast");
        json_object_set_new(
            json_array_get(json_object_get(made_communicator(job, i, 0), "collectives"), 0),
            "peers", json_pack("[i]", 1 - i));
        made_sleeping(job, i, "clock_nanosleep", "time", true);
    }
    made_settled(job);
    json_t *judged = judge(job);
    check_member(judged, "cycles", "[[0,1]]");
    check_text(judged, "DEADLOCK: ranks 0 -> 1 -> 0 wait for each other in MPI_Bcast");
    json_decref(judged);
}
END_TEST

// At the first two levels of MPI_Init_thread no other thread than the one that called it may send.
START_TEST(another_thread_may_not_call)
{
    for (int level = 0; level <= 3; level++) {
        json_t *job = two_receive();
        made_openmp(job, 1, "work_parallel", 2);
        made_sleeping(job, 0, "clock_nanosleep", "time", true);
        for (int i = 0; i < 2; i++)
            made_level(job, i, level);
        made_settled(job);
        json_t *judged = judge(job);
        check_member(judged, "kind", level <= 1 ? "\"deadlock\"" : "\"no deadlock seen\"");
        json_decref(judged);
    }
}
END_TEST

// Once one is in MPI_Finalize, no other one of its process begins a call.
START_TEST(another_thread_finalizes)
{
    json_t *job = made_job(2);
    made_wait(job, 0, 0, "MPI_Recv", "all", made_receive(job, 0, 1, 7), (json_t *) NULL);
    made_call(job, 1, 0, "MPI_Finalize");
    made_sleeping(job, 1, "clock_nanosleep", "time", true);
    made_level(job, 1, 3);
    made_settled(job);
    expect(job, "deadlock", "[[0,1]]");
}
END_TEST

// What may not call MPI may end what the one waits for that may.
START_TEST(another_thread_ends_a_wait)
{
    json_t *job = made_job(2);
    made_wait(job, 0, 0, "MPI_Recv", "all", made_receive(job, 0, 1, 7), (json_t *) NULL);
    json_array_clear(json_object_get(made_process(job, 1), "threads"));
    made_sleeping(job, 1, "futex", "memory", false);
    made_openmp(job, 1, "work_parallel", 2);
    made_level(job, 1, 1);
    made_settled(job);
    json_t *judged = judge(job);
    check_member(
        judged, "text",
        "\"no deadlock seen: rank 1 computes in compute at solve.c:88, rank 0 waits for it\"");
    json_decref(judged);
}
END_TEST

// Nor does one that moves act for others, but for its own process.
START_TEST(another_thread_moves)
{
    for (int level = 1; level <= 2; level++) {
        json_t *job = two_receive();
        int number = made_sleeping(job, 1, "futex", "memory", false);
        json_object_set_new(
            json_array_get(json_object_get(made_process(job, 1), "threads"), (size_t) number),
            "moved", json_true());
        made_level(job, 0, level);
        made_level(job, 1, level);
        made_settled(job);
        if (level > 1)
            json_object_set_new(made_process(job, 1), "settled", json_false());
        expect(job, level == 1 ? "deadlock" : "no deadlock seen", level == 1 ? "[[0,1]]" : "[]");
    }
}
END_TEST

/** Adds a thread that polls, all of whose frames are in a library. */
static void
made_helper(const json_t *job, int rank, const char *library, const char *name)
{
    int number = made_sleeping(job, rank, "poll", "file", true);
    json_t *thread =
        json_array_get(json_object_get(made_process(job, rank), "threads"), (size_t) number);
    json_object_set_new(thread, "name", json_string(name));
    json_object_set_new(thread, "stack_complete", json_true());
    json_object_set_new(thread, "stack",
                        json_pack("[{s:s, s:s}, {s:s}, {s:s, s:s}]", "module", "/lib/libc.so.6",
                                  "function", "poll", "module", library, "module", "/lib/libc.so.6",
                                  "function", "clone3"));
}

// Threads of libraries that never call the program are no hope, others may be.
START_TEST(helpers_of_libraries)
{
    static const struct {
        const char *library, *name;
        bool helps;
    } cases[] = {
        {"/lib/libcuda.so.580.159.04", "cuda-EvtHandlr", true},
        {"/lib/libcuda.so.580.159.04", "solver", false}, // it runs functions of the program
        {"/lib/libscipy_openblas64_-61654e39.so", "python3", true},
        {"/lib/libmine.so.1", "cuda-EvtHandlr", false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        json_t *job = two_receive();
        made_helper(job, 1, cases[i].library, cases[i].name);
        made_settled(job);
        expect(job, cases[i].helps ? "deadlock" : "deadlock unless", "[[0,1]]");
    }
}
END_TEST

/** Rank 0 receives from rank 1, of which thread 2000 sleeps for a time, and thread 2001, which
 * alone may call MPI, waits for an object.
 * @param owner 0: it is not known */
static json_t *
made_object(const char *object, int owner)
{
    json_t *job = made_job(2), *process = made_process(job, 1);
    made_wait(job, 0, 0, "MPI_Recv", "all", made_receive(job, 0, 1, 7), (json_t *) NULL);
    json_array_clear(json_object_get(process, "threads"));
    made_sleeping(job, 1, "clock_nanosleep", "time", true);
    int number = made_sleeping(job, 1, "futex", "memory", false);
    json_t *kernel = json_object_get(
        json_array_get(json_object_get(process, "threads"), (size_t) number), "kernel");
    json_object_set_new(kernel, "object", json_string(object));
    if (owner > 0)
        json_object_set_new(kernel, "owner", json_integer(owner));
    made_level(job, 1, 1);
    for (size_t i = 0; i < 2; i++)
        json_object_set_new(json_array_get(json_object_get(process, "threads"), i), "mpi_main",
                            json_boolean(i == 1));
    made_settled(job);
    return job;
}

// A mutex whose owner the process does not have is given up by nobody; but the first thread of a
// process that was forked may be a copy of the owner.
START_TEST(mutex_of_a_thread)
{
    enum { NOT_KNOWN = -1 };
    static const struct {
        int owner, forked, first;
        bool ends;
    } cases[] = {
        {2000, NOT_KNOWN, 2000, true}, {2001, NOT_KNOWN, 2000, false},
        {2002, NOT_KNOWN, 2000, true}, {2002, false, 2000, false},
        {2002, true, 2000, true},      {2002, true, 2001, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        json_t *job = made_object("mutex queue_lock", cases[i].owner);
        json_object_set_new(made_process(job, 1), "pid", json_integer(cases[i].first));
        if (cases[i].forked != NOT_KNOWN)
            json_object_set_new(made_process(job, 1), "forked", json_boolean(cases[i].forked));
        json_t *judged = judge(job);
        check_member(judged, "kind", cases[i].ends ? "\"no deadlock seen\"" : "\"deadlock\"");
        json_decref(judged);
    }
}
END_TEST

// Who waits for one that rests goes on no sooner than that one does, also where a
// library waits that has threads of its own.
START_TEST(joins_one_that_rests)
{
    for (int in_library = 0; in_library < 2; in_library++) {
        json_t *job = two_receive();
        made_sleeping(job, 1, "poll", "file", false);
        int number = made_sleeping(job, 1, "futex", "memory", false);
        json_t *waiter =
            json_array_get(json_object_get(made_process(job, 1), "threads"), (size_t) number);
        json_t *kernel = json_object_get(waiter, "kernel");
        json_object_set_new(kernel, "object", json_string("thread 2001"));
        json_object_set_new(kernel, "owner", json_integer(2001));
        if (in_library)
            json_object_set_new(waiter, "stack",
                                json_pack("[{s:s, s:s}, {s:s}, {s:s}]", "module", "/lib/libc.so.6",
                                          "function", "pthread_join", "module",
                                          "/lib/libopenblas.so.0", "module", "/home/me/a.out"));
        made_settled(job);
        json_t *judged = judge(job);
        check_member(judged, "cycles", "[[0,1]]");
        check_member(judged, "unless", "[{\"rank\":1,\"tid\":2001}]");
        json_decref(judged);
    }
}
END_TEST

// Of something that has no owner any other thread of the process may be who has it, and in one that
// was forked perhaps one of its parent's.
START_TEST(object_without_an_owner)
{
    static const char begin[] = "perhaps this process was forked";
    for (int i = 0; i < 4; i++) {
        bool others = i % 2 != 0, is_forked = i / 2 != 0;
        json_t *job = made_object("rwlock table_lock", 0);
        json_object_set_new(made_process(job, 1), "forked", json_boolean(is_forked));
        if (!others)
            json_array_remove(json_object_get(made_process(job, 1), "threads"), 0);
        json_t *judged = judge(job);
        check_member(judged, "kind", !others ? "\"deadlock\"" : "\"no deadlock seen\"");
        if (!others)
            check_text(judged, "rwlock table_lock");
        const char *fact = json_string_value(json_array_get(json_object_get(judged, "facts"), 0));
        ck_assert_int_eq(fact && strncmp(fact, begin, sizeof begin - 1) == 0, is_forked && !others);
        json_decref(judged);
    }
}
END_TEST

// What no sample could show is not said: neither that it moves, nor that it stands still.
START_TEST(nobody_had_the_processor)
{
    json_t *job = two_receive();
    made_openmp(job, 0, "wait_barrier_explicit", 2);
    made_openmp(job, 0, "wait_barrier_explicit", 2);
    json_object_set_new(job, "looks", json_pack("{s:i}", "count", 5));
    for (int rank = 0; rank < 2; rank++) {
        json_object_set_new(made_process(job, rank), "load", json_integer(24 + rank));
        json_object_set_new(made_process(job, rank), "processors", json_integer(2 + 2 * rank));
    }
    json_t *judged = judge(job);
    check_member(judged, "kind", "\"unknown\"");
    check_member(judged, "text", "\"cannot tell yet: ranks 0,1 had no processor between samples\"");
    check_fact(judged, "load 24 on 2 processors: standing still proves nothing then");
    json_decref(judged);
}
END_TEST

// A rank of which no thread waits in MPI goes on when its sleep ends.
START_TEST(rank_that_sleeps)
{
    json_t *job = made_job(2);
    made_wait(job, 0, 0, "MPI_Recv", "all", made_receive(job, 0, 1, 7), (json_t *) NULL);
    json_array_clear(json_object_get(made_process(job, 1), "threads"));
    made_sleeping(job, 1, "clock_nanosleep", "time", true);
    made_settled(job);
    json_t *judged = judge(job);
    check_member(judged, "text",
                 "\"no deadlock seen: rank 1 sleeps in clock_nanosleep() in compute at solve.c:88, "
                 "rank 0 waits for it\"");
    json_decref(judged);
}
END_TEST

START_TEST(idle_threads_do_not_help)
{
    json_t *job = two_receive();
    made_openmp(job, 1, "idle", 2);
    expect(job, "deadlock", "[[0,1]]");
}
END_TEST

// What it waits for in the runtime is not known, but that another thread ends it.
START_TEST(sleeps_in_the_runtime)
{
    for (int sleeps = 0; sleeps < 2; sleeps++) {
        json_t *job = two_receive();
        int number = made_openmp(job, 1, "overhead", 2);
        json_t *thread =
            json_array_get(json_object_get(made_process(job, 1), "threads"), (size_t) number);
        if (sleeps)
            json_object_set_new(thread, "kernel",
                                json_pack("{s:b, s:s, s:s, s:b}", "sleeps", 1, "call", "futex",
                                          "waits_for", "memory", "times_out", 0));
        made_settled(job);
        expect(job, sleeps ? "deadlock" : "no deadlock seen", sleeps ? "[[0,1]]" : "[]");
    }
}
END_TEST

START_TEST(barrier_of_a_region)
{
    json_t *job = two_receive();
    for (int i = 0; i < 2; i++) {
        made_openmp(job, i, "wait_barrier_explicit", 3);
        made_openmp(job, i, "wait_barrier_explicit", 3);
    }
    made_settled(job);
    expect(job, "deadlock", "[[0,1]]");
}
END_TEST

START_TEST(barrier_that_all_have_reached)
{
    json_t *job = two_receive();
    made_openmp(job, 0, "wait_barrier_explicit", 2);
    made_openmp(job, 0, "wait_barrier_explicit", 2);
    expect(json_incref(job), "no deadlock seen", "[]");
    made_settled(job);
    expect(job, "unknown", "[]");
}
END_TEST

START_TEST(locks_of_one_process)
{
    // Two threads of rank 0 have each other's locks; rank 1 waits for what they would send.
    json_t *job = made_job(2);
    json_array_remove(json_object_get(made_process(job, 0), "threads"), 0);
    made_openmp(job, 0, "wait_lock", 2);
    made_openmp(job, 0, "wait_lock", 2);
    made_wait(job, 1, 0, "MPI_Recv", "all", made_receive(job, 1, 0, 7), (json_t *) NULL);
    made_settled(job);
    expect(job, "deadlock", "[[0]]");
}
END_TEST

START_TEST(lock_while_waiting_elsewhere)
{
    // The knot is that of ranks 1 and 2; rank 0 only waits for it, lock or not.
    json_t *job = made_job(3);
    made_wait(job, 0, 0, "MPI_Recv", "all", made_receive(job, 0, 1, 7), (json_t *) NULL);
    made_openmp(job, 0, "wait_lock", 2);
    for (int i = 1; i < 3; i++)
        made_wait(job, i, 0, "MPI_Recv", "all", made_receive(job, i, 3 - i, 7), (json_t *) NULL);
    made_settled(job);
    expect(job, "deadlock", "[[1,2]]");
}
END_TEST

START_TEST(unknown_call)
{
    json_t *job = two_receive(), *thread;
    made_call(job, 1, 0, "MPI_Win_fence");
    expect(json_deep_copy(job), "deadlock", "[[0,1]]"); // its own requests tell
    thread = json_array_get(json_object_get(made_process(job, 1), "threads"), 0);
    json_object_del(thread, "awaits");
    json_t *judged = judge(job);
    check_member(judged, "kind", "\"unknown\"");
    check_text(judged, "what MPI_Win_fence waits for in rank 1");
    json_decref(judged);
}
END_TEST

/** Rank 0 waits for one of those of a window, of which rank 1 waits for rank 0. */
static json_t *
window_of(int ranks)
{
    json_t *job = made_job(ranks), *partners = json_array(), *thread;
    made_call(job, 0, 0, "MPI_Win_lock");
    thread = json_array_get(json_object_get(made_process(job, 0), "threads"), 0);
    for (int i = 1; i < ranks; i++)
        json_array_append_new(partners, json_integer(i));
    json_object_set_new(thread, "partners", partners);
    made_wait(job, 1, 0, "MPI_Recv", "all", made_receive(job, 1, 0, 7), (json_t *) NULL);
    return job;
}

START_TEST(lock_of_a_window)
{
    // One look does not know whether it is about to get it.
    expect(window_of(2), "unknown", "[[0,1]]");
    json_t *job = window_of(2);
    made_settled(job);
    expect(job, "deadlock", "[[0,1]]");
    job = window_of(3); // rank 2 computes: it may hold the lock
    made_settled(job);
    expect(job, "no deadlock seen", "[]");
}
END_TEST

START_TEST(window_of_unread_ranks)
{
    json_t *job = window_of(2), *thread;
    thread = json_array_get(json_object_get(made_process(job, 0), "threads"), 0);
    json_array_append_new(json_object_get(thread, "partners"), json_integer(5));
    made_settled(job);
    expect(job, "unknown", "[]");
}
END_TEST

/** A rank in MPI_Init, where its stack ends in two functions. */
static void
initialize(const json_t *job, int rank, const char *function, const char *called)
{
    json_t *process = made_process(job, rank);
    made_call(job, rank, 0, "MPI_Init");
    json_object_set_new(process, "mpi", json_pack("{s:s}", "phase", "in MPI_Init"));
    json_object_set_new(json_array_get(json_object_get(process, "threads"), 0), "stack",
                        json_pack("[{s:s}, {s:s}]", "function", called, "function", function));
}

static void
without_communicators(const json_t *job, int rank)
{
    json_object_set_new(made_process(job, rank), "communicators", json_array());
}

static const char *
situation(const json_t *judged, size_t group)
{
    return json_string_value(
        json_object_get(json_array_get(json_object_get(judged, "groups"), group), "situation"));
}

START_TEST(stages_of_init)
{
    json_t *job = made_job(4);
    initialize(job, 0, "ompi_mpi_init", "usleep");
    initialize(job, 1, "ompi_mpi_init", "usleep");
    initialize(job, 2, "ompi_mpi_init", "ompi_proc_complete_init");
    initialize(job, 3, "PMI_Barrier", "read");
    without_communicators(job, 1);
    json_t *judged = judge(job);
    ck_assert_str_eq(situation(judged, 0),
                     "MPI_Init (barrier at its end) in exchange at ring.c:17");
    ck_assert_str_eq(situation(judged, 1),
                     "MPI_Init (exchange of addresses) in exchange at ring.c:17");
    ck_assert_str_eq(situation(judged, 2), "MPI_Init in exchange at ring.c:17");
    ck_assert_str_eq(situation(judged, 3), "MPI_Init (PMI_Barrier) in exchange at ring.c:17");
    json_decref(judged);
}
END_TEST

START_TEST(wrapper_before_init)
{
    // A script that is yet to start the program has not called MPI_Init; a program whose library is
    // not known may have.
    static const char *const images[] = {"/bin/dash", "/home/me/a.out"};
    for (int i = 0; i < 2; i++) {
        json_t *job = made_job(2);
        initialize(job, 0, "ompi_mpi_init", "usleep");
        without_communicators(job, 0);
        without_communicators(job, 1);
        json_object_set_new(made_process(job, 1), "image", json_string(images[i]));
        json_t *judged = judge(job);
        if (i == 0)
            check_text(judged,
                       "rank 1 has not called MPI_Init in compute at solve.c:88, rank 0 waits");
        check_member(
            judged, "waits",
            i == 0
                ? "[{\"rank\":0,\"tid\":1000,\"call\":\"MPI_Init\",\"needs\":\"all\",\"for\":[1]}]"
                : "[]");
        json_decref(judged);
    }
}
END_TEST

Suite *
suite_threads(void)
{
    const TTest *const tests[] = {stages_of_init,
                                  wrapper_before_init,
                                  lock_and_message,
                                  critical_without_a_name,
                                  another_thread_computes,
                                  another_thread_sleeps,
                                  line_with_a_thread_that_sleeps,
                                  another_thread_in_a_collective,
                                  threads_in_a_collective,
                                  another_thread_may_not_call,
                                  another_thread_ends_a_wait,
                                  another_thread_moves,
                                  another_thread_finalizes,
                                  joins_one_that_rests,
                                  helpers_of_libraries,
                                  mutex_of_a_thread,
                                  object_without_an_owner,
                                  nobody_had_the_processor,
                                  rank_that_sleeps,
                                  idle_threads_do_not_help,
                                  sleeps_in_the_runtime,
                                  barrier_of_a_region,
                                  barrier_that_all_have_reached,
                                  locks_of_one_process,
                                  unknown_call,
                                  lock_of_a_window,
                                  window_of_unread_ranks,
                                  lock_while_waiting_elsewhere};
    Suite *suite = suite_create("threads");
    TCase *tcase = tcase_create("threads");
    for (size_t i = 0; i < sizeof tests / sizeof *tests; i++)
        tcase_add_test(tcase, tests[i]);
    suite_add_tcase(suite, tcase);
    return suite;
}
