// SPDX-License-Identifier: BSD-3-Clause
// LLVM's OpenMP runtime in a process: its layouts, its array of threads, its teams, its tasks.
//
// A serialised region inside of another needs no team of its own: the runtime counts its team's
// level up. While it keeps states, it also hangs a record of each of the outer regions, a
// lightweight team, on the team, the innermost of these first; the team's own record is that of the
// region executed now.
#ifndef OMPD_BRIDGE_LLVM_KMP_H
#define OMPD_BRIDGE_LLVM_KMP_H

#include "ompd-bridge/nptl.h"
#include "ompd-bridge/llvm/intel.h"
#include "ompd-bridge/llvm/published.h"

enum {
    KMP_THREADS_MAX = 1 << 17, // places in the array of threads
    KMP_LEVELS_MAX = 1 << 10,  // nested regions
    KMP_SEEN = 1024,           // links of a kind that are kept
};

enum { KMP_LISTS = 2 }; // control variables that are lists

/** What was seen in former questions, where bytes count. */
struct kmp_seen {
    // What the environment asks for, of which the runtime takes notice only when it starts.
    struct {
        bool known;
        int64_t elements;
    } lists[KMP_LISTS];
    // Links: where to look first, never what is believed. Each has a place that its first address
    // gives, and the last one seen takes it.
    struct {
        taddr from, to;  // 0: none
    } tasks[KMP_SEEN],   // from an implicit task to its team
        teams[KMP_SEEN]; // from a team to one that is nested in it
};

/** A runtime in a process. */
struct kmp {
    struct inferior *inf;
    struct published table;
    const char *release; // "14"; "" when it is unknown: read all the same, or by a built-in layout
    struct intel intel;  // its release is "" where it is not Intel's
    struct nptl nptl;
    bool has_nptl;        // false: OS thread ids are not known
    taddr variable;       // address of the pointer to the array of threads
    taddr threads;        // the array: pointers, NULL where there is no thread
    taddr named_capacity; // address of the variable that has it; 0: it has no name
    uint32_t capacity;    // places in the array
    // NULL where pages are read: all of an object is read then, and its consistency checked. Else
    // what is asked for, and what shows that the object has not gone.
    struct kmp_seen *seen;
};

/** One thread of the runtime: the contents of its record. */
struct kmp_thread {
    taddr addr;    // of its kmp_info_t
    taddr pthread; // 0: it has not started yet
    taddr team;    // 0: it waits in the pool
    int32_t num;   // in its team
};

struct kmp_team {
    taddr addr;
    int64_t size; // 0: it was not read
    // The runtime sets the function of a team of several threads when a region begins, and clears
    // it for debuggers when the region is over, before the team can be used again. False also where
    // that is not known.
    bool executes;
};

struct kmp_task {
    taddr addr; // of its kmp_taskdata_t
    taddr team; // whose region generated it
    bool is_implicit;
    bool has_rest; // what follows has been read
    taddr parent;  // the task that generated it; 0: none
    uint32_t flags;
};

/** Whether the process has loaded this runtime; looks up symbols.
 * @return STATUS_ABSENT when it has not
 */
CHECKED enum status kmp_detect(struct inferior *inf);

/** Finds the tables and the array of threads.
 * @return STATUS_UNUSED when the runtime has not started, or has ended; STATUS_ABSENT when it
 * publishes nothing and has no built-in layout that it confirms;
 * STATUS_UNSUPPORTED when its release is unknown; STATUS_CORRUPT, STATUS_UNREADABLE; the trail says
 * it for the user
 */
CHECKED enum status kmp_find(struct inferior *inf, struct kmp *ret);

/** Reads whether the runtime was started with OMP_DEBUG=enabled; its table is a published one. */
CHECKED enum status kmp_read_tracking(const struct kmp *kmp, bool *ret);

/** Reads again what changes while the process runs. @return as kmp_find() */
CHECKED enum status kmp_refresh(struct kmp *kmp);

/** Reads the thread in place `index` of the array.
 * @return STATUS_ABSENT for an empty place; STATUS_CORRUPT when what is there cannot be a thread;
 * STATUS_UNREADABLE
 */
CHECKED enum status kmp_read_thread(const struct kmp *kmp, uint32_t index, struct kmp_thread *ret);

/** Whether the thread in place `index` of the array is the one at `addr`. @return STATUS_ABSENT
 * when it is not; STATUS_UNREADABLE */
CHECKED enum status kmp_check_place(const struct kmp *kmp, uint64_t index, taddr addr);

/** Reads the record of the thread in place `index`, which is not looked at. @return likewise */
CHECKED enum status
kmp_read_record(const struct kmp *kmp, uint32_t index, taddr addr, struct kmp_thread *ret);

/** The place of a thread that a team which executes its region has as a member. */
CHECKED enum status kmp_member_place(const struct kmp *kmp, taddr addr, uint64_t *ret_index);

