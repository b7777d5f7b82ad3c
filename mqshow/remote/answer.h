// SPDX-License-Identifier: BSD-3-Clause
// The document that a machine answers with, line by line, and what it says when it does not.
//
// Neither is trusted: both have limits. A short text can make a large
// document, so what counts is the memory that it would take.
#ifndef MQSHOW_REMOTE_ANSWER_H
#define MQSHOW_REMOTE_ANSWER_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Bytes of memory that an answer, and all together, may take at most, about. */
#define ANSWER_MEMORY_MAX  ((uint64_t) 1 << 30)
#define ANSWERS_MEMORY_MAX ((uint64_t) 4 << 30)

struct answer {
    bool skipped;          // nothing was asked
    bool inside, complete; // of the document
    bool too_long;
    uint64_t memory; // bytes that it takes
    char *text;
    size_t length, capacity;
    char *complaint; // escaped; NULL: none
};

/** Takes a line of the output: the document goes from a line "{" to a line "}", and what a login
 * says before it or after it does not count.
 * @param memory bytes left for all answers, from ANSWERS_MEMORY_MAX on; those of this line are
 *               subtracted. An answer that takes too many is dropped, and gives them back.
 * @return whether the document is complete now
 */
bool answer_add(struct answer *answer, const char *line, uint64_t *memory);

/** Takes a line of the error output. */
void answer_complain(struct answer *answer, const char *line);

/** The document, which may hold anything; its text is freed.
 * @return NULL: it was too long or makes no sense
 */
json_t *answer_document(struct answer *answer);

void answer_deinit(struct answer *answer);

#endif
