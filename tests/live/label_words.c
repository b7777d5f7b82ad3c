// SPDX-License-Identifier: BSD-3-Clause
// What communicators of the program "labels" are to be called.
#include "label_words.h"

#include "run.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

enum { TAGS = 1000, TAG_OF_ODD_HALF = 201 };

#define DUP   "MPI_Comm_dup of "
#define SPLIT "MPI_Comm_split of "
#define EVEN  " \\[0,2]"
#define ODD   " \\[1,3]"

/** Patterns of fnmatch(). Open MPI makes names up where MPICH has none, for a Cartesian
 * communicator from 5.0 on. */
static const struct {
    int tag;
    const char *openmpi, *mpich; // NULL: as Open MPI's
} expected[] = {
    {100, DUP "MPI_COMM_WORLD #*", "comm * \\[0-3]"},
    {101, "ring #*", NULL},
    {102, "ring #*", NULL},
    {103, DUP "MPI_COMM_WORLD #*", "of one rank"},
    {104, "@(comm * \\[0-3]|MPI_\\*_create of MPI_COMM_WORLD #*)", "comm * \\[0-3]"},
    {105, "whole", NULL},
    {106, "intercomm *" EVEN "-\\[1,3]", NULL},
    {200, SPLIT "MPI_COMM_WORLD #*" EVEN, "comm *" EVEN},
    {201, SPLIT "MPI_COMM_WORLD #*" ODD, "comm *" ODD},
    {210, DUP "comm * #*" EVEN, "comm *" EVEN},
    {211, DUP "comm * #*" ODD, "comm *" ODD},
    {220, "solver" EVEN, NULL},
    {221, "solver" ODD, NULL},
    {230, SPLIT "whole #*" EVEN, "comm *" EVEN},
    {231, SPLIT "whole #*" ODD, "comm *" ODD},
};

/** Labels by tag. */
struct labels {
    const char *items[TAGS];
    char *problem;
};

static void
add(struct labels *labels, const json_t *comm, json_int_t tag)
{
    const char *label = json_string_value(json_object_get(comm, "label"));
    if (labels->problem != NULL)
        return;
    if (label == NULL || tag < 0 || tag >= TAGS)
        labels->problem = run_text("tag %d: no label", (int) tag);
    else if (labels->items[tag] != NULL && strcmp(labels->items[tag], label) != 0)
        labels->problem =
            run_text("tag %d: both \"%s\" and \"%s\"", (int) tag, label, labels->items[tag]);
    else
        labels->items[tag] = label;
}

static void
collect(struct labels *labels, const json_t *report)
{
    size_t i, k, n;
    json_t *process, *comm, *op;
    json_array_foreach (json_object_get(report, "processes"), i, process)
        json_array_foreach (json_object_get(process, "communicators"), k, comm)
            json_array_foreach (json_object_get(comm, "receives"), n, op)
                add(labels, comm, json_integer_value(json_object_get(op, "tag")));
}

char *
labels_wrong(const json_t *report, bool is_openmpi)
{
    struct labels labels = {.problem = NULL};
    collect(&labels, report);
    for (size_t i = 0; i < sizeof expected / sizeof *expected && labels.problem == NULL; i++) {
        const char *label = labels.items[expected[i].tag];
        const char *pattern =
            is_openmpi || expected[i].mpich == NULL ? expected[i].openmpi : expected[i].mpich;
        if (label == NULL || fnmatch(pattern, label, FNM_EXTMATCH) != 0)
            labels.problem = run_text("tag %d: \"%s\" instead of \"%s\"", expected[i].tag,
                                      label != NULL ? label : "(none)", pattern);
        for (size_t k = 0; k < i && labels.problem == NULL; k++)
            if (strcmp(label, labels.items[expected[k].tag]) == 0)
                labels.problem = run_text("tags %d and %d: both \"%s\"", expected[k].tag,
                                          expected[i].tag, label);
    }
    return labels.problem;
}

char *
labels_odd_half(const json_t *report)
{
    struct labels labels = {.problem = NULL};
    collect(&labels, report);
    free(labels.problem);
    const char *label = labels.items[TAG_OF_ODD_HALF];
    return label != NULL ? run_text("%s", label) : NULL;
}
