// SPDX-License-Identifier: BSD-3-Clause
// What the frames of threads are: functions and lines, the MPI call, the user's frame.
#ifndef MQSHOW_STACK_SYMBOLIZE_H
#define MQSHOW_STACK_SYMBOLIZE_H

struct image;
struct threads;

/** The process may run; the image must live as long as the threads. */
void symbolize_threads(struct threads *threads, const struct image *image);

#endif
