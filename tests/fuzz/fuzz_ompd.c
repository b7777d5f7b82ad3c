// SPDX-License-Identifier: BSD-3-Clause
// An input is what a tool asks the OMPD library, in any order and of any handle, and where its
// callbacks fail or lie.
#include "ompd-bridge/exports/proxy.h"
#include "tests/fuzz/harness.h"
#include "tests/omp/fake_kmp.h"
#include "tests/omp/ompd_tool.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HANDLES = 24, LIE = 0xe0, STEPS_MAX = 64 };

/** What is left of the input. */
static const uint8_t *input;
static size_t left;

static uint8_t
take(void)
{
    if (left == 0)
        return 0;
    left--;
    return *input++;
}

/** What a callback does now: LIE or more is no honest answer. */
static uint8_t
mood(void)
{
    return left > 0 && *input >= LIE ? take() : 0;
}

static ompd_rc_t
lying_alloc(ompd_size_t size, void **ptr)
{
    return mood() != 0 ? ompd_rc_nomem : tool_callbacks.alloc_memory(size, ptr);
}

static ompd_rc_t
lying_sizeof(ompd_address_space_context_t *context, ompd_device_type_sizes_t *sizes)
{
    uint8_t lie = mood();
    if (lie % 2 != 0)
        return (ompd_rc_t) (lie % 16);
    ompd_rc_t rc = tool_callbacks.sizeof_type(context, sizes);
    if (lie != 0)
        ((uint8_t *) sizes)[take() % sizeof *sizes] = take();
    return rc;
}

static ompd_rc_t
lying_symbol(ompd_address_space_context_t *context, ompd_thread_context_t *thread, const char *name,
             ompd_address_t *addr, const char *file_name)
{
    uint8_t lie = mood();
    if (lie % 2 != 0)
        return (ompd_rc_t) (lie % 16);
    ompd_rc_t rc = tool_callbacks.symbol_addr_lookup(context, thread, name, addr, file_name);
    if (lie != 0)
        addr->address = (uint64_t) take() << take() % 64;
    return rc;
}

static ompd_rc_t
lying_read(ompd_address_space_context_t *context, ompd_thread_context_t *thread,
           const ompd_address_t *addr, ompd_size_t size, void *buffer)
{
    uint8_t lie = mood(), *bytes = buffer;
    if (lie % 2 != 0)
        return (ompd_rc_t) (lie % 16);
    memset(buffer, lie, size);
    ompd_rc_t rc = tool_callbacks.read_memory(context, thread, addr, size, buffer);
    for (int i = 0; i < 4 && lie != 0 && size > 0; i++)
        bytes[take() % size] = take();
    return lie != 0 ? ompd_rc_ok : rc;
}

static ompd_rc_t
lying_conversion(ompd_address_space_context_t *context, const void *in, ompd_size_t unit_size,
                 ompd_size_t count, void *out)
{
    uint8_t lie = mood();
    if (lie % 2 != 0)
        return (ompd_rc_t) (lie % 16);
    ompd_rc_t rc = tool_callbacks.device_to_host(context, in, unit_size, count, out);
    if (lie != 0 && unit_size * count > 0)
        ((uint8_t *) out)[take() % (unit_size * count)] = take();
    return rc;
}

static const ompd_callbacks_t callbacks = {
    .alloc_memory = lying_alloc,
    .sizeof_type = lying_sizeof,
    .symbol_addr_lookup = lying_symbol,
    .read_memory = lying_read,
    .device_to_host = lying_conversion,
};

/** Handles that were given, released ones too, and what is none. */
static void *handles[HANDLES];

static void *
any_handle(void)
{
    return handles[take() % HANDLES];
}

static void
keep(ompd_rc_t rc, void *handle)
{
    if (rc == ompd_rc_ok)
        handles[take() % HANDLES] = handle;
}

/** A text that is the tool's now. */
static void
drop(ompd_rc_t rc, const char *text)
{
    if (rc == ompd_rc_ok && text != NULL && strlen(text) < SIZE_MAX)
        tool_free(text);
}

static void
ask_space(uint8_t question)
{
    ompd_address_space_handle_t *space = any_handle();
    ompd_word_t word = take(), more;
    ompd_icv_id_t icv = take(), next;
    ompd_scope_t scope;
    const char *text = NULL;
    const char *const *texts = NULL;
    int last;
    switch (question % 6) {
    case 0:
        ompd_get_omp_version(space, &word);
        return;
    case 1:
        drop(ompd_get_omp_version_string(space, &text), text);
        return;
    case 2:
        drop(ompd_enumerate_states(space, word, &word, &text, &more), text);
        return;
    case 3:
        if (ompd_get_display_control_vars(space, &texts) == ompd_rc_ok && icv % 2 == 0)
            ompd_rel_display_control_vars(&texts);
        return;
    case 4:
        drop(ompd_enumerate_icvs(space, icv, &next, &text, &scope, &last), text);
        return;
    default:
        ompd_get_version_string(&text);
    }
}

