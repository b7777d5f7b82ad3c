// SPDX-License-Identifier: BSD-3-Clause
// The order in which the dynamic linker of a process searches its files.
#ifndef MQSHOW_SYMBOLS_LINKMAP_H
#define MQSHOW_SYMBOLS_LINKMAP_H

struct image;

/** Sorts the modules of an image into that order; those the linker does not know come last. When
 * the linker's list cannot be read, they stay in the order of their addresses.
 */
void linkmap_sort(struct image *image);

#endif
