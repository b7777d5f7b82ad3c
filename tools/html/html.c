// SPDX-License-Identifier: BSD-3-Clause
// A document "mqs-ompd/1" as one page for a browser that needs nothing else.
#include "tools/html/html.h"

#include "tools/alloc.h"
#include "tools/html/embed.h"
#include "tools/html/graph.h"
#include "tools/html/marks.h"
#include "tools/html/page_parts.h" // page_begin and page_end, made of the page, its style and its script

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void
write_data(FILE *out, const char *id, const json_t *value)
{
    fprintf(out, "<script type=\"application/json\" id=\"%s\">", id);
    embed_json(out, value);
    fputs("</script>\n", out);
}

/** The graph, drawn when that is possible; else it says why not. */
static json_t *
drawn_graph(const json_t *document)
{
    json_t *graph = graph_make(document);
    char *error = graph_lay_out(graph);
    if (error != NULL)
        json_object_set_new(graph, "error", json_string(error));
    free(error);
    return graph;
}

char *
html_write(const json_t *document, const char *path)
{
    // First, because a signal may end the program meanwhile: a page that is there then stays.
    json_t *graph = drawn_graph(document);
    FILE *out = fopen(path, "we");
    if (out == NULL) {
        json_decref(graph);
        return alloc_format("cannot write %s: %s", path, strerror(errno));
    }
    json_t *page = marks_add(document, json_is_true(json_object_get(graph, "by_index")));
    fputs(page_begin, out);
    write_data(out, "document", page);
    write_data(out, "graph", graph);
    fputs(page_end, out);
    json_decref(page);
    json_decref(graph);
    bool written = fflush(out) == 0 && !ferror(out);
    int error = errno;
    if (fclose(out) == 0 && written)
        return NULL;
    return alloc_format("cannot write %s: %s", path, strerror(written ? errno : error));
}
