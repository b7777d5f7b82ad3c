// SPDX-License-Identifier: BSD-3-Clause
// What --help and --version print.
#include "mqshow/base/help.h"

#include "mqshow/base/diag.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

static const char usage[] =
    "Usage: mqshow [OPTION]... PID...\n"
    "       mqshow [OPTION]... --job PID-of-mpirun\n"
    "       mqshow [OPTION]... --core FILE...\n"
    "       mqshow [OPTION]... --remote HOST:PORT...\n"
    "       mqshow merge [OPTION]... FILE...   (see mqshow merge --help)\n"
    "       mqshow schema                      (the JSON Schema of what --json prints)\n"
    "Show the MPI message queues and OpenMP state of running processes or of cores.\n"
    "\n"
    "  -j, --job PID                all processes of the job that this mpirun started\n"
    "      --core                   the arguments are cores, one of each process\n"
    "      --remote HOST:PORT       what gdbserver, or another debugger, holds there\n"
    "      --exe FILE               the program, of cores or for --remote\n"
    "  -r, --rank LIST              only these ranks: 0-3,7\n"
    "  -c, --comm LABEL|ID          list only this communicator\n"
    "      --limit N                list at most N operations of a queue (1000000)\n"
    "  -a, --all                    leave nothing out: processes, threads, queues\n"
    "      --only PART              comms, queues, groups, waits, threads, regions, tasks\n"
    "                               or icvs\n"
    "      --stacks                 show stacks, with --all the runtimes' frames too\n"
    "      --icvs                   show OpenMP's internal control variables\n"
    "      --control-vars           show what the OpenMP runtime was started with\n"
    "      --json                   print JSON\n"
    "      --html FILE              write a page for a browser\n"
    "      --color WHEN             auto, always or never\n"
    "      --parallel N             read so many at once (as there are processors)\n"
    "      --together               stop all processes before the first is read\n"
    "      --timeout SECONDS        give up what is not read by then (no limit)\n"
    "      --process-timeout SECONDS  likewise for each process (60)\n"
    "      --stuck[=SECONDS]        take samples for so long (2), mark what stays\n"
    "      --watch SECONDS          take samples again and again, say what changed\n"
    "      --count N                with --watch: so many samples (until interrupted)\n"
    "      --launcher NAME          reach machines by clush, srun, pdsh, ssh, or this\n"
    "      --remote-mqshow FILE     this program there (the same path as here)\n"
    "      --hosts-max N            ask at most so many machines but through srun (64)\n"
    "      --host-timeout SECONDS   give up machines that say nothing by then (120)\n"
    "      --list                   only list the processes\n"
    "      --dll FILE               use this MQD library\n"
    "      --layout ORIGIN          take struct layouts from: built-in or debug\n"
    "      --print-layout           print struct layouts as rows of a built-in table\n"
    "      --record FILE            write the library's questions and answers to FILE\n"
    "      --stats                  on standard error: library, times, calls\n"
    "  -h, --help                   this text\n"
    "  -V, --version                the version\n"
    "\n"
    "Exit status: 0 all was shown, 1 something could not be shown, 2 wrong usage.\n";

static _Noreturn void
print_and_exit(const char *text)
{
    bool ok = fputs(text, stdout) >= 0 && fflush(stdout) == 0;
    exit(ok ? EXIT_ALL_SHOWN : EXIT_SOMETHING_MISSING);
}

void
help_and_exit(void)
{
    print_and_exit(usage);
}

void
version_and_exit(void)
{
    print_and_exit("mqshow " PACKAGE_VERSION "\n");
}
