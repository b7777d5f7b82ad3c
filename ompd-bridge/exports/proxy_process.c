// SPDX-License-Identifier: BSD-3-Clause
// Processes that the tool has initialised, and the readers of their runtimes.
#include "ompd-bridge/exports/proxy.h"

#include <stdio.h>
#include <string.h>

ompd_rc_t
proxy_code(enum status status)
{
    switch (status) {
    case STATUS_ABSENT:
        return ompd_rc_unavailable;
    case STATUS_MISMATCH:
    case STATUS_UNSUPPORTED:
        return ompd_rc_incompatible;
    default:
        return rc_of(status);
    }
}

ompd_rc_t
proxy_copy(const char *text, const char **ret)
{
    size_t size = strlen(text) + 1;
    char *copy = ompd_host_alloc(size);
    if (!copy)
        return ompd_rc_nomem;
    memcpy(copy, text, size);
    *ret = copy;
    return ompd_rc_ok;
}

// The place in the list that holds this process; of NULL, the end.
static struct proxy_process **
link_of(const struct proxy_process *process)
{
    struct proxy_process **link = &proxy_get()->processes;
    while (*link && *link != process)
        link = &(*link)->next;
    return link;
}

void
proxy_process_destroy(struct proxy_process *process)
{
    *link_of(process) = process->next;
    handles_remove_process(&proxy_get()->handles, process);
    active_reader_close(&process->active);
    inferior_deinit(&process->inf);
    ompd_host_free(process);
}

// A callback's code about the tool's context is passed on.
static ompd_rc_t
callback_failed(ompd_rc_t rc)
{
    return rc == ompd_rc_bad_input || rc == ompd_rc_stale_handle ? rc : ompd_rc_callback_error;
}

// A runtime that is there but has not started is fine: tools initialise a process when it has only
// just been loaded. Nothing is open then.
static ompd_rc_t
try_process(struct proxy_process *process)
{
    enum status status = inferior_init(&process->inf, ompd_host_target(&process->host));
    if (process->host.failure != ompd_rc_ok)
        return callback_failed(process->host.failure);
    RC_TRY(proxy_code(status));
    const bool can_read = active_reader_detect(&process->active);
    ompd_rc_t rc = proxy_code(active_reader_open(&process->active));
    if (rc != ompd_rc_unavailable)
        return rc;
    return can_read ? ompd_rc_ok : ompd_rc_incompatible;
}

static ompd_rc_t
make_handle(struct proxy_process *process, ompd_address_space_handle_t **ret)
{
    struct proxy *proxy = proxy_get();
    void *handle = handles_add(&proxy->handles, OMP_SPACE, process, NULL, NULL);
    if (!handle)
        return ompd_rc_nomem;
    *ret = handle;
    return ompd_rc_ok;
}

static struct proxy_process *
create_process(ompd_address_space_context_t *context)
{
    struct proxy_process *process = ompd_host_alloc(sizeof(*process));
    if (!process)
        return NULL;
    memset(process, 0, sizeof(*process));
    process->host.context = context;
    process->number = ++proxy_get()->last_number;
    active_reader_init(&process->active, &process->inf);
    *link_of(NULL) = process;
    return process;
}

// The tool learns the code only; the text is kept for those who ask for the version.
static void
refuse(struct proxy_process *process)
{
    struct proxy *proxy = proxy_get();
    const char *why = process->host.failure == ompd_rc_ok ? trail_text(&process->inf.trail) : "";
    snprintf(proxy->refusal, sizeof(proxy->refusal), "%s", why);
    text_make_harmless(proxy->refusal);
    proxy_process_destroy(process);
}

EXPORT ompd_rc_t
ompd_process_initialize(ompd_address_space_context_t *context, ompd_address_space_handle_t **ret)
{
    if (!proxy_get()->ready)
        return ompd_rc_error;
    if (!context || !ret)
        return ompd_rc_bad_input;
    struct proxy_process *process = create_process(context);
    if (!process)
        return ompd_rc_nomem;
    ompd_rc_t rc = try_process(process);
    if (rc == ompd_rc_ok)
        rc = make_handle(process, ret);
    if (rc != ompd_rc_ok)
        refuse(process);
    return rc;
}

