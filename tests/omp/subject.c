// SPDX-License-Identifier: BSD-3-Clause
// Parked processes that are read, on every build of LLVM's runtime.
#include "tests/omp/subject.h"

#include "tests/check_set.h"

#include <check.h>
#include <stdio.h>
#include <string.h>

static const struct {
    const char *name;
    const char *target; // of tests/targets; NULL: the runtime that is installed
    bool stripped;      // read as if it were
    const char *layout; // that is built in; NULL: the runtime publishes it, or is the installed one
} builds[] = {{"stock", NULL, false, NULL},
              {"debug", "libomp-14", false, NULL},
              {"debug as stripped", "libomp-14", true, NULL},
              {"stock 15", "libomp-15-stock", false, NULL},
              {"stock 16", "libomp-16-stock", false, NULL},
              {"stock 19", "libomp-19-stock", false, NULL},
              {"Intel's 2022", "libiomp5-2022", false, "2020 to 2022"},
              {"Intel's 2023", "libiomp5-2023", false, "2023, 2024.0"},
              {"Intel's 2023 as stripped", "libiomp5-2023", true, "2023, 2024.0"},
              {"Intel's 2026", "libiomp5-2026", false, NULL},
              {"Intel's 2026 as stripped", "libiomp5-2026", true, NULL}};
enum { BUILDS = sizeof(builds) / sizeof(builds[0]) };

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
    test->build = build;
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

static bool
is_intel(const struct subject *subject)
{
    const char *target = builds[subject->build].target;
    return target && strncmp(target, "libiomp5", 8) == 0;
}

const char *
subject_runtime(const struct subject *subject)
{
    return is_intel(subject) ? "Intel OpenMP" : "LLVM OpenMP";
}

// The installed runtime publishes a table if its file has the name of its OMPD library.
static bool
names_ompd(const struct subject *subject)
{
    static const char name[] = "libompd.so";
    for (unsigned i = 0; i < subject->host.n_files; i++) {
        const struct live_file *file = &subject->host.files[i];
        if (strstr(file->path, "/libomp") && memmem(file->bytes, file->size, name, sizeof(name)))
            return true;
    }
    return false;
}

const char *
subject_layout(const struct subject *subject)
{
    const char *layout = builds[subject->build].layout;
    bool publishes = layout == NULL && (is_intel(subject) || names_ompd(subject));
    return layout || publishes ? layout : "11, 13";
}

bool
subject_tracks(const struct subject *subject, unsigned setting)
{
    return settings[setting].tracking && !subject_layout(subject);
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
