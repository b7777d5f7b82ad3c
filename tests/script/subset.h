// SPDX-License-Identifier: BSD-3-Clause
// Whether what was printed of a process that could be read only in part is a part of the whole.
#ifndef TESTS_SCRIPT_SUBSET_H
#define TESTS_SCRIPT_SUBSET_H

/** Compares two outputs of debugger_show().
 *
 * Communicators and operations of `part` must be those of `whole`, in its order; some may be
 * missing, and an operation may show less of itself. Lines that tell of a failure, and texts, may
 * be new.
 * @return NULL, or the first line of `part` that is not in `whole`; the caller frees it
 */
char *subset_check(const char *part, const char *whole);

#endif
