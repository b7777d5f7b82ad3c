// SPDX-License-Identifier: BSD-3-Clause
// Plays the debugger: serves the mqs callbacks from scripts, counts them, and lets one of them
// fail.
#include "tests/script/host.h"

#include "tests/script/heap.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { HOST_BIG_ENDIAN = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ };

const char *const ask_names[ASKS] = {"read",  "allocation", "symbol",  "type",
                                     "field", "size",       "function"};

static struct fault fault;
static size_t counts[ASKS];
static size_t bytes;
static struct memory *watched;
static size_t violations;
static char first_violation[256];

void
host_fault(struct fault which)
{
    fault = which;
    memset(counts, 0, sizeof(counts));
    bytes = 0;
}

size_t
host_count(enum ask kind)
{
    return counts[kind];
}

size_t
host_bytes(void)
{
    return bytes;
}

void
host_watch(struct memory *ret)
{
    watched = ret;
}

void
host_violation(const char *format, ...)
{
    va_list args;

    if (violations++ > 0)
        return;
    va_start(args, format);
    vsnprintf(first_violation, sizeof(first_violation), format, args);
    va_end(args);
}

size_t
host_violations(void)
{
    return violations;
}

const char *
host_first_violation(void)
{
    return first_violation;
}

void
host_forgive(void)
{
    violations = 0;
    first_violation[0] = '\0';
}

// Counts a call. @return whether it fails
static bool
fails(enum ask kind)
{
    size_t number = ++counts[kind];
    return fault.first && fault.kind == kind && number >= fault.first &&
           number - fault.first < fault.count;
}

static void *
host_malloc(size_t size)
{
    return fails(ASK_ALLOCATION) ? NULL : heap_alloc(size);
}

static void
host_dprints(const char *text)
{
    if (!text || !*text)
        host_violation("told the debugger nothing");
}

static char *
host_errorstring(int code)
{
    static char text[32];

    snprintf(text, sizeof(text), "debugger error %d", code);
    return text;
}

static void
host_put_image_info(mqs_image *image, mqs_image_info *info)
{
    image->info = info;
}

static mqs_image_info *
host_get_image_info(mqs_image *image)
{
    return image->info;
}

static void
host_put_process_info(mqs_process *process, mqs_process_info *info)
{
    process->info = info;
}

static mqs_process_info *
host_get_process_info(mqs_process *process)
{
    return process->info;
}

// Writes seven sizes, as debuggers do that were built with Open MPI's header, unless the script has
// less.
static void
host_get_type_sizes(mqs_process *process, mqs_target_type_sizes *sizes)
{
    const struct script *script = process->script;
    memcpy(sizes, script->told_sizes, script->n_told_sizes * sizeof(int));
}

static int
find_name(mqs_image *image, enum name_kind kind, const char *name, mqs_taddr_t *ret)
{
    const struct name *found = script_name(image->script, kind, name);
    if (!found)
        return mqs_no_information;
    if (ret)
        *ret = found->value;
    return mqs_ok;
}

static int
host_find_function(mqs_image *image, char *name, mqs_lang_code lang, mqs_taddr_t *ret)
{
    if (lang != mqs_lang_c)
        host_violation("asked for a function of language %d", (int) lang);
    return fails(ASK_FUNCTION) ? mqs_no_information : find_name(image, NAME_FUNCTION, name, ret);
}

static int
host_find_symbol(mqs_image *image, char *name, mqs_taddr_t *ret)
{
    return fails(ASK_SYMBOL) ? mqs_no_information : find_name(image, NAME_SYMBOL, name, ret);
}

// A type is a record of the script.
static mqs_type *
host_find_type(mqs_image *image, char *name, mqs_lang_code lang)
{
    if (lang != mqs_lang_c)
        host_violation("asked for a type of language %d", (int) lang);
    if (fails(ASK_TYPE))
        return NULL;
    struct record *record = types_find(&image->script->types, name);
    return record && record->told ? (mqs_type *) record : NULL;
}

