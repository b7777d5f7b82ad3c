// SPDX-License-Identifier: BSD-3-Clause
// The debugger's mqs callbacks as a target.
#ifndef MQS_HOST_MQS_H
#define MQS_HOST_MQS_H

#include "include/mqs.h"
#include "target/target.h"

/** One process as the debugger's callbacks know it. */
struct mqs_host {
    mqs_image *image;
    const mqs_image_callbacks *image_calls;
    mqs_process *process; // NULL: the image only, and nothing can be read
    const mqs_process_callbacks *process_calls;
};

/** Keeps the table of basic callbacks. */
void host_set_basic(const mqs_basic_callbacks *basic);

/** The table of basic callbacks; NULL before host_set_basic(), or when it lacks what cannot be done
 * without. */
const mqs_basic_callbacks *host_basic(void);

/** The target that a host is. The host must outlive it. */
struct target host_target(struct mqs_host *host);

/** Shows the debugger a line, if it wants such. */
void host_print(const char *text);

#endif
