// SPDX-License-Identifier: BSD-3-Clause
// Compares what OMPD libraries and the native reader say of real processes, answer by answer.
//
// They may differ only where a list of known differences says so, with a reason; and what that list
// says must be seen. In the quick set only those of LLVM 14 are compared that are installed, each
// situation with one setting.
#include "tests/check_set.h"
#include "tests/fork.h"
#include "tests/omp/ask_all.h"
#include "tests/omp/differences.h"
#include "tests/omp/named_host.h"
#include "tests/omp/park.h"

#include <dlfcn.h>
#include <fnmatch.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SHOWN_MAX = 40, SKIP = 77 };

static struct build {
    const char *name;
    const char *target; // of tests/targets; NULL: the distribution's
    bool stripped;      // pretend that it is
    unsigned asks;      // the build whose OMPD library it is: some have one that cannot be loaded
    char folder[PATH_MAX];
} builds[] = {
    {.name = "14 stock"},
    {.name = "14 debug", .target = "libomp-14", .asks = 1},
    {.name = "14 stripped", .target = "libomp-14", .stripped = true, .asks = 1},
    {.name = "15 stock", .target = "libomp-15-stock", .asks = 5},
    {.name = "16 stock", .target = "libomp-16-stock", .asks = 1},
    {.name = "19 stock", .target = "libomp-19-stock", .asks = 5},
};

// What keeps states: nothing, OMP_DEBUG, a tool.
static const struct {
    const char *name;
    bool debug, tool;
} settings[] = {{"", false, false}, {", tracked", true, false}, {", tool", false, true}};

enum {
    BUILDS = sizeof(builds) / sizeof(builds[0]),
    SETTINGS = sizeof(settings) / sizeof(settings[0]),
    SITUATIONS_MAX = 64,
    WORKERS = 6 // most of their time they wait for processes to come to rest
};

static char situations[SITUATIONS_MAX][64];
static unsigned n_situations;

/** What the workers count together. */
static struct totals {
    atomic_uint compared, wrong, shown;
    atomic_uint seen[DIFFERENCES_MAX];
} * totals;

/** One process, seen by both. */
struct subject {
    const char *situation;
    char runtime[64]; // "14 stock", "14 stock, tracked"
    struct park park;
    struct named_host host;
    struct diagnostics diagnostics;
    struct answers *native, *library;
};

static bool
is_known(const struct subject *test, const char *question, const char *native, const char *library)
{
    const char *const values[] = {question, test->situation, test->runtime, native, library};
    const int found = differences_find(values);
    if (found >= 0)
        atomic_fetch_add(&totals->seen[found], 1);
    return found >= 0;
}

static unsigned
compare(const struct subject *test, const struct answer *asked, const char *native,
        const char *library)
{
    atomic_fetch_add(&totals->compared, 1);
    if (strcmp(native, library) == 0 || is_known(test, asked->question, native, library))
        return 0;
    if (atomic_fetch_add(&totals->shown, 1) < SHOWN_MAX)
        printf("%s, %s: %s: %s: memory says %s, the library %s\n", test->situation, test->runtime,
               asked->subject, asked->question, native, library);
    return 1;
}

static const char *
text_of(const struct answers *answers, const struct answer *asked, unsigned *hint)
{
    const struct answer *found = ask_find(answers, asked->subject, asked->question, hint);
    return found ? found->text : "not asked";
}

static unsigned
compare_all(const struct subject *test)
{
    unsigned wrong = 0, hint = 0;
    for (unsigned i = 0; i < test->native->n_items; i++) {
        const struct answer *asked = &test->native->items[i];
        wrong += compare(test, asked, asked->text, text_of(test->library, asked, &hint));
    }
    hint = 0;
    for (unsigned i = 0; i < test->library->n_items; i++) {
        const struct answer *asked = &test->library->items[i];
        const char *native = text_of(test->native, asked, &hint);
        if (strcmp(native, "not asked") == 0)
            wrong += compare(test, asked, native, asked->text);
    }
    return wrong;
}

static struct answers *
ask(struct subject *test, const struct backend *backend, struct inferior *inf)
{
    struct backend_state *state;
    if (backend->open(inf, &test->diagnostics, &state) != STATUS_OK) {
        printf("%s, %s: %s: %s%s\n", test->situation, test->runtime, backend->name,
               trail_text(&inf->trail),
               test->diagnostics.count > 0 ? test->diagnostics.texts[0] : "");
        return NULL;
    }
    struct omp_info info = {.tracking = false};
    if (backend->info(state, &info) == STATUS_OK)
        test->host.tracks = info.tracking; // the library is told what the native reader concludes
    struct answers *answers = ask_all(backend, state);
    backend->close(state);
    return answers;
}

