// SPDX-License-Identifier: BSD-3-Clause
// Reads many processes at once, of different runtimes, that keep states or not: none may colour
// another.
#include "ompd-bridge/exports/omp_session.h"
#include "tests/omp/live_host.h"
#include "tests/omp/park.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PROCESSES = 64, THREADS_MAX = 16, ROUNDS = 3, SHOWN_MAX = 20 };

static struct build {
    const char *target;  // of tests/targets; NULL: the distribution's
    const char *release; // that its processes say
    char folder[PATH_MAX];
} builds[] = {
    {NULL, "14", ""},
    {"libomp-14", "14", ""},
    {"libomp-15-stock", "15", ""},
    {"libomp-16-stock", "16", ""},
    {"libomp-19-stock", "19", ""},
};

static const struct {
    const char *debug;
    bool tool;
} settings[] = {{NULL, false}, {"enabled", false}, {NULL, true}};

static const char *const situations[] = {"four",  "nested", "tasks", "mixed",
                                         "alone", "roots",  "layers"};

enum {
    BUILDS = sizeof(builds) / sizeof(builds[0]),
    SETTINGS = sizeof(settings) / sizeof(settings[0]),
    SITUATIONS = sizeof(situations) / sizeof(situations[0])
};

static struct subject {
    const struct build *build;
    const char *situation;
    unsigned setting;
    struct park park;
    struct live_host host;
    struct inferior inf;
    struct omp_session *omp;
    unsigned n_threads;
    mqs_omp_thread threads[THREADS_MAX]; // as of the first round
} subjects[PROCESSES];

static unsigned n_wrong;

static bool
expect(const struct subject *subject, const char *what, bool good)
{
    n_wrong += !good;
    if (!good && n_wrong <= SHOWN_MAX) {
        const char *note = subject->omp ? omp_session_message(subject->omp, 0) : NULL;
        printf("%s, release %s, setting %u: %s (%s)\n", subject->situation, subject->build->release,
               subject->setting, what, note ? note : "no message");
    }
    return good;
}

static bool
start(struct subject *subject, unsigned number)
{
    subject->build = &builds[number % BUILDS];
    subject->setting = number % SETTINGS;
    subject->situation = situations[number % SITUATIONS];
    const char *folder = subject->build->target ? subject->build->folder : NULL;
    const struct park_choice choice = {OMP_PARK, subject->situation, folder,
                                       settings[subject->setting].tool};
    park_set_variable("OMP_DEBUG", settings[subject->setting].debug);
    return expect(subject, "cannot be started",
                  park_start_choice(&subject->park, &choice) &&
                      live_host_init(&subject->host, subject->park.pid) &&
                      inferior_init(&subject->inf, live_host_target(&subject->host)) == STATUS_OK);
}

static void
open_process(struct subject *subject)
{
    const char *message;
    subject->omp = omp_session_create(&subject->inf);
    expect(subject, "cannot be read",
           subject->omp && omp_session_has_openmp(subject->omp, &message) == STATUS_OK);
}

static void
close_process(struct subject *subject)
{
    omp_session_destroy(subject->omp);
    subject->omp = NULL;
}

static unsigned
list(struct subject *subject, mqs_omp_thread *ret)
{
    unsigned count = 0;
    memset(ret, 0, THREADS_MAX * sizeof(*ret));
    if (omp_session_setup_thread_iterator(subject->omp) == STATUS_OK)
        while (count < THREADS_MAX &&
               omp_session_next_thread(subject->omp, &ret[count]) == STATUS_OK)
            count++;
    return count;
}

static bool
is_true(const struct park_thread *truth, const mqs_omp_thread *said, bool tracked)
{
    const unsigned place =
        MQS_OMP_THREAD_NUM | MQS_OMP_TEAM_SIZE | MQS_OMP_LEVEL | MQS_OMP_ACTIVE_LEVEL;
    if (truth->does == PARK_IDLE)
        return !(said->known & place) && strcmp(said->state_name, "idle") == 0;
    return (said->known & place) == place && said->thread_num == truth->num &&
           said->team_size == truth->size && said->level == truth->level &&
           said->active_level == truth->active && !(said->known & MQS_OMP_STATE) == !tracked;
}

static void
compare(struct subject *subject, const mqs_omp_thread *threads, unsigned count, bool tracked)
{
    unsigned good = 0;
    for (unsigned i = 0; i < count; i++) {
        const struct park_thread *truth = park_thread_of(&subject->park, threads[i].tid);
        good += truth && is_true(truth, &threads[i], tracked);
    }
    expect(subject, "a thread is not as it says", good == count);
    expect(subject, "not all threads are seen", count == subject->park.n_threads);
}

// A tool's work shows in threads that wait only.
static bool
is_tracked(const struct subject *subject)
{
    bool waits = false;
    for (unsigned i = 0; i < subject->park.n_threads; i++)
        waits = waits || subject->park.threads[i].does != PARK_WORKS;
    return settings[subject->setting].debug || (settings[subject->setting].tool && waits);
}

static void
check_info(struct subject *subject, bool tracked)
{
    mqs_omp_info info;
    if (!expect(subject, "it has no description",
                omp_session_get_info(subject->omp, &info) == STATUS_OK))
        return;
    expect(subject, "its release", strstr(info.release, subject->build->release));
    expect(subject, "whether it keeps states", info.state_tracking == tracked);
    expect(subject, "another reader answers", strcmp(info.backend, "libomp table") == 0);
}

static void
check(struct subject *subject, bool first)
{
    mqs_omp_thread threads[THREADS_MAX];
    bool tracked = is_tracked(subject);
    unsigned count = list(subject, threads);
    if (first) {
        memcpy(subject->threads, threads, sizeof(threads));
        subject->n_threads = count;
        compare(subject, threads, count, tracked);
    }
    expect(subject, "it says something else than before",
           count == subject->n_threads && memcmp(subject->threads, threads, sizeof(threads)) == 0);
    check_info(subject, tracked);
}

static void
check_all(void)
{
    for (unsigned round = 0; round < ROUNDS; round++)
        for (unsigned i = 0; i < PROCESSES; i++)
            check(&subjects[round % 2 ? PROCESSES - 1 - i : i], round == 0);
}

// In the order in which they were not opened the first time.
static void
reopen_some(void)
{
    for (unsigned i = 0; i < PROCESSES; i += 3)
        close_process(&subjects[i]);
    for (unsigned i = PROCESSES; i-- > 0;)
        if (i % 3 == 0)
            open_process(&subjects[i]);
}

int
main(void)
{
    bool started = true;
    for (unsigned i = 1; i < BUILDS; i++)
        if (!park_find_library(builds[i].target, sizeof(builds[i].folder), builds[i].folder))
            return EXIT_FAILURE;
    for (unsigned i = 0; i < PROCESSES; i++)
        started = start(&subjects[i], i) && started;
    for (unsigned i = 0; started && i < PROCESSES; i++)
        open_process(&subjects[i]);
    if (started && n_wrong == 0) {
        check_all();
        reopen_some();
        check_all();
    }
    for (unsigned i = 0; i < PROCESSES; i++) {
        close_process(&subjects[i]);
        inferior_deinit(&subjects[i].inf);
        live_host_deinit(&subjects[i].host);
        park_stop(&subjects[i].park);
    }
    expect(&subjects[0], "memory is lost", live_host_blocks == 0);
    printf("%d processes at once, %u wrong\n", PROCESSES, n_wrong);
    return n_wrong == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
