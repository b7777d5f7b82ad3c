// SPDX-License-Identifier: BSD-3-Clause
// Chooses who reads the OpenMP runtime of a process.
#include "ompd-bridge/readers.h"

#include <string.h>

static const struct backend *const natives[] = {&backend_libomp, &backend_libgomp};
enum { NATIVES = sizeof(natives) / sizeof(natives[0]) };

void
readers_init(struct readers *readers, struct inferior *inf)
{
    memset(readers, 0, sizeof(*readers));
    readers->inf = inf;
    picture_init(&readers->picture, inf);
    picture_init(&readers->librarys_picture, inf);
}

static void
reader_close(struct reader *reader)
{
    if (reader->backend)
        reader->backend->close(reader->state);
    memset(reader, 0, sizeof(*reader));
}

void
readers_forget_pictures(struct readers *readers)
{
    picture_deinit(&readers->librarys_picture);
    picture_deinit(&readers->picture);
}

void
readers_close(struct readers *readers)
{
    readers_forget_pictures(readers);
    reader_close(&readers->library);
    reader_close(&readers->native);
}

void
readers_deinit(struct readers *readers)
{
    readers_close(readers);
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
                           "its OpenMP runtime is none that can be read (LLVM's and GNU's are)");
    trail_reset(&readers->inf->trail);
    return STATUS_ABSENT;
}

bool
readers_can_read(const struct readers *readers)
{
    for (size_t i = 0; i < NATIVES; i++)
        if (natives[i]->detect(readers->inf) == STATUS_OK)
            return true;
    return false;
}

static void
note_other(struct readers *readers, const struct backend *backend)
{
    struct reader other;
    if (backend->detect(readers->inf) != STATUS_OK ||
        reader_open(&other, backend, readers) != STATUS_OK)
        return;
    backend->close(other.state);
    notes_add(&readers->notes, "a second OpenMP runtime is at work and is not shown (%s)",
              backend->name);
}

// A second runtime that has started is worth a word: its threads are not among those shown.
static void
note_others(struct readers *readers)
{
    bool is_behind = false; // the one that is open, in the list
    for (size_t i = 0; i < NATIVES; i++) {
        if (is_behind)
            note_other(readers, natives[i]);
        is_behind = is_behind || natives[i] == readers->native.backend;
    }
}

// Several runtimes may be loaded, of which mostly one has started. What the first says that cannot
// be read is the message.
static enum status
open_native(struct readers *readers)
{
    struct trail first = {.start = 0};
    enum status status = STATUS_END;
    for (size_t i = 0; i < NATIVES; i++) {
        if (natives[i]->detect(readers->inf) != STATUS_OK)
            continue;
        enum status opened = reader_open(&readers->native, natives[i], readers);
        if (opened == STATUS_OK)
            return STATUS_OK;
        if (status == STATUS_END) {
            status = opened;
            first = readers->inf->trail;
        }
    }
    if (status == STATUS_END)
        return explain_foreign(readers);
    readers->inf->trail = first;
    return status;
}

// Most machines that run programs have no OMPD library: that is nothing to talk about.
static void
open_library(struct readers *readers)
{
    if (readers->native.backend != &backend_libomp ||
        backend_library.detect(readers->inf) != STATUS_OK ||
        reader_open(&readers->library, &backend_library, readers) == STATUS_OK)
        return;
    const char *why = trail_text(&readers->inf->trail);
    if (why[0] != '\0')
        notes_add(&readers->notes, "no OMPD library is used: %s", why);
}

static enum status
open_all(struct readers *readers)
{
    notes_reset(&readers->notes);
    TRY(open_native(readers));
    open_library(readers);
    if (readers->notes_others)
        note_others(readers);
    readers->n_lasting = readers->notes.count;
    return STATUS_OK;
}

// Looks through the library too, and gives it up for this time when it sees something else.
static void
shake_hands(struct readers *readers)
{
    struct picture *other = &readers->librarys_picture;
    readers->agreed = false;
    if (!readers->library.backend)
        return;
    if (readers->library.backend->refresh(readers->library.state) != STATUS_OK ||
        picture_take(other, &readers->library, &readers->notes) != STATUS_OK)
        notes_add(&readers->notes, "the OMPD library fails: %s", trail_text(&readers->inf->trail));
    else if (!picture_agree(&readers->picture, other))
        notes_add(&readers->notes,
                  "the OMPD library contradicts the runtime's memory and is not used");
    else
        readers->agreed = true;
    if (!readers->agreed)
        picture_deinit(other);
}

// Looks through what is open; nothing stays open when that fails.
static enum status
look(struct readers *readers)
{
    readers->notes.count = readers->n_lasting;
    readers_forget_pictures(readers);
    enum status status = picture_take(&readers->picture, &readers->native, &readers->notes);
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
    return look(readers);
}

enum status
readers_refresh(struct readers *readers)
{
    enum status status = readers->native.backend->refresh(readers->native.state);
    if (status == STATUS_OK)
        status = look(readers);
    else
        readers_close(readers);
    return status;
}

const struct reader *
readers_speaker(const struct readers *readers)
{
    return readers->library.backend && readers->agreed ? &readers->library : &readers->native;
}

const struct picture *
readers_seen(const struct readers *readers)
{
    return readers_speaker(readers) == &readers->library ? &readers->librarys_picture
                                                         : &readers->picture;
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
    TRY(ask_info(readers_speaker(readers), &info));
    TRY(ask_info(&readers->native, &native));
    info.tracking = native.tracking;
    if (info.version == 0)
        info.version = native.version;
    *ret = info;
    return STATUS_OK;
}
