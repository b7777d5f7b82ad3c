// SPDX-License-Identifier: BSD-3-Clause
// Where libdwfl finds the files of a process and their debug information.
#ifndef MQSHOW_SYMBOLS_DEBUGINFO_H
#define MQSHOW_SYMBOLS_DEBUGINFO_H

#include <elfutils/libdwfl.h>

struct image;

/** A session for a process or core with all its files reported; NULL when it cannot be read. */
Dwfl *debuginfo_session(const struct image *image);

/** Likewise, quick, and good for following stacks only. */
Dwfl *debuginfo_session_of_stacks(const struct image *image);

#endif
