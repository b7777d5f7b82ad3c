// SPDX-License-Identifier: BSD-3-Clause
// The handles that an OMPD tool holds, and which of them are good.
#ifndef OMPD_BRIDGE_EXPORTS_HANDLES_H
#define OMPD_BRIDGE_EXPORTS_HANDLES_H

#include "ompd-bridge/backend.h"

struct proxy_process;

/** What a handle stands for. */
struct handle {
    uint64_t serial; // no two handles ever have the same; 0: the place is free
    enum omp_kind kind;
    struct proxy_process *process;
    const struct reader *reader; // that gave the object; NULL: an address space has none, and of
                                 // others it has been closed since
    struct omp_object object;
    uint32_t next; // free place that is used after this one, + 1; 0: none
};

/** All handles of a tool. What the tool gets is no address but a number that holds the place and
 * the serial: what is NULL, foreign or was released follows from it without touching any memory.
 * All zeros is an empty table. */
struct handle_table {
    struct handle *places; // they move when the table grows
    uint32_t count, room;  // places in use so far, and in all
    uint32_t free;         // place that is used next, + 1; 0: there is none
    uint64_t last_serial;
};

/** Makes a handle; what handles_find() gave before is out of date then. Memory comes from
 * ompd_host_alloc().
 * @param object taken over on success; NULL: none (an address space)
 * @return what the tool gets; NULL when there is no memory
 */
void *handles_add(struct handle_table *table, enum omp_kind kind, struct proxy_process *process,
                  const struct reader *reader, const struct omp_object *object);

/** Finds the handle that the tool means.
 * @return ompd_rc_stale_handle when it is none or was released, ompd_rc_bad_input when it is of
 * another kind
 */
ompd_rc_t handles_find(const struct handle_table *table, const void *opaque, enum omp_kind kind,
                       struct handle **ret);

/** Releases a handle that handles_find() finds, and its object. */
void handles_remove(struct handle_table *table, const void *opaque);

/** Releases all handles of a process. */
void handles_remove_process(struct handle_table *table, const struct proxy_process *process);

/** Releases all objects of a process, but not the handles: they lead nowhere from now on. To be
 * called before the process's readers are closed. */
void handles_expire(struct handle_table *table, const struct proxy_process *process);

/** Orders the objects of two handles of one kind: less than, equal to, greater than 0. */
int handles_compare(const struct handle *a, const struct handle *b);

/** Frees all memory; there is no handle any more. Serials go on. */
void handles_deinit(struct handle_table *table);

#endif
