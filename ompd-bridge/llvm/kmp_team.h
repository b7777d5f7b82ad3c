// SPDX-License-Identifier: BSD-3-Clause
// Teams of LLVM's OpenMP runtime, and the lightweight ones that stand for serialised regions.
//
// A serialised region inside of another needs no team of its own: the runtime counts its team's
// level up. While it keeps states, it also hangs a record of each of the outer regions on the team,
// the innermost of these first; the team's own record is that of the region executed now.
#ifndef OMPD_BRIDGE_LLVM_KMP_TEAM_H
#define OMPD_BRIDGE_LLVM_KMP_TEAM_H

#include "ompd-bridge/llvm/kmp.h"

/** Reads a team. @return STATUS_CORRUPT when its numbers make no sense; STATUS_UNREADABLE */
CHECKED enum status kmp_read_team(const struct kmp *kmp, taddr addr, struct kmp_team *ret);

/** Reads the team whose region encloses this one's, which is there: `parent` is not 0.
 * @return STATUS_CORRUPT when its level is not an outer one */
CHECKED enum status
kmp_read_parent(const struct kmp *kmp, const struct kmp_team *team, struct kmp_team *ret);

/** Address of the thread with this number in a team. */
CHECKED enum status
kmp_team_member(const struct kmp *kmp, const struct kmp_team *team, int64_t num, taddr *ret);

/** Address of a team's field. @param field of kmp_base_team_t */
taddr kmp_team_field(const struct kmp *kmp, taddr team, enum published_entry field);

/** Whether the thread is at work in the team that its record names.
 *
 * Threads that wait between regions keep the record of the team they were in last. The team is over
 * when its master is neither in it nor in a region that is nested in it.
 * @return STATUS_OK and `ret` is set; STATUS_CORRUPT when team and thread contradict each other;
 * STATUS_UNREADABLE
 */
CHECKED enum status kmp_in_team(const struct kmp *kmp, const struct kmp_thread *thread,
                                const struct kmp_team *team, bool *ret);

/** Whether the team still executes its region: its master is in it or in one nested in it. */
CHECKED enum status kmp_team_alive(const struct kmp *kmp, const struct kmp_team *team, bool *ret);

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

#endif