/** The place of the thread whose kmp_info_t is at `addr`; it is read.
 * @return STATUS_CORRUPT when no place of the array leads there
 */
CHECKED enum status kmp_thread_at(const struct kmp *kmp, taddr addr, uint64_t *ret_index);

/** Address of a field. @param field an OFFSET_* @param base as published_offset() counts from */
taddr kmp_addr(const struct kmp *kmp, taddr base, enum published_entry field);

/** Reads a field, zero extended. @param field one whose kind is not INNER */
CHECKED enum status
kmp_get(const struct kmp *kmp, taddr base, enum published_entry field, uint64_t *ret);

/** Makes one read of two fields of an object, where bytes count. */
void
kmp_fetch(const struct kmp *kmp, taddr base, enum published_entry first, enum published_entry last);

/** Reads a field that is a signed number of 1 or 4 bytes. */
CHECKED enum status
kmp_get_signed(const struct kmp *kmp, taddr base, enum published_entry field, int64_t *ret);

/** Whether an address can be that of one of the runtime's objects. */
bool kmp_can_be_object(taddr addr);

/** Reads a team. @return STATUS_CORRUPT when its numbers make no sense; STATUS_UNREADABLE */
CHECKED enum status kmp_read_team(const struct kmp *kmp, taddr addr, struct kmp_team *ret);

/** Reads on which level of nesting a team's region is.
 * @param ret_active its active level; NULL: not wanted @return likewise */
CHECKED enum status kmp_team_level(const struct kmp *kmp, const struct kmp_team *team, int64_t *ret,
                                   int64_t *ret_active);

/** Reads the team whose region encloses this one's.
 * @return STATUS_ABSENT when there is none; STATUS_CORRUPT when its level is not an outer one */
CHECKED enum status
kmp_read_parent(const struct kmp *kmp, const struct kmp_team *team, struct kmp_team *ret);

/** Address of the thread with this number in a team. */
CHECKED enum status
kmp_team_member(const struct kmp *kmp, const struct kmp_team *team, int64_t num, taddr *ret);

/** Whether the thread is at work in the team that its record names.
 *
 * Threads that wait between regions keep the record of the team they were in last. The team is over
 * when its master is neither in it nor in a region that is nested in it.
 * @return STATUS_OK and `ret` is set; STATUS_CORRUPT when team and thread contradict each other;
 * STATUS_UNREADABLE
 */
CHECKED enum status kmp_in_team(const struct kmp *kmp, const struct kmp_thread *thread,
                                const struct kmp_team *team, bool *ret);

/** Whether the team still executes its region: it has its function, or its master is in it or in
 * one nested in it. */
CHECKED enum status kmp_team_alive(const struct kmp *kmp, const struct kmp_team *team, bool *ret);

/** Whether a team that executes its region is nested in this one, as far as can be seen by the one
 * that was before. */
bool kmp_has_nested(const struct kmp *kmp, taddr team);

/** How many regions further out than the team's own a lightweight team stands for; 0 for `lwt` 0,
 * which is the team itself.
 * @return STATUS_ABSENT when it does not hang on the team; STATUS_CORRUPT when the chain makes no
 * sense; STATUS_UNREADABLE
 */
CHECKED enum status
kmp_lwt_position(const struct kmp *kmp, const struct kmp_team *team, taddr lwt, int64_t *ret);

/** The next one further out that hangs on the team; 0 when there is none.
 * @param lwt hangs on the team, or 0 @return as kmp_lwt_position()
 */
CHECKED enum status
kmp_lwt_next(const struct kmp *kmp, const struct kmp_team *team, taddr lwt, taddr *ret);

/** Reads a task.
 * @return STATUS_ABSENT when the runtime has given its memory back; STATUS_CORRUPT when it cannot
 * be a task; STATUS_UNREADABLE
 */
CHECKED enum status kmp_read_task(const struct kmp *kmp, taddr addr, struct kmp_task *ret);

/** Reads the rest of an implicit task that was found by its team. @return likewise */
CHECKED enum status kmp_task_rest(const struct kmp *kmp, struct kmp_task *task);

/** Whether a task, which has the rest, has a flag. @param flag a FLAG_* */
bool kmp_task_is(const struct kmp *kmp, const struct kmp_task *task, enum published_entry flag);

/** Address of the implicit task of a team's thread. @param num within the team */
CHECKED enum status
kmp_implicit_task(const struct kmp *kmp, const struct kmp_team *team, int64_t num, taddr *ret);

/** Whether the implicit task is one of those of its team; explicit ones are not checked. Of a team
 * whose size was not read, only the first is. */
CHECKED enum status
kmp_check_implicit(const struct kmp *kmp, const struct kmp_team *team, const struct kmp_task *task);

/** The place of the link from there, of `seen->tasks` or `seen->teams`. */
#define KMP_SEEN_AT(links, addr) (&(links)[(addr) / 64 % KMP_SEEN])

#endif
