// SPDX-License-Identifier: BSD-3-Clause
// An entry of a starter's list of processes, as the process that asks for it sends it.
#ifndef MQSHOW_JOB_PROCTABLE_H
#define MQSHOW_JOB_PROCTABLE_H

#include <stdint.h>

enum { PROCTABLE_MAX = 1 << 20, PROCTABLE_NAME_MAX = 256 };

/** A process as the starter knows it. Texts end with a NUL. */
struct proctable_entry {
    int32_t rank, inner;
    char host[PROCTABLE_NAME_MAX];
    char world[PROCTABLE_NAME_MAX]; // name of its MPI_COMM_WORLD; "": not known
};

#endif
