// SPDX-License-Identifier: BSD-3-Clause
// The Python frames of the threads of a process.
#include "mqshow/python/python.h"

#include "mqshow/base/alloc.h"
#include "mqshow/base/escape.h"
#include "mqshow/process/memory.h"
#include "mqshow/python/layout.h"
#include "mqshow/python/line_table.h"
#include "mqshow/symbols/image.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { INTERPRETERS_MAX = 1000, THREADS_MAX = 100000, FRAMES_MAX = 1000 };
enum { TEXT_MAX = 1024, LINES_MAX = 1 << 20, TEXT_LENGTH = 16, TEXT_STATE = 32 };
enum { OB_TYPE = 8, OB_SIZE = 16, BYTES_VALUE = 32 };
enum { OWNER_INTERPRETER = 3 }; // and above: no function, made where the interpreter is entered

struct reader {
    struct python *python;
    const struct image *image;
    struct python_layout layout;
    uint64_t runtime, code_type;
};

static bool
read_uint(const struct reader *reader, uint64_t addr, int offset, size_t width, uint64_t *ret)
{
    return offset >= 0 &&
           memory_read_uint(&reader->image->debuggee, addr + (uint64_t) offset, width, ret);
}

static bool
read_pointer(const struct reader *reader, uint64_t addr, int offset, uint64_t *ret)
{
    return read_uint(reader, addr, offset, sizeof *ret, ret);
}

/** Appends a character as UTF-8. */
static char *
add_character(char *end, uint32_t c)
{
    if (c < 0x80) {
        *end++ = (char) c;
        return end;
    }
    int more = c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
    static const unsigned char first[] = {0, 0xc0, 0xe0, 0xf0};
    *end++ = (char) (first[more] | (c >> (6 * more) & (0x3fu >> more)));
    while (more-- > 0)
        *end++ = (char) (0x80 | (c >> (6 * more) & 0x3f));
    return end;
}

/** Characters of 1, 2 or 4 bytes as UTF-8, escaped, for free(). */
static char *
convert_text(const unsigned char *bytes, size_t length, size_t kind)
{
    char *text = alloc_zeroed(4 * length + 1, 1), *end = text;
    for (size_t i = 0; i < length; i++) {
        uint32_t c = 0;
        memcpy(&c, bytes + i * kind, kind);
        end = add_character(end, c);
    }
    char *ret = escape_text(text, SIZE_MAX);
    free(text);
    return ret;
}

/** A str object, for free(); of a long one the end. NULL: it cannot be read. */
static char *
read_text(const struct reader *reader, uint64_t addr)
{
    uint64_t length, state;
    unsigned char bytes[TEXT_MAX * sizeof(uint32_t)];
    if (!read_pointer(reader, addr, TEXT_LENGTH, &length) ||
        !read_uint(reader, addr, TEXT_STATE, sizeof(uint32_t), &state) || length > INT32_MAX)
        return NULL;
    size_t kind = state >> 2 & 7;
    bool is_compact = (state >> 5 & 1) != 0, is_ascii = (state >> 6 & 1) != 0;
    if ((kind != 1 && kind != 2 && kind != 4) || !is_compact)
        return NULL;
    uint64_t start =
        addr + (uint64_t) (is_ascii ? reader->layout.text_header : reader->layout.text_wide_header);
    size_t shown = length < TEXT_MAX ? (size_t) length : TEXT_MAX;
    start += (length - shown) * kind;
    return memory_read(&reader->image->debuggee, start, shown * kind, bytes)
               ? convert_text(bytes, shown, kind)
               : NULL;
}

/** Where a frame is in its code, in bytes; before the first instruction it is at none. */
static bool
read_position(const struct reader *reader, uint64_t frame, uint64_t code, int64_t *ret)
{
    const struct python_layout *layout = &reader->layout;
    bool is_number = layout->code_start == PYTHON_NONE;
    uint64_t at;
    if (!read_uint(reader, frame, layout->frame_at, is_number ? 4 : 8, &at))
        return false;
    *ret = !is_number ? (int64_t) (at - code - (uint64_t) layout->code_start)
                      : (int64_t) (int32_t) (uint32_t) at * (layout->minor == 9 ? 1 : 2);
    return true;
}

