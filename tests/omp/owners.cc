// SPDX-License-Identifier: BSD-3-Clause
// OpenMP programs whose threads wait for locks and initializations of the C library and of C++ that
// other ones have: some hang, some do not. A word behind "//" at the end of a line is by which the
// test knows the line again. With PLUGIN the object that one of them loads.
#ifdef PLUGIN
extern "C" void constructed(void);

__attribute__((constructor)) static void
begin(void)
{
    constructed();
}
#else
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <link.h>
#include <mutex>
#include <omp.h>
#include <pthread.h>
#include <shared_mutex>
#include <string>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

static pthread_rwlock_t table_lock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_rwlock_t fair_lock = PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP;
static std::shared_mutex cache_lock;
static pthread_mutex_t queue_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t begun = PTHREAD_ONCE_INIT, begun_too = PTHREAD_ONCE_INIT;
static std::once_flag filled;
static volatile int come; // threads that are where the others want them
static volatile double sum;
static std::string plugin;

static void
arrive()
{
#pragma omp atomic
    come++;
}

static void
await(int threads)
{
    while (come < threads)
        usleep(1000);
}

static void
meet()
{
#pragma omp barrier // barrier
}

static void
compute()
{
    for (;;)
        sum += 1; // compute
}

static void
nap()
{
    for (;;)
        usleep(1000);
}

static void (*then)(); // what the thread does that has what others wait for

static void
hold()
{
    arrive();
    then();
}

extern "C" void
constructed()
{
    hold();
}

static void
write_table()
{
    pthread_rwlock_wrlock(&table_lock); // write
    hold();
}

static void
read_table()
{
    pthread_rwlock_rdlock(&table_lock); // read
    hold();
}

static void
fill_cache()
{
    std::unique_lock lock(cache_lock); // shared
    hold();
}

static void
begin_once()
{
    pthread_once(&begun, hold); // once
}

static void
fill_once()
{
    std::call_once(filled, hold); // call_once
}

struct table {
    table()
    {
        hold();
    }
};

static void
use_table()
{
    static const table things; // static
}

static int
hold_list(dl_phdr_info *, size_t, void *)
{
    hold();
    return 1;
}

static void
list_objects()
{
    dl_iterate_phdr(hold_list, nullptr); // list
}

static void
load_plugin()
{
    dlopen(plugin.c_str(), RTLD_NOW); // load
}

static void
take_queue()
{
    pthread_mutex_lock(&queue_lock); // queue
    hold();
}

/** Thread 1 has something, for which thread 2 waits. */
static void
share(void (*take)(), void (*want)())
{
#pragma omp parallel num_threads(3)
    {
        if (omp_get_thread_num() == 1)
            take();
        if (omp_get_thread_num() == 2) {
            await(1);
            want();
        }
        meet();
    }
}

/** Two readers would both like to write. */
static void
upgrade()
{
#pragma omp parallel num_threads(2)
    {
        pthread_rwlock_rdlock(&table_lock);
        arrive();
        await(2);
        pthread_rwlock_wrlock(&table_lock); // upgrade
    }
}

/** A reader lets a writer go first, who waits for another reader. */
static void
behind_writer()
{
#pragma omp parallel num_threads(3)
    {
        if (omp_get_thread_num() == 1) {
            pthread_rwlock_rdlock(&fair_lock);
            arrive();
        }
        await(1);
        if (omp_get_thread_num() == 2)
            pthread_rwlock_wrlock(&fair_lock);
        while (omp_get_thread_num() == 0 && pthread_rwlock_tryrdlock(&fair_lock) == 0)
            pthread_rwlock_unlock(&fair_lock);
        if (omp_get_thread_num() == 0)
            pthread_rwlock_rdlock(&fair_lock); // behind
        meet();
    }
}

/** They take turns, and some of them take their time. */
static void
busy_rwlock()
{
#pragma omp parallel num_threads(4)
    for (int i = omp_get_thread_num();; i++) {
        if (i % 4 == 0)
            pthread_rwlock_wrlock(&table_lock);
        else
            pthread_rwlock_rdlock(&table_lock);
        usleep(i % 100 == 0 ? 100000 : 10);
        pthread_rwlock_unlock(&table_lock);
    }
}

