// SPDX-License-Identifier: BSD-3-Clause
// Why ranks wait: the first line of the verdict, the most probable cause, and the facts below it.
#ifndef MQSHOW_VERDICT_CAUSE_H
#define MQSHOW_VERDICT_CAUSE_H

#include "mqshow/verdict/verdict.h"

/** Bytes of the first line at most; of processes without MPI, which have no list of ranks, and
 * where a thread or a place in the program is named. */
enum { LINE_BYTES = 100, PLAIN_LINE_BYTES = 140 };

/** Which of them it is. */
size_t cause_line_bytes(const struct verdict *verdict);

/** Sets the first line: the full form if that is short enough, else the brief one, cut between
 * words if need be. Empties both. */
void cause_set_line(struct verdict *verdict, struct strbuf *full, struct strbuf *brief);

/** Adds a fact and empties the words; no words are no fact. */
void cause_add_fact(struct verdict *verdict, struct strbuf *words);

/** Adds as a fact that all are in a collective that does not end. */
void cause_add_entered(struct verdict *verdict, const struct collective *item);

/** A process that waits for a device, and the thread of it, of all threads, that does so. */
struct cause_waiter {
    uint32_t process, thread;
};

/** Of how many, at most, a fact is shown for each. */
enum { CAUSE_SHOWN = 4 };

/** Adds what is known of the devices and of what they may wait for as facts: which they are, which
 * functions of the program and which collectives they run. */
void
cause_add_device_facts(struct verdict *verdict, const struct cause_waiter *waiters, size_t count);

/** Sets the cause. @param what a word that lives for ever */
void cause_set(struct verdict *verdict, const char *what, const uint32_t *processes, size_t count);

/** Appends "rank 1", "ranks 0,2-4", at most a few runs of them, and the verb that fits.
 * @param one "is ", "waits for "; NULL: no verb */
void cause_add_ranks(const struct verdict *verdict, struct strbuf *words, const uint32_t *processes,
                     size_t count, const char *one, const char *many);

/** Appends "rank 0 waits for it", "ranks 0,2 wait for them". @param n_for how many are waited for
 */
void cause_add_waiting(const struct verdict *verdict, struct strbuf *words,
                       const uint32_t *processes, size_t count, size_t n_for);

/** Adds what is known of want of memory of processes as facts, of those of one group once.
 * @param ended whether they have, or else wait */
void cause_add_memory(struct verdict *verdict, const uint32_t *processes, size_t count, bool ended);

/** Those of processes that others wait for and that do nothing by themselves.
 * @param line whether to set line and cause; else they become a fact
 * @return false: there are none */
bool cause_of_halted(struct verdict *verdict, bool line);

/** Line and cause of processes that are stopped, held, dead or gone, and that nobody is seen to
 * wait for. @param ret the verdict: it is not known where some may. @return false: there are none
 */
bool cause_of_unneeded(struct verdict *verdict, enum verdict_kind *ret);

/** Line and cause of processes whose threads wait for each other, as far as is known, when that is
 * all that is not known. @return false: it is not */
bool cause_of_locked(struct verdict *verdict);

/** Whether a thread is in a call that other ranks are to make, too: of a group, perhaps. */
bool cause_waits_for_ranks(const struct verdict *verdict, const struct process_entry *process);

/** Line and cause of processes in collectives of devices, such as NCCL's, of which it is not known
 * for whom they wait, when that is all that is not known. @return false: it is not */
bool cause_of_device_collectives(struct verdict *verdict);

/** Whether all that go on by themselves are in the same call to the system, or one waits for a
 * device. */
bool cause_is_system_call(const struct verdict *verdict);

/** Those of processes that go on by themselves, as far as is known, while others wait for them.
 * @return whether what they do can last for ever */
bool cause_of_live(struct verdict *verdict);

/** What most probably made a knot, and the line about it: ranks that are not in a collective that
 * others are in, a send and a receive that do not match, or nothing more than the cycle. */
struct knot_cause {
    const struct verdict *verdict;
    const struct knot *knot;
    int32_t *thread_of;        // by process: the thread that the cycle goes through; NOBODY: none
    struct strbuf full, brief; // the line
    bool has_place;            // names where in the program
    const char *what;          // as in struct cause
    uint32_t *culprits;
    size_t n_culprits;
    bool misfits; // nonblocking collectives that all have begun
};

/** @param kind what the line begins with: "DEADLOCK", "possible deadlock"
 * @param brief_kind what the brief one does */
void knot_cause_init(struct knot_cause *cause, const struct verdict *verdict,
                     const struct knot *knot, const char *kind, const char *brief_kind);
void knot_cause_deinit(struct knot_cause *cause);

/** Sets cause and culprits, in the place of others. @param what as in struct cause */
void knot_cause_blame(struct knot_cause *cause, const char *what, const uint32_t *processes,
                      size_t count);

/** The collective of the knot that most processes are in, of the communicator of the first one that
 * the cycle goes through; NULL: it goes through none. */
const struct collective *knot_cause_main_collective(const struct knot_cause *cause);

/** Line and culprits of a knot of a collective: the members of its communicator that are not in it
 * and belong to the knot, or those that exit. @return false: the knot has no collective */
bool knot_cause_collective(struct knot_cause *cause);

/** Line and culprits of a knot all of whose processes wait for nonblocking collectives: on one
 * communicator, where they do not fit each other, or on two. @return false: it is another knot */
bool knot_cause_nonblocking(struct knot_cause *cause);

/** Adds facts of nonblocking collectives that processes of the knot wait for: that they do not fit
 * each other, and which calls have begun them. */
void knot_cause_add_begun(const struct knot_cause *cause, struct verdict *verdict);

/** The thread of a process that the knot is about; NOBODY: not known. */
int32_t knot_cause_thread(const struct knot_cause *cause, uint32_t process);

/** The call that this thread is in; "": none, or not known. */
const char *knot_cause_call(const struct knot_cause *cause, uint32_t process);

/** The collective that this thread is in; NULL: not known. */
const struct entry *knot_cause_entry(const struct knot_cause *cause, uint32_t process);

/** Appends "0 -> 1 -> 0". The cycle has processes. */
void knot_cause_add_cycle(const struct knot_cause *cause, struct strbuf *words);

#endif
