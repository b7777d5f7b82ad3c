// SPDX-License-Identifier: BSD-3-Clause
// The distribution's package that a file belongs to.
#ifndef MQSHOW_BASE_PACKAGE_H
#define MQSHOW_BASE_PACKAGE_H

/** Name of the Debian package that has installed a library of MPI, to free(); NULL: none has, or
 * the system is another one.
 */
char *package_of_mpi(const char *path);

#endif
