// SPDX-License-Identifier: BSD-3-Clause
// The suites of check_proxy_live, and the parked processes under test.
#ifndef TESTS_OMP_CHECK_PROXY_LIVE_H
#define TESTS_OMP_CHECK_PROXY_LIVE_H

#include "tests/omp/live_host.h"
#include "tests/omp/ompd_tool.h"
#include "tests/omp/park.h"
#include "tests/omp/proxy_rows.h"

#include <check.h>

/** A parked process, and the tool's view of it. */
struct subject {
    bool gomp; // GNU's runtime, whose threads end when they have no work
    struct park park;
    struct live_host host;
    struct tool_context context;
    ompd_address_space_handle_t *space;
};

enum { PROXY_BUILDS = 4, PROXY_GOMP = 1, PROXY_DEBUG = 2 };

/** How many builds are to be tested; those of the distribution are the first ones. */
unsigned proxy_builds(void);

/** Parks a program on a build of a runtime and initialises its process.
 * @param number of the subject, 0 to 63
 * @param build below proxy_builds(); 0: the distribution's LLVM, PROXY_GOMP: its GNU, 2: LLVM with
 * symbols, 3: the same read as if it had none
 */
struct subject *subject_start(unsigned number, const char *situation, unsigned build);

/** The tool's context for the process. */
ompd_address_space_context_t *subject_context(struct subject *subject);

/** A handle of a thread. @param size 4 or 8 */
ompd_thread_handle_t *
subject_thread(const struct subject *subject, ompd_thread_id_t kind, ompd_size_t size, uint64_t id);

/** Compares what the library says of each thread and its regions with what the program says.
 * @param tracking whether the runtime keeps the states of its threads */
void subject_check(const struct subject *subject, bool tracking);

/** Cases whose tests begin and end as all do. */
TCase *proxy_case(const char *name);
TCase *proxy_truth(void);
TCase *proxy_fakes(void);
TCase *proxy_faults(void);

#endif
