// SPDX-License-Identifier: BSD-3-Clause
// What was read of a process that ran Python, in a file: its memory as a core has it, and its
// symbols.
//
// Lines "file NAME", "symbol NAME ADDRESS" and "memory ADDRESS SIZE", an empty line, and the bytes.
#ifndef TESTS_PYTHON_RECORDING_H
#define TESTS_PYTHON_RECORDING_H

#include "mqshow/process/core.h"
#include "mqshow/symbols/image.h"

#define RECORDED_SYMBOLS                          \
    {                                             \
        "PyCode_Type", "Py_Version", "_PyRuntime" \
    } // in the order of objfile_symbol_order()

enum { RECORDED_MAX = 3, RECORDED_NAME = 64 };

struct recording {
    struct image image; // for python_read()
    struct module module;
    struct objfile file;
    struct core core;
    struct symbol symbols[RECORDED_MAX];
    char name[RECORDED_NAME];
};

/** Opens a recording, which must not be moved. The file stays the caller's, and is read when memory
 * is. @return false: it is none
 */
bool recording_init(struct recording *recording, int fd);

void recording_deinit(struct recording *recording);

#endif
