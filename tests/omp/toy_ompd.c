// SPDX-License-Identifier: BSD-3-Clause
// The OMPD library of toy_runtime: it knows threads and two control variables, which say in which
// process it runs. As the runtime wants, it crashes or does not come back.
#include "ompd-bridge/ompd.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))

enum { ANSWER, CRASH, HANG };

#define FUNCTION(name, ...) EXPORT ompd_rc_t ompd_##name(__VA_ARGS__);
#include "ompd-bridge/ompd_functions.def"
#undef FUNCTION

struct ompd_address_space_handle {
    ompd_address_space_context_t *context;
};

struct ompd_thread_handle {
    uint64_t pthread;
};

static const ompd_callbacks_t *calls;

EXPORT ompd_rc_t
ompd_initialize(ompd_word_t version, const ompd_callbacks_t *callbacks)
{
    calls = callbacks;
    return version == OMPD_API_VERSION ? ompd_rc_ok : ompd_rc_unsupported;
}

EXPORT ompd_rc_t
ompd_get_api_version(ompd_word_t *ret)
{
    *ret = OMPD_API_VERSION;
    return ompd_rc_ok;
}

static void
behave(uint32_t mode)
{
    if (mode == CRASH)
        abort();
    while (mode == HANG)
        pause();
}

EXPORT ompd_rc_t
ompd_process_initialize(ompd_address_space_context_t *context, ompd_address_space_handle_t **ret)
{
    ompd_address_t addr = {0, 0};
    uint32_t mode = CRASH;
    void *memory;
    if (calls->symbol_addr_lookup(context, NULL, "toy_mode", &addr, NULL) != ompd_rc_ok ||
        calls->read_memory(context, NULL, &addr, sizeof(mode), &mode) != ompd_rc_ok ||
        calls->alloc_memory(sizeof(**ret), &memory) != ompd_rc_ok)
        return ompd_rc_error;
    behave(mode);
    *ret = memory;
    (*ret)->context = context;
    return ompd_rc_ok;
}

EXPORT ompd_rc_t
ompd_rel_address_space_handle(ompd_address_space_handle_t *space)
{
    return calls->free_memory(space);
}

EXPORT ompd_rc_t
ompd_get_thread_handle(ompd_address_space_handle_t *space, ompd_thread_id_t kind, ompd_size_t size,
                       const void *id, ompd_thread_handle_t **ret)
{
    ompd_thread_context_t *thread;
    void *memory;
    if (calls->get_thread_context_for_thread_id(space->context, kind, size, id, &thread) !=
            ompd_rc_ok ||
        calls->alloc_memory(sizeof(**ret), &memory) != ompd_rc_ok)
        return ompd_rc_unavailable;
    *ret = memory;
    (*ret)->pthread = *(const uint64_t *) id;
    return ompd_rc_ok;
}

EXPORT ompd_rc_t
ompd_rel_thread_handle(ompd_thread_handle_t *thread)
{
    return calls->free_memory(thread);
}

EXPORT ompd_rc_t
ompd_thread_handle_compare(ompd_thread_handle_t *a, ompd_thread_handle_t *b, int *ret)
{
    *ret = (a->pthread > b->pthread) - (a->pthread < b->pthread);
    return ompd_rc_ok;
}

EXPORT ompd_rc_t
ompd_get_thread_id(ompd_thread_handle_t *thread, ompd_thread_id_t kind, ompd_size_t size, void *ret)
{
    if (kind != OMPD_THREAD_ID_PTHREAD || size != sizeof(uint64_t))
        return ompd_rc_unsupported;
    *(uint64_t *) ret = thread->pthread;
    return ompd_rc_ok;
}

EXPORT ompd_rc_t
ompd_get_curr_parallel_handle(ompd_thread_handle_t *thread, ompd_parallel_handle_t **ret)
{
    (void) thread;
    (void) ret;
    return ompd_rc_unavailable;
}

EXPORT ompd_rc_t
ompd_enumerate_icvs(ompd_address_space_handle_t *space, ompd_icv_id_t current, ompd_icv_id_t *next,
                    const char **name, ompd_scope_t *scope, int *more)
{
    static const char *const names[] = {"toy-process-var", "toy-parent-var"};
    void *memory;
    (void) space;
    if (current > 1 || calls->alloc_memory(32, &memory) != ompd_rc_ok)
        return ompd_rc_bad_input;
    snprintf(memory, 32, "%s", names[current]);
    *next = current + 1;
    *name = memory;
    *scope = ompd_scope_address_space;
    *more = current == 0;
    return ompd_rc_ok;
}

EXPORT ompd_rc_t
ompd_get_icv_from_scope(void *handle, ompd_scope_t scope, ompd_icv_id_t id, ompd_word_t *ret)
{
    (void) handle;
    (void) scope;
    *ret = id == 1 ? getpid() : getppid();
    return ompd_rc_ok;
}
