// SPDX-License-Identifier: BSD-3-Clause
// Handles of a library that looks like MPI, and what they lead to; with NUMBERS they are numbers,
// as MPICH's, and objects begin with these, else addresses, as Open MPI's.
#ifndef TESTS_CALLS_BEGUN_H
#define TESTS_CALLS_BEGUN_H

#include <stdint.h>

struct object {
    uint32_t number;
    uint32_t more[63];
};

#ifdef NUMBERS
typedef int handle;
#define HANDLE(object) ((int) (object).number)
#else
typedef void *handle;
#define HANDLE(object) ((void *) &(object))
#endif

/** Begins nonblocking collectives as a case says, and waits. It prints "expected LINE..." first: of
 * each of them, in their order, the line where it was begun, if the code on the stack tells that,
 * else 0. The library prints where their objects are.
 * @return when there is no such case */
int make_begun(const char *name);

#endif
