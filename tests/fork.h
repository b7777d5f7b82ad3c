// SPDX-License-Identifier: BSD-3-Clause
// Children of test programs.
#ifndef MQS_TESTS_FORK_H
#define MQS_TESTS_FORK_H

#include <sys/types.h>

/** Forks a child that handles and ignores no signal. None reaches it before: on an interrupt,
 * Check's handler kills the whole process group, which may be that of whoever runs the tests.
 * @return as fork() does, but never -1, which kill() takes for everybody: aborts instead
 */
pid_t fork_plainly(void);

#endif
