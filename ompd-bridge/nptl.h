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

#endif
