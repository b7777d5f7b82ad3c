// SPDX-License-Identifier: BSD-3-Clause
// The debugger's side of MQD: the callbacks over images, processes and types.
#include "mqshow/mqd/host.h"

#include "mqshow/base/alloc.h"
#include "mqshow/mqd/dll.h"
#include "mqshow/base/escape.h"
#include "mqshow/process/memory.h"
#include "mqshow/mqd/recording.h"
#include "mqshow/mqd/stats.h"

#include <limits.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>

enum { PRINTED_MAX = 1000 };

/** What the library has printed and nobody has taken yet. */
static struct {
    char **items;
    size_t count, capacity;
} printed;

bool
host_wants_wide_sizes(const struct dll *dll, const struct image *image)
{
    uint64_t addr;
    if (dll->narrow_type_sizes || dll->wide_type_sizes)
        return !dll->narrow_type_sizes;
    return image_symbol(image, "ompi_mpi_comm_world", SYMBOL_VARIABLE, &addr);
}

void
host_free_types(struct mqs_image_ *image)
{
    while (image->types != NULL) {
        struct mqs_type_ *type = image->types;
        image->types = type->next;
        free(type->name);
        free(type);
    }
}

static void *
host_malloc(size_t size)
{
    void *memory = malloc(size);
    host_stats.allocations++;
    host_stats.held += malloc_usable_size(memory);
    if (host_stats.held > host_stats.peak)
        host_stats.peak = host_stats.held;
    return memory;
}

static void
host_free(void *memory)
{
    host_stats.held -= malloc_usable_size(memory);
    free(memory);
}

static void
host_dprints(const char *text)
{
    if (text == NULL || printed.count == PRINTED_MAX)
        return;
    *ALLOC_ADD(printed.items, printed.count, printed.capacity) = escape_text(text, SIZE_MAX);
}

void
host_take_printed(void (*take)(void *context, char *text), void *context)
{
    for (size_t i = 0; i < printed.count; i++)
        take(context, printed.items[i]);
    printed.count = 0;
}

static char *
host_errorstring(int code)
{
    static const char *const texts[] = {"success", "no information", "end of the list"};
    bool known = code >= 0 && (size_t) code < sizeof texts / sizeof *texts;
    return (char *) (known ? texts[code] : "unknown error of the debugger");
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

const mqs_basic_callbacks host_basic = {
    .mqs_malloc_fp = host_malloc,
    .mqs_free_fp = host_free,
    .mqs_dprints_fp = host_dprints,
    .mqs_errorstring_fp = host_errorstring,
    .mqs_put_image_info_fp = host_put_image_info,
    .mqs_get_image_info_fp = host_get_image_info,
    .mqs_put_process_info_fp = host_put_process_info,
    .mqs_get_process_info_fp = host_get_process_info,
};

static void
host_get_type_sizes(mqs_process *process, mqs_target_type_sizes *ret)
{
    int word = process->image.image.debuggee.pointer_size;
    // In the order of the two headers: the last two are in the longer one only.
    const int sizes[] = {2, 4, word, 8, word, 1, word};
    memcpy(ret, sizes, process->wide_sizes ? sizeof sizes : sizeof *ret);
}

static int
find_symbol(mqs_image *image, const char *name, enum symbol_kind kind, mqs_taddr_t *ret)
{
    uint64_t addr = 0;
    host_stats.symbols++;
    bool found = name != NULL && image_symbol(&image->image, name, kind, &addr);
    // A function has an address too, for a library that asks for any symbol.
    if (!found && name != NULL && kind == SYMBOL_VARIABLE)
        found = image_symbol(&image->image, name, SYMBOL_FUNCTION, &addr);
    recording_symbol(image->recording, name, kind, found, addr);
    if (found && ret != NULL)
        *ret = addr;
    return found ? mqs_ok : mqs_no_information;
}

static int
host_find_function(mqs_image *image, char *name, mqs_lang_code lang, mqs_taddr_t *ret)
{
    (void) lang;
    return find_symbol(image, name, SYMBOL_FUNCTION, ret);
}

static int
host_find_symbol(mqs_image *image, char *name, mqs_taddr_t *ret)
{
    return find_symbol(image, name, SYMBOL_VARIABLE, ret);
}

static mqs_type *
host_find_type(mqs_image *image, char *name, mqs_lang_code lang)
{
    struct type_entry entry;
    (void) lang;
    host_stats.types++;
    if (name == NULL || !image_type(&image->image, name, &entry)) {
        recording_type(image->recording, name, false, 0);
        return NULL;
    }
    struct mqs_type_ *type = alloc_zeroed(1, sizeof *type);
    *type = (struct mqs_type_){image->types, image, entry, alloc_text(name)};
    image->types = type;
    recording_type(image->recording, name, true, type_size(&entry));
    return type;
}

static int
host_field_offset(mqs_type *type, char *name)
{
    host_stats.types++;
    if (type == NULL || name == NULL)
        return -1;
    int64_t offset = type_field_offset(&type->entry, name);
    offset = offset <= INT_MAX ? offset : -1;
    recording_field(type->image->recording, type->name, name, offset);
    return (int) offset;
}

static int
host_sizeof(mqs_type *type)
{
    host_stats.types++;
    int64_t size = type != NULL ? type_size(&type->entry) : -1;
    return size <= INT_MAX ? (int) size : -1;
}

const mqs_image_callbacks host_image = {
    .mqs_get_type_sizes_fp = host_get_type_sizes,
    .mqs_find_function_fp = host_find_function,
    .mqs_find_symbol_fp = host_find_symbol,
    .mqs_find_type_fp = host_find_type,
    .mqs_field_offset_fp = host_field_offset,
    .mqs_sizeof_fp = host_sizeof,
};

static int
host_get_global_rank(mqs_process *process)
{
    return process->rank;
}

static mqs_image *
host_get_image(mqs_process *process)
{
    return &process->image;
}

static int
host_fetch_data(mqs_process *process, mqs_taddr_t addr, int size, void *ret)
{
    const struct debuggee *debuggee = &process->image.image.debuggee;
    if (size <= 0)
        return mqs_no_information;
    bool read = memory_read_ahead(debuggee, addr, (size_t) size, ret);
    // What is asked for ahead of need and was not copied is not read at all.
    host_stats.reads += read || !memory_is_past(debuggee);
    if (read)
        host_stats.bytes += (uint64_t) size;
    recording_memory(process->image.recording, addr, (size_t) size, read ? ret : NULL);
    return read ? mqs_ok : mqs_no_information;
}

/** Targets run on this machine: their byte order is ours. */
static void
host_target_to_host(mqs_process *process, const void *in, void *out, int size)
{
    (void) process;
    if (size > 0)
        memmove(out, in, (size_t) size);
}

const mqs_process_callbacks host_process = {
    .mqs_get_global_rank_fp = host_get_global_rank,
    .mqs_get_image_fp = host_get_image,
    .mqs_fetch_data_fp = host_fetch_data,
    .mqs_target_to_host_fp = host_target_to_host,
};
