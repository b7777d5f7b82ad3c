// SPDX-License-Identifier: BSD-3-Clause
// A stand-in for libamdhip64.so.6.
#include "tests/gpu/standin.h"

STANDIN_INNER int
await_signal(void *stream)
{
    long ret = hsa_signal_wait_scacquire(stream);
    STANDIN_STAY;
    return (int) ret;
}

int
hipStreamSynchronize(void *stream)
{
    int ret = await_signal(stream);
    STANDIN_STAY;
    return ret;
}
