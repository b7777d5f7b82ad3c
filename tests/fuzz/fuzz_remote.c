// SPDX-License-Identifier: BSD-3-Clause
// An input is what a debugger's stub sends, line by line: a line is a packet, to which its frame
// and checksum are added, or, behind a '!', bytes as they are. The stub sends all of it and ends.
#include "tests/fuzz/harness.h"
#include "mqshow/base/alloc.h"
#include "mqshow/process/debuggee.h"
#include "mqshow/process/memory.h"
#include "mqshow/process/stub.h"

#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { LINES_MAX = 128, SIZE_MAX_USED = 1 << 16 }; // that the sockets hold, and what is asked

int
LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void) argc, (void) argv;
    return 0;
}

/** Sends a line. */
static void
send_line(int fd, const uint8_t *line, size_t size)
{
    char *packet = alloc_zeroed(size + 8, 1);
    unsigned char sum = 0;
    size_t length;
    if (size > 0 && *line == '!') {
        memcpy(packet, line + 1, size - 1);
        length = size - 1;
    } else {
        for (size_t i = 0; i < size; i++)
            sum = (unsigned char) (sum + line[i]);
        *packet = '$';
        memcpy(packet + 1, line, size);
        length = size + 1 + (size_t) sprintf(packet + 1 + size, "#%02x", sum);
    }
    if (send(fd, packet, length, MSG_DONTWAIT) < 0)
        length = 0; // what does not fit is not sent
    free(packet);
}

static void
use(struct stub *stub)
{
    struct copy copy;
    char byte;
    if (stub->unusable != NULL)
        return;
    free(memory_environment(&(struct debuggee){.stub = stub}, "PMI_RANK"));
    stub_read(stub, stub->headers, sizeof byte, &byte);
    stub_copy(stub, EM_X86_64, &copy);
    for (size_t i = 0; i < copy.n_threads; i++)
        stub_thread_name(stub, copy.threads[i].tid);
    copy_deinit(&copy);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    int ends[2];
    char address[24];
    if (size > SIZE_MAX_USED || socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0)
        return 0;
    for (size_t lines = 0, at = 0; at < size && lines < LINES_MAX; lines++) {
        const uint8_t *end = memchr(data + at, '\n', size - at);
        size_t length = end != NULL ? (size_t) (end - data) - at : size - at;
        send_line(ends[0], data + at, length);
        at += length + 1;
    }
    shutdown(ends[0], SHUT_WR);
    snprintf(address, sizeof address, "fd:%d", ends[1]);
    static const struct named_places as_named;
    struct stub *stub = stub_create(address, &as_named);
    use(stub);
    stub_destroy(stub);
    close(ends[0]);
    return 0;
}
