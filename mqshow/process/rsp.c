// SPDX-License-Identifier: BSD-3-Clause
// gdb's remote serial protocol: questions to a debugger's stub and its replies.
#include "mqshow/process/rsp.h"

#include "mqshow/base/alloc.h"
#include "mqshow/base/clock.h"
#include "mqshow/base/signals.h"

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

enum {
    PACKET_SIZE = 400,         // that every stub takes
    PACKET_SIZE_MAX = 1 << 16, // that is used of what a stub offers
    TRIES = 3,                 // of a packet that arrives damaged
    PARTS_MAX = 1 << 16,       // of an object
    NOISE_MAX = 1 << 20,       // bytes that are of no packet, or of damaged ones
    END = -1
};

static bool
fail(struct rsp *rsp, const char *why)
{
    if (rsp->error == NULL)
        rsp->error = alloc_text(why);
    return false;
}

/** Waits until the connection is ready. @return false when it is not in time */
static bool
await(struct rsp *rsp, short events, int64_t deadline)
{
    for (;;) {
        int64_t left = deadline - clock_us();
        struct pollfd one = {.fd = rsp->fd, .events = events};
        if (signals_pending())
            return fail(rsp, "interrupted");
        if (left <= 0)
            return fail(rsp, "the debugger does not answer in time");
        int n = poll(&one, 1, (int) (left / 1000) + 1);
        if (n > 0)
            return true;
        if (n < 0 && errno != EINTR)
            return fail(rsp, strerror(errno));
    }
}

