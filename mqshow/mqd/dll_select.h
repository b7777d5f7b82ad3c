// SPDX-License-Identifier: BSD-3-Clause
// Which MQD library answers.
#ifndef MQSHOW_MQD_DLL_SELECT_H
#define MQSHOW_MQD_DLL_SELECT_H

#include "mqshow/symbols/image.h"

struct dll_select {
    char *path;
    char *reason; // one line for the user
};

/** Chooses, in this order: the library that the user named with --dll or in the environment
 * variable MQS_OMPD_DLL; libmqs_ompd.so where the MPI process names it in MPIR_dll_name and it can
 * be trusted; our own library; what else MPIR_dll_name names, when it can be trusted.
 *
 * @param wanted what --dll named; NULL: nothing
 * @param image  of a process that may have MPIR_dll_name; NULL: there is none
 * The texts may hold what the process says: they must be escaped before they are shown.
 * @return NULL, or why there is none, to free()
 */
char *dll_select_init(struct dll_select *selected, const char *wanted, const struct image *image);

/** Frees the texts. */
void dll_select_deinit(struct dll_select *selected);

/** What MPIR_dll_name of a process says, array or pointer, to free(); NULL: nothing. */
char *dll_select_named_by(const struct image *image);

#endif
