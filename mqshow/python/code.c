// SPDX-License-Identifier: BSD-3-Clause
// What code objects say.
#include "mqshow/python/code.h"

#include "mqshow/base/alloc.h"
#include "mqshow/python/line_table.h"
#include "mqshow/python/python.h"

#include <stdlib.h>

bool
code_of_frame(struct objects *objects, uint64_t frame, uint64_t *ret)
{
    if (!objects_pointer(objects, frame, objects->layout.frame_code, ret))
        return false;
    *ret &= ~(uint64_t) 7; // 3.14 has flags there
    return true;
}

/** The text of a str object, for free(). */
static char *
read_text(struct objects *objects, uint64_t addr)
{
    char *text = objects_text(objects, addr);
    return text != NULL ? text : alloc_text("?");
}

bool
code_read(struct objects *objects, uint64_t code, struct python_frame *ret)
{
    const struct python_layout *layout = &objects->layout;
    uint64_t type, name, file;
    if (!objects_pointer(objects, code, OB_TYPE, &type) || type != objects->code_type ||
        !objects_pointer(objects, code, layout->code_name, &name) ||
        !objects_pointer(objects, code, layout->code_filename, &file))
        return false;
    *ret = (struct python_frame){.function = read_text(objects, name),
                                 .file = read_text(objects, file)};
    return true;
}

int
code_line(struct objects *objects, uint64_t code, int64_t at)
{
    const struct python_layout *layout = &objects->layout;
    uint64_t table, first;
    size_t size;
    if (!objects_uint(objects, code, layout->code_first_line, 4, &first) || first > INT32_MAX)
        return 0;
    if (at < 0)
        return (int) first;
    unsigned char *bytes = objects_pointer(objects, code, layout->code_lines, &table)
                               ? objects_bytes(objects, table, &size)
                               : NULL;
    int ret = bytes != NULL ? line_table_find(layout->minor, bytes, size, (int) first, at) : 0;
    free(bytes);
    return ret;
}
