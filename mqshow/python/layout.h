// SPDX-License-Identifier: BSD-3-Clause
// Where the members of CPython's structs are, in one process.
#ifndef MQSHOW_PYTHON_LAYOUT_H
#define MQSHOW_PYTHON_LAYOUT_H

#include <stdbool.h>
#include <stdint.h>

struct image;

/** Offsets in bytes; PYTHON_NONE: there is no such member. */
struct python_layout {
    int minor; // of 3.x
    int runtime_interpreters;
    int runtime_gil; // of releases with one for all interpreters; interp_gil: a pointer to it
    int interp_next, interp_threads, interp_gil, interp_sys;
    int state_next, state_interp, state_tid, state_frame;
    int cframe_frame; // the state has a pointer to a struct that has the frame; else: to the frame
    int frame_previous, frame_code, frame_at;
    int frame_is_entry, frame_owner; // what says where an activation of the interpreter begins
    int code_name, code_filename, code_first_line, code_lines, code_start;
    int text_header, text_wide_header; // bytes before the characters, of ASCII and of others
};

enum { PYTHON_NONE = -1 };

/** Finds the layout of the interpreter whose runtime is at an address.
 * @return NULL, or why there is none, to free()
 */
char *python_layout_init(struct python_layout *layout, const struct image *image, uint64_t runtime);

#endif
