// SPDX-License-Identifier: BSD-3-Clause
// The output of this program on another machine: a document, line by line, or complaints.
//
// Neither is trusted: both have limits. A short text can make a large
// document, so what counts is the memory that it would take.
#ifndef MQSHOW_REMOTE_HOST_OUTPUT_H
#define MQSHOW_REMOTE_HOST_OUTPUT_H

#include "mqshow/base/strbuf.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Bytes of memory that an output, and all together, may take at most, about. */
#define HOST_OUTPUT_MEMORY_MAX  ((uint64_t) 1 << 30)
#define HOST_OUTPUTS_MEMORY_MAX ((uint64_t) 4 << 30)

struct host_output {
    bool skipped;          // nothing was asked
    bool inside, complete; // of the document
    bool too_long;
    uint64_t memory; // bytes that it takes
    char *text;
    size_t length, capacity;
    struct strbuf complaint; // escaped
};

/** Takes a line of the output: the document goes from a line "{" to a line "}", and what a login
 * says before it or after it does not count.
 * @param memory bytes left for all outputs, from HOST_OUTPUTS_MEMORY_MAX on; those of this line are
 *               subtracted. An output that takes too many is dropped, and gives them back.
 * @return whether the document is complete now
 */
bool host_output_add(struct host_output *output, const char *line, uint64_t *memory);

/** Takes a line of the error output. */
void host_output_complain(struct host_output *output, const char *line);

/** The document, which may hold anything; its text is freed.
 * @param jobs whether it lists jobs, not processes
 * @return NULL: it was too long or is invalid
 */
json_t *host_output_document(struct host_output *output, bool jobs);

void host_output_deinit(struct host_output *output);

#endif
