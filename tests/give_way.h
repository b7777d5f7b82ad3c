// SPDX-License-Identifier: BSD-3-Clause
/** @file
 * Ranks that wait poll, on a processor each, and would keep the processors from what is tested:
 * they give way to it, but get some percent, as one that gets nothing does not stop in time either.
 */
#ifndef MQS_TESTS_GIVE_WAY_H
#define MQS_TESTS_GIVE_WAY_H

#include <sys/types.h>

/** Makes a process give way: all its threads, and its session if that is not the caller's. To the
 * kernel's autogroups a session weighs as much as any other one, whatever the niceness of what is
 * in it, and MPICH's starter gives each rank one of its own. What cannot be set stays as it is. */
void give_way(pid_t pid);

/** Makes ranks that are below a process give way, each as soon as it has used the time that MPI
 * takes to start. Called again and again. A process counts as a rank if a starter of an MPI is its
 * parent. */
void give_way_below(pid_t pid);

#endif
