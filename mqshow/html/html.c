// SPDX-License-Identifier: BSD-3-Clause
// A document "mqs-ompd/1" as one page for a browser that needs nothing else.
#include "mqshow/html/html.h"

#include "mqshow/base/alloc.h"
#include "mqshow/html/deflate.h"
#include "mqshow/html/graph.h"
#include "mqshow/html/annotations.h"
#include "mqshow/html/page_parts.h" // page_begin and page_end, made of the page, its style and its script
#include "mqshow/verdict/export.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/** What a page shows. */
struct page {
    const struct document *document;
    const struct verdict *verdict;
    bool is_judged; // the verdict is shown, too
    struct drawn_graph graph;
};

/** Writes what the page's script reads. */
static void
write_data(FILE *out, const struct page *page)
{
    struct json_out json;
    json_out_begin(&json, out, JSON_COMPACT);
    json.exact = true;
    json_out_open(&json, '{');
    json_out_object(&json, "document");
    document_write(&json, page->document, false);
    if (page->is_judged) {
        json_out_key(&json, "verdict");
        verdict_write(&json, page->verdict, true);
    }
    json_out_close(&json, '}');
    json_out_key(&json, "marks");
    annotations_write(&json, page->verdict);
    json_out_key(&json, "graph");
    graph_write(&json, &page->graph);
    json_out_close(&json, '}');
    json_out_end(&json);
}

static bool
write_page(FILE *out, const struct page *page)
{
    FILE *data;
    fputs(page_begin, out);
    fputs("<script type=\"application/gzip\" id=\"data\">", out);
    struct deflate *deflate = deflate_open(out, &data);
    if (deflate)
        write_data(data, page);
    bool written = deflate && deflate_close(deflate);
    fputs("</script>\n", out);
    fputs(page_end, out);
    return fflush(out) == 0 && !ferror(out) && written;
}

/** @return NULL, or why it is not written, for free() */
static char *
write_file(const char *path, const struct page *page)
{
    FILE *out = fopen(path, "we");
    if (!out)
        return alloc_format("cannot write %s: %s", path, strerror(errno));
    bool written = write_page(out, page);
    int error = errno;
    if (fclose(out) == 0 && written)
        return NULL;
    return alloc_format("cannot write %s: %s", path, strerror(written ? errno : error));
}

char *
html_write(const struct document *document, const struct verdict *verdict, const char *path)
{
    struct verdict own;
    if (!verdict)
        verdict_init(&own, document);
    struct page page = {document, verdict ? verdict : &own, verdict != NULL, {.width = 0}};
    graph_make(&page.graph, page.verdict);
    // First, because a signal may end the program meanwhile: a page that is there then stays.
    graph_lay_out(&page.graph);
    char *problem = write_file(path, &page);
    graph_free(&page.graph);
    if (!verdict)
        verdict_deinit(&own);
    return problem;
}
