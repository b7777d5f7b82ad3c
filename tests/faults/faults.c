// SPDX-License-Identifier: BSD-3-Clause
// A library for LD_PRELOAD that lets calls of a program fail: of the kind that FAULT_CALL names the
// call number FAULT_AT, and as many after it as FAULT_COUNT says (1).
//
// The calls are counted in the file FAULT_COUNTS, which the program and the processes that it forks
// share: an unsigned long for each kind, in the order of kinds.def, and one for the calls that
// failed. Programs that it starts are left alone.
#include <dirent.h>
#include <dlfcn.h>
#include <elfutils/libdwfl.h>
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))

enum kind {
#define KIND(name) kind_##name,
#include "tests/faults/kinds.def"
#undef KIND
    KINDS
};

static const char *const names[] = {
#define KIND(name) #name,
#include "tests/faults/kinds.def"
#undef KIND
};

static atomic_ulong *counts; // KINDS, and those that failed
static enum kind wanted = KINDS;
static unsigned long first, last;
static bool spared; // no call fails

static unsigned long
number(const char *name, unsigned long otherwise)
{
    const char *text = getenv(name);
    return text != NULL ? strtoul(text, NULL, 10) : otherwise;
}

static void __attribute__((constructor)) begin(void)
{
    const char *path = getenv("FAULT_COUNTS"), *kind = getenv("FAULT_CALL");
    int fd = path != NULL ? (int) syscall(SYS_openat, AT_FDCWD, path, O_RDWR | O_CLOEXEC) : -1;
    void *memory =
        mmap(NULL, (KINDS + 1) * sizeof *counts, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    unsetenv("LD_PRELOAD");
    if (fd < 0 || memory == MAP_FAILED)
        abort();
    close(fd);
    for (enum kind i = 0; i < KINDS && kind != NULL; i++)
        if (strcmp(names[i], kind) == 0)
            wanted = i;
    first = number("FAULT_AT", 0);
    last = first + number("FAULT_COUNT", 1) - 1;
    counts = memory;
}

static bool
fails(enum kind kind, int error)
{
    if (counts == NULL || spared)
        return false;
    unsigned long n = atomic_fetch_add(&counts[kind], 1) + 1;
    if (kind != wanted || n < first || n > last)
        return false;
    atomic_fetch_add(&counts[KINDS], 1);
    errno = error;
    return true;
}

/** The function that has this name in the library that is really asked. */
#define REAL(name) ((__typeof__(&name)) dlsym(RTLD_NEXT, #name))

/** A function of a kind: what it gives when it fails, and the errno. */
#define WRAP(kind, type, name, parameters, arguments, failure, error)  \
    EXPORT type name parameters                                        \
    {                                                                  \
        static __typeof__(&name) real;                                 \
        if (real == NULL)                                              \
            real = REAL(name);                                         \
        return fails(kind_##kind, error) ? (failure) : real arguments; \
    }
#include "tests/faults/wrapped.def"
#undef WRAP

/** libseccomp 2.5 crashes, or does not end, without memory for what it makes here. */
EXPORT int
seccomp_load(void *filter)
{
    int (*real)(void *) = (int (*)(void *)) dlsym(RTLD_NEXT, "seccomp_load");
    spared = true;
    int result = real(filter);
    spared = false;
    return result;
}

// dlsym() allocates: these call the C library by its own names.
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *memory, size_t size);

EXPORT void *
malloc(size_t size)
{
    return fails(kind_allocation, ENOMEM) ? NULL : __libc_malloc(size);
}

EXPORT void *
calloc(size_t count, size_t size)
{
    return fails(kind_allocation, ENOMEM) ? NULL : __libc_calloc(count, size);
}

EXPORT void *
realloc(void *memory, size_t size)
{
    return fails(kind_allocation, ENOMEM) ? NULL : __libc_realloc(memory, size);
}

EXPORT void *
reallocarray(void *memory, size_t count, size_t size)
{
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes)) {
        errno = ENOMEM;
        return NULL;
    }
    return realloc(memory, bytes);
}

EXPORT int
open(const char *path, int flags, ...)
{
    va_list args;
    va_start(args, flags);
    int mode = (flags & (O_CREAT | __O_TMPFILE)) != 0 ? va_arg(args, int) : 0;
    va_end(args);
    return fails(kind_open, EMFILE) ? -1 : openat(AT_FDCWD, path, flags, mode);
}

/** Letting go is what the kernel does not refuse. */
EXPORT long
ptrace(enum __ptrace_request request, ...)
{
    va_list args;
    va_start(args, request);
    pid_t pid = va_arg(args, pid_t);
    void *address = va_arg(args, void *), *data = va_arg(args, void *);
    va_end(args);
    static __typeof__(&ptrace) real;
    if (real == NULL)
        real = REAL(ptrace);
    return request != PTRACE_DETACH && fails(kind_ptrace, EIO) ? -1
                                                               : real(request, pid, address, data);
}
