// SPDX-License-Identifier: BSD-3-Clause
// A document "mqs-ompd/1" as one page for a browser that needs nothing else.
#include "mqshow/html/html.h"

#include "mqshow/base/alloc.h"
#include "mqshow/html/graph.h"
#include "mqshow/html/annotations.h"
#include "mqshow/tree/export.h"
#include "mqshow/html/page_parts.h" // page_begin and page_end, made of the page, its style and its script
#include "mqshow/verdict/export.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum { NODES_MAX = 20000 }; // of the tree, that a browser shows at once

enum {
    GZIP = 16 + MAX_WBITS, // the format that browsers know
    PIECE = 3 << 14,       // of what is compressed: no piece but the last one has rest in base64
};

struct deflate {
    FILE *out, *file;
    z_stream stream;
    unsigned char piece[PIECE];
    bool failed;
};

/** Writes a piece as base64. */
static void
write_base64(FILE *out, const unsigned char *bytes, size_t size)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    char text[4 * (PIECE / 3)], *at = text;
    for (size_t i = 0; i < size; i += 3) {
        size_t left = size - i;
        uint32_t bits = (uint32_t) bytes[i] << 16 | (left > 1 ? (uint32_t) bytes[i + 1] << 8 : 0) |
                        (left > 2 ? bytes[i + 2] : 0);
        *at++ = digits[bits >> 18];
        *at++ = digits[bits >> 12 & 63];
        *at++ = left > 1 ? digits[bits >> 6 & 63] : '=';
        *at++ = left > 2 ? digits[bits & 63] : '=';
    }
    fwrite(text, 1, (size_t) (at - text), out);
}

/** Compresses what the stream has, and writes whole pieces; with Z_FINISH all that is left. */
static void
compress_some(struct deflate *deflate_, int flush)
{
    z_stream *stream = &deflate_->stream;
    int code = Z_OK;
    while (code == Z_OK && (stream->avail_in > 0 || flush == Z_FINISH)) {
        code = deflate(stream, flush);
        if (stream->avail_out > 0 && code == Z_OK)
            continue;
        write_base64(deflate_->out, deflate_->piece, PIECE - stream->avail_out);
        stream->next_out = deflate_->piece;
        stream->avail_out = PIECE;
    }
    deflate_->failed |= code != Z_OK && code != Z_STREAM_END;
}

static ssize_t
take(void *cookie, const char *bytes, size_t size)
{
    struct deflate *deflate = cookie;
    deflate->stream.next_in = (unsigned char *) bytes;
    deflate->stream.avail_in = (uInt) size;
    compress_some(deflate, Z_NO_FLUSH);
    return (ssize_t) size;
}

/** A file whose bytes are written to another one in the format of gzip, as base64.
 * @param ret_file to write to, until deflate_close()
 * @return NULL: there is no memory */
static struct deflate *
deflate_open(FILE *out, FILE **ret_file)
{
    struct deflate *deflate = alloc_zeroed(1, sizeof *deflate);
    deflate->out = out;
    deflate->stream.next_out = deflate->piece;
    deflate->stream.avail_out = PIECE;
    bool good = deflateInit2(&deflate->stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, GZIP,
                             MAX_MEM_LEVEL, Z_DEFAULT_STRATEGY) == Z_OK;
    deflate->file = good ? fopencookie(deflate, "w", (cookie_io_functions_t){.write = take}) : NULL;
    if (!deflate->file) {
        free(deflate);
        return NULL;
    }
    *ret_file = deflate->file;
    return deflate;
}

/** Writes the rest. @return whether all was written */
static bool
deflate_close(struct deflate *deflate)
{
    bool good = fclose(deflate->file) == 0;
    compress_some(deflate, Z_FINISH);
    good &= !deflate->failed;
    deflateEnd(&deflate->stream);
    free(deflate);
    return good;
}

/** What a page shows. */
struct page {
    const struct document *document;
    const struct verdict *verdict;
    bool is_judged; // the verdict is shown, too
    struct drawn_graph graph;
    struct tree tree;
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
    json_out_key(&json, "tree");
    tree_write(&json, &page->tree, NODES_MAX);
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
html_write(const struct document *document, const struct verdict *verdict, enum tree_detail tree,
           const char *path)
{
    struct verdict own;
    if (!verdict)
        verdict_init(&own, document);
    struct page page = {
        .document = document, .verdict = verdict ? verdict : &own, .is_judged = verdict != NULL};
    graph_make(&page.graph, page.verdict);
    tree_init(&page.tree, document, page.verdict, tree != TREE_NONE ? tree : TREE_FUNCTIONS);
    // First, because a signal may end the program meanwhile: a page that is there then stays.
    graph_lay_out(&page.graph);
    char *problem = write_file(path, &page);
    graph_free(&page.graph);
    tree_deinit(&page.tree);
    if (!verdict)
        verdict_deinit(&own);
    return problem;
}
