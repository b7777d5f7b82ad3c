// SPDX-License-Identifier: BSD-3-Clause
// The threads that a backend found, and whether two backends found the same.
#ifndef OMPD_BRIDGE_THREAD_LIST_H
#define OMPD_BRIDGE_THREAD_LIST_H

#include "ompd-bridge/backend.h"

struct thread_list {
    struct thread_sink sink; // emits into this list
    struct inferior *inf;
    struct omp_thread *threads;
    uint32_t count;
    uint32_t room;
    enum status broken; // why a thread is missing; STATUS_OK: none is
};

/** Makes an empty list; allocates nothing. */
void thread_list_init(struct thread_list *list, struct inferior *inf);

/** Frees the threads; the list is empty again. */
void thread_list_deinit(struct thread_list *list);

/** Empties the list and keeps its memory. */
void thread_list_clear(struct thread_list *list);

/** Exchanges what two lists of the same inferior hold. */
void thread_list_swap(struct thread_list *a, struct thread_list *b);

/** Whether both lists have the same threads, in the same order, with the same place in the same
 * kind of team. States may differ: not all backends can tell them. */
bool thread_list_agree(const struct thread_list *a, const struct thread_list *b);

/** Takes over the states that only `other` knows, and that a thread is missing. The lists agree. */
void thread_list_complete(struct thread_list *list, const struct thread_list *other);

#endif