static void
ask_value(uint8_t question)
{
    void *handle = any_handle();
    ompd_scope_t scope = (ompd_scope_t) (take() % 8);
    ompd_icv_id_t icv = take();
    ompd_word_t word;
    ompd_address_t addr;
    ompd_frame_info_t enter, leave;
    ompd_wait_id_t wait;
    const char *text = NULL;
    switch (question % 6) {
    case 0:
        ompd_get_icv_from_scope(handle, scope, icv, &word);
        return;
    case 1:
        drop(ompd_get_icv_string_from_scope(handle, scope, icv, &text), text);
        return;
    case 2:
        ompd_get_tool_data(handle, scope, &word, &addr);
        return;
    case 3:
        ompd_get_task_function(handle, &addr);
        return;
    case 4:
        ompd_get_task_frame(handle, &enter, &leave);
        return;
    default:
        ompd_get_state(handle, &word, &wait);
    }
}

/** From a handle to another one. */
static void
step(uint8_t question)
{
    void *from = any_handle(), *to = NULL;
    int number = (int8_t) take();
    uint64_t id = 1000 + (uint64_t) number;
    switch (question % 9) {
    case 0:
        keep(ompd_get_thread_handle(from, take() % 3, take() % 4 == 0 ? take() : sizeof id, &id,
                                    (void *) &to),
             to);
        return;
    case 1:
        keep(ompd_get_thread_in_parallel(from, number, (void *) &to), to);
        return;
    case 2:
        keep(ompd_get_curr_parallel_handle(from, (void *) &to), to);
        return;
    case 3:
        keep(ompd_get_enclosing_parallel_handle(from, (void *) &to), to);
        return;
    case 4:
        keep(ompd_get_task_parallel_handle(from, (void *) &to), to);
        return;
    case 5:
        keep(ompd_get_curr_task_handle(from, (void *) &to), to);
        return;
    case 6:
        keep(ompd_get_generating_task_handle(from, (void *) &to), to);
        return;
    case 7:
        keep(ompd_get_scheduling_task_handle(from, (void *) &to), to);
        return;
    default:
        keep(ompd_get_task_in_parallel(from, number, (void *) &to), to);
    }
}

static void
release_or_compare(uint8_t question)
{
    void *one = any_handle(), *other = any_handle();
    uint64_t id[2];
    int order;
    switch (question % 7) {
    case 0:
        ompd_rel_thread_handle(one);
        return;
    case 1:
        ompd_rel_parallel_handle(one);
        return;
    case 2:
        ompd_rel_task_handle(one);
        return;
    case 3:
        ompd_thread_handle_compare(one, other, &order);
        return;
    case 4:
        ompd_parallel_handle_compare(one, other, &order);
        return;
    case 5:
        ompd_task_handle_compare(one, other, &order);
        return;
    default:
        ompd_get_thread_id(one, take() % 3, take() % 3 * sizeof *id, id);
    }
}

static void
open_or_close(struct tool_context *context, uint8_t question)
{
    void *space = NULL;
    if (question % 4 == 0)
        ompd_rel_address_space_handle(any_handle());
    else
        keep(ompd_process_initialize((ompd_address_space_context_t *) context, (void *) &space),
             space);
}

/** Pointers to each handle's kind, in the order of OMPD. */
static void
ask(struct tool_context *context)
{
    static void (*const groups[])(uint8_t question) = {ask_space, ask_value, step, step,
                                                       release_or_compare};
    enum { GROUPS = sizeof groups / sizeof *groups };
    uint8_t question = take();
    if (question % 16 == 0)
        open_or_close(context, question / 16);
    else
        groups[question / 16 % GROUPS](take());
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct datamodel models[] = {{false, 2, 4, 8, 8, 8, 1, 8},
                                              {true, 2, 4, 4, 8, 4, 1, 4}};
    static struct fake_kmp fake;
    ompd_callbacks_t calls = callbacks;
    input = data;
    left = size;
    setenv("MQS_OMPD_UNKNOWN_RUNTIME", "1", 1);
    fake_kmp_init(&fake, &models[take() % 2], (enum fake_order)(take() % FAKE_ORDERS), FAKE_TABLE);
    struct tool_context context = {.target = fake_kmp_target(&fake), .vague = take() % 2 == 0};
    calls.free_memory = tool_callbacks.free_memory;
    memset(handles, 0, sizeof handles);
    tool_reset();
    if (ompd_initialize(OMPD_API_VERSION, &calls) != ompd_rc_ok)
        abort();
    open_or_close(&context, 1);
    for (unsigned i = 0; i < STEPS_MAX && left > 0; i++)
        ask(&context);
    ompd_finalize();
    if (tool.torn || tool.blocks != 0) {
        fprintf(stderr, "%d blocks are left\n", tool.blocks);
        abort();
    }
    return 0;
}
