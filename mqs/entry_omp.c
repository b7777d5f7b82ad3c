// SPDX-License-Identifier: BSD-3-Clause
// The functions of mqs_omp.h.
#include "mqs/entry.h"

#include "ompd-bridge/exports/omp_session.h"
#include "ompd-bridge/states.h"

EXPORT int
mqs_omp_process_has_openmp(mqs_process *process, char **message)
{
    struct session *self = session_of(process);
    const char *text = NULL;

    if (message != NULL)
        *message = NULL;
    if (self == NULL)
        return entry_result(STATUS_MISUSE);
    const enum status status = omp_session_has_openmp(self->omp, &text);
    if (text != NULL && message != NULL)
        *message = entry_message(self->text, sizeof(self->text), text);
    // A runtime that is there and cannot be read is a failure, one that is not in use is none.
    const bool fails = text != NULL && status != STATUS_UNUSED;
    return fails ? mqs_first_user_code + (int) status : entry_result(status);
}

EXPORT int
mqs_omp_get_info(mqs_process *process, mqs_omp_info *info)
{
    struct session *self = session_of(process);

    return entry_result(self == NULL || info == NULL ? STATUS_MISUSE
                                                     : omp_session_get_info(self->omp, info));
}

EXPORT int
mqs_omp_setup_thread_iterator(mqs_process *process)
{
    struct session *self = session_of(process);

    return entry_result(self == NULL ? STATUS_MISUSE
                                     : omp_session_setup_thread_iterator(self->omp));
}

EXPORT int
mqs_omp_next_thread(mqs_process *process, mqs_omp_thread *thread)
{
    struct session *self = session_of(process);

    return entry_result(self == NULL || thread == NULL
                            ? STATUS_MISUSE
                            : omp_session_next_thread(self->omp, thread));
}

EXPORT int
mqs_omp_setup_region_iterator(mqs_process *process, int thread)
{
    struct session *self = session_of(process);

    return entry_result(self == NULL ? STATUS_MISUSE
                                     : omp_session_setup_region_iterator(self->omp, thread));
}

EXPORT int
mqs_omp_next_region(mqs_process *process, mqs_omp_region *region)
{
    struct session *self = session_of(process);

    return entry_result(self == NULL || region == NULL
                            ? STATUS_MISUSE
                            : omp_session_next_region(self->omp, region));
}

EXPORT int
mqs_omp_setup_task_iterator(mqs_process *process, int which, int number)
{
    struct session *self = session_of(process);

    return entry_result(self == NULL ? STATUS_MISUSE
                                     : omp_session_setup_task_iterator(self->omp, which, number));
}

EXPORT int
mqs_omp_next_task(mqs_process *process, mqs_omp_task *task)
{
    struct session *self = session_of(process);

    return entry_result(self == NULL || task == NULL ? STATUS_MISUSE
                                                     : omp_session_next_task(self->omp, task));
}

EXPORT int
mqs_omp_setup_icv_iterator(mqs_process *process, int scope, int number)
{
    struct session *self = session_of(process);

    return entry_result(self == NULL ? STATUS_MISUSE
                                     : omp_session_setup_icv_iterator(self->omp, scope, number));
}

EXPORT int
mqs_omp_next_icv(mqs_process *process, mqs_omp_icv *icv)
{
    struct session *self = session_of(process);

    return entry_result(self == NULL || icv == NULL ? STATUS_MISUSE
                                                    : omp_session_next_icv(self->omp, icv));
}

EXPORT int
mqs_omp_get_control_var(mqs_process *process, int index, const char **text)
{
    struct session *self = session_of(process);

    return entry_result(self == NULL || text == NULL || index < 0
                            ? STATUS_MISUSE
                            : omp_session_control_var(self->omp, (unsigned) index, text));
}

EXPORT int
mqs_omp_get_state(int index, int64_t *state, const char **name)
{
    if (index < 0 || state == NULL || name == NULL)
        return entry_result(STATUS_MISUSE);
    return omp_state_at((unsigned) index, state, name) ? mqs_ok : mqs_end_of_list;
}

EXPORT int
mqs_omp_get_breakpoint(mqs_process *process, int index, const char **name, mqs_taddr_t *addr)
{
    struct session *self = session_of(process);
    taddr found = 0;

    if (self == NULL || index < 0 || name == NULL || addr == NULL)
        return entry_result(STATUS_MISUSE);
    const enum status status = omp_session_breakpoint(self->omp, (unsigned) index, name, &found);
    if (status == STATUS_OK)
        *addr = (mqs_taddr_t) found;
    return entry_result(status);
}

EXPORT int
mqs_omp_get_message(mqs_process *process, int index, const char **text)
{
    struct session *self = session_of(process);

    if (self == NULL || text == NULL || index < 0)
        return entry_result(STATUS_MISUSE);
    const char *found = omp_session_message(self->omp, (unsigned) index);
    if (found == NULL)
        return mqs_end_of_list;
    *text = found;
    return mqs_ok;
}
