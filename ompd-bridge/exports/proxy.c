// SPDX-License-Identifier: BSD-3-Clause
// The exported OMPD library: its start and end, the processes that the tool has initialised, and
// what it says of itself, of their runtimes and of who reads them.
#include "ompd-bridge/exports/proxy.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

// OMPD's functions have no argument that would lead from one call to the next: this is the one
// mutable variable of the proxy.
static struct proxy proxy;

struct proxy *
proxy_get(void)
{
    return &proxy;
}

// 5.0, 5.1 and 5.2 have the same functions, types and meanings; later ones may not.
static bool
is_known_version(ompd_word_t version)
{
    return version == OMPD_API_VERSION || version == 202011 || version == 202111;
}

// Those that are used; a tool may leave the others out.
static bool
are_usable(const ompd_callbacks_t *calls)
{
    return calls && calls->alloc_memory && calls->free_memory && calls->sizeof_type &&
           calls->symbol_addr_lookup && calls->read_memory && calls->device_to_host;
}

// A second call gives new callbacks for what is there already.
EXPORT ompd_rc_t
ompd_initialize(ompd_word_t api_version, const ompd_callbacks_t *callbacks)
{
    if (!is_known_version(api_version))
        return ompd_rc_unsupported;
    if (!are_usable(callbacks))
        return ompd_rc_bad_input;
    proxy.calls = *callbacks;
    proxy.ready = true;
    return ompd_rc_ok;
}

struct proxy_text *
proxy_text_add(struct proxy_text **list, size_t size)
{
    struct proxy_text *text = ompd_host_alloc(sizeof(*text) + size);
    if (!text)
        return NULL;
    text->next = *list;
    *list = text;
    return text;
}

bool
proxy_text_remove(struct proxy_text **list, const void *bytes)
{
    while (*list && (*list)->bytes != bytes)
        list = &(*list)->next;
    struct proxy_text *text = *list;
    if (!text)
        return false;
    *list = text->next;
    ompd_host_free(text);
    return true;
}

