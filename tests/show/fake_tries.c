// SPDX-License-Identifier: BSD-3-Clause
// What a library that was taken over would try; each success is a line on standard error.
#include "tests/show/fake_scenes.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/netlink.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

static void
tell(const char *what, long result)
{
    if (result >= 0 || (errno != EPERM && errno != EACCES))
        fprintf(stderr, "allowed: %s\n", what);
}

static int
start_process(void)
{
    pid_t child = fork();
    if (child == 0)
        _exit(0);
    if (child > 0)
        waitpid(child, NULL, 0);
    return child;
}

bool
fake_may_start(void)
{
    return start_process() > 0;
}

void
fake_try(pid_t victim, const char *file)
{
    char memory[64], byte = 0;
    struct iovec one = {&byte, 1};
    const char *secret = getenv("FAKE_SECRET");
    snprintf(memory, sizeof memory, "/proc/%d/mem", (int) victim);
    fprintf(stderr, "as user %d\n", (int) geteuid());
    if (secret != NULL)
        tell("read a file of root's", open(secret, O_RDONLY | O_CLOEXEC));
    tell("open a new file", open(file, O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
    tell("empty a file", open(file, O_RDONLY | O_TRUNC | O_CLOEXEC));
    tell("remove a file", unlink(file));
    tell("open its memory to write", open(memory, O_RDWR | O_CLOEXEC));
    tell("open a socket", socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    tell("open another socket of the kernel's",
         socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE));
    tell("start a process", start_process());
    tell("start a program", execl("/nowhere", "nowhere", (char *) NULL));
    tell("send a signal", kill(victim, 0));
    tell("write into its memory", process_vm_writev(victim, &one, 1, &one, 1, 0));
    tell("write into its memory as its debugger", ptrace(PTRACE_POKEDATA, victim, NULL, NULL));
}

void
fake_eat(void)
{
    enum { PIECE = 1 << 28, PIECES_MAX = 1 << 16 };
    for (int i = 0; i < PIECES_MAX; i++) {
        if (malloc(PIECE) == NULL) {
            fputs("no more memory\n", stderr);
            return;
        }
    }
}
