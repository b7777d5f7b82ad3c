// SPDX-License-Identifier: BSD-3-Clause
// Serves mqs_omp_*: looks for the runtime when asked, and gives its threads.
#include "ompd-bridge/hybrid_state.h"

#include <stdio.h>
#include <string.h>

struct omp_process *
omp_process_create(struct inferior *inf)
{
    struct omp_process *omp = inferior_alloc(inf, sizeof(*omp));
    if (!omp)
        return NULL;
    memset(omp, 0, sizeof(*omp));
    omp->inf = inf;
    readers_init(&omp->readers, inf);
    omp->readers.notes_others = true;
    return omp;
}

void
omp_process_destroy(struct omp_process *omp)
{
    if (!omp)
        return;
    omp_process_forget_lists(omp);
    readers_deinit(&omp->readers);
    inferior_free(omp->inf, omp);
}

static enum status
keep_message(struct omp_process *omp, enum status status)
{
    snprintf(omp->message, sizeof(omp->message), "%s", trail_text(&omp->inf->trail));
    text_make_harmless(omp->message);
    return status;
}

// What was seen when a runtime was looked for before may be out of date by now.
enum status
omp_process_ensure_open(struct omp_process *omp)
{
    if (omp->readers.native.backend)
        return STATUS_OK;
    if (omp->looked)
        inferior_refresh(omp->inf);
    omp->looked = true;
    omp_process_forget_lists(omp);
    enum status status = readers_open(&omp->readers);
    return status == STATUS_OK ? STATUS_OK : keep_message(omp, status);
}

// Looks anew; a runtime that cannot be read any more is looked for anew.
static enum status
renew(struct omp_process *omp)
{
    omp_process_forget_lists(omp);
    if (!omp->readers.native.backend)
        return omp_process_ensure_open(omp);
    inferior_refresh(omp->inf);
    if (readers_refresh(&omp->readers) == STATUS_OK)
        return STATUS_OK;
    return omp_process_ensure_open(omp);
}

enum status
omp_process_has_openmp(struct omp_process *omp, const char **ret_message)
{
    enum status status = omp_process_ensure_open(omp);
    bool silent = status == STATUS_OK || omp->message[0] == '\0';
    *ret_message = silent ? NULL : omp->message;
    return status;
}

enum status
omp_process_get_info(struct omp_process *omp, mqs_omp_info *ret)
{
    struct omp_info info;
    TRY(omp_process_ensure_open(omp));
    TRY(readers_info(&omp->readers, &info));
    memset(ret, 0, sizeof(*ret));
    memcpy(ret->runtime, info.runtime, sizeof(ret->runtime));
    memcpy(ret->release, info.release, sizeof(ret->release));
    memcpy(ret->backend, info.backend, sizeof(ret->backend));
    ret->state_tracking = info.tracking;
    ret->omp_version = info.version;
    return STATUS_OK;
}

enum status
omp_process_setup_thread_iterator(struct omp_process *omp)
{
    omp->listed = false;
    TRY(renew(omp));
    omp->listed = true;
    omp->next_thread = 0;
    omp->tail = omp->readers.picture.broken;
    return STATUS_OK;
}

enum status
omp_process_next_thread(struct omp_process *omp, mqs_omp_thread *ret)
{
    if (!omp->listed || !omp->readers.native.backend)
        return trail_begin(&omp->inf->trail, STATUS_MISUSE,
                           "the thread iterator has not been set up");
    if (omp->next_thread < omp->readers.picture.threads.count)
        return omp_record_thread(&omp->readers, omp->next_thread++, ret);
    const enum status tail = omp->tail;
    omp->tail = STATUS_OK;
    return tail == STATUS_OK ? STATUS_END : tail;
}

enum status
omp_process_breakpoint(struct omp_process *omp, unsigned index, const char **ret_name,
                       taddr *ret_addr)
{
    // As C names them, and as C++ does in some releases of LLVM's runtime.
    static const struct {
        const char *name, *mangled;
    } names[] = {
        {"ompd_bp_thread_begin", "_Z20ompd_bp_thread_beginv"},
        {"ompd_bp_thread_end", "_Z18ompd_bp_thread_endv"},
        {"ompd_bp_parallel_begin", "_Z22ompd_bp_parallel_beginv"},
        {"ompd_bp_parallel_end", "_Z20ompd_bp_parallel_endv"},
        {"ompd_bp_task_begin", "_Z18ompd_bp_task_beginv"},
        {"ompd_bp_task_end", "_Z16ompd_bp_task_endv"},
        {"ompd_bp_device_begin", "_Z20ompd_bp_device_beginv"},
        {"ompd_bp_device_end", "_Z18ompd_bp_device_endv"},
    };
    const struct target *target = &omp->inf->target;
    if (index >= sizeof(names) / sizeof(names[0]))
        return STATUS_END;
    *ret_name = names[index].name;
    if (!target->ops->find_function(target->host, names[index].name, ret_addr) &&
        !target->ops->find_function(target->host, names[index].mangled, ret_addr))
        *ret_addr = 0;
    return STATUS_OK;
}

const char *
omp_process_message(struct omp_process *omp, unsigned index)
{
    const struct notes *notes = &omp->readers.notes;
    return index < notes->count ? notes->texts[index] : NULL;
}