static void
free_texts(struct proxy_text **list)
{
    while (*list)
        proxy_text_remove(list, (*list)->bytes);
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

// The code of OMPD for a status.
static ompd_rc_t
code_of(enum status status)
{
    switch (status) {
    case STATUS_ABSENT:
    case STATUS_UNUSED:
        return ompd_rc_unavailable;
    case STATUS_MISMATCH:
    case STATUS_UNSUPPORTED:
        return ompd_rc_incompatible;
    default:
        return rc_of(status);
    }
}

// The place in the list that holds this process; of NULL, the end.
static struct proxy_process **
link_of(const struct proxy_process *process)
{
    struct proxy_process **link = &proxy.processes;
    while (*link && *link != process)
        link = &(*link)->next;
    return link;
}

static void
destroy_process(struct proxy_process *process)
{
    *link_of(process) = process->next;
    handles_remove_process(&proxy.handles, process);
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
    RC_TRY(code_of(status));
    const bool can_read = active_reader_detect(&process->active);
    ompd_rc_t rc = code_of(active_reader_open(&process->active));
    if (rc != ompd_rc_unavailable)
        return rc;
    return can_read ? ompd_rc_ok : ompd_rc_incompatible;
}

static struct proxy_process *
create_process(ompd_address_space_context_t *context)
{
    struct proxy_process *process = ompd_host_alloc(sizeof(*process));
    if (!process)
        return NULL;
    memset(process, 0, sizeof(*process));
    process->host.context = context;
    process->number = ++proxy.last_number;
    active_reader_init(&process->active, &process->inf);
    *link_of(NULL) = process;
    return process;
}

// The tool learns the code only; the text is kept for those who ask for the version.
static void
refuse(struct proxy_process *process)
{
    const char *why = process->host.failure == ompd_rc_ok ? trail_text(&process->inf.trail) : "";
    snprintf(proxy.refusal, sizeof(proxy.refusal), "%s", why);
    text_make_harmless(proxy.refusal);
    destroy_process(process);
}

EXPORT ompd_rc_t
ompd_process_initialize(ompd_address_space_context_t *context, ompd_address_space_handle_t **ret)
{
    if (!proxy.ready)
        return ompd_rc_error;
    if (!context || !ret)
        return ompd_rc_bad_input;
    struct proxy_process *process = create_process(context);
    if (!process)
        return ompd_rc_nomem;
    ompd_rc_t rc = try_process(process);
    void *handle = NULL;
    if (rc == ompd_rc_ok && !(handle = handles_add(&proxy.handles, OMP_SPACE, process, NULL, NULL)))
        rc = ompd_rc_nomem;
    if (rc == ompd_rc_ok)
        *ret = handle;
    else
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
    RC_TRY(handles_find(&proxy.handles, process, OMP_SPACE, &handle));
    return device_context && id && ret ? ompd_rc_unsupported : ompd_rc_bad_input;
}

EXPORT ompd_rc_t
ompd_rel_address_space_handle(ompd_address_space_handle_t *space)
{
    struct handle *handle;
    RC_TRY(handles_find(&proxy.handles, space, OMP_SPACE, &handle));
    destroy_process(handle->process);
    return ompd_rc_ok;
}

// The runtime that was read has gone. All handles lead nowhere; there may be a new one.
static ompd_rc_t
reopen(struct proxy_process *process)
{
    handles_expire(&proxy.handles, process);
    active_reader_close(&process->active);
    return code_of(active_reader_open(&process->active));
}

// The process may have run since the last call. What cannot be read now may be readable next time.
static ompd_rc_t
refresh(struct proxy_process *process)
{
    inferior_refresh(&process->inf);
    if (!process->active.reader.backend)
        return code_of(active_reader_open(&process->active));
    enum status status = active_reader_refresh(&process->active);
    return status == STATUS_ABSENT || status == STATUS_UNUSED ? reopen(process) : code_of(status);
}

EXPORT ompd_rc_t
ompd_finalize(void)
{
    if (!proxy.ready)
        return ompd_rc_unsupported;
    while (proxy.processes)
        destroy_process(proxy.processes);
    handles_deinit(&proxy.handles);
    free_texts(&proxy.versions);
    free_texts(&proxy.vectors);
    memset(&proxy.calls, 0, sizeof(proxy.calls));
    proxy.refusal[0] = '\0';
    proxy.ready = false;
    return ompd_rc_ok;
}

// The oldest of the versions that are the same: every tool in use knows it, and those that compare
// the number with their own want it.
EXPORT ompd_rc_t
ompd_get_api_version(ompd_word_t *ret)
{
    if (!ret)
        return ompd_rc_bad_input;
    *ret = OMPD_API_VERSION;
    return ompd_rc_ok;
}

static ompd_rc_t
find_process(const void *opaque, const void *ret, struct proxy_process **ret_process)
{
    struct handle *handle;
    RC_TRY(handles_find(&proxy.handles, opaque, OMP_SPACE, &handle));
    *ret_process = handle->process;
    return ret ? ompd_rc_ok : ompd_rc_bad_input;
}

ompd_rc_t
proxy_enter(const void *opaque, enum omp_kind kind, const void *ret,
            const struct handle **ret_handle)
{
    struct handle *handle;
    RC_TRY(handles_find(&proxy.handles, opaque, kind, &handle));
    if (!ret)
        return ompd_rc_bad_input;
    if (!handle->reader)
        return ompd_rc_stale_handle;
    ompd_rc_t rc = refresh(handle->process);
    *ret_handle = handle;
    return handle->reader ? rc : ompd_rc_stale_handle;
}

ompd_rc_t
proxy_enter_space(const void *opaque, const void *ret, struct proxy_process **ret_process)
{
    RC_TRY(find_process(opaque, ret, ret_process));
    return refresh(*ret_process);
}

ompd_rc_t
proxy_find_space(const void *opaque, const void *ret, struct proxy_process **ret_process)
{
    RC_TRY(find_process(opaque, ret, ret_process));
    return (*ret_process)->active.reader.backend ? ompd_rc_ok : refresh(*ret_process);
}

static const char library[] =
    "mqs-ompd " PACKAGE_VERSION ": OMPD 5.0 to 5.2 for the OpenMP runtimes of LLVM, Intel and GNU";

// A text that is cut where its buffer ends.
struct growing {
    char text[4096];
    size_t length;
};

static void PRINTF(2, 3) grow(struct growing *growing, const char *format, ...)
{
    va_list args;
    size_t room = sizeof(growing->text) - growing->length;
    va_start(args, format);
    int length = vsnprintf(growing->text + growing->length, room, format, args);
    va_end(args);
    if (length > 0)
        growing->length += (size_t) length < room ? (size_t) length : room - 1;
}

static void
grow_runtime(struct growing *growing, const struct omp_info *info)
{
    grow(growing, "%s", info->runtime);
    if (info->release[0] != '\0')
        grow(growing, " %s", info->release);
    if (info->version != 0)
        grow(growing, ", OpenMP %" PRId64, info->version);
    grow(growing, ", read by %s", info->backend);
}

static enum status
ask_info(const struct reader *reader, struct omp_info *ret)
{
    return reader->backend->info(reader->state, ret);
}

static void
grow_process(struct growing *growing, const struct proxy_process *process)
{
    struct omp_info info;
    const struct diagnostics *diagnostics = &process->active.diagnostics;
    grow(growing, "; process %" PRIu64 ": ", process->number);
    if (!process->active.reader.backend)
        grow(growing, "OpenMP has not started");
    else if (ask_info(&process->active.reader, &info) == STATUS_OK)
        grow_runtime(growing, &info);
    else
        grow(growing, "cannot be read");
    for (unsigned i = 0; i < diagnostics->count; i++)
        grow(growing, "; %s", diagnostics->texts[i]);
}

// The tool may keep each text that it got until ompd_finalize().
static const char *
keep_version(const struct growing *growing)
{
    struct proxy_text **list = &proxy.versions;
    for (const struct proxy_text *text = *list; text; text = text->next)
        if (strcmp(text->bytes, growing->text) == 0)
            return text->bytes;
    struct proxy_text *text = proxy_text_add(list, growing->length + 1);
    if (!text)
        return library;
    memcpy(text->bytes, growing->text, growing->length + 1);
    return text->bytes;
}

EXPORT ompd_rc_t
ompd_get_version_string(const char **ret)
{
    struct growing growing = {.length = 0};
    if (!ret)
        return ompd_rc_bad_input;
    *ret = library;
    if (!proxy.ready)
        return ompd_rc_ok;
    grow(&growing, "%s", library);
    for (struct proxy_process *process = proxy.processes; process; process = process->next)
        grow_process(&growing, process);
    if (proxy.refusal[0] != '\0')
        grow(&growing, "; refused: %s", proxy.refusal);
    *ret = keep_version(&growing);
    return ompd_rc_ok;
}

static ompd_rc_t
ask_space(const void *space, const void *ret, struct omp_info *ret_info)
{
    struct proxy_process *process;
    RC_TRY(proxy_enter_space(space, ret, &process));
    return code_of(ask_info(&process->active.reader, ret_info));
}

EXPORT ompd_rc_t
ompd_get_omp_version(ompd_address_space_handle_t *space, ompd_word_t *ret)
{
    struct omp_info info;
    RC_TRY(ask_space(space, ret, &info));
    if (info.version == 0)
        return ompd_rc_unavailable;
    *ret = info.version;
    return ompd_rc_ok;
}

EXPORT ompd_rc_t
ompd_get_omp_version_string(ompd_address_space_handle_t *space, const char **ret)
{
    struct omp_info info;
    struct growing growing = {.length = 0};
    RC_TRY(ask_space(space, ret, &info));
    grow_runtime(&growing, &info);
    return proxy_copy(growing.text, ret);
}
