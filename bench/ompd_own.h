// SPDX-License-Identifier: BSD-3-Clause
// Asks for everything through this library's own interface.
#ifndef BENCH_OMPD_OWN_H
#define BENCH_OMPD_OWN_H

#include "target/inferior.h"

/** Finds the threads of the process, for the host. @return false: says why */
bool own_find_threads(struct inferior *inf);

/** Lists threads, regions, tasks and all control variables as mqs_omp.h does.
 * @return reads that it took; 0: it failed
 */
unsigned own_list_all(struct inferior *inf, unsigned *ret_threads);

#endif
