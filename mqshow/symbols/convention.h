// SPDX-License-Identifier: BSD-3-Clause
// How functions are called on a machine.
#ifndef MQSHOW_SYMBOLS_CONVENTION_H
#define MQSHOW_SYMBOLS_CONVENTION_H

#include <stdint.h>

/** Registers have their numbers in debug information. */
struct convention {
    uint16_t machine;            // EM_*
    uint8_t count, registers[8]; // that integers and pointers are passed in
    uint32_t kept;               // 1 << number of those that are the same after a call
};

/** @return NULL when nothing is known of a machine */
const struct convention *convention_of(uint16_t machine);

#endif
