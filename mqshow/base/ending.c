// SPDX-License-Identifier: BSD-3-Clause
// Signals that end this program.
#include "mqshow/base/ending.h"

#include <signal.h>
#include <stddef.h>

static const int enders[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM};

#define COUNT(array) (sizeof(array) / sizeof *(array))

static volatile sig_atomic_t seen; // 0: none
static unsigned put_off;           // so many times

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
    for (size_t i = 0; i < COUNT(enders); i++)
        if (sigaction(enders[i], NULL, &before) == 0 && before.sa_handler == old)
            sigaction(enders[i], &action, NULL);
}

void
ending_put_off(void)
{
    if (put_off++ == 0)
        replace(SIG_DFL, note);
}

bool
ending_is_near(void)
{
    return seen != 0;
}

void
ending_let(void)
{
    if (--put_off == 0)
        ending_let_in_worker();
}

void
ending_let_in_worker(void)
{
    put_off = 0;
    replace(note, SIG_DFL);
    if (seen != 0)
        raise(seen);
}
