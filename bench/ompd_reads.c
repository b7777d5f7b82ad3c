// SPDX-License-Identifier: BSD-3-Clause
// Counts the target reads of OMPD's questions: asked of the runtime's libompd, of this library in
// its place, and of this library's own interface, about one process.
//
// Usage: ompd_reads PROGRAM LIBRARIES DLL [--check]. LIBRARIES is a folder with a libomp that has
// all symbols, which its libompd needs, and that libompd.
#include "bench/ompd_host.h"
#include "bench/ompd_own.h"

#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { OWN_RATIO = 10, READS_PERCENT = 185, BYTES_PERCENT = 400, TASK_STEPS = 64 };

#define QUESTIONS(X)                                                                       \
    X(process_initialize)                                                                  \
    X(get_thread_handle)                                                                   \
    X(get_thread_id)                                                                       \
    X(get_state)                                                                           \
    X(get_curr_parallel_handle)                                                            \
    X(get_enclosing_parallel_handle)                                                       \
    X(get_thread_in_parallel)                                                              \
    X(get_task_in_parallel)                                                                \
    X(get_curr_task_handle)                                                                \
    X(get_generating_task_handle)                                                          \
    X(get_scheduling_task_handle)                                                          \
    X(get_task_parallel_handle)                                                            \
    X(get_task_function)                                                                   \
    X(get_task_frame) X(enumerate_icvs) X(get_icv_from_scope) X(get_icv_string_from_scope) \
        X(get_display_control_vars) X(get_tool_data)

enum question {
#define QUESTION(name) Q_##name,
    QUESTIONS(QUESTION)
#undef QUESTION
        N_QUESTIONS
};

static const char *const question_names[] = {
#define QUESTION(name) #name,
    QUESTIONS(QUESTION)
#undef QUESTION
};

struct counts {
    unsigned calls[N_QUESTIONS], reads[N_QUESTIONS];
    uint64_t bytes[N_QUESTIONS];
};

/** What the host has read so far. */
struct cost {
    unsigned reads;
    uint64_t bytes;
};

/** A library that is asked. */
struct asking {
    struct ompd_functions call;
    struct counts counts;
};

