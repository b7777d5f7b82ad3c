// SPDX-License-Identifier: BSD-3-Clause
// Where the layouts of toympi's structs come from, and how a built-in one is confirmed.
#include "tests/kit/toympi/toympi.h"

#include <string.h>

enum { VERSION_TEXT = 16 };

// What the library itself says of its structs, debug information or not.
static const struct {
    unsigned number;
    const char *pool;
} sized[] = {
    {S(toy_comm), "toympi_comm_pool"},
    {S(toy_request), "toympi_request_pool"},
    {S(toy_message), "toympi_message_pool"},
};

// A block is for one release line, "1.2" for "1.2.0" but not for "1.20".
static enum status
confirm_version(struct inferior *inf, const struct layout *layout)
{
    const size_t length = strlen(layout->label);
    char text[VERSION_TEXT];

    TRY(toympi_version(inf, text, sizeof(text)));
    if (strncmp(text, layout->label, length) != 0 || text[length] != '.')
        return trail_begin(&inf->trail, STATUS_MISMATCH, "this is version %s, not %s", text,
                           layout->label);
    return STATUS_OK;
}

static enum status
confirm(struct inferior *inf, const struct layout *layout)
{
    TRY(confirm_version(inf, layout));
    for (size_t i = 0; i < sizeof(sized) / sizeof(sized[0]); ++i) {
        const uint32_t want = layout->structs[sized[i].number].size;
        struct view view;
        taddr addr;
        TRY(inferior_symbol(inf, sized[i].pool, &addr));
        TRY(view_load(inf, layout, S(toy_pool), addr, &view));
        const uint64_t size = view_uint(&view, F(toy_pool, object_size));
        if (size != want)
            return trail_begin(&inf->trail, STATUS_MISMATCH,
                               "%s has objects of %llu bytes, of %u in built-in %s", sized[i].pool,
                               (unsigned long long) size, want, layout->label);
    }
    return STATUS_OK;
}

// Tries the blocks in turn on what debug information has left open.
static enum status
resolve_builtin(struct inferior *inf, const struct layout *begun, struct layout *ret)
{
    enum status status = STATUS_OK;

    for (unsigned block = 0; status != STATUS_END; ++block) {
        *ret = *begun;
        status = layout_from_block(ret, toympi_builtin, toympi_builtin_rows, block);
        if (status == STATUS_OK && confirm(inf, ret) == STATUS_OK)
            return STATUS_OK;
    }
    *ret = *begun;
    return STATUS_MISMATCH;
}

enum status
toympi_resolve(struct inferior *inf, unsigned origins, struct layout *ret)
{
    struct layout begun;
    enum status status = STATUS_OK;

    layout_init(&begun, &toympi_needs, &inf->model);
    trail_reset(&inf->trail);
    if (origins & 1u << ORIGIN_DEBUG)
        layout_from_debug(&begun, inf);
    *ret = begun;
    if (layout_missing(&begun) != NULL && origins & 1u << ORIGIN_BUILTIN)
        status = resolve_builtin(inf, &begun, ret);
    const char *missing = layout_missing(ret);
    if (missing == NULL)
        return STATUS_OK;
    return trail_prepend(&inf->trail, status == STATUS_OK ? STATUS_MISMATCH : status,
                         "the layout of toympi's %s is not known: install the debug information "
                         "of its library",
                         missing);
}
