// SPDX-License-Identifier: BSD-3-Clause
// What a socket of a process is connected with, and what has come over it.
#ifndef MQSHOW_PROCESS_SOCKETS_H
#define MQSHOW_PROCESS_SOCKETS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct endpoint {
    char *text;     // "TCP connection with 10.0.0.7:80", "UNIX socket /run/x"
    uint64_t other; // inode of the socket at the other end, on this machine; 0: not known
};

/** Finds a socket in the network namespace of a process that has it open.
 * @return false: it is of another sort, or not known; nothing is to be freed
 */
bool endpoint_find(struct endpoint *endpoint, pid_t pid, uint64_t inode);

/** What has come to a TCP socket of a process, which has not read it. */
struct unread {
    char *from;     // address and port, "10.0.0.7:80"
    uint64_t bytes; // at least 1
    uint64_t other; // as of an endpoint
};

/** Reads the TCP sockets of this program's network namespace, once for all processes in it that
 * unread_find() is then asked about, here and in forked processes. To be called when a sample
 * begins: what comes later is seen in one half a second later.
 */
void unread_begin(void);

/** Finds all of a process, to free() with `from` of each. @return how many */
size_t unread_find(struct unread **ret, pid_t pid);

#endif
