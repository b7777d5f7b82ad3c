// SPDX-License-Identifier: BSD-3-Clause
// A library that must never be loaded: it leaves a mark as soon as it is.
#include <stdlib.h>

__attribute__((constructor)) static void
run(void)
{
    setenv("MQS_OMPD_PLANTED_RAN", "1", 1);
}
