// SPDX-License-Identifier: BSD-3-Clause
// The verdict about a document: who waits for whom, whether that can end, and what never matched.
#ifndef MQSHOW_VERDICT_VERDICT_H
#define MQSHOW_VERDICT_VERDICT_H

#include "mqshow/verdict/knots.h"
#include "mqshow/verdict/near.h"
#include "mqshow/base/strbuf.h"

enum verdict_kind {
    VERDICT_DEADLOCK,
    VERDICT_UNLESS, // a deadlock, if threads that rest do nothing about it
    VERDICT_HANG,   // ranks wait for one that is stopped, dead, or in the system for ever
    VERDICT_NONE_SEEN,
    VERDICT_UNKNOWN
};

/** The most probable cause. */
struct cause {
    const char *what; // "cycle", "stopped", ...; NULL: none
    uint32_t *processes;
    size_t n_processes;
};

/** Processes of equal situation. */
struct rank_group {
    uint32_t situation;  // in `situations`
    uint32_t *processes; // rising by label
    size_t count;
};

struct verdict {
    struct job_index job;
    struct waits waits;
    struct knots knots;
    struct near_search near;
    enum verdict_kind kind;
    char *text;   // the first line
    char **facts; // below it
    size_t n_facts, facts_capacity;
    struct cause cause;
    bool is_conditional; // the knots are there only if threads that rest do nothing
    bool has_place;      // the first line names a place in the program
    int32_t *acting;     // by process: the thread by which it goes on by itself; NOBODY: none
    uint32_t *resting;   // these threads, where the verdict is about such a knot
    size_t n_resting;
    bool is_partial; // ranks of MPI_COMM_WORLD were not read
    bool may_last;   // a call to the system that only others end: more samples would confirm it
    struct rank_group *groups; // by their first process
    size_t n_groups;
    struct intern situations;
    struct by_key in_groups;     // what `processes` of the groups points into
    size_t n_waiting;            // processes that wait
    size_t n_waiting_if_unknown; // processes that only what is not known could let go on
};

/** Judges a document, which must live as long. */
void verdict_init(struct verdict *verdict, const struct document *document);
void verdict_deinit(struct verdict *verdict);

/** "deadlock", ... */
const char *verdict_kind_name(enum verdict_kind kind);

/** Finds the processes of equal situation; the first step after the graph is there. */
void verdict_group(struct verdict *verdict);

/** Sets kind and text. */
void verdict_judge(struct verdict *verdict);

/** Labels of processes in rising order, to free(); those that have none are left out. */
int32_t *verdict_labels(const struct verdict *verdict, const uint32_t *processes, size_t count,
                        size_t *ret_count);

/** Appends what a thread's call to the system is about, and who can end it: "on /tmp/lock, held by
 * rank 0", "on pipe:[4711], whose other end rank 1 has"; perhaps nothing. */
void verdict_add_system_wait(const struct verdict *verdict, struct strbuf *words, uint32_t thread);

/** Appends "rank 3", "process 3", or the core's file. */
void verdict_add_process(const struct verdict *verdict, struct strbuf *words, uint32_t process);

/** Appends "rank 3", "ranks 0-3,7", and cores that have no rank.
 * @param add strbuf_add_runs() or strbuf_add_ranges(), for at most `max` runs */
void verdict_add_list(const struct verdict *verdict, struct strbuf *words,
                      const uint32_t *processes, size_t count, size_t max,
                      void (*add)(struct strbuf *, const int32_t *, size_t, size_t));

/** Appends "rank 3", "ranks [0-3,7]". */
void verdict_add_ranks(const struct verdict *verdict, struct strbuf *words,
                       const uint32_t *processes, size_t count);

/** Appends the files of cores that have no label. */
void verdict_add_cores(const struct verdict *verdict, struct strbuf *words,
                       const uint32_t *processes, size_t count, const char *before);

/** Appends "MPI_Recv in exchange at ring.c:17"; what is known of a thread, perhaps nothing. */
void verdict_add_thread(const struct verdict *verdict, struct strbuf *words, uint32_t thread);

/** Appends what a thread waits for: "from rank 1 tag 7 on solver"; perhaps nothing. */
void verdict_add_awaited(const struct verdict *verdict, struct strbuf *words, uint32_t thread);

/** Appends the state of a halted process: "stopped (SIGSTOP)", "held by gdb (pid 7)". */
void verdict_add_state(struct strbuf *words, const struct process_entry *process);

/** "receive from rank 1" */
void verdict_add_peer(const struct verdict *verdict, struct strbuf *words, const struct job_op *op);

/** "tag 7", "tag any" */
void verdict_add_tag(struct strbuf *words, const struct job_op *op);

/** The same as a text to free(), empty for NOBODY. */
char *verdict_thread_text(const struct verdict *verdict, int32_t thread);

/** Whether a thread waits inside of its process, and it is known for what. */
bool verdict_waits_inside(const struct verdict *verdict, uint32_t thread);

/** A property of a process. */
typedef bool (*verdict_property_ft)(const struct verdict *verdict, uint32_t process);

/** The processes with a property, to free(). */
uint32_t *
verdict_select(const struct verdict *verdict, verdict_property_ft holds, size_t *ret_count);

/** Whether a process cannot go on without others. */
bool verdict_is_waiting(const struct verdict *verdict, uint32_t process);

/** Whether it waits for others and will not go on. */
bool verdict_is_blocked(const struct verdict *verdict, uint32_t process);

/** Whether it goes on by itself. */
bool verdict_is_live(const struct verdict *verdict, uint32_t process);

/** Whether its threads wait for each other, so far as is known: a signal, a clock or another
 * process may end these waits. */
bool verdict_is_locked(const struct verdict *verdict, uint32_t process);

/** Whether a thread waits for what comes from another one or from another process. */
bool verdict_somebody_waits(const struct verdict *verdict);

/** Whether no process goes on by itself. */
bool verdict_nobody_works(const struct verdict *verdict);

/** Whether something is not known of processes that were read: they may be seen to move. */
bool verdict_has_unknowns(const struct verdict *verdict);

/** Whether more samples can tell more: a thread is in a call that waits for messages, but none is
 * seen that it waits for; or no process computes, and yet there is no knot; or what others wait for
 * may last. */
bool verdict_wants_samples(const struct verdict *verdict);

/** "rank" or "process": what labels are. */
const char *verdict_noun(const struct verdict *verdict);

/** The thread of a process that matters most to others: one in an MPI call if there is one;
 * NOBODY: none is known. */
int32_t verdict_main_thread(const struct verdict *verdict, uint32_t process);

#endif
