// SPDX-License-Identifier: BSD-3-Clause
// The callbacks of an OMPD tool, each of which can fail once, or from one call on.
#include "tests/omp/ompd_tool.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// What is allocated stands between these, and is full of garbage.
enum { FENCE = 16, FENCE_BYTE = 0xf3, FILL = 0x5a };

struct tool tool;

static bool
fails(enum tool_call call)
{
    const unsigned number = ++tool.calls[call], fail = tool.fail[call];
    return fail != 0 && (number == fail || (tool.fail_from_there && number > fail));
}

static ompd_rc_t
alloc_memory(ompd_size_t size, void **ptr)
{
    if (fails(TOOL_ALLOC))
        return ompd_rc_nomem;
    uint64_t *block = malloc(FENCE + size + FENCE);
    if (!block)
        return ompd_rc_nomem;
    uint8_t *bytes = (uint8_t *) block + FENCE;
    block[0] = size;
    block[1] = ~size;
    memset(bytes, FILL, size);
    memset(bytes + size, FENCE_BYTE, FENCE);
    tool.blocks++;
    *ptr = bytes;
    return ompd_rc_ok;
}

static ompd_rc_t
free_memory(void *ptr)
{
    uint64_t *block = (uint64_t *) (void *) ((uint8_t *) ptr - FENCE);
    const uint8_t *fence = (uint8_t *) ptr + block[0];
    if (block[1] != ~block[0]) {
        tool.torn = true;
        return ompd_rc_bad_input;
    }
    for (unsigned i = 0; i < FENCE; i++)
        if (fence[i] != FENCE_BYTE)
            tool.torn = true;
    block[1] = 0;
    tool.blocks--;
    free(block);
    return ompd_rc_ok;
}

void
tool_free(const void *memory)
{
    if (memory)
        free_memory((void *) memory);
}

static struct tool_context *
context_of(ompd_address_space_context_t *context)
{
    return (struct tool_context *) context;
}

static ompd_rc_t
sizeof_type(ompd_address_space_context_t *context, ompd_device_type_sizes_t *sizes)
{
    struct datamodel model;
    const struct target *target = &context_of(context)->target;
    if (fails(TOOL_SIZEOF) || !target->ops->data_model(target->host, &model))
        return ompd_rc_bad_input;
    *sizes = (ompd_device_type_sizes_t){1,
                                        model.short_size,
                                        model.int_size,
                                        model.long_size,
                                        model.long_long_size,
                                        model.pointer_size};
    return ompd_rc_ok;
}

static ompd_rc_t
symbol_addr_lookup(ompd_address_space_context_t *context, ompd_thread_context_t *thread,
                   const char *name, ompd_address_t *addr, const char *file_name)
{
    const struct tool_context *self = context_of(context);
    taddr found;
    (void) file_name;
    if (fails(TOOL_SYMBOL) || thread)
        return ompd_rc_error;
    addr->segment = 0;
    if (!self->target.ops->find_symbol(self->target.host, name, &found)) {
        addr->address = UINT64_MAX;
        size_t length = strlen(tool.absent);
        snprintf(tool.absent + length, sizeof(tool.absent) - length, " %s", name);
        return self->vague ? ompd_rc_ok : ompd_rc_error;
    }
    addr->address = found;
    return ompd_rc_ok;
}

static ompd_rc_t
read_memory(ompd_address_space_context_t *context, ompd_thread_context_t *thread,
            const ompd_address_t *addr, ompd_size_t size, void *buffer)
{
    const struct target *target = &context_of(context)->target;
    if (fails(TOOL_READ) || thread || !target->ops->read(target->host, addr->address, size, buffer))
        return ompd_rc_error;
    return ompd_rc_ok;
}

static bool
is_foreign_order(const struct target *target)
{
    struct datamodel model;
    const uint16_t probe = 1;
    return target->ops->data_model(target->host, &model) &&
           model.big_endian != (*(const uint8_t *) &probe == 0);
}

static ompd_rc_t
device_to_host(ompd_address_space_context_t *context, const void *input, ompd_size_t unit_size,
               ompd_size_t count, void *output)
{
    const uint8_t *from = input;
    uint8_t *to = output;
    bool swap = is_foreign_order(&context_of(context)->target);
    if (fails(TOOL_CONVERT))
        return ompd_rc_error;
    for (ompd_size_t i = 0; i < unit_size * count; i++) {
        ompd_size_t in_unit = i % unit_size;
        to[i] = from[swap ? i - in_unit + unit_size - 1 - in_unit : i];
    }
    return ompd_rc_ok;
}

const ompd_callbacks_t tool_callbacks = {
    .alloc_memory = alloc_memory,
    .free_memory = free_memory,
    .sizeof_type = sizeof_type,
    .symbol_addr_lookup = symbol_addr_lookup,
    .read_memory = read_memory,
    .device_to_host = device_to_host,
};

void
tool_reset(void)
{
    memset(tool.calls, 0, sizeof(tool.calls));
    memset(tool.fail, 0, sizeof(tool.fail));
    tool.fail_from_there = false;
}

bool
tool_load(void *library, struct ompd_functions *ret)
{
#define FUNCTION(name, ...)                                         \
    *(void **) (void *) &ret->name = dlsym(library, "ompd_" #name); \
    if (!ret->name)                                                 \
        return false;
#include "ompd-bridge/ompd_functions.def"
#undef FUNCTION
    return true;
}
