// SPDX-License-Identifier: BSD-3-Clause
// Checks of offsets that came from outside, before anything is read by them.
#ifndef TARGET_LAYOUT_CHECK_H
#define TARGET_LAYOUT_CHECK_H

#include "target/layout.h"

/** What is wrong with a struct. */
struct flaw {
    const char *what;  // NULL: nothing
    const char *field; // name of the member it is about; NULL: the struct as a whole
};

/** Numbers of a struct's fields: from `first` up to, not including, `end`. */
struct field_range {
    unsigned first;
    unsigned end;
};

struct field_range layout_fields_of(const struct needs *needs, unsigned number);

/** Checks one struct by its size and its fields' offsets, then fills in its widths and its span. */
struct flaw layout_check(struct layout *layout, unsigned number);

/** Checks all resolved structs again: what one embeds may have been resolved since. */
CHECKED enum status layout_check_all(struct layout *layout);

/** Makes a struct unresolved. */
void layout_discard(struct layout *layout, unsigned number);

#endif
