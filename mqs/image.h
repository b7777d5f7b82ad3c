// SPDX-License-Identifier: BSD-3-Clause
// What the library hangs onto a debugger's image: the MPI implementation and its struct layouts.
#ifndef MQS_IMAGE_H
#define MQS_IMAGE_H

#include "mqs/adapter.h"
#include "mqs/host_mqs.h"

enum { IMAGE_MESSAGE = 512 };

/** What a debugger sets up an image or a process for. */
enum interface { INTERFACE_MQS = 1 << 0, INTERFACE_MPIDBG = 1 << 1 };

/** mqs_image_info of the debugger is a pointer to this. Sessions of its processes keep it: a
 * debugger may destroy it before them.
 */
struct image {
    struct image *next;  // of those that are not destroyed
    unsigned users;      // sessions, and the debugger
    unsigned interfaces; // of the debugger that use it, bits of enum interface
    bool destroyed;      // `image` and `calls` are not valid any more
    mqs_image *image;
    const mqs_image_callbacks *calls;
    const struct adapter *adapter; // NULL: no MPI that is known
    bool ignored;                  // the program asks debuggers to leave its queues alone
    unsigned origins;              // of layouts that may be used, bits 1 << enum origin
    struct layout_move move;       // what of built-in layouts stands elsewhere
    bool resolved;                 // `layout` is good, for all processes of this image
    struct layout layout;
    char message[IMAGE_MESSAGE];
};

/** Makes one, or gives the one that there is for this image of the debugger, with new callbacks.
 * @return NULL when there is no memory
 */
struct image *
image_create(mqs_image *image, const mqs_image_callbacks *calls, enum interface interface);

/** The end of an interface's use of an image: the debugger's last use when no other one uses it.
 * What is none, or destroyed already, is fine. */
void image_destroy(struct image *image, enum interface interface);

/** A session's use of an image, and its end. */
struct image *image_use(struct image *image);
void image_release(struct image *image);

/** What the library knows of a debugger's image; NULL before mqs_setup_image(). */
struct image *image_of(mqs_image *image);

/** Looks for an MPI implementation among the image's symbols; again on every call, because more
 * files may have been loaded. @return STATUS_ABSENT when there is none */
CHECKED enum status image_detect(struct image *image);

/** Resolves the layouts with the help of one process, once for all. */
CHECKED enum status image_resolve(struct image *image, struct inferior *inf);

#endif
