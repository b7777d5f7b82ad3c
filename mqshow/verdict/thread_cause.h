// SPDX-License-Identifier: BSD-3-Clause
// Why threads of one process wait for each other, in words.
#ifndef MQSHOW_VERDICT_THREAD_CAUSE_H
#define MQSHOW_VERDICT_THREAD_CAUSE_H

#include "mqshow/verdict/verdict.h"

/** Whether a knot is of threads of one process, which wait for nothing else. */
bool knot_is_inside(const struct verdict *verdict, const struct knot *knot);

/** The threads of such a knot, each of which waits for the next one, the last for the first, or in
 * any order where it is not known who waits for whom, to free(). */
uint32_t *
thread_knot_chain(const struct verdict *verdict, const struct knot *knot, size_t *ret_count);

/** Appends such a knot in words, and in a form that fits on the line. @return false: it is another
 * one */
bool thread_knot_explain(const struct verdict *verdict, const struct knot *knot,
                         struct strbuf *full, struct strbuf *brief);

/** Adds as facts who else of the process waits, and why such a knot may have come about. */
void thread_knot_add_facts(struct verdict *verdict, const struct knot *knot);

/** Line, cause and facts of processes without MPI that have no knot, and of those of which too
 * little is known. */
enum verdict_kind judge_live_threads(struct verdict *verdict);
enum verdict_kind judge_unknown_threads(struct verdict *verdict);

/** Appends "rank 1: " where there are several processes. */
void thread_add_process(const struct verdict *verdict, struct strbuf *words, uint32_t process);

/** Adds as a fact that one of these threads is in a region of fewer threads than were asked for,
 * most probably. */
void thread_add_starved(struct verdict *verdict, const uint32_t *threads, size_t count);

#endif
