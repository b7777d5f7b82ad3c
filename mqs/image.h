// SPDX-License-Identifier: BSD-3-Clause
// What the library hangs onto a debugger's image: the MPI implementation and its struct layouts.
#ifndef MQS_IMAGE_H
#define MQS_IMAGE_H

#include "mqs/adapter.h"
#include "mqs/host_mqs.h"

enum { IMAGE_MESSAGE = 512 };

/** mqs_image_info of the debugger is a pointer to this. */
struct image {
    mqs_image *image;
    const mqs_image_callbacks *calls;
    const struct adapter *adapter; // NULL: no MPI that is known
    bool ignored;                  // the program asks debuggers to leave its queues alone
    unsigned origins;              // of layouts that may be used, bits 1 << enum origin
    bool resolved;                 // `layout` is good, for all processes of this image
    struct layout layout;
    char message[IMAGE_MESSAGE];
};

/** @return NULL when there is no memory */
struct image *image_create(mqs_image *image, const mqs_image_callbacks *calls);

/** Frees the image; NULL is fine. */
void image_destroy(struct image *image);

/** What the library knows of a debugger's image; NULL before mqs_setup_image(). */
struct image *image_of(mqs_image *image);

/** Looks for an MPI implementation among the image's symbols; again on every call, because more
 * files may have been loaded. @return STATUS_ABSENT when there is none */
CHECKED enum status image_detect(struct image *image);

/** Resolves the layouts with the help of one process, once for all. */
CHECKED enum status image_resolve(struct image *image, struct inferior *inf);

#endif
