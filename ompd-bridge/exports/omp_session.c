// SPDX-License-Identifier: BSD-3-Clause
// Serves mqs_omp_*: finds the runtime when asked, and lists its threads.
#include "ompd-bridge/exports/session_state.h"

#include <stdio.h>
#include <string.h>

struct omp_session *
omp_session_create(struct inferior *inf)
{
    struct omp_session *omp = inferior_alloc(inf, sizeof(*omp));
    if (!omp)
        return NULL;
    memset(omp, 0, sizeof(*omp));
    omp->inf = inf;
    active_reader_init(&omp->active, inf);
    omp_snapshot_init(&omp->snapshot, inf);
    omp->active.reports_others = true;
    return omp;
}

static void
close_reader(struct omp_session *omp)
{
    omp_snapshot_deinit(&omp->snapshot);
    active_reader_close(&omp->active);
}

void
omp_session_destroy(struct omp_session *omp)
{
    if (!omp)
        return;
    omp_session_forget_lists(omp);
    close_reader(omp);
    inferior_free(omp->inf, omp);
}

static enum status
keep_message(struct omp_session *omp, enum status status)
{
    snprintf(omp->message, sizeof(omp->message), "%s", trail_text(&omp->inf->trail));
    text_make_harmless(omp->message);
    return status;
}

// Nothing stays open when that fails.
static enum status
take_snapshot(struct omp_session *omp)
{
    struct active_reader *active = &omp->active;
    enum status status = omp_snapshot_take(&omp->snapshot, &active->reader, &active->diagnostics);
    if (status != STATUS_OK)
        close_reader(omp);
    return status;
}

// What was read when a runtime was searched for before may be out of date by now.
enum status
omp_session_ensure_open(struct omp_session *omp)
{
    if (omp->active.reader.backend)
        return STATUS_OK;
    if (omp->searched)
        inferior_refresh(omp->inf);
    omp->searched = true;
    omp_session_forget_lists(omp);
    enum status status = active_reader_open(&omp->active);
    if (status == STATUS_OK)
        status = take_snapshot(omp);
    return status == STATUS_OK ? STATUS_OK : keep_message(omp, status);
}

// Reads all anew; a runtime that cannot be read any more is searched for anew.
static enum status
renew(struct omp_session *omp)
{
    omp_session_forget_lists(omp);
    if (!omp->active.reader.backend)
        return omp_session_ensure_open(omp);
    inferior_refresh(omp->inf);
    omp_snapshot_deinit(&omp->snapshot);
    if (active_reader_refresh(&omp->active) == STATUS_OK && take_snapshot(omp) == STATUS_OK)
        return STATUS_OK;
    close_reader(omp);
    return omp_session_ensure_open(omp);
}

enum status
omp_session_has_openmp(struct omp_session *omp, const char **ret_message)
{
    enum status status = omp_session_ensure_open(omp);
    bool silent = status == STATUS_OK || omp->message[0] == '\0';
    *ret_message = silent ? NULL : omp->message;
    return status;
}

enum status
omp_session_get_info(struct omp_session *omp, mqs_omp_info *ret)
{
    struct omp_info info;
    TRY(omp_session_ensure_open(omp));
    TRY(omp->active.reader.backend->info(omp->active.reader.state, &info));
    memset(ret, 0, sizeof(*ret));
    memcpy(ret->runtime, info.runtime, sizeof(ret->runtime));
    memcpy(ret->release, info.release, sizeof(ret->release));
    memcpy(ret->backend, info.backend, sizeof(ret->backend));
    ret->state_tracking = info.tracking;
    ret->omp_version = info.version;
    return STATUS_OK;
}

enum status
omp_session_setup_thread_iterator(struct omp_session *omp)
{
    omp->listed = false;
    TRY(renew(omp));
    omp->listed = true;
    omp->next_thread = 0;
    omp->tail = omp->snapshot.broken;
    return STATUS_OK;
}

enum status
omp_session_next_thread(struct omp_session *omp, mqs_omp_thread *ret)
{
    if (!omp->listed || !omp->active.reader.backend)
        return trail_begin(&omp->inf->trail, STATUS_MISUSE,
                           "the thread iterator has not been set up");
    if (omp->next_thread < omp->snapshot.threads.count)
        return omp_record_thread(&omp->snapshot, omp->next_thread++, ret);
    const enum status tail = omp->tail;
    omp->tail = STATUS_OK;
    return tail == STATUS_OK ? STATUS_END : tail;
}

enum status
omp_session_breakpoint(struct omp_session *omp, unsigned index, const char **ret_name,
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
omp_session_message(struct omp_session *omp, unsigned index)
{
    const struct diagnostics *diagnostics = &omp->active.diagnostics;
    return index < diagnostics->count ? diagnostics->texts[index] : NULL;
}
