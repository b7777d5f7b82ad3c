// SPDX-License-Identifier: BSD-3-Clause
// Giving up what reading does not need, by a filter of system calls and by limits.
#include "mqshow/process/confine.h"

#include "mqshow/process/procfs.h"

#include <sys/resource.h>

static void
limit(int resource, rlim_t most)
{
    struct rlimit now;
    if (getrlimit(resource, &now) != 0 || now.rlim_cur <= most)
        return;
    now.rlim_cur = now.rlim_max = most;
    setrlimit(resource, &now);
}

void
confine_memory(size_t count)
{
    static const rlim_t least = (rlim_t) 1 << 30;
    long left = procfs_number(procfs_read(NULL, "/proc/meminfo"), "MemAvailable:"); // KiB
    long used = procfs_number(procfs_read(NULL, "/proc/self/status"), "VmData:");
    rlim_t most = left > 0 ? (rlim_t) left * 1024 / 2 / count : least;
    limit(RLIMIT_DATA, (most > least ? most : least) + (used > 0 ? (rlim_t) used * 1024 : 0));
    limit(RLIMIT_CORE, 0);
}

#ifdef HAVE_SECCOMP

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/netlink.h>
#include <sched.h>
#include <seccomp.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

/** What changes the system, or other processes, or goes round a filter. */
static const int never[] = {
    SCMP_SYS(execve),
    SCMP_SYS(execveat),
    SCMP_SYS(process_vm_writev),
    SCMP_SYS(pidfd_getfd),
    SCMP_SYS(mount),
    SCMP_SYS(umount2),
    SCMP_SYS(pivot_root),
    SCMP_SYS(chroot),
    SCMP_SYS(setns),
    SCMP_SYS(unshare),
    SCMP_SYS(bpf),
    SCMP_SYS(perf_event_open),
    SCMP_SYS(userfaultfd),
    SCMP_SYS(keyctl),
    SCMP_SYS(add_key),
    SCMP_SYS(request_key),
    SCMP_SYS(io_uring_setup),
    SCMP_SYS(init_module),
    SCMP_SYS(finit_module),
    SCMP_SYS(kexec_load),
    SCMP_SYS(reboot),
    SCMP_SYS(sethostname),
    SCMP_SYS(settimeofday),
    SCMP_SYS(clock_settime),
    SCMP_SYS(personality),
    SCMP_SYS(quotactl),
    SCMP_SYS(swapon),
};

static const int starting[] = {SCMP_SYS(fork), SCMP_SYS(vfork), SCMP_SYS(kill)};

static const int network[] = {SCMP_SYS(bind), SCMP_SYS(connect), SCMP_SYS(listen)};

static const int writing[] = {
    SCMP_SYS(creat),    SCMP_SYS(truncate),  SCMP_SYS(ftruncate), SCMP_SYS(unlink),
    SCMP_SYS(unlinkat), SCMP_SYS(rename),    SCMP_SYS(renameat),  SCMP_SYS(renameat2),
    SCMP_SYS(link),     SCMP_SYS(linkat),    SCMP_SYS(symlink),   SCMP_SYS(symlinkat),
    SCMP_SYS(mkdir),    SCMP_SYS(mkdirat),   SCMP_SYS(rmdir),     SCMP_SYS(mknod),
    SCMP_SYS(mknodat),  SCMP_SYS(chmod),     SCMP_SYS(fchmod),    SCMP_SYS(fchmodat),
    SCMP_SYS(chown),    SCMP_SYS(fchown),    SCMP_SYS(lchown),    SCMP_SYS(fchownat),
    SCMP_SYS(setxattr), SCMP_SYS(lsetxattr), SCMP_SYS(fsetxattr),
};

/** Flags with which open() and openat() write, as mask and value. */
static const struct {
    scmp_datum_t mask, value;
} write_flags[] = {
    {O_ACCMODE, O_WRONLY}, {O_ACCMODE, O_RDWR}, {O_CREAT, O_CREAT}, {O_TRUNC, O_TRUNC}};

/** Requests of ptrace() that change a process. */
static const int changes[] = {PTRACE_POKETEXT,
                              PTRACE_POKEDATA,
                              PTRACE_POKEUSER,
                              PTRACE_SETREGSET,
                              PTRACE_SETSIGINFO,
                              PTRACE_SETSIGMASK,
                              PTRACE_KILL
#ifdef PTRACE_SETREGS
                              ,
                              PTRACE_SETREGS,
                              PTRACE_SETFPREGS
#endif
};