// Devices are not read: a process's only address space is the host's.
EXPORT ompd_rc_t
ompd_device_initialize(ompd_address_space_handle_t *process,
                       ompd_address_space_context_t *device_context, ompd_device_t kind,
                       ompd_size_t size, void *id, ompd_address_space_handle_t **ret)
{
    struct handle *handle;
    (void) kind;
    (void) size;
    RC_TRY(handles_find(&proxy_get()->handles, process, OMP_SPACE, &handle));
    return device_context && id && ret ? ompd_rc_unsupported : ompd_rc_bad_input;
}

EXPORT ompd_rc_t
ompd_rel_address_space_handle(ompd_address_space_handle_t *space)
{
    struct handle *handle;
    RC_TRY(handles_find(&proxy_get()->handles, space, OMP_SPACE, &handle));
    proxy_process_destroy(handle->process);
    return ompd_rc_ok;
}

// The runtime that was read has gone. All handles lead nowhere; there may be a new one.
static ompd_rc_t
reopen(struct proxy_process *process)
{
    handles_expire(&proxy_get()->handles, process);
    active_reader_close(&process->active);
    return proxy_code(active_reader_open(&process->active));
}

// The process may have run since the last call. What cannot be read now may be readable next time.
static ompd_rc_t
refresh(struct proxy_process *process)
{
    inferior_refresh(&process->inf);
    if (!process->active.reader.backend)
        return proxy_code(active_reader_open(&process->active));
    enum status status = active_reader_refresh(&process->active);
    return status == STATUS_ABSENT ? reopen(process) : proxy_code(status);
}

ompd_rc_t
proxy_enter(const void *opaque, enum omp_kind kind, const void *ret,
            const struct handle **ret_handle)
{
    struct handle *handle;
    RC_TRY(handles_find(&proxy_get()->handles, opaque, kind, &handle));
    if (!ret)
        return ompd_rc_bad_input;
    if (!handle->reader)
        return ompd_rc_stale_handle;
    ompd_rc_t rc = refresh(handle->process);
    if (!handle->reader)
        return ompd_rc_stale_handle;
    RC_TRY(rc);
    *ret_handle = handle;
    return ompd_rc_ok;
}

ompd_rc_t
proxy_enter_space(const void *opaque, const void *ret, struct proxy_process **ret_process,
                  const struct reader **ret_reader)
{
    struct handle *handle;
    RC_TRY(handles_find(&proxy_get()->handles, opaque, OMP_SPACE, &handle));
    if (!ret)
        return ompd_rc_bad_input;
    struct proxy_process *process = handle->process;
    RC_TRY(refresh(process));
    *ret_process = process;
    *ret_reader = &process->active.reader;
    return ompd_rc_ok;
}

ompd_rc_t
proxy_find_space(const void *opaque, const void *ret, const struct reader **ret_reader)
{
    struct handle *handle;
    RC_TRY(handles_find(&proxy_get()->handles, opaque, OMP_SPACE, &handle));
    if (!ret)
        return ompd_rc_bad_input;
    const struct reader *reader = &handle->process->active.reader;
    if (!reader->backend)
        return proxy_enter_space(opaque, ret, &handle->process, ret_reader);
    *ret_reader = reader;
    return ompd_rc_ok;
}

ompd_rc_t
proxy_give(struct proxy_process *process, const struct reader *reader, enum omp_kind kind,
           struct omp_object *object, void **ret)
{
    void *handle = handles_add(&proxy_get()->handles, kind, process, reader, object);
    if (!handle) {
        reader_release(reader, kind, object);
        return ompd_rc_nomem;
    }
    *ret = handle;
    return ompd_rc_ok;
}
