// SPDX-License-Identifier: BSD-3-Clause
// The debugger's side of MQD: its images, processes, types and the callbacks over them.
#ifndef MQSHOW_MQD_HOST_H
#define MQSHOW_MQD_HOST_H

#include "mqs.h"
#include "mqshow/symbols/image.h"

#include <stdbool.h>
#include <stdint.h>

struct dll;
struct recording;

/** What the library knows as mqs_type. */
struct mqs_type_ {
    struct mqs_type_ *next;
    struct mqs_image_ *image;
    struct type_entry entry;
    char *name; // as it was asked for
};

/** What the library knows as mqs_image: one for each process, because of address randomisation. */
struct mqs_image_ {
    struct image image;
    mqs_image_info *info;
    struct mqs_type_ *types;
    struct recording *recording; // NULL: nothing is recorded
};

/** What the library knows as mqs_process. */
struct mqs_process_ {
    struct mqs_image_ image;
    mqs_process_info *info;
    pid_t pid;
    int rank;        // in MPI_COMM_WORLD, MQS_INVALID_PROCESS if not known
    bool wide_sizes; // whether mqs_target_type_sizes of the library holds 7 ints
};

extern const mqs_basic_callbacks host_basic;
extern const mqs_image_callbacks host_image;
extern const mqs_process_callbacks host_process;

/** Decides how many ints the type sizes of a process take in this library.
 *
 * The library reports it when it can (struct dll); else a process that runs Open MPI, which has the
 * longer header, gets 7 and any other one gets 5.
 */
bool host_wants_wide_sizes(const struct dll *dll, const struct image *image);

/** Hands over each text that the library has printed since the last call, escaped, to free(). */
void host_take_printed(void (*take)(void *context, char *text), void *context);

/** Frees the types that the library has asked for. */
void host_free_types(struct mqs_image_ *image);

#endif
