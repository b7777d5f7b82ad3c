// SPDX-License-Identifier: BSD-3-Clause
// Where the members of CPython's structs are: by what it publishes, or built in.
#include "mqshow/python/layout.h"

#include "mqshow/base/alloc.h"
#include "mqshow/base/escape.h"
#include "mqshow/process/bytes.h"
#include "mqshow/process/memory.h"
#include "mqshow/symbols/image.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NONE = PYTHON_NONE, MINOR_FIRST = 9, MINOR_LAST = 14, MINOR_PUBLISHED = 13 };

enum { WORD = 8, TABLE_WORDS = 100, OFFSET_MAX = 1 << 24 };

/** Where each member is in 3.9 to 3.12, which publish nothing, of 64 bits; and which word of the
 * table that 3.13 and 3.14 publish says it. */
static const struct {
    size_t member;
    int built_in[MINOR_PUBLISHED - MINOR_FIRST];
    int word[MINOR_LAST - MINOR_PUBLISHED + 1];
} members[] = {
// clang-format off
#define AT(member, of_9, of_10, of_11, of_12, of_13, of_14) \
    {offsetof(struct python_layout, member), {of_9, of_10, of_11, of_12}, {of_13, of_14}}
    AT(runtime_interpreters,   32,   32,   40,   40,    5,    5),
    AT(runtime_gil,           352,  352,  360, NONE, NONE, NONE),
    AT(interp_next,             0,    0,    0,    0,    8,    8),
    AT(interp_threads,          8,    8,   16,   72,    9,    9),
    AT(interp_gil,           NONE, NONE, NONE,  384,   14,   15),
    AT(interp_sys,            872,  872,  904,  352,   12,   13),
    AT(state_next,              8,    8,    8,    8,   21,   24),
    AT(state_interp,           16,   16,   16,   16,   22,   25),
    AT(state_tid,             176,  176,  160,  144,   25,   28),
    AT(state_frame,            24,   24,   56,   56,   23,   26),
    AT(cframe_frame,         NONE, NONE,    8,    0, NONE, NONE),
    AT(frame_previous,         24,   24,   48,    8,   29,   32),
    AT(frame_code,             32,   32,   32,    0,   30,   33),
    AT(frame_at,              104,   96,   56,   56,   31,   34),
    AT(frame_is_entry,       NONE, NONE,   68, NONE, NONE, NONE),
    AT(frame_owner,          NONE, NONE, NONE,   70,   33,   36),
    AT(code_name,             112,  112,  128,  128,   37,   42),
    AT(code_filename,         104,  104,  112,  112,   35,   40),
    AT(code_first_line,        40,   40,   72,   68,   39,   44),
    AT(code_lines,            120,  120,  136,  136,   38,   43),
    AT(code_start,           NONE, NONE,  184,  192,   43,   48),
#undef AT
    // clang-format on
};

enum { MEMBERS = sizeof members / sizeof *members };

static void
set_member(struct python_layout *layout, size_t i, int offset)
{
    *(int *) ((char *) layout + members[i].member) = offset;
}

static void
take_built_in(struct python_layout *layout)
{
    for (size_t i = 0; i < MEMBERS; i++)
        set_member(layout, i, members[i].built_in[layout->minor - MINOR_FIRST]);
}

static char *
read_published(struct python_layout *layout, const struct image *image, uint64_t runtime)
{
    unsigned char table[TABLE_WORDS * WORD];
    if (!memory_read(&image->debuggee, runtime, sizeof table, table) ||
        memcmp(table, "xdebugpy", WORD) != 0)
        return alloc_text("Python does not publish where its frames are");
    if (bytes_uint(table + 2 * WORD, WORD) != 0)
        return alloc_text("the frames of free-threaded Python cannot be read");
    for (size_t i = 0; i < MEMBERS; i++) {
        int word = members[i].word[layout->minor - MINOR_PUBLISHED];
        uint64_t offset = word != NONE ? bytes_uint(table + word * WORD, WORD) : 0;
        if (offset > OFFSET_MAX)
            return alloc_text("what Python publishes of its frames is damaged");
        set_member(layout, i, word != NONE ? (int) offset : NONE);
    }
    return NULL;
}

/** The minor version by the name of the interpreter's file; 0: not known. */
static int
minor_by_file(const struct image *image)
{
    int minor = 0;
    for (size_t i = 0; i < image->n_modules && minor == 0; i++) {
        const char *name = base_name(image->modules[i].file->path);
        if (sscanf(name, "python3.%d", &minor) != 1 && sscanf(name, "libpython3.%d", &minor) != 1)
            minor = 0;
    }
    return minor;
}

/** Of releases from 3.11 on, by a variable of the interpreter. */
static int
minor_of(const struct image *image)
{
    uint64_t addr, version;
    if (!image_symbol(image, "Py_Version", SYMBOL_VARIABLE, &addr))
        return minor_by_file(image);
    return memory_read_uint(&image->debuggee, addr, sizeof(uint32_t), &version) &&
                   version >> 24 == 3
               ? (int) (version >> 16 & 0xff)
               : 0;
}

char *
python_layout_init(struct python_layout *layout, const struct image *image, uint64_t runtime)
{
    int minor = minor_of(image);
    if (minor < MINOR_FIRST || minor > MINOR_LAST || image->debuggee.pointer_size != WORD)
        return alloc_format("the frames of this release of Python cannot be read (3.%d)", minor);
    *layout = (struct python_layout){.minor = minor,
                                     .text_header = minor < 12 ? 48 : 40,
                                     .text_wide_header = minor < 12 ? 72 : 56};
    if (minor >= MINOR_PUBLISHED)
        return read_published(layout, image, runtime);
    take_built_in(layout);
    return NULL;
}
