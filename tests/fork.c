// SPDX-License-Identifier: BSD-3-Clause
// Children of test programs.
#include "tests/fork.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

pid_t
fork_plainly(void)
{
    sigset_t all, before;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, &before);
    pid_t child = fork();
    // Whoever starts the tests in the background has them ignore some, too.
    for (int number = 1; child == 0 && number < SIGRTMIN; number++)
        signal(number, SIG_DFL);
    sigprocmask(SIG_SETMASK, &before, NULL);
    if (child < 0) {
        perror("fork");
        abort();
    }
    return child;
}