static bool
forbid(scmp_filter_ctx filter, const int *calls, size_t count)
{
    for (size_t i = 0; i < count; i++)
        // What this machine does not have needs no rule.
        if (calls[i] >= 0 && seccomp_rule_add(filter, SCMP_ACT_ERRNO(EPERM), calls[i], 0) != 0)
            return false;
    return true;
}

static bool
forbid_when(scmp_filter_ctx filter, int call, struct scmp_arg_cmp argument)
{
    return call < 0 ||
           seccomp_rule_add_array(filter, SCMP_ACT_ERRNO(EPERM), call, 1, &argument) == 0;
}

static bool
forbid_writing(scmp_filter_ctx filter)
{
    bool good = forbid(filter, writing, COUNT(writing));
    for (size_t i = 0; i < COUNT(write_flags) && good; i++)
        good =
            forbid_when(filter, SCMP_SYS(open),
                        SCMP_A1(SCMP_CMP_MASKED_EQ, write_flags[i].mask, write_flags[i].value)) &&
            forbid_when(filter, SCMP_SYS(openat),
                        SCMP_A2(SCMP_CMP_MASKED_EQ, write_flags[i].mask, write_flags[i].value));
    return good;
}

static bool
forbid_changes(scmp_filter_ctx filter)
{
    bool good = true;
    for (size_t i = 0; i < COUNT(changes) && good; i++)
        good =
            forbid_when(filter, SCMP_SYS(ptrace), SCMP_A0(SCMP_CMP_EQ, (scmp_datum_t) changes[i]));
    // Their arguments are in memory: the C library does the same by other calls when these are not
    // there.
    return good && seccomp_rule_add(filter, SCMP_ACT_ERRNO(ENOSYS), SCMP_SYS(clone3), 0) == 0 &&
           seccomp_rule_add(filter, SCMP_ACT_ERRNO(ENOSYS), SCMP_SYS(openat2), 0) == 0;
}

static bool
forbid_starting(scmp_filter_ctx filter)
{
    scmp_datum_t own = (scmp_datum_t) getpid();
    return forbid(filter, starting, COUNT(starting)) &&
           forbid_when(filter, SCMP_SYS(tgkill), SCMP_A0(SCMP_CMP_NE, own)) &&
           forbid_when(filter, SCMP_SYS(tkill), SCMP_A0(SCMP_CMP_NE, own)) &&
           forbid_when(filter, SCMP_SYS(clone), SCMP_A0(SCMP_CMP_MASKED_EQ, CLONE_THREAD, 0));
}

/** No sockets but for asking the kernel about those of others, see process/sockets.h. */
static bool
forbid_network(scmp_filter_ctx filter)
{
    return forbid(filter, network, COUNT(network)) &&
           forbid_when(filter, SCMP_SYS(socket), SCMP_A0(SCMP_CMP_NE, AF_NETLINK)) &&
           forbid_when(filter, SCMP_SYS(socket), SCMP_A2(SCMP_CMP_NE, NETLINK_SOCK_DIAG));
}

/** Gives up what would let root end connections of others, or change the network. */
static void
drop_network(void)
{
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3];
    if (syscall(SYS_capget, &header, data) != 0)
        return;
    uint32_t kept = ~(UINT32_C(1) << CAP_NET_ADMIN);
    data[0].permitted &= kept;
    data[0].effective &= kept;
    data[0].inheritable &= kept;
    syscall(SYS_capset, &header, data);
}

bool
confine(bool writes, bool starts)
{
    const char *servers = getenv("DEBUGINFOD_URLS");
    bool connects = servers != NULL && *servers != '\0';
    drop_network();
    scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ALLOW);
    bool good = filter != NULL && forbid(filter, never, COUNT(never)) && forbid_changes(filter) &&
                (starts || forbid_starting(filter)) && (connects || forbid_network(filter)) &&
                (writes || connects || forbid_writing(filter)) && seccomp_load(filter) == 0;
    seccomp_release(filter);
    return good;
}

#else

bool
confine(bool writes, bool starts)
{
    (void) writes, (void) starts;
    return false;
}

#endif
