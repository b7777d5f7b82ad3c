// SPDX-License-Identifier: BSD-3-Clause
// Signals that end this program.
#include "mqshow/base/signals.h"

#include <signal.h>
#include <stddef.h>

static const int ending_signals[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM};

#define COUNT(array) (sizeof(array) / sizeof *(array))

static volatile sig_atomic_t seen; // 0: none
static unsigned n_blocked;         // so many times

static void
note(int number)
{
    seen = number;
}

/** Gives the signals that have one handler another one. */
static void
replace(void (*old)(int), void (*new)(int))
{
    const struct sigaction action = {.sa_handler = new};
    struct sigaction before;
    for (size_t i = 0; i < COUNT(ending_signals); i++)
        if (sigaction(ending_signals[i], NULL, &before) == 0 && before.sa_handler == old)
            sigaction(ending_signals[i], &action, NULL);
}

void
signals_block(void)
{
    if (n_blocked++ == 0)
        replace(SIG_DFL, note);
}

bool
signals_pending(void)
{
    return seen != 0;
}

void
signals_unblock(void)
{
    if (--n_blocked == 0)
        signals_unblock_in_worker();
}

void
signals_unblock_in_worker(void)
{
    n_blocked = 0;
    replace(note, SIG_DFL);
    if (seen != 0)
        raise(seen);
}
