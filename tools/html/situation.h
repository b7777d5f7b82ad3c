// SPDX-License-Identifier: BSD-3-Clause
// What a document tells of each rank: whether it waits, in which call, for whom.
#ifndef TOOLS_HTML_SITUATION_H
#define TOOLS_HTML_SITUATION_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum kind { KIND_UNREAD, KIND_UNKNOWN, KIND_RUNS, KIND_MPI, KIND_WAITS, KIND_CYCLE, KINDS };

/** A rank; texts and JSON are the document's. */
struct situation {
    json_int_t rank;
    const json_t *process; // NULL: the document has none
    const json_t *wait;    // the first of verdict.waits for another rank; NULL: none
    const char *inside;    // what a thread waits for that another one of the process has; NULL
    const json_t *thread;  // that waits, or else that is in MPI, or else any; NULL
    const json_t *late;    // of verdict.collectives: one that it is not in; NULL
    const char *call;      // NULL: none or not known
    const char *state;     // of the process, unless it goes on as usual; NULL
    enum kind kind;
    uint64_t waits_hash; // equal for equal waits
    size_t group;        // place in verdict.groups, or SIZE_MAX
    size_t cycle;        // place of the first in verdict.cycles, or SIZE_MAX
};

struct situations {
    struct situation *items; // ordered by rank
    size_t count;
    bool by_index; // `rank` is a place in "processes"
};

/** Reads a document, which needs not have a verdict. */
struct situations situations_read(const json_t *document);

void situations_free(struct situations *all);

/** The first with this rank or a greater one; `count` when there is none. */
size_t situations_from(const struct situations *all, json_int_t rank);

/** Whether one of the ranks is enough: for one of several operations, or a receive from anybody. */
bool wait_needs_any(const json_t *wait);

/** Equal for waits for the same ranks. */
uint64_t wait_hash(const json_t *wait);

#endif