/** The line of a frame; 0: not known. */
static int
read_line(const struct reader *reader, uint64_t frame, uint64_t code)
{
    uint64_t table, size, first;
    int64_t at;
    if (!read_position(reader, frame, code, &at) ||
        !read_uint(reader, code, reader->layout.code_first_line, 4, &first) ||
        !read_pointer(reader, code, reader->layout.code_lines, &table) ||
        !read_pointer(reader, table, OB_SIZE, &size) || size > LINES_MAX || first > INT32_MAX)
        return 0;
    if (at < 0)
        return (int) first;
    unsigned char *bytes = alloc_zeroed((size_t) size + 1, 1);
    int ret = memory_read(&reader->image->debuggee, table + BYTES_VALUE, (size_t) size, bytes)
                  ? line_table_find(reader->layout.minor, bytes, (size_t) size, (int) first, at)
                  : 0;
    free(bytes);
    return ret;
}

/** Adds the function that a frame is of. @return false when the code is none of Python's */
static bool
add_frame(const struct reader *reader, struct python_thread *thread, uint64_t frame)
{
    const struct python_layout *layout = &reader->layout;
    uint64_t code, type, name, file, entry = 1;
    if (!read_pointer(reader, frame, layout->frame_code, &code))
        return false;
    code &= ~(uint64_t) 7; // 3.14 has flags there
    if (!read_pointer(reader, code, OB_TYPE, &type) || type != reader->code_type ||
        !read_pointer(reader, code, layout->code_name, &name) ||
        !read_pointer(reader, code, layout->code_filename, &file))
        return false;
    if (layout->frame_is_entry != PYTHON_NONE)
        read_uint(reader, frame, layout->frame_is_entry, 1, &entry);
    struct python_frame added = {.function = read_text(reader, name),
                                 .file = read_text(reader, file),
                                 .line = read_line(reader, frame, code),
                                 .entry = layout->minor < 12 && entry != 0};
    added.function = added.function != NULL ? added.function : alloc_text("?");
    added.file = added.file != NULL ? added.file : alloc_text("?");
    *ALLOC_ADD(thread->frames, thread->n_frames, thread->capacity) = added;
    return true;
}

static bool
is_shim(const struct reader *reader, uint64_t frame)
{
    uint64_t owner;
    return reader->layout.minor >= 12 &&
           read_uint(reader, frame, reader->layout.frame_owner, 1, &owner) &&
           owner >= OWNER_INTERPRETER;
}

/** Follows the frames. @return false when they do not end as they should */
static bool
read_frames(const struct reader *reader, struct python_thread *thread, uint64_t frame)
{
    for (size_t n = 0; frame != 0; n++) {
        if (n == 2 * FRAMES_MAX || thread->n_frames == FRAMES_MAX)
            return false;
        if (!is_shim(reader, frame)) {
            if (!add_frame(reader, thread, frame))
                return false;
        } else if (thread->n_frames > 0)
            thread->frames[thread->n_frames - 1].entry = true;
        if (!read_pointer(reader, frame, reader->layout.frame_previous, &frame))
            return false;
    }
    return true;
}

/** The system's id of a thread whose state has the C library's: its descriptor has it. */
static bool
read_tid(const struct reader *reader, uint64_t state, uint64_t *ret)
{
    enum { DESCRIPTOR_TID = 720 }; // in glibc on x86-64
    uint64_t descriptor;
    if (reader->layout.minor >= 11)
        return read_pointer(reader, state, reader->layout.state_tid, ret);
    return image_machine(reader->image) == EM_X86_64 &&
           read_pointer(reader, state, reader->layout.state_tid, &descriptor) &&
           read_uint(reader, descriptor, DESCRIPTOR_TID, 4, ret);
}

