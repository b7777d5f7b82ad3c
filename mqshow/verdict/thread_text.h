// SPDX-License-Identifier: BSD-3-Clause
// Threads of a process, and what they wait for in it, in words.
#ifndef MQSHOW_VERDICT_THREAD_TEXT_H
#define MQSHOW_VERDICT_THREAD_TEXT_H

#include "mqshow/verdict/verdict.h"

/** How much a text says. */
enum detail { WITH_PLACES, WITHOUT_PLACES, ONLY_NAMES, DETAILS };

/** Whether the number in its team distinguishes a thread from all others of its process. */
bool thread_has_unique_number(const struct verdict *verdict, uint32_t thread);

/** Whether a thread waits for others of its team that do not exist. */
bool thread_waits_for_absent(const struct verdict *verdict, uint32_t thread);

/** Appends " for 3 of its team, which do not exist". */
void thread_add_absent(const struct verdict *verdict, struct strbuf *words, uint32_t thread);

/** Appends "thread 3", with its tid where others of the process have the same number. */
void verdict_add_thread_name(const struct verdict *verdict, struct strbuf *words, uint32_t thread);

/** Appends "thread 3", "threads 0,2-4". */
void verdict_add_thread_names(const struct verdict *verdict, struct strbuf *words,
                              const uint32_t *threads, size_t count);

/** Appends what a thread in DOING_LOCK waits for: "lock a", "critical (x)", "another thread". */
void verdict_add_object(const struct verdict *verdict, struct strbuf *words, uint32_t thread);

/** Appends what a thread waits for inside of its process: "waits for lock a", "waits at the
 * barrier", "waits in taskwait". */
void verdict_add_wait(const struct verdict *verdict, struct strbuf *words, uint32_t thread);

/** Appends for whom a thread waits inside of its process, "held by thread 2", and what it holds
 * that others wait for, "holds lock a", behind a comma; perhaps nothing. */
void verdict_add_needed(const struct verdict *verdict, struct strbuf *words, uint32_t thread);
void verdict_add_held(const struct verdict *verdict, struct strbuf *words, uint32_t thread);

/** Appends " at x.c:8", the place of a thread's region; perhaps nothing. */
void thread_add_region_place(const struct verdict *verdict, struct strbuf *words,
                             const struct job_thread *thread);

/** Appends "barrier at x.c:10", "end of the region at x.c:8", where a thread in DOING_BARRIER is.
 */
void thread_add_barrier(const struct verdict *verdict, struct strbuf *words, uint32_t thread,
                        enum detail detail);

/** Appends "for lock a", "at the barrier at x.c:10", "in taskwait at x.c:12". */
void thread_add_wait(const struct verdict *verdict, struct strbuf *words, uint32_t thread,
                     enum detail detail);

/** Whether a thread waits for what a thread holds that does not exist. */
bool thread_waits_for_missing(const struct verdict *verdict, uint32_t thread);

/** Appends "held by thread 1234, which does not exist". */
void thread_add_missing(const struct verdict *verdict, struct strbuf *words, uint32_t thread);

/** The thread that is known to hold what a thread waits for; NOBODY. */
int32_t thread_holder(const struct verdict *verdict, uint32_t thread);

#endif
