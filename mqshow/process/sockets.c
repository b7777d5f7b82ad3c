// SPDX-License-Identifier: BSD-3-Clause
// What a socket is connected with: of TCP from /proc/PID/net, of UNIX sockets from the kernel's
// sock_diag, which alone knows their peers.
#include "mqshow/process/sockets.h"

#include "mqshow/base/alloc.h"
#include "mqshow/base/clock.h"
#include "mqshow/process/open_files.h"
#include "mqshow/process/procfs.h"

#include <arpa/inet.h>
#include <inttypes.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <linux/sock_diag.h>
#include <linux/unix_diag.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

/** Tables, and where the number of the sockets in one is: to write such a table the kernel goes
 * through all of its memory for sockets, however few there are. */
static const struct {
    const char *name, *counts, *key;
} tcp_tables[] = {{"tcp", "sockstat", "TCP: inuse "}, {"tcp6", "sockstat6", "TCP6: inuse "}};
enum { TCP_TABLES = sizeof tcp_tables / sizeof *tcp_tables };
enum { HEX_ADDRESS = 32, TCP_LISTENS = 10, TCP_BEGINS = 2 };

/** A line of /proc/net/tcp. */
struct tcp_line {
    char own[HEX_ADDRESS + 1], other[HEX_ADDRESS + 1]; // addresses, words in hexadecimal
    unsigned own_port, other_port, state;
    unsigned long long unread; // bytes; of one that listens, connections
    unsigned long long inode;
};

static bool
parse_tcp(const char *line, struct tcp_line *ret)
{
    return sscanf(line,
                  " %*d: %32[0-9A-Fa-f]:%x %32[0-9A-Fa-f]:%x %x %*x:%llx %*x:%*x %*x %*u %*u %llu",
                  ret->own, &ret->own_port, ret->other, &ret->other_port, &ret->state, &ret->unread,
                  &ret->inode) == 7;
}

/** The lines of such a file. */
struct tcp_table {
    struct tcp_line *lines; // to free()
    size_t count, capacity;
};

static struct tcp_table
read_tcp(pid_t pid, size_t number)
{
    struct tcp_table table = {.lines = NULL};
    struct tcp_line line;
    char *counts = procfs_read(NULL, "/proc/%d/net/%s", (int) pid, tcp_tables[number].counts);
    if (procfs_number(counts, tcp_tables[number].key) == 0)
        return table;
    char *text = procfs_read(NULL, "/proc/%d/net/%s", (int) pid, tcp_tables[number].name);
    char *rest = NULL;
    for (char *at = text ? strtok_r(text, "\n", &rest) : NULL; at; at = strtok_r(NULL, "\n", &rest))
        if (parse_tcp(at, &line))
            *ALLOC_ADD(table.lines, table.count, table.capacity) = line;
    free(text);
    return table;
}

/** Of this program's network namespace. */
static struct tcp_table here[TCP_TABLES];
static bool has_here;
static int64_t read_at;
enum { MAX_AGE_US = 500000 };

/** The line of a socket; NULL: there is none. */
static const struct tcp_line *
find_tcp(const struct tcp_table *table, uint64_t inode)
{
    for (size_t i = 0; i < table->count; i++)
        if (table->lines[i].inode == inode)
            return &table->lines[i];
    return NULL;
}

/** The inode of the socket at the other end; 0: it is not known here. */
static uint64_t
find_other_end(const struct tcp_table *table, const struct tcp_line *line)
{
    for (size_t i = 0; i < table->count; i++) {
        const struct tcp_line *end = &table->lines[i];
        if (end->own_port == line->other_port && end->other_port == line->own_port &&
            strcmp(end->own, line->other) == 0 && strcmp(end->other, line->own) == 0)
            return end->inode;
    }
    return 0;
}

