// SPDX-License-Identifier: BSD-3-Clause
// Runs damaged scripts and demands that the DLL behaves.
#include "tests/fuzz/fuzz.h"

#include "tests/fuzz/mutate.h"
#include "tests/script/case.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SECONDS = 600 }; // for one script, under a sanitizer on a busy machine

/** What is damaged. */
static const char *const bases[] = {
    "openmpi-everything.case",     "openmpi-receives.case",
    "openmpi-unexpected.case",     "openmpi-sends.case",
    "openmpi-probes.case",         "openmpi-sparse.case",
    "openmpi-procs.case",          "openmpi-stripped.case",
    "openmpi-slots.case",          "openmpi-5.0-names.case",
    "openmpi-pml-monitoring.case", "openmpi-intercommunicator.case",
    "mpich-ch3-matched.case",      "mpich-ch4-lists.case",
    "mpich-ch4-self.case",         "mpich-ch4-maps.case",
    "mpich-ucx-receives.case",     "mpich-ucx-messages.case",
    "mpich-ucx-sends.case",        "mpich-noted.case",
    "mpich-stripped.case",         "mpich-5.0.case",
};

static bool
run(const struct source *source, const struct model *model)
{
    alarm(SECONDS);
    char *text = case_run(source, model, false);
    alarm(0);
    const char *violation = strstr(text, "VIOLATION");
    bool well = !violation && host_count(ASK_READ) <= MOST_READS;

    if (violation)
        fputs(violation, stderr);
    else if (!well)
        fprintf(stderr, "%zu reads\n", host_count(ASK_READ));
    free(text);
    return well;
}

bool
fuzz_file(const char *path)
{
    struct source source = {0};
    bool well = true;

    source_load(&source, path);
    for (size_t i = 0; i < MODELS && well; i++) {
        if (script_models(&source) & 1U << i)
            well = run(&source, &models[i]);
    }
    source_deinit(&source);
    return well;
}

// Leaves the script behind in case it is the last one.
static void
keep(const char *text)
{
    FILE *file = fopen(FUZZ_LAST, "w");
    if (!file)
        source_error(NULL, FUZZ_LAST " cannot be written");
    fputs(text, file);
    fclose(file);
}

static char *
whole_script(const char *base, const struct model *model, const char *lines)
{
    char *text = NULL;
    if (asprintf(&text, "model %s\ninclude %s/%s\n%s", model->name, CASES, base, lines) < 0)
        source_error(NULL, "out of memory");
    return text;
}

bool
fuzz_bytes(const uint8_t *data, size_t size)
{
    struct source source = {0};
    struct source damaged = {0};
    struct script script;

    if (size < 2)
        return true;
    const char *base = bases[data[0] % (sizeof(bases) / sizeof(bases[0]))];
    const struct model *model = &models[data[1] % MODELS];
    char *text = whole_script(base, model, "");
    source_load_text(&source, "./base", text);
    free(text);
    if (!script_models(&source))
        model = &models[0];
    script_load(&script, &source, model, false);
    char *lines = mutate(&script, data + 2, size - 2);
    script_deinit(&script);
    source_deinit(&source);
    text = whole_script(base, model, lines);
    keep(text);
    source_load_text(&damaged, "./damaged", text);
    bool well = run(&damaged, model);
    source_deinit(&damaged);
    free(lines);
    free(text);
    return well;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!fuzz_bytes(data, size))
        abort();
    return 0;
}
