// SPDX-License-Identifier: BSD-3-Clause
// Where this project's own library is, and which one that a debugged process names may be loaded.
#ifndef MQSHOW_MQD_TRUST_H
#define MQSHOW_MQD_TRUST_H

/** Path of our library, found from where this program runs (a build folder, an installation that
 * was moved) or where it was to be installed; to free(). NULL when there is none.
 */
char *own_dll_path(void);

/** Checks a file without running anything of it.
 *
 * Its real path lies in a folder that is trusted: a folder of the system's libraries, the folder of
 * this project's library, or one that the environment variable MQSHOW_TRUSTED_DIRS (separated by
 * colons) names. The file and the folders above it belong to root or to the user and nobody else
 * may write to them. It is a shared object for this machine and exports what dll_required() lists.
 *
 * @param ret_problem set to why it is refused, to free(), when the result is NULL
 * @return the real path, to free(); NULL when it is refused
 */
char *trust_check(const char *path, char **ret_problem);

/** The last rule alone, for a file that the user named.
 * @return NULL, or why it is refused, to free()
 */
char *trust_check_elf(const char *path);

#endif