/** "10.0.0.7:80", "[fe80::1]:80", to free(). @param hex each word is a number of this machine */
static char *
describe_address(const char *hex, unsigned port)
{
    uint32_t words[4];
    char text[INET6_ADDRSTRLEN] = "?";
    size_t count = strlen(hex) / 8;
    for (size_t i = 0; i < count; i++)
        if (sscanf(hex + 8 * i, "%8" SCNx32, &words[i]) != 1)
            return alloc_text("?");
    bool mapped = count == 4 && words[0] == 0 && words[1] == 0 && words[2] == htonl(0xffff);
    if (count == 4 && !mapped)
        inet_ntop(AF_INET6, words, text, sizeof text);
    else if (count == 1 || mapped)
        inet_ntop(AF_INET, &words[mapped ? 3 : 0], text, sizeof text);
    return alloc_format(count == 4 && !mapped ? "[%s]:%u" : "%s:%u", text, port);
}

static bool
describe_tcp(struct endpoint *endpoint, const struct tcp_table *table, uint64_t inode)
{
    const struct tcp_line *line = find_tcp(table, inode);
    if (line) {
        bool listens = line->state == TCP_LISTENS;
        char *address = listens ? describe_address(line->own, line->own_port)
                                : describe_address(line->other, line->other_port);
        const char *form = listens ? "TCP socket that listens at %s"
                           : line->state == TCP_BEGINS
                               ? "TCP connection to %s, which does not answer"
                               : "TCP connection with %s";
        *endpoint = (struct endpoint){.text = alloc_format(form, address),
                                      .other = listens ? 0 : find_other_end(table, line)};
        free(address);
    }
    return line != NULL;
}

/** A socket may be newer than what was read when the sample began. */
static bool
find_here(struct endpoint *endpoint, pid_t pid, uint64_t inode)
{
    bool found = false;
    for (size_t i = 0; i < TCP_TABLES && !found && has_here && procfs_shares(pid, "net"); i++)
        found = describe_tcp(endpoint, &here[i], inode);
    return found;
}

/** Takes the peer from the answer. */
static uint64_t
take_peer(const struct nlmsghdr *header, size_t size, uint64_t inode)
{
    uint32_t peer = 0;
    const struct unix_diag_msg *message = NLMSG_DATA(header);
    if (!NLMSG_OK(header, size) || header->nlmsg_type != SOCK_DIAG_BY_FAMILY ||
        header->nlmsg_len < NLMSG_LENGTH(sizeof *message) || message->udiag_ino != inode)
        return 0;
    size_t left = header->nlmsg_len - NLMSG_LENGTH(sizeof *message);
    const struct rtattr *item = (const struct rtattr *) (message + 1);
    for (; RTA_OK(item, left); item = RTA_NEXT(item, left))
        if (item->rta_type == UNIX_DIAG_PEER && RTA_PAYLOAD(item) >= sizeof peer)
            memcpy(&peer, RTA_DATA(item), sizeof peer);
    return peer;
}

/** Asks the kernel for the peer of a UNIX socket; 0: not known. */
static uint64_t
unix_peer(uint64_t inode)
{
    struct {
        struct nlmsghdr header;
        struct unix_diag_req request;
    } question = {
        .header = {.nlmsg_len = sizeof question,
                   .nlmsg_type = SOCK_DIAG_BY_FAMILY,
                   .nlmsg_flags = NLM_F_REQUEST},
        .request = {.sdiag_family = AF_UNIX,
                    .udiag_states = ~0u,
                    .udiag_ino = (uint32_t) inode,
                    .udiag_show = UDIAG_SHOW_PEER,
                    .udiag_cookie = {~0u, ~0u}},
    };
    _Alignas(struct nlmsghdr) char answer[4096];
    ssize_t size = -1;
    int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG);
    if (fd < 0)
        return 0;
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &(struct timeval){.tv_sec = 1}, sizeof(struct timeval));
    if (send(fd, &question, sizeof question, 0) == sizeof question)
        size = recv(fd, answer, sizeof answer, 0);
    close(fd);
    return size > 0 ? take_peer((const struct nlmsghdr *) answer, (size_t) size, inode) : 0;
}

