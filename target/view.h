// SPDX-License-Identifier: BSD-3-Clause
// A local copy of the needed bytes of one target struct: one read can fail, decoding cannot.
#ifndef TARGET_VIEW_H
#define TARGET_VIEW_H

#include "target/layout.h"

enum { VIEW_MAX = 1024 }; // bytes that the needed fields of one struct may span

struct view {
    const struct layout *layout;
    taddr addr;          // of the struct
    unsigned number;     // of the struct in the needs
    uint32_t first, end; // bytes of the struct that the copy has
    uint8_t bytes[VIEW_MAX];
};

/** Copies the struct at `addr` (from the first to the last present field, without those APART).
 * @return STATUS_CORRUPT for a NULL or misaligned address, STATUS_UNREADABLE, or STATUS_UNSUPPORTED
 * when the layout has no such struct or it spans more than VIEW_MAX; the trail names the struct and
 * the address
 */
CHECKED enum status view_load(struct inferior *inf, const struct layout *layout, unsigned number,
                              taddr addr, struct view *ret);

/** Likewise with the fields that stand APART. */
CHECKED enum status view_load_whole(struct inferior *inf, const struct layout *layout,
                                    unsigned number, taddr addr, struct view *ret);

/** Whether the layout has the field, and the copy too. */
bool view_has(const struct view *view, unsigned field);

/** Value of a pointer or unsigned field, zero extended; 0 for an absent field. */
uint64_t view_uint(const struct view *view, unsigned field);

/** Value of an integer field with the sign of its kind; 0 for an absent field. */
int64_t view_int(const struct view *view, unsigned field);

/** The bytes of a KIND_BYTES field, `width` of the layout long; NULL for an absent one. */
const void *view_bytes(const struct view *view, unsigned field);

/** Address of a field in the target; for KIND_EMBEDS, of the inner struct. The field is present. */
taddr view_addr(const struct view *view, unsigned field);

#endif
