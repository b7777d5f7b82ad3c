// SPDX-License-Identifier: BSD-3-Clause
// A stand-in for libhsa-runtime64.so.1: its wait spins.
#include "tests/gpu/standin.h"

#pragma GCC diagnostic ignored "-Wunused-parameter"

STANDIN_INNER long
spin(void)
{
    while (standin_busy())
        ;
    return 0;
}

long
hsa_signal_wait_scacquire(void *signal)
{
    long ret = spin();
    STANDIN_STAY;
    return ret;
}
