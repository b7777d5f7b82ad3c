// SPDX-License-Identifier: BSD-3-Clause
// Compressing what goes into a page.
#ifndef MQSHOW_HTML_DEFLATE_H
#define MQSHOW_HTML_DEFLATE_H

#include <stdbool.h>
#include <stdio.h>

struct deflate;

/** A file whose bytes are written to another one in the format of gzip, as base64.
 * @param ret_file to write to, until deflate_close()
 * @return NULL: there is no memory */
struct deflate *deflate_open(FILE *out, FILE **ret_file);

/** Writes the rest. @return whether all was written */
bool deflate_close(struct deflate *deflate);

#endif