/** The path of a UNIX socket, empty if it has none, to free(); NULL: there is no such socket. Lines
 * have address, references, protocol, flags, type, state, inode and path.
 */
static char *
unix_path(pid_t pid, uint64_t inode, bool *ret_listens)
{
    enum { LISTENS = 0x10000 };
    char *text = procfs_read(NULL, "/proc/%d/net/unix", (int) pid), *rest = NULL, *path = NULL;
    unsigned flags;
    unsigned long long number;
    for (char *line = text ? strtok_r(text, "\n", &rest) : NULL; line && !path;
         line = strtok_r(NULL, "\n", &rest)) {
        int end = 0;
        if (sscanf(line, "%*x: %*x %*x %x %*x %*x %llu%n", &flags, &number, &end) != 2 ||
            number != inode)
            continue;
        path = alloc_text(line + end + strspn(line + end, " "));
        *ret_listens = (flags & LISTENS) != 0;
    }
    free(text);
    return path;
}

/** A socket that accept() has made has the path of the one that listens, whoever has connected to
 * it has none.
 */
static bool
describe_unix(struct endpoint *endpoint, pid_t pid, uint64_t inode)
{
    bool listens, ignored;
    char *path = unix_path(pid, inode, &listens);
    if (!path)
        return false;
    if (procfs_shares(pid, "net")) // else sock_diag does not answer
        endpoint->other = unix_peer(inode);
    if (*path == '\0' && endpoint->other != 0) {
        free(path);
        path = unix_path(pid, endpoint->other, &ignored);
    }
    endpoint->text = alloc_format("UNIX socket%s%s%s", listens ? " that listens at" : "",
                                  path && *path ? " " : "", path ? path : "");
    free(path);
    return true;
}

bool
endpoint_find(struct endpoint *endpoint, pid_t pid, uint64_t inode)
{
    *endpoint = (struct endpoint){.text = NULL};
    bool found = find_here(endpoint, pid, inode) || describe_unix(endpoint, pid, inode);
    for (size_t i = 0; i < TCP_TABLES && !found; i++) {
        struct tcp_table table = read_tcp(pid, i);
        found = describe_tcp(endpoint, &table, inode);
        free(table.lines);
    }
    return found;
}

void
unread_begin(void)
{
    int64_t now = clock_us();
    if (has_here && now - read_at < MAX_AGE_US)
        return;
    for (size_t i = 0; i < TCP_TABLES; i++) {
        free(here[i].lines);
        here[i] = read_tcp(getpid(), i);
    }
    has_here = true;
    read_at = now;
}

/** Those of a table, of which few have anything unread: only then the own sockets are read. */
static void
take_unread(struct unread **ret, size_t *count, size_t *capacity, pid_t pid,
            const struct tcp_table *table)
{
    struct socket_list own = {.inodes = NULL};
    bool is_read = false;
    for (size_t i = 0; i < table->count; i++) {
        const struct tcp_line *line = &table->lines[i];
        if (line->state == TCP_LISTENS || line->unread == 0)
            continue;
        if (!is_read)
            own = socket_list_read(pid);
        is_read = true;
        if (socket_list_has(&own, line->inode))
            *ALLOC_ADD(*ret, *count, *capacity) = (struct unread){
                .from = describe_address(line->other, line->other_port),
                .bytes = line->unread,
                .other = find_other_end(table, line),
            };
    }
    free(own.inodes);
}

size_t
unread_find(struct unread **ret, pid_t pid)
{
    size_t count = 0, capacity = 0;
    *ret = NULL;
    bool is_here = has_here && procfs_shares(pid, "net");
    for (size_t i = 0; i < TCP_TABLES; i++) {
        struct tcp_table table = is_here ? here[i] : read_tcp(pid, i);
        take_unread(ret, &count, &capacity, pid, &table);
        if (!is_here)
            free(table.lines);
    }
    return count;
}
