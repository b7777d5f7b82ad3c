// SPDX-License-Identifier: BSD-3-Clause
// A process that sleeps in the kernel, from where no debugger can fetch it: until its child, which
// shares its memory, has run another program.
#include <stddef.h>
#include <sys/prctl.h>
#include <signal.h>
#include <unistd.h>

int
main(void)
{
    if (vfork() == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        for (;;)
            pause();
    }
    return 0;
}
