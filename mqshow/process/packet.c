// SPDX-License-Identifier: BSD-3-Clause
// Numbered texts that go through a pipe.
#include "mqshow/process/packet.h"

#include "mqshow/base/alloc.h"
#include "mqshow/base/clock.h"
#include "mqshow/base/signals.h"
#include "mqshow/base/diag.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <unistd.h>

static const uint64_t size_max = UINT64_C(1) << 32;

static void
make_room(struct packet *packet)
{
    char *zeros = alloc_zeroed(packet->head.size, 1);
    packet->kept = json_stringn_nocheck(zeros, packet->head.size);
    free(zeros);
    if (packet->kept == NULL)
        die("out of memory");
    packet->text = (char *) json_string_value(packet->kept);
}

/** Where the next bytes go, and how many. */
static char *
next_room(struct packet *packet, size_t *ret_room)
{
    if (packet->received < sizeof packet->head) {
        *ret_room = sizeof packet->head - packet->received;
        return (char *) &packet->head + packet->received;
    }
    uint64_t done = packet->received - sizeof packet->head;
    if (packet->text == NULL)
        make_room(packet);
    *ret_room = packet->head.size - done;
    return packet->text + done;
}

enum packet_event
packet_receive(struct packet *packet, int fd)
{
    size_t room;
    char *to = next_room(packet, &room);
    ssize_t n = read(fd, to, room);
    if (n < 0 && errno == EINTR)
        return PACKET_MORE;
    if (n <= 0)
        return PACKET_ENDED;
    packet->received += (uint64_t) n;
    if (packet->received < sizeof packet->head)
        return PACKET_MORE;
    if (packet->head.size == 0 || packet->head.size > size_max)
        return PACKET_ENDED;
    return packet->received == sizeof packet->head + packet->head.size ? PACKET_WHOLE : PACKET_MORE;
}

enum packet_event
packet_wait(struct packet *packet, int fd, int64_t deadline)
{
    enum packet_event event = PACKET_MORE;
    packet_forget(packet);
    while (event == PACKET_MORE && clock_us() < deadline && !signals_pending()) {
        struct pollfd readable = {.fd = fd, .events = POLLIN};
        int64_t ms = (deadline - clock_us()) / 1000 + 1;
        if (poll(&readable, 1, ms < 1000 ? (int) ms : 1000) > 0)
            event = packet_receive(packet, fd);
    }
    return event;
}

void
packet_forget(struct packet *packet)
{
    json_decref(packet->kept);
    *packet = (struct packet){.text = NULL};
}

bool
packet_send_piece(int fd, const void *piece, size_t size)
{
    for (const char *bytes = piece; size > 0;) {
        ssize_t n = write(fd, bytes, size);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        bytes += n;
        size -= (size_t) n;
    }
    return true;
}

bool
packet_begin(int fd, uint64_t what, uint64_t size)
{
    const struct packet packet = {.head = {what, size}};
    return packet_send_piece(fd, &packet.head, sizeof packet.head);
}

void
packet_send_or_exit(int fd, uint64_t what, const char *text, size_t size)
{
    if (!packet_begin(fd, what, size) || !packet_send_piece(fd, text, size))
        _exit(EXIT_FAILURE);
}
