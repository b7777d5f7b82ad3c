// SPDX-License-Identifier: BSD-3-Clause
// What lies at an address of a process: a function and its source line, or a variable.
#ifndef MQSHOW_SYMBOLS_SYMBOLIZED_H
#define MQSHOW_SYMBOLS_SYMBOLIZED_H

#include "mqshow/symbols/image.h"

#include <stdint.h>

/** An address in words. Texts are escaped; NULL: not known. */
struct symbolized {
    uint64_t addr;
    char *symbol;    // that begins at the address or holds it
    uint64_t offset; // from where the symbol begins
    char *function;  // the user's; of code that the compiler outlined, that function
    char *file;      // its source file
    int line;        // of the directive, for outlined code; 0: not known
};

/** Symbolizes an address of code. */
void symbolize_code(struct symbolized *symbolized, const struct image *image, uint64_t addr);

/** Symbolizes an address of data; only `symbol` and `offset` are filled in. */
void symbolize_data(struct symbolized *symbolized, const struct image *image, uint64_t addr);

/** Whether an address is in code that a compiler outlined for OpenMP.
 * @param ret set to where that code begins
 */
bool symbolized_is_outlined(const struct image *image, uint64_t addr, uint64_t *ret);

/** Frees the texts. */
void symbolized_deinit(struct symbolized *symbolized);

#endif
