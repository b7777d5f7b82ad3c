// SPDX-License-Identifier: BSD-3-Clause
// Reading with the rights of the user whose processes are read.
#include "mqshow/process/identity.h"

#include "mqshow/process/procfs.h"

#include <grp.h>
#include <linux/capability.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { GROUPS_MAX = 1000, NOBODY = 65534 };

/** The groups of a process from the lines "Gid:" and "Groups:". @return their number, one at least
 */
static size_t
read_groups(pid_t pid, gid_t *groups)
{
    static const char *const keys[] = {"Gid:", "Groups:"};
    size_t count = 0;
    for (size_t i = 0; i < sizeof keys / sizeof *keys && pid > 0; i++) {
        char *line = procfs_line(procfs_read(NULL, "/proc/%d/status", (int) pid), keys[i]);
        char *next = line, *end;
        for (; next != NULL; next = end) {
            unsigned long group = strtoul(next, &end, 10);
            if (end == next || count == GROUPS_MAX || (i == 0 && count == 1))
                break;
            groups[count++] = (gid_t) group;
        }
        free(line);
    }
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
