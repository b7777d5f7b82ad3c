// SPDX-License-Identifier: BSD-3-Clause
// The calls to the system that threads wait in.
#include "mqshow/process/system_call.h"

#include <fcntl.h>
#include <linux/futex.h>
#include <stddef.h>
#include <sys/syscall.h>

enum { F_OFD_WAIT = 38 /* F_OFD_SETLKW */, F_LOCK_WAIT = F_SETLKW };
enum { PAGE = 4096, EXTENDED = 8 /* IORING_ENTER_EXT_ARG */ };

#define CALL(name, about)                       \
    {                                           \
        SYS_##name, about, #name, LIMIT_NONE, 0 \
    }
#define TIMED(name, about)                        \
    {                                             \
        SYS_##name, about, #name, LIMIT_ALWAYS, 0 \
    }
#define INT(name, about, at)                    \
    {                                           \
        SYS_##name, about, #name, LIMIT_INT, at \
    }
#define POINTER(name, about, at)                    \
    {                                               \
        SYS_##name, about, #name, LIMIT_POINTER, at \
    }

static const struct call_kind kinds[] = {
    CALL(flock, ABOUT_LOCK),
    CALL(fcntl, ABOUT_LOCK),
    CALL(read, ABOUT_READ),
    CALL(readv, ABOUT_READ),
    CALL(pread64, ABOUT_READ),
    CALL(preadv, ABOUT_READ),
    CALL(write, ABOUT_WRITE),
    CALL(writev, ABOUT_WRITE),
    CALL(pwrite64, ABOUT_WRITE),
    CALL(pwritev, ABOUT_WRITE),
    CALL(recvfrom, ABOUT_READ),
    CALL(recvmsg, ABOUT_READ),
    POINTER(recvmmsg, ABOUT_READ, 4),
    CALL(sendto, ABOUT_WRITE),
    CALL(sendmsg, ABOUT_WRITE),
    CALL(sendmmsg, ABOUT_WRITE),
    CALL(fsync, ABOUT_FILE),
    CALL(fdatasync, ABOUT_FILE),
    CALL(accept4, ABOUT_FILE),
    CALL(connect, ABOUT_FILE),
    CALL(ftruncate, ABOUT_FILE),
    CALL(fallocate, ABOUT_FILE),
    CALL(getdents64, ABOUT_FILE),
    CALL(fstat, ABOUT_FILE),
    CALL(close, ABOUT_FILE),
    CALL(ioctl, ABOUT_CONTROL),
    POINTER(ppoll, ABOUT_POLL, 2),
    INT(epoll_pwait, ABOUT_EPOLL, 3),
    POINTER(pselect6, ABOUT_FILES, 4),
    POINTER(io_getevents, ABOUT_FILES, 4),
    CALL(openat, ABOUT_PATH_AT),
    CALL(newfstatat, ABOUT_PATH_AT),
    CALL(statx, ABOUT_PATH_AT),
    CALL(faccessat, ABOUT_PATH_AT),
    CALL(unlinkat, ABOUT_PATH_AT),
    CALL(mkdirat, ABOUT_PATH_AT),
    CALL(statfs, ABOUT_PATH),
    POINTER(futex, ABOUT_WORD, 3),
    TIMED(nanosleep, ABOUT_TIME),
    TIMED(clock_nanosleep, ABOUT_TIME),
    POINTER(rt_sigtimedwait, ABOUT_SIGNAL, 2),
    CALL(rt_sigsuspend, ABOUT_SIGNAL),
    CALL(wait4, ABOUT_CHILD),
    CALL(waitid, ABOUT_CHILD),
    POINTER(mq_timedreceive, ABOUT_OTHERS, 4),
    POINTER(mq_timedsend, ABOUT_OTHERS, 4),
// Some machines have one call for all of these.
#ifdef SYS_msgrcv
    CALL(msgrcv, ABOUT_OTHERS),
    CALL(msgsnd, ABOUT_OTHERS),
#endif
#ifdef SYS_semop
    CALL(semop, ABOUT_OTHERS),
#endif
#ifdef SYS_semtimedop
    POINTER(semtimedop, ABOUT_OTHERS, 3),
#endif
// Newer machines have only the others.
#ifdef SYS_accept
    CALL(accept, ABOUT_FILE),
#endif
#ifdef SYS_poll
    INT(poll, ABOUT_POLL, 2),
#endif
#ifdef SYS_select
    POINTER(select, ABOUT_FILES, 4),
#endif
#ifdef SYS_epoll_wait
    INT(epoll_wait, ABOUT_EPOLL, 3),
#endif
#ifdef SYS_pause
    CALL(pause, ABOUT_SIGNAL),
#endif
#ifdef SYS_open
    CALL(open, ABOUT_PATH),
    CALL(stat, ABOUT_PATH),
    CALL(lstat, ABOUT_PATH),
    CALL(access, ABOUT_PATH),
    CALL(unlink, ABOUT_PATH),
    CALL(mkdir, ABOUT_PATH),
    CALL(rename, ABOUT_PATH),
#endif
// Newer kernels have these.
#ifdef SYS_io_uring_enter
    POINTER(io_uring_enter, ABOUT_FILES, 4), // and only with EXTENDED
#endif
#ifdef SYS_epoll_pwait2
    POINTER(epoll_pwait2, ABOUT_EPOLL, 3),
#endif
#ifdef SYS_futex_waitv
    POINTER(futex_waitv, ABOUT_WORD, 3),
#endif
};

