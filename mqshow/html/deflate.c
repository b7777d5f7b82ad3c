// SPDX-License-Identifier: BSD-3-Clause
// Compressing what goes into a page, piece by piece.
#include "mqshow/html/deflate.h"

#include "mqshow/base/alloc.h"

#include <stdint.h>
#include <stdlib.h>
#include <zlib.h>

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

struct deflate *
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

bool
deflate_close(struct deflate *deflate)
{
    bool good = fclose(deflate->file) == 0;
    compress_some(deflate, Z_FINISH);
    good &= !deflate->failed;
    deflateEnd(&deflate->stream);
    free(deflate);
    return good;
}
