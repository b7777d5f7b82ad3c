// SPDX-License-Identifier: BSD-3-Clause
// A process that sleeps in the kernel, from where no debugger can fetch it: until its child, which
// shares its memory, has run another program. A second thread of it just waits.
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <unistd.h>

static void *
wait_for_ever(void *unused)
{
    for (;;)
        pause();
    return unused;
}

int
main(void)
{
    pthread_t second;
    if (pthread_create(&second, NULL, wait_for_ever, NULL) != 0)
        return 1;
    if (vfork() == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        for (;;)
            pause();
    }
    return 0;
}
