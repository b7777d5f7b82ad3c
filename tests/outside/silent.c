// SPDX-License-Identifier: BSD-3-Clause
// A file system that does not answer, by the kernel's FUSE protocol: like one on a network that is
// gone.
//
//   silent FOLDER    Mounts it there, prints "mounted", and serves until it is killed. Its files
//                    "file" and "renderD128" can be opened; what is done with them then, or with
//                    the name "gone", is never answered.
#include <errno.h>
#include <fcntl.h>
#include <linux/fuse.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FILE_NODE = 2 };

static int device;

static void
answer(const struct fuse_in_header *in, int error, const void *data, size_t size)
{
    char bytes[sizeof(struct fuse_out_header) + 256];
    struct fuse_out_header out = {
        .len = (uint32_t) (sizeof out + size), .error = -error, .unique = in->unique};
    memcpy(bytes, &out, sizeof out);
    if (size > 0)
        memcpy(bytes + sizeof out, data, size);
    (void) !write(device, bytes, out.len);
}

static struct fuse_attr
attributes(uint64_t node)
{
    return (struct fuse_attr){.ino = node,
                              .size = 4096,
                              .nlink = 1,
                              .uid = getuid(),
                              .gid = getgid(),
                              .mode = node == FUSE_ROOT_ID ? S_IFDIR | 0755 : S_IFREG | 0644};
}

static void
look_up(const struct fuse_in_header *in, const char *name)
{
    struct fuse_entry_out entry = {.nodeid = FILE_NODE, .attr = attributes(FILE_NODE)};
    if (strcmp(name, "gone") == 0)
        return;
    bool known = strcmp(name, "file") == 0 || strcmp(name, "renderD128") == 0;
    answer(in, known ? 0 : ENOENT, &entry, known ? sizeof entry : 0);
}

static void
serve(const struct fuse_in_header *in, const void *data)
{
    const struct fuse_init_in *begin = data;
    switch (in->opcode) {
    case FUSE_INIT:
        answer(in, 0,
               &(struct fuse_init_out){.major = FUSE_KERNEL_VERSION,
                                       .minor = begin->minor < FUSE_KERNEL_MINOR_VERSION
                                                    ? begin->minor
                                                    : FUSE_KERNEL_MINOR_VERSION,
                                       .max_write = 4096},
               sizeof(struct fuse_init_out));
        break;
    case FUSE_GETATTR:
        answer(in, 0, &(struct fuse_attr_out){.attr = attributes(in->nodeid)},
               sizeof(struct fuse_attr_out));
        break;
    case FUSE_LOOKUP:
        look_up(in, data);
        break;
    case FUSE_OPEN:
    case FUSE_OPENDIR:
        answer(in, 0, &(struct fuse_open_out){.open_flags = FOPEN_DIRECT_IO},
               sizeof(struct fuse_open_out));
        break;
    }
}

int
main(int argc, char **argv)
{
    static _Alignas(struct fuse_in_header) char bytes[1 << 17];
    char options[128];
    device = open("/dev/fuse", O_RDWR);
    snprintf(options, sizeof options, "fd=%d,rootmode=40000,user_id=%u,group_id=%u,allow_other",
             device, (unsigned) getuid(), (unsigned) getgid());
    if (argc != 2 || device < 0 ||
        mount("silent", argv[1], "fuse.silent", MS_NOSUID | MS_NODEV, options) != 0) {
        perror("silent");
        return EXIT_FAILURE;
    }
    puts("mounted");
    fflush(stdout);
    for (;;) {
        ssize_t size = read(device, bytes, sizeof bytes - 1);
        if (size < (ssize_t) sizeof(struct fuse_in_header)) {
            if (size < 0 && (errno == EINTR || errno == ENOENT))
                continue;
            return EXIT_FAILURE;
        }
        bytes[size] = '\0';
        serve((const struct fuse_in_header *) bytes, bytes + sizeof(struct fuse_in_header));
    }
}
