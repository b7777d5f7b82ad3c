// SPDX-License-Identifier: BSD-3-Clause
// run_case [-e] [-m MODEL] [-s] FILE: prints what a debugger sees of a script.
//
// -e: nothing around the objects can be read; -m: only this data model; -s: counts of callbacks
// too. Without -m it must be the same in all data models, and the first one that differs is printed
// too.
#include "tests/script/case.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void
show_counts(void)
{
    for (int i = 0; i < ASKS; i++)
        fprintf(stderr, "%s %zu\n", ask_names[i], host_count((enum ask) i));
    fprintf(stderr, "bytes %zu\n", host_bytes());
}

// Runs in the models of `mask`. @return 1 if not all print the same
static int
run(const struct source *source, unsigned mask, bool exact, bool stats)
{
    char *first = NULL;
    int result = 0;

    for (size_t i = 0; i < MODELS && !result; i++) {
        if (!(mask & 1U << i))
            continue;
        char *text = case_run(source, &models[i], exact);
        result = first && strcmp(first, text);
        if (!first || result)
            printf("%s%s%s", result ? "=== other in " : "", result ? models[i].name : "",
                   result ? "\n" : "");
        if (!first || result)
            fputs(text, stdout);
        if (stats && !first)
            show_counts();
        free(first);
        first = text;
    }
    free(first);
    return result;
}

int
main(int argc, char **argv)
{
    struct source source = {0};
    unsigned mask = ~0U;
    bool exact = false;
    bool stats = false;

    for (int option; (option = getopt(argc, argv, "em:s")) != -1;) {
        const struct model *model = option == 'm' ? model_find(optarg) : NULL;
        exact |= option == 'e';
        stats |= option == 's';
        mask = model ? 1U << (model - models) : mask;
        if (option == '?' || (option == 'm' && !model))
            source_error(NULL, "usage: run_case [-e] [-m MODEL] [-s] FILE");
    }
    if (optind + 1 != argc)
        source_error(NULL, "usage: run_case [-e] [-m MODEL] [-s] FILE");
    source_load(&source, argv[optind]);
    int result = run(&source, mask & script_models(&source), exact, stats);
    source_deinit(&source);
    return result;
}
