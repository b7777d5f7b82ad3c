// SPDX-License-Identifier: BSD-3-Clause
// How functions are called on a machine: System V's ABI of x86-64, and AArch64's.
#include "mqshow/symbols/convention.h"

#include <elf.h>
#include <stddef.h>

static const struct convention conventions[] = {
    {EM_X86_64, 6, {5, 4, 1, 2, 8, 9}, 0x0000f0c8},
    {EM_AARCH64, 8, {0, 1, 2, 3, 4, 5, 6, 7}, 0xbff80000},
};

const struct convention *
convention_of(uint16_t machine)
{
    for (size_t i = 0; i < sizeof conventions / sizeof *conventions; i++)
        if (conventions[i].machine == machine)
            return &conventions[i];
    return NULL;
}
