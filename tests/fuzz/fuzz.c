// SPDX-License-Identifier: BSD-3-Clause
// Runs damaged scripts and demands that the DLL behaves.
#include "tests/fuzz/fuzz.h"

#include "tests/fuzz/mutate.h"
#include "tests/script/case.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SECONDS = 600 }; // for one script, under a sanitizer on a busy machine

// From the folder of the cases.
#define RECORDINGS "../../recordings/processes/"

/** What is damaged. */
static const char *const bases[] = {
    "openmpi-everything.case",
    "openmpi-receives.case",
    "openmpi-unexpected.case",
    "openmpi-sends.case",
    "openmpi-probes.case",
    "openmpi-sparse.case",
    "openmpi-procs.case",
    "openmpi-stripped.case",
    "openmpi-slots.case",
    "openmpi-5.0-names.case",
    "openmpi-pml-monitoring.case",
    "openmpi-intercommunicator.case",
    "mpich-ch3-matched.case",
    "mpich-ch4-lists.case",
    "mpich-ch4-self.case",
    "mpich-ch4-maps.case",
    "mpich-ucx-receives.case",
    "mpich-ucx-messages.case",
    "mpich-ucx-sends.case",
    "mpich-noted.case",
    "mpich-stripped.case",
    "mpich-5.0.case",
    "openmpi-cm.case",
    "openmpi-cm-receiver.case",
    "openmpi-cm-shared.case",
    "openmpi-cm-connections.case",
    "mpich-ofi.case",
    "openmpi-handles.case",
    "mpich-handles.case",
    // What processes had, where nothing was made up.
    RECORDINGS "stock/bookworm-4.1.4.case",
    RECORDINGS "pml-ucx-stock/bookworm-4.1.4.case",
    RECORDINGS "pml-cm-stock/bookworm-4.1.4.case",
    RECORDINGS "mpich-ucx-stock/bookworm-4.0.2.case",
};

enum { BASES = sizeof(bases) / sizeof(bases[0]) };

/** What is damaged, as it is: read once. */
static struct subject {
    struct source source;
    const struct model *model; // NULL: not read yet
    struct script script;
} subjects[BASES][MODELS];

static bool
run(struct session *session)
{
    alarm(SECONDS);
    char *text = case_run_session(session);
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
    struct session session;
    bool well = true;

    source_load(&source, path);
    for (size_t i = 0; i < MODELS && well; i++) {
        if (script_models(&source) & 1U << i) {
            session_init(&session, &source, &models[i], false);
            well = run(&session);
        }
    }
    source_deinit(&source);
    return well;
}

static char *
whole_script(const char *base, const struct model *model, const char *lines)
{
    char *text = NULL;
    if (asprintf(&text, "model %s\ninclude %s/%s\n%s", model->name, CASES, base, lines) < 0)
        source_error(NULL, "out of memory");
    return text;
}

// Leaves the script behind in case it is the last one.
static void
keep(const char *base, const struct model *model, const char *lines)
{
    char *text = whole_script(base, model, lines);
    FILE *file = fopen(FUZZ_LAST, "w");
    if (!file)
        source_error(NULL, FUZZ_LAST " cannot be written");
    fputs(text, file);
    fclose(file);
    free(text);
}

static const struct subject *
get_subject(size_t base, size_t number)
{
    struct subject *subject = &subjects[base][number];
    if (subject->model)
        return subject;
    char *text = whole_script(bases[base], &models[number], "");
    source_load_text(&subject->source, "./base", text);
    subject->model = script_models(&subject->source) ? &models[number] : &models[0];
    script_load(&subject->script, &subject->source, subject->model, false);
    free(text);
    return subject;
}

bool
fuzz_bytes(const uint8_t *data, size_t size)
{
    struct source damage = {0};
    struct session session;

    if (size < 2)
        return true;
    size_t base = data[0] % BASES;
    const struct subject *subject = get_subject(base, data[1] % MODELS);
    char *lines = mutate(&subject->script, data + 2, size - 2);
    keep(bases[base], subject->model, lines);
    source_load_text(&damage, "./damage", lines);
    session_copy(&session, &subject->script, &damage);
    bool well = run(&session);
    source_deinit(&damage);
    free(lines);
    return well;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!fuzz_bytes(data, size))
        abort();
    return 0;
}