static int
host_field_offset(mqs_type *type, char *name)
{
    const struct record *record = (const struct record *) type;
    if (fails(ASK_FIELD))
        return -1;
    const struct member *member = record_find(record, name);
    return member ? (int) member->told_offset : -1;
}

static int
host_sizeof(mqs_type *type)
{
    const struct record *record = (const struct record *) type;
    return fails(ASK_SIZE) ? -1 : (int) record->told_size;
}

static int
host_get_global_rank(mqs_process *process)
{
    return process->script->rank;
}

static mqs_image *
host_get_image(mqs_process *process)
{
    return process->image;
}

static int
host_fetch_data(mqs_process *process, mqs_taddr_t addr, int size, void *ret)
{
    if (size <= 0)
        host_violation("read %d bytes", size);
    bool is_hidden = watched && size > 0 && (size_t) size % MEMORY_PAGE == 0;
    if (fails(ASK_READ) || size <= 0 || is_hidden ||
        !memory_read(&process->script->memory, addr, (size_t) size, ret))
        return mqs_first_user_code + 7;
    if (watched)
        memory_write(watched, addr, ret, (size_t) size);
    bytes += (size_t) size;
    return mqs_ok;
}

static void
host_target_to_host(mqs_process *process, const void *in, void *out, int size)
{
    const uint8_t *from = in;
    uint8_t copy[16];

    if (size < 0 || (size_t) size > sizeof(copy)) {
        host_violation("converted %d bytes", size);
        return;
    }
    bool swap = process->script->model->big_endian != (bool) HOST_BIG_ENDIAN;
    for (int i = 0; i < size; i++)
        copy[i] = from[swap ? size - 1 - i : i];
    memcpy(out, copy, (size_t) size);
}

// Where each callback's pointer is, for the ones that a debugger may leave out.
static const size_t callback_offsets[CALLBACKS] = {
    [CALLBACK_DPRINTS] = offsetof(struct fake, basic.mqs_dprints_fp),
    [CALLBACK_ERRORSTRING] = offsetof(struct fake, basic.mqs_errorstring_fp),
    [CALLBACK_SIZEOF] = offsetof(struct fake, image_callbacks.mqs_sizeof_fp),
    [CALLBACK_FIELD_OFFSET] = offsetof(struct fake, image_callbacks.mqs_field_offset_fp),
    [CALLBACK_FIND_TYPE] = offsetof(struct fake, image_callbacks.mqs_find_type_fp),
    [CALLBACK_FIND_FUNCTION] = offsetof(struct fake, image_callbacks.mqs_find_function_fp),
    [CALLBACK_GET_TYPE_SIZES] = offsetof(struct fake, image_callbacks.mqs_get_type_sizes_fp),
    [CALLBACK_GET_GLOBAL_RANK] = offsetof(struct fake, process_callbacks.mqs_get_global_rank_fp),
    [CALLBACK_GET_IMAGE] = offsetof(struct fake, process_callbacks.mqs_get_image_fp),
    [CALLBACK_TARGET_TO_HOST] = offsetof(struct fake, process_callbacks.mqs_target_to_host_fp),
};

static void
leave_out(struct fake *fake, unsigned without)
{
    void (*none)(void) = NULL;

    for (size_t i = 0; i < CALLBACKS; i++) {
        if (without & 1U << i)
            memcpy((char *) fake + callback_offsets[i], &none, sizeof(none));
    }
}

void
fake_init(struct fake *fake, struct script *script)
{
    *fake = (struct fake){
        .image.script = script,
        .process.script = script,
        .basic = {host_malloc, heap_free, host_dprints, host_errorstring, host_put_image_info,
                  host_get_image_info, host_put_process_info, host_get_process_info},
        .image_callbacks = {host_get_type_sizes, host_find_function, host_find_symbol,
                            host_find_type, host_field_offset, host_sizeof},
        .process_callbacks = {host_get_global_rank, host_get_image, host_fetch_data,
                              host_target_to_host},
    };
    fake->process.image = &fake->image;
    leave_out(fake, script->without);
}
