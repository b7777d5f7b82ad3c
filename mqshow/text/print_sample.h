// SPDX-License-Identifier: BSD-3-Clause
// A sample of a job for people: the verdict, what changed, and the processes.
#ifndef MQSHOW_TEXT_PRINT_SAMPLE_H
#define MQSHOW_TEXT_PRINT_SAMPLE_H

#include "mqshow/report/document.h"
#include "mqshow/text/print.h"
#include "mqshow/base/screen.h"

struct verdict;

struct sample {
    const struct document *document;
    const struct verdict *verdict; // about it; NULL: there is none
    const char *changes;           // what follows the verdict; NULL: nothing
};

/** Prints all of it, which style.brief may fold.
 * @param forget called with `context` when the verdict is not needed any more, before the
 * operations take memory in lines; NULL: it is kept
 */
void print_sample(FILE *out, const struct sample *sample, struct style style,
                  void (*forget)(void *context), void *context);

/** Prints what a screen has room for, but for one row: the verdict, what changed, and processes,
 * those that the verdict is about first, one of each group that does the same before the others.
 * What is left out is counted.
 */
void print_sample_on_screen(FILE *out, const struct sample *sample, struct style style,
                            const struct screen *screen);

#endif