static const struct call_kind *
kind_of_number(long number)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (kinds[i].number == number)
            return &kinds[i];
    return NULL;
}

/** Whether a futex waits. */
static bool
is_waiting_futex(uint64_t operation)
{
    switch ((int) operation & FUTEX_CMD_MASK) {
    case FUTEX_WAIT:
    case FUTEX_WAIT_BITSET:
    case FUTEX_LOCK_PI:
    case FUTEX_WAIT_REQUEUE_PI:
    case 13: // FUTEX_LOCK_PI2
        return true;
    default:
        return false;
    }
}

/** What the kernel begins again after an interruption and may end by itself: a sleep, poll(), or a
 * futex with a time limit. The arguments are still there: a clock is a small number, what others
 * begin with is an address, or none, as that of no files. Both of what they may be taken for end
 * after a time. */
static long
restarted(const struct made_call *made)
{
    const uint64_t *arguments = made->arguments;
    if (arguments[0] < PAGE && arguments[2] > UINT32_MAX)
        return SYS_clock_nanosleep;
    if (arguments[0] >= PAGE && arguments[0] % sizeof(uint32_t) == 0 && arguments[3] >= PAGE &&
        is_waiting_futex(arguments[1]))
        return SYS_futex;
#ifdef SYS_poll
    return SYS_poll;
#else
    return SYS_nanosleep;
#endif
}

const struct call_kind *
call_kind_of(const struct made_call *made)
{
    long number = made->number;
#ifdef SYS_restart_syscall
    number = number == SYS_restart_syscall ? restarted(made) : number;
#endif
    if ((number == SYS_fcntl && made->arguments[1] != F_LOCK_WAIT &&
         made->arguments[1] != F_OFD_WAIT) ||
        (number == SYS_futex && !is_waiting_futex(made->arguments[1])))
        return NULL;
    return kind_of_number(number);
}

enum call_waits
call_waits_for(const struct call_kind *kind)
{
    switch (kind->about) {
    case ABOUT_WORD:
        return CALL_WAITS_MEMORY;
    case ABOUT_TIME:
        return CALL_WAITS_TIME;
    case ABOUT_SIGNAL:
        return CALL_WAITS_SIGNAL;
    case ABOUT_CHILD:
        return CALL_WAITS_CHILD;
    case ABOUT_OTHERS:
        return CALL_WAITS_PROCESS;
    default:
        return CALL_WAITS_FILE;
    }
}

bool
call_times_out(const struct call_kind *kind, const struct made_call *made)
{
    uint64_t limit = made->arguments[kind->limit_at];
#ifdef SYS_io_uring_enter
    if (kind->number == SYS_io_uring_enter && (made->arguments[3] & EXTENDED) == 0)
        return false;
#endif
    switch (kind->limit) {
    case LIMIT_ALWAYS:
        return true;
    case LIMIT_INT:
        return (int32_t) limit >= 0;
    case LIMIT_POINTER:
        return limit != 0;
    default:
        return false;
    }
}

uint64_t
call_word(const struct call_kind *kind, const struct made_call *made)
{
    return kind->number == SYS_futex ? made->arguments[0] : 0;
}

uint64_t
call_open_word(const struct call_kind *kind, const struct made_call *made)
{
    bool is_open = kind != NULL && (made->arguments[1] & FUTEX_PRIVATE_FLAG) == 0;
    return is_open ? call_word(kind, made) : 0;
}
