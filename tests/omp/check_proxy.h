// SPDX-License-Identifier: BSD-3-Clause
// The suites of check_proxy, and the two made-up processes under test.
#ifndef TESTS_OMP_CHECK_PROXY_H
#define TESTS_OMP_CHECK_PROXY_H

#include "tests/omp/made_up.h"
#include "tests/omp/ompd_tool.h"
#include "tests/omp/proxy_rows.h"

#include <check.h>

/** Each test starts with fresh ones, and a library that is not initialised. */
extern struct made_up worlds[2];
extern struct tool_context contexts[2];

/** What the tool gives for a process. */
ompd_address_space_context_t *proxy_context(unsigned number);

/** Initialises the library with the tool's callbacks. */
void proxy_initialize(void);

/** Initialises a process, and goes from its second thread to its region and task. */
struct proxy_handles proxy_begin(unsigned number);

/** A handle of the thread of that number. */
ompd_thread_handle_t *proxy_thread(ompd_address_space_handle_t *space, uint64_t number);

/** Makes a case whose tests begin and end as all do. */
TCase *proxy_case(const char *name);

TCase *proxy_life(void);
TCase *proxy_handle_tests(void);
TCase *proxy_value_tests(void);

#endif
