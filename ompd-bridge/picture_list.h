// SPDX-License-Identifier: BSD-3-Clause
// Lists of objects in which each object stands once; shared by the picture's sources.
#ifndef OMPD_BRIDGE_PICTURE_LIST_H
#define OMPD_BRIDGE_PICTURE_LIST_H

#include "ompd-bridge/picture.h"

/** Puts an object into a list of the picture, unless it is there; takes the object over.
 * @param ret_fresh whether it was not there; its item then holds zeros behind the object
 * @return STATUS_NOMEM; STATUS_CORRUPT when there are more than a process can have
 */
CHECKED enum status picture_put(struct picture *picture, struct picture_list *list,
                                struct omp_object *object, uint32_t *ret_number, bool *ret_fresh);

/** The item of that number; NULL when there is none. */
void *picture_item(const struct picture_list *list, int64_t number);

/** Releases the objects and frees the list, which is empty then. */
void picture_list_deinit(struct picture *picture, struct picture_list *list);

#endif
