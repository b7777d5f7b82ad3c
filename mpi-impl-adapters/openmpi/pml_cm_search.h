// SPDX-License-Identifier: BSD-3-Clause
// One search for all pending operations of a process that uses PML cm.
#ifndef OPENMPI_PML_CM_SEARCH_H
#define OPENMPI_PML_CM_SEARCH_H

#include "mpi-impl-adapters/openmpi/pml_cm.h"
#include "target/addrs.h"

/** What became of a receive that libfabric has not matched. */
enum { NOT_FOUND, FOUND, ANSWER };

/** One search for all pending operations. */
struct cm_search {
    const struct mpi *mpi;
    struct arena *arena;
    struct op_sink *sink;
    struct cm_module module;
    struct ofi ofi;
    bool readable;    // what libfabric has
    bool has_posted;  // all of `posted` was read
    bool has_answers; // all of `answers`
    struct contexts contexts;
    struct peers peers;
    const uint32_t *by_addr;
    struct addrs posted;   // receives that libfabric has not matched, oldest first
    struct addrs given;    // what it was given for each
    const uint32_t *order; // of `given`
    struct addrs sorted;   // likewise
    uint8_t *state;        // of each: ANSWER is one of a send that was not found
    struct addrs answered; // MTL ofi's parts of the synchronous sends that wait for answers
    struct addrs answers;  // places in `posted`
    uint32_t visited;      // items of the free lists
    struct addrs items;    // those of receives
    bool misread;          // requests are of another layout
    bool hides_buffers;    // so are the convertors' pointers to data
};

/** Whether a receive that libfabric has not matched is what MTL ofi's part of the request, which it
 * leads to, says. @return STATUS_CORRUPT when it is not */
CHECKED enum status
cm_check_given(const struct cm_search *search, const struct ofi_receive *receive);

/** Whether libfabric has been given nothing of a receive that was not found in its queue: only then
 * it has a message. @return STATUS_CORRUPT when it has */
CHECKED enum status cm_check_gone(const struct cm_search *search, const struct cm_request *request);

/** Whether MTL ofi's part of a receive is of this one. @return STATUS_CORRUPT when it is not */
CHECKED enum status cm_check_part(const struct cm_search *search, const struct cm_request *request,
                                  const struct cm_part *part);

/** Whether the answer to a synchronous send of a communicator, for which none is awaited, has come.
 * @return STATUS_UNSUPPORTED when that is not known */
CHECKED enum status
cm_check_answered(const struct cm_search *search, const struct cm_request *request, uint32_t comm);

/** Whether what libfabric was given can be a blocking call's. @return STATUS_CORRUPT when it lies
 * in a request of the free lists */
CHECKED enum status cm_check_apart(const struct cm_search *search, taddr context);

/** Whether the elements that receives are to have are those that libfabric was given memory for;
 * fills in misread and hides_buffers. @return STATUS_CORRUPT when most are not */
CHECKED enum status cm_check_convertors(struct cm_search *search);

/** Likewise, of one. @return STATUS_CORRUPT when they are not */
CHECKED enum status
cm_check_length(const struct cm_search *search, const struct cm_request *request,
                const struct ofi_receive *receive);

/** Whether a request that is active is a send, or a receive, as its free list says; fills in
 * misread. @return STATUS_CORRUPT when it is not */
CHECKED enum status
cm_check_direction(struct cm_search *search, const struct cm_request *request, bool sends);

#endif
