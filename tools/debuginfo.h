// SPDX-License-Identifier: BSD-3-Clause
// Where libdwfl finds the files of a process and their debug information.
#ifndef TOOLS_DEBUGINFO_H
#define TOOLS_DEBUGINFO_H

#include <elfutils/libdwfl.h>
#include <sys/types.h>

/** A session for a running process with all its files reported; NULL when it cannot be read. */
Dwfl *debuginfo_session(pid_t pid);

/** Likewise, quick, and good for following stacks only. */
Dwfl *debuginfo_session_of_stacks(pid_t pid);

#endif
