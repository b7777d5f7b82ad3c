// SPDX-License-Identifier: BSD-3-Clause
// The document that a machine answers with, line by line, and what it says when it does not.
//
// Neither is trusted: both have limits, and texts are made harmless.
#ifndef TOOLS_ANSWER_H
#define TOOLS_ANSWER_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

struct answer {
    bool skipped;          // nothing was asked
    bool inside, complete; // of the document
    bool too_long;
    char *text;
    size_t length, capacity;
    char *complaint; // escaped; NULL: none
};

/** Takes a line of the output: the document goes from a line "{" to a line "}", and what a login
 * says before it or after it does not count.
 * @return whether the document is complete now
 */
bool answer_add(struct answer *answer, const char *line);

/** Takes a line of the error output. */
void answer_complain(struct answer *answer, const char *line);

/** The document, with harmless texts; its text is freed. @return NULL: it makes no sense */
json_t *answer_document(struct answer *answer);

void answer_deinit(struct answer *answer);

#endif