static bool
send_bytes(struct rsp *rsp, const char *bytes, size_t size, int64_t deadline)
{
    while (size > 0) {
        if (!await(rsp, POLLOUT, deadline))
            return false;
        ssize_t n = send(rsp->fd, bytes, size, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (n < 0 && errno != EINTR && errno != EAGAIN)
            return fail(rsp, "the debugger has closed the connection");
        bytes += n > 0 ? n : 0;
        size -= n > 0 ? (size_t) n : 0;
    }
    return true;
}

/** The next byte; END: there is none. */
static int
next_byte(struct rsp *rsp, int64_t deadline)
{
    while (rsp->input_at == rsp->input_end) {
        if (!await(rsp, POLLIN, deadline))
            return END;
        ssize_t n = recv(rsp->fd, rsp->input, sizeof rsp->input, MSG_DONTWAIT);
        if (n < 0 && (errno == EINTR || errno == EAGAIN))
            continue;
        if (n <= 0) {
            fail(rsp, "the debugger has closed the connection");
            return END;
        }
        rsp->input_at = 0;
        rsp->input_end = (size_t) n;
    }
    return rsp->input[rsp->input_at++];
}

static int
digit(int c)
{
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

size_t
rsp_from_hex(const char *digits, size_t n_digits, void *ret, size_t most)
{
    unsigned char *bytes = ret;
    size_t n = 0;
    for (; n < most && 2 * n + 1 < n_digits; n++) {
        int high = digit(digits[2 * n]), low = digit(digits[2 * n + 1]);
        if (high < 0 || low < 0)
            break;
        bytes[n] = (unsigned char) (high << 4 | low);
    }
    return n;
}

/** Adds a byte to the reply, `count` times. @return false when it gets too long */
static bool
add(struct rsp *rsp, int byte, size_t count)
{
    char c = (char) byte;
    if (count > RSP_REPLY_MAX - rsp->size)
        return fail(rsp, "the debugger's reply is too long");
    for (size_t i = 0; i < count; i++)
        rsp->reply = alloc_append(rsp->reply, &rsp->size, &rsp->capacity, &c, 1);
    return true;
}

/** Adds what a byte of a packet stands for: '}' escapes the next one, '*' repeats the last one. */
static bool
take(struct rsp *rsp, int byte, int *held)
{
    enum { ESCAPED = 0x20, REPEATED = 29 };
    int before = *held;
    *held = 0;
    if (before == '}')
        return add(rsp, byte ^ ESCAPED, 1);
    if (before == '*')
        return byte >= REPEATED + 3 && rsp->size > 0
                   ? add(rsp, rsp->reply[rsp->size - 1], (size_t) (byte - REPEATED))
                   : fail(rsp, "the debugger's reply is damaged");
    if (byte != '}' && byte != '*')
        return add(rsp, byte, 1);
    *held = byte;
    return true;
}

enum outcome { WHOLE, DAMAGED, FAILED };

/** Reads a packet behind its '$'. */
static enum outcome
read_packet(struct rsp *rsp, int64_t deadline)
{
    unsigned char sum = 0, sent;
    int byte, held = 0;
    rsp->size = 0;
    while ((byte = next_byte(rsp, deadline)) != '#' && byte != END) {
        sum = (unsigned char) (sum + byte);
        if (!take(rsp, byte, &held))
            return FAILED;
    }
    char digits[2];
    for (int i = 0; i < 2 && byte != END; i++)
        digits[i] = (char) (byte = next_byte(rsp, deadline));
    if (byte == END || !add(rsp, '\0', 1))
        return FAILED;
    rsp->size--;
    return rsp_from_hex(digits, 2, &sent, 1) == 1 && sent == sum && held == 0 ? WHOLE : DAMAGED;
}

/** Passes over what is before the next '$' or '-': acknowledgements and notices.
 * @return it, or END
 */
static int
find_start(struct rsp *rsp, int64_t deadline, size_t *noise)
{
    int byte;
    bool notice = false;
    while ((byte = next_byte(rsp, deadline)) != END) {
        if (!notice && (byte == '$' || byte == '-'))
            return byte;
        notice = byte == '%' || (notice && byte != '#');
        if (++*noise > NOISE_MAX) {
            fail(rsp, "the reply is not of gdb's remote protocol: connect to a gdbserver");
            return END;
        }
    }
    return END;
}

/** Sends a packet and reads the reply, again when one of them arrives damaged. */
static bool
exchange(struct rsp *rsp, const char *packet, size_t size)
{
    int64_t deadline = clock_after(rsp->seconds);
    size_t noise = 0;
    bool sends = true;
    for (int tries = 0; tries < TRIES; tries++) {
        if (sends && !send_bytes(rsp, packet, size, deadline))
            return false;
        int start = find_start(rsp, deadline, &noise);
        if (start == END)
            return false;
        sends = start == '-';
        enum outcome outcome = sends ? DAMAGED : read_packet(rsp, deadline);
        if (outcome == FAILED)
            return false;
        if (outcome == WHOLE)
            return rsp->no_acks || send_bytes(rsp, "+", 1, deadline);
        if (!sends && rsp->no_acks)
            break;
        if (!sends && !send_bytes(rsp, "-", 1, deadline))
            return false;
    }
    return fail(rsp, "the debugger's replies are damaged: their checksums are wrong");
}

bool
rsp_ask(struct rsp *rsp, const char *format, ...)
{
    char question[RSP_QUESTION_MAX], packet[RSP_QUESTION_MAX + 8];
    unsigned char sum = 0;
    va_list args;
    va_start(args, format);
    int length = vsnprintf(question, sizeof question, format, args);
    va_end(args);
    if (rsp->error != NULL)
        return false;
    if (length < 0 || (size_t) length >= sizeof question)
        return fail(rsp, "a request to the debugger is too long");
    if (rsp->asking == NULL)
        return fail(rsp, "the debugger was disconnected");
    if (*rsp->asking)
        return fail(rsp, "waiting for a reply of the debugger was given up");
    for (int i = 0; i < length; i++)
        sum = (unsigned char) (sum + (unsigned char) question[i]);
    int size = snprintf(packet, sizeof packet, "$%s#%02x", question, sum);
    *rsp->asking = true;
    bool good = exchange(rsp, packet, (size_t) size);
    *rsp->asking = !good;
    return good;
}

bool
rsp_is_error(const struct rsp *rsp)
{
    return rsp->size >= 3 && rsp->reply[0] == 'E' && (rsp->size == 3 || rsp->reply[1] == '.');
}

char *
rsp_read_object(struct rsp *rsp, const char *object, const char *annex, size_t *ret_size)
{
    char *bytes = NULL;
    size_t size = 0, capacity = 0, most = rsp->packet_size / 2;
    for (int parts = 0; parts < PARTS_MAX; parts++) {
        if (!rsp_ask(rsp, "qXfer:%s:read:%s:%zx,%zx", object, annex, size, most) ||
            rsp->size == 0 || (rsp->reply[0] != 'm' && rsp->reply[0] != 'l') ||
            (rsp->reply[0] == 'm' && rsp->size == 1) || rsp->size > RSP_OBJECT_MAX - size)
            break;
        bool is_last = rsp->reply[0] == 'l';
        // With the NUL, which is not counted.
        bytes = alloc_append(bytes, &size, &capacity, rsp->reply + 1, rsp->size);
        size--;
        *ret_size = size;
        if (is_last)
            return bytes;
    }
    free(bytes);
    return NULL;
}

bool
rsp_begin(struct rsp *rsp)
{
    if (!rsp_ask(rsp, "qSupported:multiprocess+;swbreak-;hwbreak-;xmlRegisters=i386"))
        return false;
    const char *size = strstr(rsp->reply, "PacketSize=");
    bool can_do_without = strstr(rsp->reply, "QStartNoAckMode+") != NULL;
    unsigned long offered = size != NULL ? strtoul(strchr(size, '=') + 1, NULL, 16) : 0;
    rsp->packet_size = offered < PACKET_SIZE       ? PACKET_SIZE
                       : offered > PACKET_SIZE_MAX ? PACKET_SIZE_MAX
                                                   : offered;
    if (!can_do_without)
        return true;
    if (!rsp_ask(rsp, "QStartNoAckMode"))
        return false;
    rsp->no_acks = strcmp(rsp->reply, "OK") == 0;
    return true;
}

/** Connects within some seconds. @return the socket; -1: errno is set */
static int
connect_to(const struct addrinfo *found)
{
    int fd = socket(found->ai_family, found->ai_socktype | SOCK_CLOEXEC, found->ai_protocol);
    const struct timeval patience = {.tv_sec = RSP_SECONDS};
    if (fd < 0)
        return -1;
    setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
    if (connect(fd, found->ai_addr, found->ai_addrlen) == 0)
        return fd;
    int error = errno == EINPROGRESS ? ETIMEDOUT : errno;
    close(fd);
    errno = error;
    return -1;
}

/** @return NULL, or why not, to free() */
static char *
open_connection(struct rsp *rsp, const char *address)
{
    char *host = alloc_text(address), *colon = strrchr(host, ':'), *problem = NULL;
    const struct addrinfo hints = {.ai_socktype = SOCK_STREAM};
    struct addrinfo *found = NULL;
    if (colon == NULL || colon[1] == '\0') {
        free(host);
        return alloc_text("expected HOST:PORT");
    }
    *colon = '\0';
    int code = getaddrinfo(*host != '\0' ? host : "localhost", colon + 1, &hints, &found);
    for (const struct addrinfo *at = found; code == 0 && at != NULL && rsp->fd < 0;
         at = at->ai_next)
        rsp->fd = connect_to(at);
    if (rsp->fd < 0)
        problem = alloc_text(code != 0 ? gai_strerror(code) : strerror(errno));
    if (found != NULL)
        freeaddrinfo(found);
    free(host);
    return problem;
}

/** Has the kernel send each packet at once: a question follows an acknowledgement, which would
 * otherwise be awaited for 40 ms. Sockets that are not of TCP do so anyway.
 */
static void
send_at_once(int fd)
{
    const int yes = 1;
    int before = errno;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    errno = before;
}

char *
rsp_init(struct rsp *rsp, const char *address)
{
    *rsp = (struct rsp){.fd = -1, .seconds = RSP_SECONDS, .packet_size = PACKET_SIZE};
    void *shared =
        mmap(NULL, sizeof *rsp->asking, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED)
        return alloc_text(strerror(errno));
    rsp->asking = shared;
    if (strncmp(address, "fd:", 3) != 0) {
        char *problem = open_connection(rsp, address);
        send_at_once(rsp->fd);
        return problem;
    }
    char *end;
    long fd = strtol(address + 3, &end, 10);
    if (end == address + 3 || *end != '\0' || fd <= STDERR_FILENO || fd > 1 << 20 ||
        fcntl((int) fd, F_SETFD, FD_CLOEXEC) != 0)
        return alloc_text("no such file descriptor");
    rsp->fd = (int) fd;
    send_at_once(rsp->fd);
    return NULL;
}

/** Takes what is still to come: gdbserver would interrupt the process if it were not read. */
static void
drain(struct rsp *rsp)
{
    enum { MS = 2000 };
    int64_t end = clock_us() + MS * INT64_C(1000);
    struct pollfd one = {.fd = rsp->fd, .events = POLLIN};
    shutdown(rsp->fd, SHUT_WR);
    while (clock_us() < end && poll(&one, 1, (int) ((end - clock_us()) / 1000) + 1) != 0 &&
           recv(rsp->fd, rsp->input, sizeof rsp->input, MSG_DONTWAIT) != 0)
        ;
}

void
rsp_deinit(struct rsp *rsp)
{
    if (rsp->fd >= 0 && rsp->asking != NULL && *rsp->asking)
        drain(rsp);
    if (rsp->fd >= 0)
        close(rsp->fd);
    if (rsp->asking != NULL)
        munmap(rsp->asking, sizeof *rsp->asking);
    free(rsp->error);
    free(rsp->reply);
    *rsp = (struct rsp){.fd = -1};
}
