// SPDX-License-Identifier: BSD-3-Clause
// Says what this library is, which runtime a process has, and who reads it.
#include "ompd-bridge/exports/proxy.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const char library[] =
    "mqs-ompd " PACKAGE_VERSION ": OMPD 5.0 to 5.2 for the OpenMP runtimes of LLVM and GNU";

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
    struct proxy_text **list = &proxy_get()->versions;
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
    if (!proxy_get()->ready)
        return ompd_rc_ok;
    grow(&growing, "%s", library);
    for (struct proxy_process *process = proxy_get()->processes; process; process = process->next)
        grow_process(&growing, process);
    if (proxy_get()->refusal[0] != '\0')
        grow(&growing, "; refused: %s", proxy_get()->refusal);
    *ret = keep_version(&growing);
    return ompd_rc_ok;
}

static ompd_rc_t
ask_space(const void *space, const void *ret, struct omp_info *ret_info)
{
    struct proxy_process *process;
    const struct reader *reader;
    RC_TRY(proxy_enter_space(space, ret, &process, &reader));
    return proxy_code(ask_info(reader, ret_info));
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
