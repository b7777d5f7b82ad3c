// SPDX-License-Identifier: BSD-3-Clause
// Which critical construct of a program a lock of the OpenMP runtime belongs to.
#ifndef TOOLS_CRITICAL_H
#define TOOLS_CRITICAL_H

#include "tools/openmp.h"

/** The construct as the source says it, "critical (NAME)" or "critical", for free().
 * @param symbol the variable that a compiler made for it; NULL: it is none of these
 */
char *critical_name(const char *symbol);

/** Finds, among the variables that compilers make for critical constructs, those that lead to what
 * threads wait for, and adds them to omp->places. The process must stand still.
 */
void critical_find(struct openmp *omp, const struct image *image);

#endif
