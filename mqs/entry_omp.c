// SPDX-License-Identifier: BSD-3-Clause
// The functions of mqs_omp.h.
#include "mqs/entry.h"

#include "ompd-bridge/hybrid.h"

EXPORT int
mqs_omp_process_has_openmp(mqs_process *process, char **message)
{
    struct session *self = session_of(process);
    const char *text = NULL;

    if (message != NULL)
        *message = NULL;
    if (self == NULL)
        return entry_result(STATUS_MISUSE);
    const enum status status = omp_process_has_openmp(self->omp, &text);
    if (text != NULL && message != NULL)
        *message = entry_message(self->text, sizeof(self->text), text);
    return entry_result(status);
}

EXPORT int
mqs_omp_get_info(mqs_process *process, mqs_omp_info *info)
{
    struct session *self = session_of(process);

    return entry_result(self == NULL || info == NULL ? STATUS_MISUSE
                                                     : omp_process_get_info(self->omp, info));
}

EXPORT int
mqs_omp_setup_thread_iterator(mqs_process *process)
{
    struct session *self = session_of(process);

    return entry_result(self == NULL ? STATUS_MISUSE
                                     : omp_process_setup_thread_iterator(self->omp));
}

EXPORT int
mqs_omp_next_thread(mqs_process *process, mqs_omp_thread *thread)
{
    struct session *self = session_of(process);

    return entry_result(self == NULL || thread == NULL
                            ? STATUS_MISUSE
                            : omp_process_next_thread(self->omp, thread));
}

EXPORT int
mqs_omp_get_message(mqs_process *process, int index, const char **text)
{
    struct session *self = session_of(process);

    if (self == NULL || text == NULL || index < 0)
        return entry_result(STATUS_MISUSE);
    const char *found = omp_process_message(self->omp, (unsigned) index);
    if (found == NULL)
        return mqs_end_of_list;
    *text = found;
    return mqs_ok;
}
