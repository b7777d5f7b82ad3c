// SPDX-License-Identifier: BSD-3-Clause
// Serves mqs_omp_*: looks for the runtime when asked, speaks the interface's records.
#include "ompd-bridge/hybrid.h"

#include "ompd-bridge/readers.h"
#include "ompd-bridge/states.h"

#include <stdio.h>
#include <string.h>

struct omp_process {
    struct inferior *inf;
    struct readers readers;
    bool looked;      // for a runtime, at least once
    bool listed;      // `next` means something
    uint32_t next;    // thread to give
    enum status tail; // to give after the last one, once: what hid a thread
    char message[NOTE_SIZE];
};

struct omp_process *
omp_process_create(struct inferior *inf)
{
    struct omp_process *omp = inferior_alloc(inf, sizeof(*omp));
    if (!omp)
        return NULL;
    memset(omp, 0, sizeof(*omp));
    omp->inf = inf;
    readers_init(&omp->readers, inf);
    return omp;
}

void
omp_process_destroy(struct omp_process *omp)
{
    if (!omp)
        return;
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

// Looks for the runtime until there is one. What was seen when it was looked for before may be out
// of date by now.
static enum status
ensure_open(struct omp_process *omp)
{
    if (omp->readers.native.backend)
        return STATUS_OK;
    if (omp->looked)
        inferior_refresh(omp->inf);
    omp->looked = true;
    enum status status = readers_open(&omp->readers);
    return status == STATUS_OK ? STATUS_OK : keep_message(omp, status);
}

// Reads everything anew; a runtime that cannot be read any more is looked for anew.
static enum status
renew(struct omp_process *omp)
{
    if (!omp->readers.native.backend)
        return ensure_open(omp);
    inferior_refresh(omp->inf);
    if (readers_refresh(&omp->readers) == STATUS_OK)
        return STATUS_OK;
    return ensure_open(omp);
}

enum status
omp_process_has_openmp(struct omp_process *omp, const char **ret_message)
{
    enum status status = ensure_open(omp);
    bool silent = status == STATUS_OK || omp->message[0] == '\0';
    *ret_message = silent ? NULL : omp->message;
    return status;
}

enum status
omp_process_get_info(struct omp_process *omp, mqs_omp_info *ret)
{
    struct omp_info info;
    TRY(ensure_open(omp));
    TRY(readers_info(&omp->readers, &info));
    memset(ret, 0, sizeof(*ret));
    memcpy(ret->runtime, info.runtime, sizeof(ret->runtime));
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
    omp->next = 0;
    omp->tail = omp->readers.threads.broken;
    return STATUS_OK;
}

static const struct {
    unsigned ours;
    uint32_t theirs;
} known_bits[] = {
    {OMP_KNOWS_TID, MQS_OMP_TID},        {OMP_KNOWS_PTHREAD, MQS_OMP_PTHREAD},
    {OMP_KNOWS_NUM, MQS_OMP_THREAD_NUM}, {OMP_KNOWS_TEAM_SIZE, MQS_OMP_TEAM_SIZE},
    {OMP_KNOWS_LEVEL, MQS_OMP_LEVEL},    {OMP_KNOWS_ACTIVE_LEVEL, MQS_OMP_ACTIVE_LEVEL},
    {OMP_KNOWS_STATE, MQS_OMP_STATE},    {OMP_KNOWS_WAIT_ID, MQS_OMP_WAIT_ID},
};

static void
convert(const struct omp_thread *thread, mqs_omp_thread *ret)
{
    const char *name = omp_state_name(thread->state);
    memset(ret, 0, sizeof(*ret));
    for (size_t i = 0; i < sizeof(known_bits) / sizeof(known_bits[0]); i++)
        if (thread->known & known_bits[i].ours)
            ret->known |= known_bits[i].theirs;
    ret->tid = thread->tid;
    ret->pthread = (mqs_taddr_t) thread->pthread;
    ret->thread_num = thread->num;
    ret->team_size = thread->team_size;
    ret->level = thread->level;
    ret->active_level = thread->active_level;
    ret->state = thread->state;
    ret->wait_id = thread->wait_id;
    if (name && (thread->known & OMP_KNOWS_STATE))
        snprintf(ret->state_name, sizeof(ret->state_name), "%s", name);
    snprintf(ret->note, sizeof(ret->note), "%s", thread->note);
}

enum status
omp_process_next_thread(struct omp_process *omp, mqs_omp_thread *ret)
{
    const struct thread_list *list = &omp->readers.threads;
    if (!omp->listed)
        return trail_begin(&omp->inf->trail, STATUS_MISUSE,
                           "the thread iterator has not been set up");
    if (omp->next >= list->count) {
        const enum status tail = omp->tail;
        omp->tail = STATUS_OK;
        return tail == STATUS_OK ? STATUS_END : tail;
    }
    convert(&list->threads[omp->next++], ret);
    return STATUS_OK;
}

const char *
omp_process_message(struct omp_process *omp, unsigned index)
{
    const struct notes *notes = &omp->readers.notes;
    return index < notes->count ? notes->texts[index] : NULL;
}
