// SPDX-License-Identifier: BSD-3-Clause
// A starter that starts nothing: its MPIR_proctable lists what its arguments say, HOST PID each.
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

typedef struct {
    char *host_name;
    char *executable_name;
    int pid;
} MPIR_PROCDESC;

extern MPIR_PROCDESC *MPIR_proctable;
extern int MPIR_proctable_size;
MPIR_PROCDESC *MPIR_proctable;
int MPIR_proctable_size;

int
main(int argc, char **argv)
{
    MPIR_proctable = calloc((size_t) argc, sizeof *MPIR_proctable);
    if (MPIR_proctable == NULL)
        return 1;
    for (int i = 1; i + 1 < argc; i += 2)
        MPIR_proctable[MPIR_proctable_size++] = (MPIR_PROCDESC){argv[i], NULL, atoi(argv[i + 1])};
    puts("ready");
    fflush(stdout);
    for (;;)
        pause();
}
