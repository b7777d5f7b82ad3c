// SPDX-License-Identifier: BSD-3-Clause
// Chooses who reads the OpenMP runtime of a process.
#include "ompd-bridge/exports/active_reader.h"

#include <string.h>

static const struct backend *const natives[] = {&backend_libomp, &backend_libgomp};
enum { NATIVES = sizeof(natives) / sizeof(natives[0]) };

void
active_reader_init(struct active_reader *active, struct inferior *inf)
{
    memset(active, 0, sizeof(*active));
    active->inf = inf;
}

void
active_reader_close(struct active_reader *active)
{
    struct reader *reader = &active->reader;
    if (reader->backend)
        reader->backend->close(reader->state);
    memset(reader, 0, sizeof(*reader));
}

static bool
detects(const struct active_reader *active, const struct backend *backend)
{
    return backend->detect(active->inf) == STATUS_OK;
}

bool
active_reader_detect(const struct active_reader *active)
{
    for (size_t i = 0; i < NATIVES; i++)
        if (detects(active, natives[i]))
            return true;
    return detects(active, &backend_library);
}

static enum status
open_reader(struct active_reader *active, const struct backend *backend)
{
    struct backend_state *state;
    TRY(backend->open(active->inf, &active->diagnostics, &state));
    active->reader = (struct reader){backend, state};
    return STATUS_OK;
}

// Several runtimes may be loaded, of which mostly one has started. The message is the first one's
// that cannot be read. STATUS_END: none recognises its runtime.
static enum status
open_native(struct active_reader *active)
{
    struct trail first = {.start = 0};
    enum status status = STATUS_END;
    for (size_t i = 0; i < NATIVES; i++) {
        if (!detects(active, natives[i]))
            continue;
        enum status opened = open_reader(active, natives[i]);
        if (opened == STATUS_OK)
            return STATUS_OK;
        if (status == STATUS_END) {
            status = opened;
            first = active->inf->trail;
        }
        // Tools of OMPD have loaded this library because of that runtime, and the one in LLVM's
        // packages does not survive a look-up of what is absent, as others' names are.
        if ((opened == STATUS_ABSENT || opened == STATUS_UNUSED) && !active->reports_others)
            break;
    }
    active->inf->trail = first;
    return status;
}

// No reader knows the runtime, but there may be one all the same.
static enum status
explain_unknown(struct active_reader *active)
{
    taddr addr;
    const struct target *target = &active->inf->target;
    if (target->ops->find_function(target->host, "omp_get_num_threads", &addr))
        return trail_begin(&active->inf->trail, STATUS_ABSENT,
                           "its OpenMP runtime is not supported (LLVM's, Intel's and GNU's are)");
    trail_reset(&active->inf->trail);
    return STATUS_ABSENT;
}

// Asks the runtime's own library. When that fails too, what the native reader has left in the trail
// is the message. Most machines that run programs have no OMPD library: that is nothing to report.
static enum status
open_library(struct active_reader *active, enum status native)
{
    struct trail first = active->inf->trail;
    enum status status = STATUS_END;
    if (detects(active, &backend_library))
        status = open_reader(active, &backend_library);
    if (status == STATUS_OK)
        return STATUS_OK;
    const char *why = status == STATUS_END ? "" : trail_text(&active->inf->trail);
    if (native == STATUS_END)
        return why[0] != '\0' ? status : explain_unknown(active);
    if (why[0] != '\0')
        diagnostics_add(&active->diagnostics, "no OMPD library is used: %s", why);
    active->inf->trail = first;
    return native;
}

// A second runtime that has started is worth a word: its threads are not among those shown.
static void
report_other(struct active_reader *active, const struct backend *backend)
{
    struct backend_state *state;
    if (!detects(active, backend) ||
        backend->open(active->inf, &active->diagnostics, &state) != STATUS_OK)
        return;
    backend->close(state);
    diagnostics_add(&active->diagnostics, "a second OpenMP runtime is active and not shown (%s)",
                    backend->name);
}

// Those behind the one that is open, in the list.
static void
report_others(struct active_reader *active)
{
    size_t i = 0;
    while (i < NATIVES && natives[i] != active->reader.backend)
        i++;
    while (++i < NATIVES)
        report_other(active, natives[i]);
}

enum status
active_reader_open(struct active_reader *active)
{
    diagnostics_reset(&active->diagnostics);
    enum status status = open_native(active);
    if (status == STATUS_END || status == STATUS_UNSUPPORTED)
        status = open_library(active, status);
    if (status == STATUS_OK && active->reports_others)
        report_others(active);
    active->n_lasting = active->diagnostics.count;
    return status;
}

enum status
active_reader_refresh(struct active_reader *active)
{
    active->diagnostics.count = active->n_lasting;
    return active->reader.backend->refresh(active->reader.state);
}
