// SPDX-License-Identifier: BSD-3-Clause
// The DLL as a debugger loads it: opened by name, every function looked up by name.
#ifndef TESTS_SCRIPT_DLL_H
#define TESTS_SCRIPT_DLL_H

#include "mpidbg.h"
#include "mqs.h"
#include "mqs_ext.h"
#include "mqs_handles.h"
#include "mqs_omp.h"

/** The DLL's functions. Those that are not in mqs.h are NULL in a DLL that lacks them. */
struct dll {
    void *handle;
    const char *path;
#define ENTRY(result, name, arguments) result(*name) arguments;
#include "tests/script/entries.def"
#undef ENTRY
};

/** Opens the file in the environment variable MQS_DLL, else the one of this build. Ends the program
 * with exit code 99 if it cannot be opened or lacks a function that every DLL has. */
const struct dll *dll_open(void);

#endif
