// SPDX-License-Identifier: BSD-3-Clause
// Parked processes that are read, on every build of LLVM's runtime.
#include "tests/omp/subject.h"

#include "tests/check_set.h"

#include <check.h>
#include <stdio.h>
#include <string.h>

enum { BUILDS = 6 };

static const struct {
    const char *name;
    const char *target; // of tests/targets; NULL: the runtime that is installed
    bool stripped;      // read as if it were
} builds[BUILDS] = {{"stock", NULL, false},
                    {"debug", "libomp-14", false},
                    {"debug as stripped", "libomp-14", true},
                    {"stock 15", "libomp-15-stock", false},
                    {"stock 16", "libomp-16-stock", false},
                    {"stock 19", "libomp-19-stock", false}};

// NAME=VALUE of the environment, and whether states are tracked then.
static const struct {
    const char *name, *value;
    bool tracking;
} settings[SUBJECT_SETTINGS] = {{"OMP_DEBUG", NULL, false},
                                {"OMP_DEBUG", "enabled", true},
                                {"KMP_HOT_TEAMS_MAX_LEVEL", "3", false}};

static struct subject subjects[SUBJECTS];

static char libraries[BUILDS][4096];

unsigned
subject_builds(void)
{
    return check_set_builds(1, BUILDS);
}

bool
subject_find_libraries(void)
{
    bool found = true;
    for (unsigned i = 0; i < subject_builds() && found; i++)
        if (builds[i].target)
            found = park_find_library(builds[i].target, sizeof(libraries[i]), libraries[i]);
    return found;
}

static void
start_park(struct park *park, const char *situation, unsigned build)
{
    const struct park_choice choice = {OMP_PARK, situation,
                                       builds[build].target ? libraries[build] : NULL, false};
    char file[4200];
    ck_assert(park_start_choice(park, &choice));
    snprintf(file, sizeof(file), "%s/libomp.so.5", libraries[build]);
    ck_assert(!builds[build].target || park_maps(park, file));
}

static void
attach(struct subject *test)
{
    ck_assert(live_host_init(&test->host, test->park.pid));
    ck_assert_int_eq(inferior_init(&test->inf, live_host_target(&test->host)), STATUS_OK);
    test->omp = omp_session_create(&test->inf);
    ck_assert_ptr_nonnull(test->omp);
}

struct subject *
subject_start(unsigned number, const char *situation, unsigned build, unsigned setting)
{
    struct subject *test = &subjects[number];
    for (unsigned i = 0; i < SUBJECT_SETTINGS; i++)
        park_set_variable(settings[i].name, NULL);
    park_set_variable(settings[setting].name, settings[setting].value);
    test->situation = situation;
    start_park(&test->park, situation, build);
    attach(test);
    test->host.stripped = builds[build].stripped;
    return test;
}

struct subject *
subject_start_other(unsigned number)
{
    struct subject *test = &subjects[number];
    ck_assert(park_start_other(&test->park));
    attach(test);
    return test;
}

bool
subject_publishes(const struct subject *subject)
{
    static const char name[] = "libompd.so";
    for (unsigned i = 0; i < subject->host.n_files; i++) {
        const struct live_file *file = &subject->host.files[i];
        if (strstr(file->path, "/libomp") && memmem(file->bytes, file->size, name, sizeof(name)))
            return true;
    }
    return false;
}

bool
subject_tracks(const struct subject *subject, unsigned setting)
{
    return settings[setting].tracking && subject_publishes(subject);
}

static void
stop(struct subject *test)
{
    omp_session_destroy(test->omp);
    if (test->omp)
        inferior_deinit(&test->inf);
    live_host_deinit(&test->host);
    park_stop(&test->park);
    memset(test, 0, sizeof(*test));
}

void
subject_stop_all(void)
{
    for (unsigned i = 0; i < SUBJECTS; i++)
        stop(&subjects[i]);
    ck_assert_int_eq(live_host_blocks, 0);
}

void
subject_list_threads(struct subject *subject)
{
    ck_assert_int_eq(omp_session_setup_thread_iterator(subject->omp), STATUS_OK);
    subject->n_threads = 0;
    while (omp_session_next_thread(subject->omp, &subject->threads[subject->n_threads]) ==
           STATUS_OK)
        ck_assert_uint_lt(++subject->n_threads, PARK_THREADS);
}
