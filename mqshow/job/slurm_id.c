// SPDX-License-Identifier: BSD-3-Clause
// The ids of Slurm's jobs and steps as its commands write them.
#include "mqshow/job/slurm_id.h"

#include "mqshow/base/alloc.h"

#include <stdlib.h>
#include <string.h>

enum { NUMBER_MAX = 10 }; // digits

/** Where the number ends that a text begins with; NULL: it begins with none. */
static const char *
skip_number(const char *text)
{
    size_t length = strspn(text, "0123456789");
    return length > 0 && length <= NUMBER_MAX ? text + length : NULL;
}

/** Where a number ends that may have another one behind it. @param marks what may be between */
static const char *
skip_numbers(const char *text, const char *marks)
{
    text = skip_number(text);
    return text != NULL && *text != '\0' && strchr(marks, *text) != NULL ? skip_number(text + 1)
                                                                         : text;
}

static bool
is_step(const char *text)
{
    static const char *const names[] = {"batch", "extern", "interactive"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(text, names[i]) == 0)
            return true;
    const char *end = skip_numbers(text, "+");
    return end != NULL && *end == '\0';
}

bool
slurm_id_read(const char *text, struct slurm_id *ret)
{
    const char *end = skip_numbers(text, "_+");
    if (end == NULL || (*end == '.' && !is_step(end + 1)) || (*end != '.' && *end != '\0'))
        return false;
    ret->job = alloc_format("%.*s", (int) (end - text), text);
    ret->step = *end == '.' ? alloc_text(end + 1) : NULL;
    return true;
}

void
slurm_id_deinit(struct slurm_id *id)
{
    free(id->job);
    free(id->step);
    *id = (struct slurm_id){.job = NULL};
}

bool
slurm_id_means_step(const char *wanted, const char *step)
{
    size_t length = wanted != NULL ? strlen(wanted) : 0;
    return wanted == NULL ||
           (strncmp(step, wanted, length) == 0 && (step[length] == '\0' || step[length] == '+'));
}
