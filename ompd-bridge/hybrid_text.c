// SPDX-License-Identifier: BSD-3-Clause
// Texts: the display control variables, and why a question was not answered.
#include "ompd-bridge/hybrid_state.h"

#include <string.h>

const char *
omp_record_note(ompd_rc_t rc)
{
    switch (rc) {
    case ompd_rc_needs_state_tracking:
        return "needs OMP_DEBUG=enabled";
    case ompd_rc_device_read_error:
        return "unreadable";
    case ompd_rc_error:
    case ompd_rc_stale_handle:
        return "makes no sense";
    default:
        return "";
    }
}

struct text_collector {
    struct text_sink sink;
    struct omp_process *omp;
};

enum { CONTROL_VARS_MAX = 1 << 20 }; // bytes of all

static enum status
collect_text(struct text_sink *sink, const char *text)
{
    struct omp_process *omp = ((struct text_collector *) sink)->omp;
    struct control_vars *vars = &omp->control_vars;
    size_t size = strlen(text) + 1;
    if (size > CONTROL_VARS_MAX - vars->size)
        return trail_begin(&omp->inf->trail, STATUS_CORRUPT, "there is no end to it");
    if (vars->size + size > vars->room) {
        size_t room = 2 * (vars->room + size);
        char *texts = inferior_alloc(omp->inf, room);
        if (!texts)
            return trail_begin(&omp->inf->trail, STATUS_NOMEM, "%s", status_text(STATUS_NOMEM));
        if (vars->size > 0)
            memcpy(texts, vars->texts, vars->size);
        inferior_free(omp->inf, vars->texts);
        vars->texts = texts;
        vars->room = room;
    }
    memcpy(vars->texts + vars->size, text, size);
    vars->size += size;
    return STATUS_OK;
}

static enum status
read_control_vars(struct omp_process *omp)
{
    struct text_collector collector = {{collect_text}, omp};
    const struct reader *reader = readers_speaker(&omp->readers);
    if (omp->control_vars.read)
        return STATUS_OK;
    ompd_rc_t rc = reader->backend->control_vars
                       ? reader->backend->control_vars(reader->state, &collector.sink)
                       : ompd_rc_unavailable;
    omp->control_vars.read = true;
    return rc == ompd_rc_nomem               ? STATUS_NOMEM
           : rc == ompd_rc_device_read_error ? STATUS_UNREADABLE
           : rc == ompd_rc_error             ? STATUS_CORRUPT
                                             : STATUS_OK;
}

enum status
omp_process_control_var(struct omp_process *omp, unsigned index, const char **ret)
{
    TRY(omp_process_ensure_open(omp));
    TRY(read_control_vars(omp));
    const struct control_vars *vars = &omp->control_vars;
    for (size_t at = 0; at < vars->size; at += strlen(vars->texts + at) + 1)
        if (index-- == 0) {
            *ret = vars->texts + at;
            return STATUS_OK;
        }
    return STATUS_END;
}