static void
begin_again()
{
    arrive();
    pthread_once(&begun, begin_again); // again
}

static void
own_once()
{
    pthread_once(&begun, begin_again);
}

static void
begin_one()
{
    arrive();
    await(2);
    pthread_once(&begun_too, nap); // one
}

static void
begin_other()
{
    arrive();
    await(2);
    pthread_once(&begun, nap); // other
}

static void
crossed_onces()
{
#pragma omp parallel num_threads(3)
    {
        if (omp_get_thread_num() == 1)
            pthread_once(&begun, begin_one);
        if (omp_get_thread_num() == 2)
            pthread_once(&begun_too, begin_other);
        if (omp_get_thread_num() == 0)
            nap();
    }
}

/** Runs a function in a process that is forked. */
static void
in_child(void (*run)())
{
    pid_t parent = getpid();
    if (fork() == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        alarm(300);
        if (getppid() == parent)
            run();
        _exit(0);
    }
    wait(nullptr);
}

/** What another thread has that is forked is never given up. */
static void
forked_owner()
{
    then = nap;
#pragma omp parallel num_threads(2)
    {
        if (omp_get_thread_num() == 1)
            take_queue();
        await(1);
        in_child(take_queue);
    }
}

static void *
want_queue(void *)
{
    take_queue();
    return nullptr;
}

/** A thread ends and keeps what it has. */
static void
ended_owner()
{
    pthread_t thread;
    then = arrive;
    pthread_create(&thread, nullptr, want_queue, nullptr);
    pthread_join(thread, nullptr);
    take_queue();
}

/** A thread waits for the end of one that waits for what it has. */
static void
join_waiter()
{
    pthread_t thread;
    then = nap;
    pthread_mutex_lock(&queue_lock);
    pthread_create(&thread, nullptr, want_queue, nullptr);
    pthread_join(thread, nullptr); // join
}

static void
nap_beside()
{
    pthread_t thread;
    pthread_create(&thread, nullptr, want_queue, nullptr);
    nap();
}

/** What the thread has that forks, that of the child has, too. */
static void
forked_copy()
{
#pragma omp parallel num_threads(2)
    arrive();
    pthread_mutex_lock(&queue_lock);
    in_child(nap_beside);
}

static const struct {
    const char *name;
    void (*take)(), (*want)();
} shared[] = {
    {"write_read", write_table, read_table}, {"write_write", write_table, write_table},
    {"read_write", read_table, write_table}, {"shared_mutex", fill_cache, fill_cache},
    {"once", begin_once, begin_once},        {"call_once", fill_once, fill_once},
    {"static", use_table, use_table},        {"list", list_objects, list_objects},
    {"plugin", load_plugin, load_plugin},    {"mutex", take_queue, take_queue},
};

static const struct {
    const char *name;
    void (*run)();
} others[] = {
    {"upgrade", upgrade},         {"behind_writer", behind_writer}, {"busy_rwlock", busy_rwlock},
    {"own_once", own_once},       {"crossed_onces", crossed_onces}, {"forked_owner", forked_owner},
    {"ended_owner", ended_owner}, {"join_waiter", join_waiter},     {"forked_copy", forked_copy},
};

static const struct {
    const char *name;
    void (*then)();
} thens[] = {{"meets", meet}, {"computes", compute}, {"naps", nap}};

/** owners OBJECT meets|computes|naps: what the thread does that has it; or owners PROGRAM. */
int
main(int argc, char **argv)
{
    plugin = std::string(argv[0]) + ".so";
    omp_set_dynamic(0);
    alarm(300); // whoever started it may have died
    std::puts("ready");
    std::fflush(stdout);
    for (const auto &one : thens)
        if (argc == 3 && std::strcmp(one.name, argv[2]) == 0)
            then = one.then;
    for (const auto &one : shared)
        if (then && std::strcmp(one.name, argv[1]) == 0)
            share(one.take, one.want);
    for (const auto &one : others)
        if (argc == 2 && std::strcmp(one.name, argv[1]) == 0)
            one.run();
    return EXIT_FAILURE;
}
#endif
