// SPDX-License-Identifier: BSD-3-Clause
// A sample of a job for people: the verdict, what changed, and the processes.
#ifndef TOOLS_PRINT_SAMPLE_H
#define TOOLS_PRINT_SAMPLE_H

#include "tools/print.h"
#include "tools/screen.h"

struct sample {
    const struct json_t *document; // with the verdict, if there is one
    const struct report *reports;  // in the order of the document's processes
    size_t count;
    const char *changes; // what follows the verdict; NULL: nothing
};

/** Prints all of it, which style.brief may fold. */
void print_sample(FILE *out, const struct sample *sample, struct style style);

/** Prints what a screen has room for, but for one row: the verdict, what changed, and processes,
 * those that the verdict is about first, one of each group that does the same before the others.
 * What is left out is counted.
 */
void print_sample_on_screen(FILE *out, const struct sample *sample, struct style style,
                            const struct screen *screen);

#endif
