// SPDX-License-Identifier: BSD-3-Clause
// Chooses who reads the OpenMP runtime of a process, and lists its threads through them.
#include "ompd-bridge/readers.h"

#include <string.h>

static const struct backend *const natives[] = {&backend_libomp};

void
readers_init(struct readers *readers, struct inferior *inf)
{
    memset(readers, 0, sizeof(*readers));
    readers->inf = inf;
    thread_list_init(&readers->threads, inf);
}

static void
reader_close(struct reader *reader)
{
    if (reader->backend)
        reader->backend->close(reader->state);
    memset(reader, 0, sizeof(*reader));
}

void
readers_close(struct readers *readers)
{
    reader_close(&readers->library);
    reader_close(&readers->native);
}

void
readers_deinit(struct readers *readers)
{
    readers_close(readers);
    thread_list_deinit(&readers->threads);
}

static enum status
reader_open(struct reader *reader, const struct backend *backend, struct readers *readers)
{
    struct backend_state *state;
    TRY(backend->open(readers->inf, &readers->notes, &state));
    reader->backend = backend;
    reader->state = state;
    return STATUS_OK;
}

// No backend knows the runtime, but there may be one all the same.
static enum status
explain_foreign(struct readers *readers)
{
    taddr addr;
    const struct target *target = &readers->inf->target;
    if (target->ops->find_function(target->host, "omp_get_num_threads", &addr))
        return trail_begin(&readers->inf->trail, STATUS_ABSENT,
                           "its OpenMP runtime is none that can be read (LLVM's libomp is one)");
    trail_reset(&readers->inf->trail);
    return STATUS_ABSENT;
}

static const struct backend *
find_native(struct readers *readers)
{
    for (size_t i = 0; i < sizeof(natives) / sizeof(natives[0]); i++)
        if (natives[i]->detect(readers->inf) == STATUS_OK)
            return natives[i];
    return NULL;
}

// Most machines that run programs have no OMPD library: that is nothing to talk about.
static void
open_library(struct readers *readers)
{
    if (backend_library.detect(readers->inf) != STATUS_OK ||
        reader_open(&readers->library, &backend_library, readers) == STATUS_OK)
        return;
    const char *why = trail_text(&readers->inf->trail);
    if (why[0] != '\0')
        notes_add(&readers->notes, "no OMPD library is used: %s", why);
}

static enum status
open_all(struct readers *readers)
{
    const struct backend *native = find_native(readers);
    notes_reset(&readers->notes);
    if (!native)
        return explain_foreign(readers);
    TRY(reader_open(&readers->native, native, readers));
    open_library(readers);
    readers->n_lasting = readers->notes.count;
    return STATUS_OK;
}

static enum status
list_threads(const struct reader *reader, struct thread_list *list)
{
    return reader->backend->threads(reader->state, &list->sink);
}

static enum status
list_by_library(struct readers *readers, struct thread_list *list)
{
    TRY(readers->library.backend->refresh(readers->library.state));
    return list_threads(&readers->library, list);
}

// Lists the threads by the library too, and gives it up for this time when the lists differ.
static void
shake_hands(struct readers *readers)
{
    struct thread_list other;
    readers->agreed = false;
    if (!readers->library.backend)
        return;
    thread_list_init(&other, readers->inf);
    if (list_by_library(readers, &other) != STATUS_OK)
        notes_add(&readers->notes, "the OMPD library fails: %s", trail_text(&readers->inf->trail));
    else if (!thread_list_agree(&readers->threads, &other))
        notes_add(&readers->notes,
                  "the OMPD library contradicts the runtime's memory and is not used");
    else
        readers->agreed = true;
    if (readers->agreed) {
        thread_list_complete(&other, &readers->threads);
        thread_list_swap(&readers->threads, &other);
    }
    thread_list_deinit(&other);
}

// Reads the threads through what is open; nothing stays open when that fails.
static enum status
list_all(struct readers *readers)
{
    readers->notes.count = readers->n_lasting;
    thread_list_clear(&readers->threads);
    enum status status = list_threads(&readers->native, &readers->threads);
    if (status == STATUS_OK)
        shake_hands(readers);
    else
        readers_close(readers);
    return status;
}

enum status
readers_open(struct readers *readers)
{
    TRY(open_all(readers));
    return list_all(readers);
}

enum status
readers_refresh(struct readers *readers)
{
    enum status status = readers->native.backend->refresh(readers->native.state);
    if (status == STATUS_OK)
        status = list_all(readers);
    else
        readers_close(readers);
    return status;
}

// The reader that answers: the library when it can be trusted to tell the truth.
static const struct reader *
speaker(const struct readers *readers)
{
    return readers->library.backend && readers->agreed ? &readers->library : &readers->native;
}

static enum status
ask_info(const struct reader *reader, struct omp_info *ret)
{
    return reader->backend->info(reader->state, ret);
}

enum status
readers_info(const struct readers *readers, struct omp_info *ret)
{
    struct omp_info info, native;
    TRY(ask_info(speaker(readers), &info));
    TRY(ask_info(&readers->native, &native));
    info.tracking = native.tracking;
    *ret = info;
    return STATUS_OK;
}
