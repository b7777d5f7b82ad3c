// SPDX-License-Identifier: BSD-3-Clause
// Where this project's own library is.
#ifndef MQSHOW_MQD_OWN_DLL_H
#define MQSHOW_MQD_OWN_DLL_H

/** Path of our library, found from where this program runs (a build folder, an installation that
 * was moved) or where it was to be installed; to free(). NULL when there is none.
 */
char *own_dll_path(void);

/** The folder of own_dll_path(), to free(); NULL when there is none. */
char *own_dll_folder(void);

#endif
