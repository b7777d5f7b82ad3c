// SPDX-License-Identifier: BSD-3-Clause
// A program to look at, which names a library among its constants and does nothing.
#include <unistd.h>

extern const char MPIR_dll_name[4096];
const char MPIR_dll_name[4096] = "/none/that/exists.so";

int
main(void)
{
    for (;;)
        pause();
}
