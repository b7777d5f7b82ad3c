// SPDX-License-Identifier: BSD-3-Clause
// What most probably made a knot, and the line about it: ranks that are not in a collective that
// others are in, a send and a receive that do not match, or nothing more than the cycle.
#ifndef MQSHOW_VERDICT_KNOT_CAUSE_H
#define MQSHOW_VERDICT_KNOT_CAUSE_H

#include "mqshow/verdict/verdict.h"

struct knot_cause {
    const struct verdict *verdict;
    const struct knot *knot;
    int32_t *thread_of;        // by process: the thread that the cycle goes through; NOBODY: none
    struct strbuf full, brief; // the line without its kind
    const char *what;          // as in struct cause
    uint32_t *culprits;
    size_t n_culprits;
};

void
knot_cause_init(struct knot_cause *cause, const struct verdict *verdict, const struct knot *knot);
void knot_cause_deinit(struct knot_cause *cause);

/** The thread of a process that the knot is about; NOBODY: not known. */
int32_t knot_cause_thread(const struct knot_cause *cause, uint32_t process);

/** The collective that this thread is in; NULL: not known. */
const struct entry *knot_cause_entry(const struct knot_cause *cause, uint32_t process);

/** Appends "0 -> 1 -> 0". The cycle has processes. */
void knot_cause_add_cycle(const struct knot_cause *cause, struct strbuf *words);

#endif
