// SPDX-License-Identifier: BSD-3-Clause
// Serves mqs_omp_*: chooses the backend, keeps the list of threads, speaks the interface's records.
#include "ompd-bridge/hybrid.h"

#include "ompd-bridge/states.h"
#include "ompd-bridge/thread_list.h"

#include <stdio.h>
#include <string.h>

/** A backend and its state for this process; no backend: not in use. */
struct reader {
    const struct backend *backend;
    struct backend_state *state;
};

struct omp_process {
    struct inferior *inf;
    struct reader native;  // reads the runtime's own memory
    struct reader library; // asks the runtime's OMPD library
    bool looked;           // for a runtime, at least once
    bool agreed;           // library and native gave the same threads, the last time
    bool listed;           // `next` means something
    struct thread_list threads;
    uint32_t next; // thread to give
    struct notes notes;
    unsigned n_lasting; // notes that stem from opening the readers
    char message[NOTE_SIZE];
};

static const struct backend *const natives[] = {&backend_libomp};

struct omp_process *
omp_process_create(struct inferior *inf)
{
    struct omp_process *omp = inferior_alloc(inf, sizeof(*omp));
    if (!omp)
        return NULL;
    memset(omp, 0, sizeof(*omp));
    omp->inf = inf;
    thread_list_init(&omp->threads, inf);
    return omp;
}

static void
reader_close(struct reader *reader)
{
    if (reader->backend)
        reader->backend->close(reader->state);
    memset(reader, 0, sizeof(*reader));
}

static void
close_all(struct omp_process *omp)
{
    reader_close(&omp->library);
    reader_close(&omp->native);
}

void
omp_process_destroy(struct omp_process *omp)
{
    if (!omp)
        return;
    close_all(omp);
    thread_list_deinit(&omp->threads);
    inferior_free(omp->inf, omp);
}

static enum status
reader_open(struct reader *reader, const struct backend *backend, struct omp_process *omp)
{
    struct backend_state *state;
    TRY(backend->open(omp->inf, &omp->notes, &state));
    reader->backend = backend;
    reader->state = state;
    return STATUS_OK;
}

// No backend knows the runtime, but there may be one all the same.
static enum status
explain_foreign(struct omp_process *omp)
{
    taddr addr;
    const struct target *target = &omp->inf->target;
    if (target->ops->find_function(target->host, "omp_get_num_threads", &addr))
        return trail_begin(&omp->inf->trail, STATUS_ABSENT,
                           "its OpenMP runtime is none that can be read (LLVM's libomp is one)");
    trail_reset(&omp->inf->trail);
    return STATUS_ABSENT;
}

static const struct backend *
find_native(struct omp_process *omp)
{
    for (size_t i = 0; i < sizeof(natives) / sizeof(natives[0]); i++)
        if (natives[i]->detect(omp->inf) == STATUS_OK)
            return natives[i];
    return NULL;
}

// Most machines that run programs have no OMPD library: that is nothing to talk about.
static void
open_library(struct omp_process *omp)
{
    if (backend_library.detect(omp->inf) != STATUS_OK ||
        reader_open(&omp->library, &backend_library, omp) == STATUS_OK)
        return;
    const char *why = trail_text(&omp->inf->trail);
    if (why[0] != '\0')
        notes_add(&omp->notes, "no OMPD library is used: %s", why);
}

static enum status
open_readers(struct omp_process *omp)
{
    const struct backend *native = find_native(omp);
    notes_reset(&omp->notes);
    if (!native)
        return explain_foreign(omp);
    TRY(reader_open(&omp->native, native, omp));
    open_library(omp);
    omp->n_lasting = omp->notes.count;
    return STATUS_OK;
}

static enum status
keep_message(struct omp_process *omp, enum status status)
{
    snprintf(omp->message, sizeof(omp->message), "%s", trail_text(&omp->inf->trail));
    text_make_harmless(omp->message);
    return status;
}

// The reader that answers: the library when it can be trusted to tell the truth.
static const struct reader *
speaker(const struct omp_process *omp)
{
    return omp->library.backend && omp->agreed ? &omp->library : &omp->native;
}

static enum status
list_threads(const struct reader *reader, struct thread_list *list)
{
    return reader->backend->threads(reader->state, &list->sink);
}

static enum status
list_by_library(struct omp_process *omp, struct thread_list *list)
{
    TRY(omp->library.backend->refresh(omp->library.state));
    return list_threads(&omp->library, list);
}

// Lists the threads by the library too, and gives it up for this time when the lists differ.
static void
shake_hands(struct omp_process *omp)
{
    struct thread_list other;
    omp->agreed = false;
    if (!omp->library.backend)
        return;
    thread_list_init(&other, omp->inf);
    if (list_by_library(omp, &other) != STATUS_OK)
        notes_add(&omp->notes, "the OMPD library fails: %s", trail_text(&omp->inf->trail));
    else if (!thread_list_agree(&omp->threads, &other))
        notes_add(&omp->notes, "the OMPD library contradicts the runtime's memory and is not used");
    else
        omp->agreed = true;
    if (omp->agreed) {
        thread_list_complete(&other, &omp->threads);
        thread_list_swap(&omp->threads, &other);
    }
    thread_list_deinit(&other);
}

// Reads the threads through what is open; nothing stays open when that fails.
static enum status
list_all(struct omp_process *omp)
{
    omp->notes.count = omp->n_lasting;
    thread_list_clear(&omp->threads);
    enum status status = list_threads(&omp->native, &omp->threads);
    if (status == STATUS_OK)
        shake_hands(omp);
    else
        close_all(omp);
    return status;
}

// Looks for the runtime until there is one. What was seen when it was looked for before may be out
// of date by now.
static enum status
ensure_open(struct omp_process *omp)
{
    if (omp->native.backend)
        return STATUS_OK;
    if (omp->looked)
        inferior_refresh(omp->inf);
    omp->looked = true;
    enum status status = open_readers(omp);
    if (status == STATUS_OK)
        status = list_all(omp);
    return status == STATUS_OK ? STATUS_OK : keep_message(omp, status);
}

// Reads everything anew; a runtime that cannot be read any more is looked for anew.
static enum status
renew(struct omp_process *omp)
{
    if (!omp->native.backend)
        return ensure_open(omp);
    inferior_refresh(omp->inf);
    enum status status = omp->native.backend->refresh(omp->native.state);
    if (status == STATUS_OK)
        status = list_all(omp);
    if (status == STATUS_OK)
        return STATUS_OK;
    close_all(omp);
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

static enum status
ask_info(const struct reader *reader, struct omp_info *ret)
{
    return reader->backend->info(reader->state, ret);
}

// The native reader sees more of whether states are tracked.
enum status
omp_process_get_info(struct omp_process *omp, mqs_omp_info *ret)
{
    struct omp_info info, native;
    TRY(ensure_open(omp));
    TRY(ask_info(speaker(omp), &info));
    TRY(ask_info(&omp->native, &native));
    memset(ret, 0, sizeof(*ret));
    memcpy(ret->runtime, info.runtime, sizeof(ret->runtime));
    memcpy(ret->backend, info.backend, sizeof(ret->backend));
    ret->state_tracking = native.tracking;
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
    if (!omp->listed)
        return trail_begin(&omp->inf->trail, STATUS_MISUSE,
                           "the thread iterator has not been set up");
    if (omp->next >= omp->threads.count)
        return STATUS_END;
    convert(&omp->threads.threads[omp->next++], ret);
    return STATUS_OK;
}

const char *
omp_process_message(struct omp_process *omp, unsigned index)
{
    return index < omp->notes.count ? omp->notes.texts[index] : NULL;
}
