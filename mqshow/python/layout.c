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

/** Of releases that publish nothing, of 64 bits. */
static const struct python_layout built_in[] = {
    {9, 32, 0, 8, 8, 16, 176, 24, NONE, 24, 32, 104, NONE, NONE, 112, 104, 40, 120, NONE, 48, 72},
    {10, 32, 0, 8, 8, 16, 176, 24, NONE, 24, 32, 96, NONE, NONE, 112, 104, 40, 120, NONE, 48, 72},
    {11, 40, 0, 16, 8, 16, 160, 56, 8, 48, 32, 56, 68, 69, 128, 112, 72, 136, 184, 48, 72},
    {12, 40, 0, 72, 8, 16, 144, 56, 0, 8, 0, 56, NONE, 70, 128, 112, 68, 136, 192, 40, 56},
};

enum { WORD = 8, TABLE_WORDS = 100, OFFSET_MAX = 1 << 24 };

/** A member, and which word of the published table has its offset, in 3.13 and in 3.14. */
static const struct {
    size_t member;
    int word[2];
} published[] = {
#define AT(member, of_13, of_14)                \
    {                                           \
        offsetof(struct python_layout, member), \
        {                                       \
            of_13, of_14                        \
        }                                       \
    }
    AT(runtime_interpreters, 5, 5), AT(interp_next, 8, 8),      AT(interp_threads, 9, 9),
    AT(state_next, 21, 24),         AT(state_interp, 22, 25),   AT(state_frame, 23, 26),
    AT(state_tid, 25, 28),          AT(frame_previous, 29, 32), AT(frame_code, 30, 33),
    AT(frame_at, 31, 34),           AT(frame_owner, 33, 36),    AT(code_name, 37, 42),
    AT(code_filename, 35, 40),      AT(code_lines, 38, 43),     AT(code_first_line, 39, 44),
    AT(code_start, 43, 48),
#undef AT
};

static char *
read_published(struct python_layout *layout, const struct image *image, uint64_t runtime)
{
    unsigned char table[TABLE_WORDS * WORD];
    if (!memory_read(&image->debuggee, runtime, sizeof table, table) ||
        memcmp(table, "xdebugpy", WORD) != 0)
        return alloc_text("Python does not publish where its frames are");
    if (bytes_uint(table + 2 * WORD, WORD) != 0)
        return alloc_text("the frames of free-threaded Python cannot be read");
    for (size_t i = 0; i < sizeof published / sizeof *published; i++) {
        int word = published[i].word[layout->minor - MINOR_PUBLISHED];
        uint64_t offset = bytes_uint(table + word * WORD, WORD);
        if (offset > OFFSET_MAX)
            return alloc_text("what Python publishes of its frames is damaged");
        *(int *) ((char *) layout + published[i].member) = (int) offset;
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
    if (minor < MINOR_PUBLISHED) {
        *layout = built_in[minor - MINOR_FIRST];
        return NULL;
    }
    *layout = (struct python_layout){.minor = minor,
                                     .cframe_frame = NONE,
                                     .frame_is_entry = NONE,
                                     .text_header = 40,
                                     .text_wide_header = 56};
    return read_published(layout, image, runtime);
}
