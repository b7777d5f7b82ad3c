// SPDX-License-Identifier: BSD-3-Clause
// Files in the format of gzip, by zlib.
#include "mqshow/base/packed.h"

#include "mqshow/base/alloc.h"
#include "mqshow/base/signals.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

/** Sets errno for what zlib says. @return -1 */
static int
fail(gzFile file)
{
    int code, error = errno;
    gzerror(file, &code);
    errno = code == Z_ERRNO && error != 0 ? error : code == Z_MEM_ERROR ? ENOMEM : EBADMSG;
    return -1;
}

static ssize_t
take(void *cookie, char *bytes, size_t size)
{
    int code, got = gzread(cookie, bytes, size < 1 << 20 ? (unsigned) size : 1 << 20);
    gzerror(cookie, &code);
    // A file that ends too early gives what it has; that is an error only at the end.
    return got < 0 || (got == 0 && code != Z_OK) ? fail(cookie) : got;
}

static ssize_t
put(void *cookie, const char *bytes, size_t size)
{
    int done = gzwrite(cookie, bytes, size < 1 << 20 ? (unsigned) size : 1 << 20);
    return done > 0 ? done : 0; // as fopencookie() wants it
}

static int
end(void *cookie)
{
    errno = 0;
    int code = gzclose(cookie);
    if (code == Z_OK || code == Z_BUF_ERROR) // the latter of a file that was not read to its end
        return 0;
    errno = errno != 0 ? errno : EIO;
    return EOF;
}

static FILE *
open_stream(int fd, const char *mode)
{
    gzFile packed = gzdopen(fd, mode);
    const cookie_io_functions_t calls = {.read = take, .write = put, .close = end};
    FILE *file = packed != NULL ? fopencookie(packed, mode, calls) : NULL;
    if (file == NULL && packed != NULL)
        gzclose(packed);
    else if (file == NULL)
        close(fd);
    errno = file == NULL ? ENOMEM : errno;
    return file;
}

FILE *
packed_reader(int fd)
{
    return open_stream(fd, "rb");
}

bool
packed_is_object(const char *path)
{
    char begin[64] = "";
    struct stat status;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd >= 0 && fstat(fd, &status) == 0 && S_ISREG(status.st_mode))
        (void) !read(fd, begin, sizeof begin - 1);
    if (fd >= 0)
        close(fd);
    return strncmp(begin, "\x1f\x8b", 2) == 0 || begin[strspn(begin, " \t\r\n")] == '{';
}

/** Writes and closes. @param fd taken over @return whether all was written; errno is set if not */
static bool
write_to(int fd, void (*write)(FILE *out, const void *context), const void *context)
{
    FILE *out = open_stream(fd, "wb");
    if (out == NULL)
        return false;
    write(out, context);
    errno = 0;
    bool good = fflush(out) == 0 && !ferror(out);
    int error = errno;
    if (fclose(out) != 0 && good) {
        good = false;
        error = errno;
    }
    errno = error != 0 ? error : EIO;
    return good;
}

/** Makes a file beside, with the permissions of a new file. @param path ends with XXXXXX */
static int
make_beside(char *path)
{
    mode_t mask = umask(0);
    umask(mask);
    int fd = mkostemp(path, O_CLOEXEC);
    if (fd >= 0 && fchmod(fd, 0666 & ~mask) != 0) {
        close(fd);
        unlink(path);
        return -1;
    }
    return fd;
}

/** @return whether it is there; errno is set if not */
static bool
replace(const char *path, void (*write)(FILE *out, const void *context), const void *context)
{
    char *beside = alloc_format("%s.XXXXXX", path);
    int fd = make_beside(beside), synced = fd >= 0 ? fcntl(fd, F_DUPFD_CLOEXEC, 0) : -1;
    // Not only the name: after a crash of the machine the file would be empty else.
    bool good =
        fd >= 0 && write_to(fd, write, context) && fsync(synced) == 0 && rename(beside, path) == 0;
    int error = errno;
    if (fd >= 0 && !good)
        unlink(beside);
    if (synced >= 0)
        close(synced);
    free(beside);
    errno = error;
    return good;
}

char *
packed_write(const char *path, void (*write)(FILE *out, const void *context), const void *context)
{
    struct stat status;
    bool is_other = stat(path, &status) == 0 && !S_ISREG(status.st_mode);
    int fd = is_other ? open(path, O_WRONLY | O_CLOEXEC) : -1;
    signals_block();
    bool good = is_other ? fd >= 0 && write_to(fd, write, context) : replace(path, write, context);
    char *problem = good ? NULL : alloc_format("cannot write %s: %s", path, strerror(errno));
    signals_unblock();
    return problem;
}