/** The innermost frame of a thread; 0: it evaluates none. */
static bool
read_innermost(const struct reader *reader, uint64_t state, uint64_t *ret)
{
    const struct python_layout *layout = &reader->layout;
    return read_pointer(reader, state, layout->state_frame, ret) &&
           (layout->cframe_frame == PYTHON_NONE ||
            read_pointer(reader, *ret, layout->cframe_frame, ret));
}

/** Reads a thread. @return NULL, or what is wrong */
static const char *
read_thread(struct reader *reader, uint64_t interp, uint64_t state)
{
    uint64_t own, tid, frame;
    if (!read_pointer(reader, state, reader->layout.state_interp, &own) || own != interp)
        return "its list of threads is not as that release has it";
    if (!read_tid(reader, state, &tid) || tid == 0 || tid > INT32_MAX)
        return "the id of a thread cannot be read";
    if (!read_innermost(reader, state, &frame))
        return "the frames of a thread cannot be read";
    struct python *python = reader->python;
    struct python_thread *thread = ALLOC_ADD(python->threads, python->n_threads, python->capacity);
    *thread = (struct python_thread){.tid = (pid_t) tid};
    return read_frames(reader, thread, frame) ? NULL : "the frames of a thread do not end";
}

static const char *
read_interpreter(struct reader *reader, uint64_t interp)
{
    const char *problem = NULL;
    uint64_t state;
    if (!read_pointer(reader, interp, reader->layout.interp_threads, &state))
        return "its list of threads cannot be read";
    while (state != 0) {
        if (reader->python->n_threads == THREADS_MAX)
            return "its list of threads does not end";
        const char *wrong = read_thread(reader, interp, state);
        problem = problem != NULL ? problem : wrong;
        if (!read_pointer(reader, state, reader->layout.state_next, &state))
            return "its list of threads cannot be read";
    }
    return problem;
}

static const char *
read_interpreters(struct reader *reader)
{
    uint64_t interp;
    const char *problem = NULL;
    bool good = read_pointer(reader, reader->runtime, reader->layout.runtime_interpreters, &interp);
    for (size_t i = 0; good && interp != 0 && problem == NULL; i++) {
        problem = i < INTERPRETERS_MAX ? read_interpreter(reader, interp)
                                       : "its list of interpreters does not end";
        good = read_pointer(reader, interp, reader->layout.interp_next, &interp);
    }
    return good ? problem : "its list of interpreters cannot be read";
}

void
python_read(struct python *python, const struct image *image)
{
    struct reader reader = {.python = python, .image = image};
    if (!image_symbol(image, "_PyRuntime", SYMBOL_VARIABLE, &reader.runtime) ||
        !image_symbol(image, "PyCode_Type", SYMBOL_VARIABLE, &reader.code_type))
        return;
    python->problem = python_layout_init(&reader.layout, image, reader.runtime);
    const char *problem = python->problem == NULL ? read_interpreters(&reader) : NULL;
    if (problem != NULL)
        python->problem = alloc_format("Python 3.%d: %s", reader.layout.minor, problem);
}

const struct python_thread *
python_thread(const struct python *python, pid_t tid)
{
    for (size_t i = 0; i < python->n_threads; i++)
        if (python->threads[i].tid == tid && python->threads[i].n_frames > 0)
            return &python->threads[i];
    return NULL;
}

void
python_deinit(struct python *python)
{
    for (size_t i = 0; i < python->n_threads; i++) {
        for (size_t k = 0; k < python->threads[i].n_frames; k++) {
            free(python->threads[i].frames[k].function);
            free(python->threads[i].frames[k].file);
        }
        free(python->threads[i].frames);
    }
    free(python->threads);
    free(python->problem);
    *python = (struct python){.threads = NULL};
}
