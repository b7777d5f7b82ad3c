// SPDX-License-Identifier: BSD-3-Clause
// Bytes of a running process or of a file, and the integers in them.
#include "mqshow/process/bytes.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

size_t
bytes_read_file(int fd, uint64_t offset, size_t size, void *ret)
{
    size_t done = 0;
    while (done < size) {
        ssize_t n = pread(fd, (char *) ret + done, size - done, (off_t) (offset + done));
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            break;
        done += (size_t) n;
    }
    return done;
}

/** The slow way, which works where process_vm_readv() is not allowed or not there. */
static bool
read_file(pid_t pid, uint64_t addr, size_t size, void *ret)
{
    char path[32];
    snprintf(path, sizeof path, "/proc/%d/mem", (int) pid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    bool good = bytes_read_file(fd, addr, size, ret) == size;
    close(fd);
    return good;
}

bool
bytes_read_process(pid_t pid, uint64_t addr, size_t size, void *ret)
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

size_t
bytes_read_vector(pid_t pid, const struct iovec *local, const struct iovec *remote, size_t count)
{
    ssize_t got = process_vm_readv(pid, local, count, remote, count, 0);
    size_t whole = 0;
    for (size_t left = got > 0 ? (size_t) got : 0; whole < count && left >= local[whole].iov_len;
         whole++)
        left -= local[whole].iov_len;
    return whole;
}

size_t
bytes_read_pieces(pid_t pid, const uint64_t *addrs, size_t count, size_t size, void *ret,
                  size_t stride)
{
    struct iovec local[BYTES_VECTOR_MAX], remote[BYTES_VECTOR_MAX];
    size_t done = 0;
    for (size_t n, got; done < count; done += n) {
        n = count - done < BYTES_VECTOR_MAX ? count - done : BYTES_VECTOR_MAX;
        for (size_t i = 0; i < n; i++) {
            local[i] = (struct iovec){(char *) ret + (done + i) * stride, size};
            remote[i] = (struct iovec){(void *) (uintptr_t) addrs[done + i], size};
        }
        got = bytes_read_vector(pid, local, remote, n);
        if (got < n)
            return done + got;
    }
    return done;
}

uint64_t
bytes_uint(const void *bytes, size_t width)
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
