// SPDX-License-Identifier: BSD-3-Clause
// A text that is written like a file.
#include "mqshow/base/draft.h"

#include "mqshow/base/diag.h"

FILE *
draft_open(struct draft *draft)
{
    *draft = (struct draft){.file = open_memstream(&draft->text, &draft->size)};
    if (draft->file == NULL)
        die("out of memory");
    return draft->file;
}

char *
draft_close(struct draft *draft)
{
    if (fclose(draft->file) != 0)
        die("out of memory");
    return draft->text;
}
