// SPDX-License-Identifier: BSD-3-Clause
// Printing documents "mqs-ompd/1".
#include "mqshow/run/document_print.h"

#include "mqshow/base/diag.h"
#include "mqshow/base/packed.h"
#include "mqshow/html/html.h"
#include "mqshow/verdict/export.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void
document_print(FILE *out, const struct document *document, const struct verdict *verdict,
               const struct document_form *form)
{
    struct json_out json;
    json_out_begin(&json, out, form->flags);
    json_out_open(&json, '{');
    document_write(&json, document, form->narrow);
    if (verdict != NULL) {
        json_out_key(&json, "verdict");
        verdict_write(&json, verdict, false);
    }
    if (form->more != NULL)
        form->more(&json, form->context);
    json_out_close(&json, '}');
    json_out_end(&json);
    fputc('\n', out);
}

bool
document_write_page(const struct document *document, const struct verdict *verdict,
                    const char *path)
{
    char *problem = path != NULL ? html_write(document, verdict, path) : NULL;
    bool written = problem == NULL;
    if (!written)
        diag("%s", problem);
    free(problem);
    return written;
}

struct saved {
    const struct document *document;
    const struct verdict *verdict;
};

static void
write_saved(FILE *out, const void *context)
{
    static const struct document_form form = {.flags = JSON_COMPACT, .narrow = false};
    const struct saved *saved = context;
    document_print(out, saved->document, saved->verdict, &form);
}

bool
document_save(struct document *document, const struct verdict *verdict, const char *path)
{
    if (path == NULL)
        return true;
    if (document->time == NULL) // else it was read from a file
        document_set_origin(document);
    char *problem = packed_write(path, write_saved, &(struct saved){document, verdict});
    if (problem != NULL)
        diag("%s", problem);
    free(problem);
    return problem == NULL;
}

bool
output_is_written(FILE *out)
{
    bool written = fflush(out) == 0 && !ferror(out);
    if (!written)
        diag("cannot write the output: %s", strerror(errno));
    return written;
}
