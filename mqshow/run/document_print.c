// SPDX-License-Identifier: BSD-3-Clause
// Printing documents "mqs-ompd/1".
#include "mqshow/run/document_print.h"

#include "mqshow/base/diag.h"
#include "mqshow/base/packed.h"
#include "mqshow/html/html.h"
#include "mqshow/report/progress.h"
#include "mqshow/tree/export.h"
#include "mqshow/tree/text.h"
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
    if (form->tree != TREE_NONE) {
        struct tree tree;
        tree_init(&tree, document, verdict, form->tree);
        json_out_key(&json, "tree");
        tree_write(&json, &tree, SIZE_MAX);
        tree_deinit(&tree);
    }
    if (form->more != NULL)
        form->more(&json, form->context);
    json_out_close(&json, '}');
    json_out_end(&json);
    fputc('\n', out);
}

void
document_print_tree(FILE *out, const struct document *document, const struct verdict *verdict,
                    const struct options *options)
{
    struct screen screen = screen_of(out);
    struct tree tree;
    tree_init(&tree, document, verdict, options->tree);
    tree_print(&tree, out, options->all ? NULL : &screen, options_want_color(options, out));
    tree_deinit(&tree);
}

/** @return false after it printed why the file is not written */
static bool
close_file(const char *path, FILE *out)
{
    bool written = out != NULL && fflush(out) == 0 && !ferror(out);
    int error = errno;
    if (out != NULL && fclose(out) != 0 && written) {
        error = errno;
        written = false;
    }
    if (!written)
        diag("cannot write %s: %s", path, strerror(error));
    return written;
}

bool
document_write_file(const char *path, const struct verdict *verdict,
                    void (*write)(const struct verdict *verdict, FILE *out))
{
    if (path == NULL)
        return true;
    FILE *out = fopen(path, "we");
    if (out != NULL)
        write(verdict, out);
    return close_file(path, out);
}

static bool
write_tree(const struct document *document, const struct verdict *verdict,
           const struct options *options)
{
    struct tree tree;
    FILE *out = fopen(options->dot, "we");
    if (out == NULL)
        return close_file(options->dot, out);
    tree_init(&tree, document, verdict, options->tree);
    tree_write_dot(&tree, out);
    tree_deinit(&tree);
    return close_file(options->dot, out);
}

static bool
write_graph(const struct document *document, const struct verdict *verdict, const char *path)
{
    struct verdict own;
    if (verdict == NULL)
        verdict_init(&own, document);
    bool written = document_write_file(path, verdict != NULL ? verdict : &own, export_dot);
    if (verdict == NULL)
        verdict_deinit(&own);
    return written;
}

bool
document_write_files(const struct document *document, const struct verdict *verdict,
                     const struct options *options)
{
    bool written = true;
    if (options->dot != NULL && options->tree != TREE_NONE)
        written = write_tree(document, verdict, options);
    else if (options->dot != NULL)
        written = write_graph(document, verdict, options->dot);
    char *problem =
        options->html != NULL ? html_write(document, verdict, options->tree, options->html) : NULL;
    if (problem != NULL)
        diag("%s", problem);
    written &= problem == NULL;
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
    static const struct document_form form = {.flags = JSON_COMPACT | JSON_REAL_PRECISION(6),
                                              .narrow = false};
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
    progress_forget_measures(document);
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
