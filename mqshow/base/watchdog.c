// SPDX-License-Identifier: BSD-3-Clause
// An end for work that this program does itself.
#include "mqshow/base/watchdog.h"

#include "mqshow/base/diag.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static char message[200];

static void
bark(int signal)
{
    (void) signal;
    (void) !write(STDERR_FILENO, message, strlen(message));
    // The kernel lets go what is stopped, and ends what was started.
    _exit(EXIT_SOMETHING_MISSING);
}

void
watchdog_begin(const char *work, int seconds)
{
    const struct sigaction action = {.sa_handler = bark};
    snprintf(message, sizeof message,
             "%smqshow: %s took longer than %d s: given up (raise --process-timeout)\n",
             isatty(STDERR_FILENO) ? "\r\033[K" : "", work, seconds);
    sigaction(SIGALRM, &action, NULL);
    alarm((unsigned) seconds);
}

void
watchdog_end(void)
{
    alarm(0);
}
