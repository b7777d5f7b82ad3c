// SPDX-License-Identifier: BSD-3-Clause
// A layout as rows of text.
#ifndef MQS_LAYOUT_ROWS_H
#define MQS_LAYOUT_ROWS_H

#include "target/layout.h"

/** One struct, or one field of it. */
struct layout_row {
    unsigned number; // of the struct
    const char *struct_name;
    const char *field_name; // NULL for the struct itself
    int64_t offset;         // -1 for the struct itself
    int64_t size;
};

/** Row number `index` of what is resolved: each struct, then its present fields. A member of which
 * there are several readings has one row for each.
 * @return STATUS_END past the last
 */
CHECKED enum status layout_row(const struct layout *layout, unsigned index, struct layout_row *ret);

/** Names where a layout comes from: "built-in 4.1" when anything of it is built in, else "debug
 * information" (a program may bring debug information of a public struct or two). */
void layout_describe(const struct layout *layout, char *ret, size_t size);

#endif