// The native reader reads the process as it is, the library as if it had all names.
static unsigned
compare_readers(struct subject *test)
{
    unsigned wrong = 1;
    struct inferior inf;
    if (inferior_init(&inf, named_host_target(&test->host)) == STATUS_OK) {
        test->native = ask(test, &backend_libomp, &test->host.inf);
        test->library = ask(test, &backend_library, &inf);
        if (test->native && test->library)
            wrong = compare_all(test) + !test->native->complete + !test->library->complete;
        free(test->native);
        free(test->library);
    }
    inferior_deinit(&inf);
    return wrong;
}

// OpenMP has ended, or not begun.
static bool
is_over(const char *situation)
{
    return strcmp(situation, "paused") == 0;
}

static unsigned
run(const char *situation, const struct build *build, unsigned setting)
{
    struct subject test = {.situation = situation};
    const char *runtime = build->target ? build->folder : NULL;
    unsigned wrong = 1;
    snprintf(test.runtime, sizeof(test.runtime), "%s%s", build->name, settings[setting].name);
    park_set_variable("OMP_DEBUG", settings[setting].debug ? "enabled" : NULL);
    park_set_variable("MQS_OMPD_LIBRARY", build->asks ? builds[build->asks].folder : NULL);
    if (park_start_choice(&test.park, &(struct park_choice){OMP_PARK, situation, runtime,
                                                            settings[setting].tool}) &&
        live_host_init(&test.host.live, test.park.pid)) {
        test.host.live.stripped = build->stripped;
        wrong = named_host_init(&test.host) ? compare_readers(&test) : !is_over(situation);
        named_host_deinit(&test.host);
    }
    live_host_deinit(&test.host.live);
    park_stop(&test.park);
    if (live_host_blocks != 0)
        printf("%s, %s: %d blocks are lost\n", situation, test.runtime, live_host_blocks);
    return wrong + (live_host_blocks != 0);
}

static void
run_all_builds(unsigned worker)
{
    for (unsigned i = worker; i < n_situations * BUILDS * SETTINGS; i += WORKERS)
        atomic_fetch_add(&totals->wrong, run(situations[i / SETTINGS / BUILDS],
                                             &builds[i / SETTINGS % BUILDS], i % SETTINGS));
}

static void
run_packaged(unsigned worker)
{
    for (unsigned i = worker; i < n_situations; i += WORKERS)
        atomic_fetch_add(&totals->wrong, run(situations[i], &builds[0], i % SETTINGS));
}

static void
work(unsigned worker)
{
    if (check_set_is_quick())
        run_packaged(worker);
    else
        run_all_builds(worker);
}

static bool
work_all(void)
{
    bool good = true;
    fflush(stdout);
    for (unsigned worker = 0; worker < WORKERS; worker++)
        if (fork_plainly() == 0) {
            work(worker);
            exit(EXIT_SUCCESS); // what counts the lines that are run is written then
        }
    for (int status; wait(&status) > 0;)
        good = good && status == 0;
    return good;
}

// Takes those that match, of the situations that the program knows. There is nothing to see before
// OpenMP starts.
static bool
find_situations(const char *only)
{
    FILE *list = popen(OMP_PARK " --list", "re");
    while (list && n_situations < SITUATIONS_MAX &&
           fgets(situations[n_situations], sizeof(situations[0]), list)) {
        char *name = situations[n_situations];
        name[strcspn(name, "\n")] = '\0';
        n_situations += fnmatch(only, name, 0) == 0 && strcmp(name, "before") != 0;
    }
    return list && pclose(list) == 0 && n_situations > 0;
}

static bool
find_builds(void)
{
    for (unsigned i = 0; i < check_set_builds(1, BUILDS); i++)
        if (builds[i].target &&
            !park_find_library(builds[i].target, sizeof(builds[i].folder), builds[i].folder))
            return false;
    return true;
}

static unsigned
find_stale(void)
{
    unsigned wrong = 0;
    for (unsigned i = 0; differences_line(i); i++)
        if (atomic_load(&totals->seen[i]) == 0) {
            printf("%s: not seen: %s\n", DIFFERENCES, differences_line(i));
            wrong++;
        }
    return wrong;
}

int
main(int argc, char **argv)
{
    if (dlsym(RTLD_DEFAULT, "__asan_init")) {
        puts("OMPD libraries cannot be loaded under AddressSanitizer");
        return SKIP;
    }
    if (check_set_is_quick() && !strstr(OMPD, "llvm-14")) {
        puts("the OMPD library of LLVM 14 is not installed");
        return SKIP;
    }
    setvbuf(stdout, NULL, _IOLBF, 0);
    totals = mmap(NULL, sizeof(*totals), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (totals == MAP_FAILED || !find_builds() || !differences_read(DIFFERENCES) ||
        !find_situations(argc > 1 ? argv[1] : "*"))
        return EXIT_FAILURE;
    unsigned wrong = !work_all();
    if (argc == 1 && !check_set_is_quick())
        wrong += find_stale();
    wrong += atomic_load(&totals->wrong);
    printf("%u answers compared, %u wrong\n", atomic_load(&totals->compared), wrong);
    return wrong == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
