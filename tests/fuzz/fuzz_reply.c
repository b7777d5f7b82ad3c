// SPDX-License-Identifier: BSD-3-Clause
// An input is what a worker sends of a process: an outline and packed queues, each behind its size.
#include "tests/fuzz/harness.h"
#include "tests/fuzz/random.h"
#include "tests/fuzz/shown.h"
#include "mqshow/process/packet.h"
#include "mqshow/run/worker_msg.h"
#include "mqshow/mqd/stats.h"

#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { WHOLE_ONE_IN = 8, CHANGES_MAX = 8, FIELD_BYTES = 8 };

int
LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void) argc, (void) argv;
    return shown_init() ? 0 : -1;
}

static json_t *
receive(int fd)
{
    struct packet packet = {.text = NULL};
    json_t *parts = json_array();
    enum packet_event event;
    while ((event = packet_receive(&packet, fd)) != PACKET_ENDED) {
        if (event != PACKET_WHOLE)
            continue;
        if (packet.head.size > 1)
            json_array_append(parts, packet.kept);
        packet_forget(&packet);
    }
    packet_forget(&packet);
    return parts;
}

/** The process that a reply says that it is of. */
static pid_t
pid_of(const json_t *part)
{
    const char *text = part != NULL ? json_string_value(part) : "";
    const char *pid = strstr(text, "\"pid\":");
    return pid != NULL ? (pid_t) strtol(pid + strlen("\"pid\":"), NULL, 10) : 0;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct document *document = document_create(1);
    struct host_stats stats = {.reads = 0};
    int fd = memfd_create("reply", MFD_CLOEXEC);
    setlocale(LC_CTYPE, size % 2 == 0 ? "C" : "C.UTF-8");
    bool passed = worker_msg_pass_on(fd, 0, (const char *) data, size);
    lseek(fd, 0, SEEK_SET);
    json_t *parts = receive(fd);
    pid_t pid = pid_of(json_array_get(parts, 0));
    if (passed && worker_msg_take(parts, pid, &document->reports[0], &stats)) {
        shown_compare(document, document);
        shown_judge(document);
    }
    json_decref(parts);
    document_destroy(document);
    close(fd);
    return 0;
}

/** A part of an input, without its size. @param number counted from 0, in a circle
 * @return its bytes; NULL: there are none */
static uint8_t *
find_part(uint8_t *data, size_t size, uint64_t number, size_t *ret_size)
{
    uint8_t *part = NULL;
    for (uint64_t i = 0, at = 0; i <= number && size >= sizeof(uint64_t); i++) {
        uint64_t length;
        at = at + sizeof length <= size ? at : 0;
        memcpy(&length, data + at, sizeof length);
        at += sizeof length;
        if (length > size - at)
            return NULL;
        part = data + at;
        *ret_size = length;
        at += length;
    }
    return part;
}

/** Changes bytes of a part, or of anything, and leaves the sizes as they are: what is packed
 * wrongly is refused at once. */
size_t
LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed)
{
    uint64_t state = random_begin(seed);
    size_t length = 0;
    uint8_t *part = find_part(data, size, random_next(&state) % 64, &length);
    if (part == NULL || length == 0 || random_next(&state) % WHOLE_ONE_IN == 0) {
        if (LLVMFuzzerMutate != NULL)
            return LLVMFuzzerMutate(data, size, max);
        part = data;
        length = size;
    }
    for (uint64_t n = random_next(&state) % CHANGES_MAX + 1; n > 0 && length > 0; n--) {
        static const uint8_t bytes[] = {0, 1, 0x7f, 0x80, 0xff};
        size_t at = random_next(&state) % length, run = random_next(&state) % FIELD_BYTES + 1;
        uint64_t kind = random_next(&state) % (2 * sizeof bytes);
        for (; run > 0 && at < length; run--, at++)
            part[at] = kind < sizeof bytes ? bytes[kind] : (uint8_t) (random_next(&state) >> 24);
    }
    return size;
}
