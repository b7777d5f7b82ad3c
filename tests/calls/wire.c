// SPDX-License-Identifier: BSD-3-Clause
// A library of a network of which nobody knows, by which the library that looks like MPI waits.
#include <unistd.h>

__attribute__((visibility("default"))) void wire_wait(const volatile int *end);

void
wire_wait(const volatile int *end)
{
    while (*end == 0)
        pause();
}
