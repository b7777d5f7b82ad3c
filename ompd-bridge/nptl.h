// SPDX-License-Identifier: BSD-3-Clause
// Threads of the C library: what a pthread_t stands for, by memory reads.
#ifndef OMPD_BRIDGE_NPTL_H
#define OMPD_BRIDGE_NPTL_H

#include "target/inferior.h"

/** Offsets in bytes within glibc's struct pthread. */
struct nptl {
    uint32_t tid;
    uint32_t list; // of the list node
    uint32_t next; // within the node
    uint32_t prev;
};

/** All threads of the C library. */
struct nptl_heads {
    taddr user;          // node that heads the list of threads with stacks of their own: the first
    taddr used;          // ... of the others
    uint32_t descriptor; // bytes of a struct pthread
};

enum { NPTL_THREADS_MAX = 1 << 17 };

/** Reads the offsets that the C library describes itself (for libthread_db; also when stripped).
 * @return STATUS_ABSENT when it does not; STATUS_CORRUPT when they make no sense
 */
CHECKED enum status nptl_find(struct inferior *inf, struct nptl *ret);

/** The operating system's id of the thread whose pthread_t this is.
 * @return STATUS_CORRUPT when no thread of the C library is there; STATUS_ABSENT when the thread is
 * just being made or gone
 */
CHECKED enum status
nptl_tid(const struct nptl *nptl, struct inferior *inf, taddr pthread, int64_t *ret);

/** Finds the lists of threads.
 * @return STATUS_ABSENT when nothing names them: glibc before 2.34 without the symbol table of
 * libpthread, another C library; STATUS_CORRUPT when no list is there
 */
CHECKED enum status
nptl_find_heads(const struct nptl *nptl, struct inferior *inf, struct nptl_heads *ret);

/** Takes the pthread_t of a thread. @return STATUS_NOMEM and others, which end the walk */
typedef enum status nptl_visit(void *closure, taddr pthread);

/** Visits each thread once, in the order in which they were made.
 * @return what `visit` returned; STATUS_CORRUPT, STATUS_UNREADABLE when a list is broken: then what
 * stands behind the break was not visited
 */
CHECKED enum status nptl_walk(const struct nptl *nptl, const struct nptl_heads *heads,
                              struct inferior *inf, nptl_visit *visit, void *closure);

#endif
