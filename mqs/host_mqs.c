// SPDX-License-Identifier: BSD-3-Clause
// The debugger's mqs callbacks as a target. Callbacks that a debugger leaves out have no answer.
#include "mqs/host_mqs.h"

#include <limits.h>
#include <string.h>

static const mqs_basic_callbacks *basic_calls;

void
host_set_basic(const mqs_basic_callbacks *basic)
{
    basic_calls = basic;
}

const mqs_basic_callbacks *
host_basic(void)
{
    const mqs_basic_callbacks *basic = basic_calls;

    return basic != NULL && basic->mqs_malloc_fp != NULL && basic->mqs_free_fp != NULL &&
                   basic->mqs_put_image_info_fp != NULL && basic->mqs_get_image_info_fp != NULL &&
                   basic->mqs_put_process_info_fp != NULL && basic->mqs_get_process_info_fp != NULL
               ? basic
               : NULL;
}

void
host_print(const char *text)
{
    if (basic_calls != NULL && basic_calls->mqs_dprints_fp != NULL)
        basic_calls->mqs_dprints_fp(text);
}

static void *
host_alloc(size_t size)
{
    return basic_calls->mqs_malloc_fp(size);
}

static void
host_free(void *memory)
{
    if (memory != NULL)
        basic_calls->mqs_free_fp(memory);
}

static bool
host_read(void *host, taddr addr, size_t size, void *ret)
{
    const struct mqs_host *self = host;

    return self->process != NULL && self->process_calls->mqs_fetch_data_fp != NULL &&
           size <= INT_MAX &&
           self->process_calls->mqs_fetch_data_fp(self->process, (mqs_taddr_t) addr, (int) size,
                                                  ret) == mqs_ok;
}

static bool
host_find_symbol(void *host, const char *name, taddr *ret)
{
    const struct mqs_host *self = host;
    mqs_taddr_t addr = 0;

    if (self->image_calls->mqs_find_symbol_fp == NULL ||
        self->image_calls->mqs_find_symbol_fp(self->image, (char *) name, &addr) != mqs_ok)
        return false;
    *ret = addr;
    return true;
}

static bool
host_find_function(void *host, const char *name, taddr *ret)
{
    const struct mqs_host *self = host;
    mqs_taddr_t addr = 0;

    if (self->image_calls->mqs_find_function_fp == NULL ||
        self->image_calls->mqs_find_function_fp(self->image, (char *) name, mqs_lang_c, &addr) !=
            mqs_ok)
        return false;
    *ret = addr;
    return true;
}

static const struct target_type *
host_find_type(void *host, const char *name)
{
    const struct mqs_host *self = host;

    if (self->image_calls->mqs_find_type_fp == NULL)
        return NULL;
    return (const struct target_type *) self->image_calls->mqs_find_type_fp(
        self->image, (char *) name, mqs_lang_c);
}

static int64_t
host_type_size(void *host, const struct target_type *type)
{
    const struct mqs_host *self = host;

    return self->image_calls->mqs_sizeof_fp == NULL
               ? -1
               : self->image_calls->mqs_sizeof_fp((mqs_type *) type);
}

static int64_t
host_field_offset(void *host, const struct target_type *type, const char *field)
{
    const struct mqs_host *self = host;

    return self->image_calls->mqs_field_offset_fp == NULL
               ? -1
               : self->image_calls->mqs_field_offset_fp((mqs_type *) type, (char *) field);
}

// Debuggers built with Open MPI's header write seven sizes, others five; nobody writes more than
// the room there is here.
union type_sizes {
    mqs_target_type_sizes sizes;
    int words[32];
};

enum { WORD_BOOL = 5, WORD_SIZE_T = 6 };

static uint8_t
narrow(int size)
{
    return size > 0 && size <= UINT8_MAX ? (uint8_t) size : 0;
}

// The debugger converts to its own byte order, which is ours: what it makes of a one tells the
// target's.
static bool
is_big_endian(const struct mqs_host *host)
{
    const uint8_t one[4] = {1, 0, 0, 0};
    uint32_t converted = 0;
    uint32_t here;

    memcpy(&here, one, sizeof(here));
    if (host->process_calls->mqs_target_to_host_fp == NULL)
        return here != 1;
    host->process_calls->mqs_target_to_host_fp(host->process, one, &converted, sizeof(converted));
    return converted != 1;
}

static bool
host_data_model(void *host, struct datamodel *ret)
{
    const struct mqs_host *self = host;
    union type_sizes all;

    if (self->process == NULL || self->image_calls->mqs_get_type_sizes_fp == NULL)
        return false;
    memset(&all, 0, sizeof(all));
    self->image_calls->mqs_get_type_sizes_fp(self->process, &all.sizes);
    const int bool_size = all.words[WORD_BOOL], size_t_size = all.words[WORD_SIZE_T];
    const struct datamodel model = {
        .big_endian = is_big_endian(self),
        .short_size = narrow(all.sizes.short_size),
        .int_size = narrow(all.sizes.int_size),
        .long_size = narrow(all.sizes.long_size),
        .long_long_size = narrow(all.sizes.long_long_size),
        .pointer_size = narrow(all.sizes.pointer_size),
        .bool_size = bool_size == 4 ? 4 : 1,
        .size_t_size =
            narrow(size_t_size == 4 || size_t_size == 8 ? size_t_size : all.sizes.pointer_size),
    };
    *ret = model;
    return true;
}

static const struct target_ops host_ops = {
    .read = host_read,
    .find_symbol = host_find_symbol,
    .find_function = host_find_function,
    .find_type = host_find_type,
    .type_size = host_type_size,
    .field_offset = host_field_offset,
    .data_model = host_data_model,
    .alloc = host_alloc,
    .free = host_free,
};

struct target
host_target(struct mqs_host *host)
{
    return (struct target){&host_ops, host};
}
