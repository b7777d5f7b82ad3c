// SPDX-License-Identifier: BSD-3-Clause
// Starts and ends the exported OMPD library.
#include "ompd-bridge/exports/proxy.h"

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

EXPORT ompd_rc_t
ompd_finalize(void)
{
    if (!proxy.ready)
        return ompd_rc_unsupported;
    while (proxy.processes)
        proxy_process_destroy(proxy.processes);
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
