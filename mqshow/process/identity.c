// SPDX-License-Identifier: BSD-3-Clause
// Reading with the rights of the user whose processes are read.
#include "mqshow/process/identity.h"

#include "mqshow/process/procfs.h"

#include <grp.h>
#include <linux/capability.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { GROUPS_MAX = 1000, LINE_MAX_READ = 16384, NOBODY = 65534 };

/** The groups of a process from the lines "Gid:" and "Groups:". @return their number, one at least
 */
static size_t
read_groups(pid_t pid, gid_t *groups)
{
    char path[32], line[LINE_MAX_READ];
    size_t count = 0;
    snprintf(path, sizeof path, "/proc/%d/status", (int) pid);
    FILE *file = pid > 0 ? fopen(path, "re") : NULL;
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        bool is_own = strncmp(line, "Gid:", 4) == 0;
        if (!is_own && strncmp(line, "Groups:", 7) != 0)
            continue;
        char *next = strchr(line, ':') + 1, *end;
        for (;; next = end) {
            unsigned long group = strtoul(next, &end, 10);
            if (end == next || count == GROUPS_MAX || (is_own && count == 1))
                break;
            groups[count++] = (gid_t) group;
        }
    }
    if (file != NULL)
        fclose(file);
    if (count == 0)
        groups[count++] = NOBODY;
    return count;
}

/** Gives up all that root may do but for tracing. */
static void
keep_tracing(void)
{
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3];
    if (syscall(SYS_capget, &header, data) != 0)
        return;
    uint32_t tracing = data[0].permitted & (UINT32_C(1) << CAP_SYS_PTRACE);
    memset(data, 0, sizeof data);
    data[0].permitted = data[0].effective = tracing;
    syscall(SYS_capset, &header, data);
}

void
identity_take(long user, pid_t pid)
{
    gid_t groups[GROUPS_MAX];
    if (geteuid() != 0 || user <= 0)
        return;
    size_t count = read_groups(pid, groups);
    pid_t parent = getppid();
    prctl(PR_SET_KEEPCAPS, 1);
    // The root of a container may not become anybody: then it reads as it is.
    if (setgroups(count, groups) == 0 && setresgid(groups[0], groups[0], groups[0]) == 0 &&
        setresuid((uid_t) user, (uid_t) user, (uid_t) user) == 0)
        keep_tracing();
    // The kernel forgets it when the user changes.
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(EXIT_FAILURE);
}
