// SPDX-License-Identifier: BSD-3-Clause
// Lists of objects in which each object stands once; shared by the snapshot's sources.
#ifndef OMPD_BRIDGE_EXPORTS_SNAPSHOT_LIST_H
#define OMPD_BRIDGE_EXPORTS_SNAPSHOT_LIST_H

#include "ompd-bridge/exports/omp_snapshot.h"

/** Puts an object into a list of the snapshot, unless it is there; takes the object over.
 * @param ret_fresh whether it was not there; its item then holds zeros behind the object
 * @return STATUS_NOMEM; STATUS_CORRUPT when there are more than a process can have
 */
CHECKED enum status snapshot_put(struct omp_snapshot *snapshot, struct snapshot_list *list,
                                 struct omp_object *object, uint32_t *ret_number, bool *ret_fresh);

/** The item of that number; NULL when there is none. */
void *snapshot_item(const struct snapshot_list *list, int64_t number);

/** Releases the objects and frees the list, which is empty then. */
void snapshot_list_deinit(struct omp_snapshot *snapshot, struct snapshot_list *list);

#endif
