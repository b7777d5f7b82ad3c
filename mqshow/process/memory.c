// SPDX-License-Identifier: BSD-3-Clause
// Reading the memory of a process, or what its core has of it.
#include "mqshow/process/memory.h"

#include "mqshow/process/copy.h"
#include "mqshow/process/core.h"
#include "mqshow/process/debuggee.h"
#include "mqshow/process/stub.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

/** The slow way, which works where process_vm_readv() is not allowed or not there. */
static bool
read_file(pid_t pid, uint64_t addr, size_t size, void *ret)
{
    char path[32];
    snprintf(path, sizeof path, "/proc/%d/mem", (int) pid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    size_t done = 0;
    while (done < size) {
        ssize_t n = pread(fd, (char *) ret + done, size - done, (off_t) (addr + done));
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            break;
        done += (size_t) n;
    }
    close(fd);
    return done == size;
}

bool
memory_read_process(pid_t pid, uint64_t addr, size_t size, void *ret)
{
    if (size == 0 || addr + size < addr || addr + size > UINTPTR_MAX)
        return false;
    struct iovec local = {ret, size};
    // The kernel takes the address of the other process as a pointer.
    struct iovec remote = {(void *) (uintptr_t) addr, size};
    ssize_t n = process_vm_readv(pid, &local, 1, &remote, 1, 0);
    if (n >= 0)
        return (size_t) n == size;
    return (errno == EPERM || errno == ENOSYS) && read_file(pid, addr, size, ret);
}

bool
memory_read(const struct debuggee *debuggee, uint64_t addr, size_t size, void *ret)
{
    if (debuggee->core != NULL)
        return core_read(debuggee->core, addr, size, ret);
    if (debuggee->stub != NULL)
        return stub_read(debuggee->stub, addr, size, ret);
    return (debuggee->copy != NULL && copy_read(debuggee->copy, addr, size, ret)) ||
           memory_read_process(debuggee->pid, addr, size, ret);
}

uint64_t
memory_uint(const void *bytes, size_t width)
{
    union {
        uint8_t u8;
        uint16_t u16;
        uint32_t u32;
        uint64_t u64;
    } value = {.u64 = 0};
    memcpy(&value, bytes, width);
    return width == 1 ? value.u8 : width == 2 ? value.u16 : width == 4 ? value.u32 : value.u64;
}

bool
memory_read_uint(const struct debuggee *debuggee, uint64_t addr, size_t width, uint64_t *ret)
{
    unsigned char bytes[sizeof *ret];
    if (width > sizeof bytes || !memory_read(debuggee, addr, width, bytes))
        return false;
    *ret = memory_uint(bytes, width);
    return true;
}

bool
memory_read_text(const struct debuggee *debuggee, uint64_t addr, size_t size, char *ret)
{
    enum { PAGE = 4096 };
    size_t done = 0;
    memset(ret, 0, size);
    while (done < size - 1) {
        size_t chunk = PAGE - (size_t) ((addr + done) % PAGE);
        chunk = chunk < size - 1 - done ? chunk : size - 1 - done;
        if (!memory_read(debuggee, addr + done, chunk, ret + done)) {
            ret[done] = '\0';
            return false;
        }
        if (memchr(ret + done, '\0', chunk) != NULL)
            return true;
        done += chunk;
    }
    return false;
}