// Calls a function of the library and counts; its value is whether that went well.
#define ASK(asking, name, ...)                                      \
    (before = cost_so_far(), rc = (asking)->call.name(__VA_ARGS__), \
     count_call(&(asking)->counts, Q_##name, before), rc == ompd_rc_ok)

static struct cost
cost_so_far(void)
{
    return (struct cost){host.reads, host.bytes};
}

static void
count_call(struct counts *counts, enum question question, struct cost before)
{
    counts->calls[question]++;
    counts->reads[question] += host.reads - before.reads;
    counts->bytes[question] += host.bytes - before.bytes;
}

static void
ask_icvs(struct asking *a, ompd_address_space_handle_t *space, void *handle, ompd_scope_t wanted)
{
    ompd_icv_id_t id = 0;
    struct cost before;
    ompd_rc_t rc;
    for (int more = 1; more;) {
        const char *name, *text;
        ompd_scope_t scope;
        ompd_word_t value;
        if (!ASK(a, enumerate_icvs, space, id, &id, &name, &scope, &more))
            return;
        free((void *) name);
        if (scope == wanted && !ASK(a, get_icv_from_scope, handle, scope, id, &value) &&
            ASK(a, get_icv_string_from_scope, handle, scope, id, &text))
            free((void *) text);
    }
}

static void
ask_task(struct asking *a, ompd_address_space_handle_t *space, ompd_task_handle_t *task)
{
    struct cost before;
    ompd_rc_t rc;
    ompd_address_t addr;
    ompd_word_t word;
    ompd_frame_info_t leave, enter;
    ompd_parallel_handle_t *region;
    (void) ASK(a, get_task_function, task, &addr);
    (void) ASK(a, get_task_frame, task, &leave, &enter);
    (void) ASK(a, get_tool_data, task, ompd_scope_task, &word, &addr);
    if (ASK(a, get_task_parallel_handle, task, &region))
        a->call.rel_parallel_handle(region);
    ask_icvs(a, space, task, ompd_scope_task);
}

static void
ask_tasks(struct asking *a, ompd_address_space_handle_t *space, ompd_thread_handle_t *thread)
{
    struct cost before;
    ompd_rc_t rc;
    ompd_task_handle_t *task, *next;
    if (!ASK(a, get_curr_task_handle, thread, &task))
        return;
    for (int i = 0; i < TASK_STEPS && task; i++) {
        ask_task(a, space, task);
        if (ASK(a, get_scheduling_task_handle, task, &next))
            a->call.rel_task_handle(next);
        bool more = ASK(a, get_generating_task_handle, task, &next);
        a->call.rel_task_handle(task);
        task = more ? next : NULL;
    }
    if (task)
        a->call.rel_task_handle(task);
}

static void
ask_region(struct asking *a, ompd_address_space_handle_t *space, ompd_parallel_handle_t *region)
{
    struct cost before;
    ompd_rc_t rc;
    ompd_word_t word;
    ompd_address_t addr;
    ompd_thread_handle_t *thread;
    ompd_task_handle_t *task;
    (void) ASK(a, get_tool_data, region, ompd_scope_parallel, &word, &addr);
    ask_icvs(a, space, region, ompd_scope_parallel);
    for (int num = 0; ASK(a, get_thread_in_parallel, region, num, &thread); num++) {
        a->call.rel_thread_handle(thread);
        if (ASK(a, get_task_in_parallel, region, num, &task))
            a->call.rel_task_handle(task);
    }
}

// Each region once: with its thread 0.
static void
ask_regions(struct asking *a, ompd_address_space_handle_t *space, ompd_thread_handle_t *thread)
{
    struct cost before;
    ompd_rc_t rc;
    ompd_parallel_handle_t *region, *outer;
    ompd_thread_handle_t *first;
    int order = 1;
    if (!ASK(a, get_curr_parallel_handle, thread, &region))
        return;
    if (ASK(a, get_thread_in_parallel, region, 0, &first)) {
        a->call.thread_handle_compare(first, thread, &order);
        a->call.rel_thread_handle(first);
    }
    if (order == 0)
        ask_region(a, space, region);
    if (ASK(a, get_enclosing_parallel_handle, region, &outer))
        a->call.rel_parallel_handle(outer);
    a->call.rel_parallel_handle(region);
}

static void
ask_thread(struct asking *a, ompd_address_space_handle_t *space, uint64_t pthread)
{
    struct cost before;
    ompd_rc_t rc;
    ompd_thread_handle_t *thread;
    uint64_t id;
    ompd_word_t word;
    ompd_wait_id_t wait;
    ompd_address_t addr;
    if (!ASK(a, get_thread_handle, space, OMPD_THREAD_ID_PTHREAD, sizeof(pthread), &pthread,
             &thread))
        return;
    (void) ASK(a, get_thread_id, thread, OMPD_THREAD_ID_PTHREAD, sizeof(id), &id);
    (void) ASK(a, get_state, thread, &word, &wait);
    (void) ASK(a, get_tool_data, thread, ompd_scope_thread, &word, &addr);
    ask_icvs(a, space, thread, ompd_scope_thread);
    ask_regions(a, space, thread);
    ask_tasks(a, space, thread);
    a->call.rel_thread_handle(thread);
}

static bool
load(const char *path, struct asking *a)
{
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND);
    if (!library) {
        fprintf(stderr, "ompd_reads: %s\n", dlerror());
        return false;
    }
#define FUNCTION(name, ...) *(void **) (void *) &a->call.name = dlsym(library, "ompd_" #name);
#include "ompd-bridge/ompd_functions.def"
#undef FUNCTION
    return a->call.initialize(OMPD_API_VERSION, &host_callbacks) == ompd_rc_ok;
}

// Asks everything. @return what it cost, no reads when it cannot be asked
static struct cost
ask_all(const char *path, struct asking *a)
{
    const struct cost none = {0, 0};
    struct cost before, start;
    ompd_rc_t rc;
    ompd_address_space_handle_t *space;
    const char *const *variables;
    if (!load(path, a))
        return none;
    start = cost_so_far();
    if (!ASK(a, process_initialize, (ompd_address_space_context_t *) &host, &space)) {
        fprintf(stderr, "ompd_reads: %s: process_initialize says %d\n", path, (int) rc);
        return none;
    }
    ask_icvs(a, space, space, ompd_scope_address_space);
    if (ASK(a, get_display_control_vars, space, &variables))
        a->call.rel_display_control_vars(&variables);
    for (unsigned i = 0; i < n_threads; i++)
        ask_thread(a, space, pthreads[i]);
    a->call.rel_address_space_handle(space);
    return (struct cost){host.reads - start.reads, host.bytes - start.bytes};
}

static void
print_counts(const struct counts *counts, unsigned question)
{
    const unsigned calls = counts->calls[question] ? counts->calls[question] : 1;
    printf(" %u | %u | %.1f | %.1f |", counts->calls[question], counts->reads[question],
           counts->reads[question] / (double) calls, (double) counts->bytes[question] / calls);
}

static void
print_table(const struct counts *direct, const struct counts *proxy)
{
    printf("| question | libompd: calls | reads | a call | bytes a call | this library as libompd: "
           "calls | reads | a call | bytes a call |\n"
           "|---|---:|---:|---:|---:|---:|---:|---:|---:|\n");
    for (unsigned i = 0; i < N_QUESTIONS; i++) {
        printf("| %s |", question_names[i]);
        print_counts(direct, i);
        print_counts(proxy, i);
        printf("\n");
    }
}

static void
print_sum(const char *who, struct cost cost, struct cost other)
{
    printf("| %s | %u | %.4g | %llu | %.4g |\n", who, cost.reads, cost.reads / (double) other.reads,
           (unsigned long long) cost.bytes, (double) cost.bytes / (double) other.bytes);
}

static int
measure(const char *libompd, const char *dll, bool check)
{
    static struct asking direct, proxy;
    struct inferior inf;
    unsigned threads;
    if (inferior_init(&inf, live_host_target(&host)) != STATUS_OK || !own_find_threads(&inf))
        return 1;
    inferior_refresh(&inf);
    struct cost own = cost_so_far();
    own_list_all(&inf, &threads);
    own = (struct cost){host.reads - own.reads, host.bytes - own.bytes};
    inferior_deinit(&inf);
    const struct cost theirs = ask_all(libompd, &direct), ours = ask_all(dll, &proxy);
    print_table(&direct.counts, &proxy.counts);
    printf("\n| everything about %u threads | reads | ratio | bytes | ratio |\n"
           "|---|---:|---:|---:|---:|\n",
           n_threads);
    print_sum("libompd", theirs, theirs);
    print_sum("this library in its place", ours, theirs);
    print_sum("mqs_omp.h", own, theirs);
    const bool good = own.reads > 0 && threads == n_threads && theirs.reads > 0 && ours.reads > 0 &&
                      own.reads * OWN_RATIO <= theirs.reads &&
                      ours.reads * 100 <= theirs.reads * READS_PERCENT &&
                      ours.bytes * 100 <= theirs.bytes * BYTES_PERCENT;
    if (check)
        printf(
            "%s: through mqs_omp.h at most 1/%d of libompd's reads, in its place at most %d %% of "
            "its reads and %d %% of its bytes\n",
            good ? "PASS" : "FAIL", OWN_RATIO, READS_PERCENT, BYTES_PERCENT);
    return check && !good;
}

int
main(int argc, char **argv)
{
    char libompd[4096];
    if (argc < 4) {
        fprintf(stderr, "usage: ompd_reads PROGRAM LIBRARIES DLL [--check]\n");
        return 2;
    }
    snprintf(libompd, sizeof(libompd), "%s/libompd.so", argv[2]);
    pid_t pid = host_start(argv[1], argv[2]);
    if (pid < 0 || !live_host_init(&host, pid)) {
        fprintf(stderr, "ompd_reads: %s cannot be started\n", argv[1]);
        return 1;
    }
    int status = measure(libompd, argv[3], argc > 4 && strcmp(argv[4], "--check") == 0);
    live_host_deinit(&host);
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
    return status;
}
