// SPDX-License-Identifier: BSD-3-Clause
// A text that is written like a file.
#ifndef MQSHOW_BASE_DRAFT_H
#define MQSHOW_BASE_DRAFT_H

#include <stdio.h>

struct draft {
    FILE *file;
    char *text;
    size_t size;
};

/** Begins a text. @return what to write it to */
FILE *draft_open(struct draft *draft);

/** The text, which free() frees. */
char *draft_close(struct draft *draft);

#endif
