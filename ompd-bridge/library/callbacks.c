// SPDX-License-Identifier: BSD-3-Clause
// Answers an OMPD library's callbacks.
#include "ompd-bridge/library/callbacks.h"

#include <stdalign.h>
#include <stddef.h>
#include <string.h>
#include <time.h>

enum {
    READ_MAX = 64 * 1024,    // bytes of one read
    ALLOC_MAX = 1024 * 1024, // bytes of one allocation
    NULL_PAGES = 64 * 1024   // addresses that come of NULL pointers
};

// The memory that the library has been given, so that nothing of it gets lost.
enum { FILL = 0x5a }; // of new memory: libompd uses members that it has not set as non-NULL

struct ompd_block {
    struct ompd_block *next;
    struct ompd_block **link; // what points to this block
    alignas(max_align_t) char memory[];
};

static void
insert(struct ompd_blocks *blocks, struct ompd_block *block)
{
    block->next = blocks->first;
    block->link = &blocks->first;
    if (block->next)
        block->next->link = &block->next;
    blocks->first = block;
}

static void
take_out(struct ompd_block *block)
{
    *block->link = block->next;
    if (block->next)
        block->next->link = block->link;
}

static void *
blocks_alloc(struct ompd_blocks *blocks, struct inferior *inf, size_t size)
{
    struct ompd_block *block = inferior_alloc(inf, sizeof(*block) + size);
    if (!block)
        return NULL;
    insert(blocks, block);
    memset(block->memory, FILL, size);
    return block->memory;
}

static void
blocks_free(struct inferior *inf, void *memory)
{
    if (!memory)
        return;
    struct ompd_block *block =
        (struct ompd_block *) ((char *) memory - offsetof(struct ompd_block, memory));
    take_out(block);
    inferior_free(inf, block);
}

static void
blocks_clear(struct ompd_blocks *blocks, struct inferior *inf)
{
    while (blocks->first)
        blocks_free(inf, blocks->first->memory);
}

static void
blocks_move(struct ompd_blocks *from, struct ompd_blocks *to)
{
    while (from->first) {
        struct ompd_block *block = from->first;
        take_out(block);
        insert(to, block);
    }
}

// The callbacks for memory have no argument for the process.
static struct ompd_context *current;

// libompd keeps what it knows of a process for ever under the address of its context. The clock
// gives numbers that were not in use before, not even by an earlier copy of this code.
enum status
ompd_context_init(struct ompd_context *context, struct inferior *inf)
{
    static uintptr_t last;
    struct timespec now = {0};
    clock_gettime(CLOCK_MONOTONIC, &now);
    uintptr_t id = (uintptr_t) now.tv_sec * 1000000000U + (uintptr_t) now.tv_nsec;
    last = id > last ? id : last + 1;
    memset(context, 0, sizeof(*context));
    context->id = last;
    TRY(nptl_find(inf, &context->nptl));
    TRY(nptl_find_heads(inf, &context->heads));
    context->inf = inf;
    return STATUS_OK;
}

void
ompd_context_deinit(struct ompd_context *context)
{
    if (!context->inf)
        return;
    blocks_clear(&context->last, context->inf);
    blocks_clear(&context->kept, context->inf);
}

ompd_address_space_context_t *
ompd_context_handle(const struct ompd_context *context)
{
    return (ompd_address_space_context_t *) context->id;
}

void
ompd_context_enter(struct ompd_context *context)
{
    blocks_move(&context->last, &context->kept);
    context->missing = false;
    context->unreadable = false;
    current = context;
}

ompd_rc_t
ompd_context_leave(struct ompd_context *context, ompd_rc_t rc)
{
    current = NULL;
    if (context->missing)
        rc = ompd_rc_unavailable;
    else if (context->unreadable)
        rc = ompd_rc_device_read_error;
    else if ((unsigned) rc > ompd_rc_callback_error)
        rc = ompd_rc_error;
    if (rc != ompd_rc_ok && rc != ompd_rc_incomplete)
        ompd_context_drop(context);
    return rc;
}

void
ompd_context_drop(struct ompd_context *context)
{
    blocks_clear(&context->last, context->inf);
}

static bool
is_current(const ompd_address_space_context_t *handle)
{
    return current && (uintptr_t) handle == current->id;
}

static ompd_rc_t
alloc_memory(ompd_size_t size, void **ptr)
{
    if (!ptr || !current || size > ALLOC_MAX)
        return ompd_rc_bad_input;
    void *memory = blocks_alloc(&current->last, current->inf, (size_t) size);
    if (!memory)
        return ompd_rc_nomem;
    *ptr = memory;
    return ompd_rc_ok;
}

static ompd_rc_t
free_memory(void *ptr)
{
    if (!current)
        return ompd_rc_bad_input;
    blocks_free(current->inf, ptr);
    return ompd_rc_ok;
}

static ompd_rc_t
print_string(const char *string, int category)
{
    (void) string;
    (void) category;
    return ompd_rc_ok;
}

static ompd_rc_t
sizeof_type(ompd_address_space_context_t *context, ompd_device_type_sizes_t *sizes)
{
    if (!is_current(context) || !sizes)
        return ompd_rc_bad_input;
    const struct datamodel *model = &current->inf->model;
    sizes->sizeof_char = 1;
    sizes->sizeof_short = model->short_size;
    sizes->sizeof_int = model->int_size;
    sizes->sizeof_long = model->long_size;
    sizes->sizeof_long_long = model->long_long_size;
    sizes->sizeof_pointer = model->pointer_size;
    return ompd_rc_ok;
}

static ompd_rc_t
symbol_addr_lookup(ompd_address_space_context_t *context, ompd_thread_context_t *thread,
                   const char *name, ompd_address_t *addr, const char *file_name)
{
    taddr found = 0;
    (void) file_name;
    if (!is_current(context) || !name || !addr)
        return ompd_rc_bad_input;
    bool known = synth_find(&current->synth, current->inf, name, (uintptr_t) thread, &found);
    *addr = (ompd_address_t){.address = found};
    current->missing = current->missing || !known;
    return known ? ompd_rc_ok : ompd_rc_error;
}

static ompd_rc_t
note_read(bool good)
{
    current->unreadable = current->unreadable || !good;
    return good ? ompd_rc_ok : ompd_rc_error;
}

static ompd_rc_t
read_memory(ompd_address_space_context_t *context, ompd_thread_context_t *thread,
            const ompd_address_t *addr, ompd_size_t size, void *buffer)
{
    (void) thread;
    if (!is_current(context) || !addr || !buffer || size > READ_MAX)
        return ompd_rc_bad_input;
    if (synth_read(&current->synth, addr->address, size, buffer))
        return ompd_rc_ok;
    return note_read(addr->address >= NULL_PAGES &&
                     inferior_read(current->inf, addr->address, (size_t) size, buffer) ==
                         STATUS_OK);
}

static ompd_rc_t
write_memory(ompd_address_space_context_t *context, ompd_thread_context_t *thread,
             const ompd_address_t *addr, ompd_size_t size, const void *buffer)
{
    (void) context;
    (void) thread;
    (void) addr;
    (void) size;
    (void) buffer;
    return ompd_rc_unsupported;
}

static ompd_rc_t
read_string(ompd_address_space_context_t *context, ompd_thread_context_t *thread,
            const ompd_address_t *addr, ompd_size_t size, void *buffer)
{
    (void) thread;
    if (!is_current(context) || !addr || !buffer || size == 0 || size > READ_MAX)
        return ompd_rc_bad_input;
    return note_read(addr->address >= NULL_PAGES &&
                     inferior_read_string(current->inf, addr->address, (size_t) size, buffer) ==
                         STATUS_OK);
}

// Only processes of this machine's own byte order are served: a copy is the conversion. Input and
// output may be the same.
static ompd_rc_t
convert(ompd_address_space_context_t *context, const void *input, ompd_size_t unit_size,
        ompd_size_t count, void *output)
{
    if (!is_current(context) || !input || !output || unit_size > 8 || count > READ_MAX)
        return ompd_rc_bad_input;
    memmove(output, input, (size_t) (unit_size * count));
    return ompd_rc_ok;
}

// A thread's context is its pthread_t.
static ompd_rc_t
get_thread_context(ompd_address_space_context_t *context, ompd_thread_id_t kind, ompd_size_t size,
                   const void *id, ompd_thread_context_t **thread)
{
    uint64_t pthread;
    int64_t tid;
    if (kind != OMPD_THREAD_ID_PTHREAD)
        return ompd_rc_unsupported;
    if (!is_current(context) || size != sizeof(pthread) || !id || !thread)
        return ompd_rc_bad_input;
    memcpy(&pthread, id, sizeof(pthread));
    if (pthread == 0 || nptl_tid(&current->nptl, current->inf, pthread, &tid) != STATUS_OK)
        return ompd_rc_unavailable;
    *thread = (ompd_thread_context_t *) (uintptr_t) pthread;
    return ompd_rc_ok;
}

const ompd_callbacks_t ompd_bridge_callbacks = {
    .alloc_memory = alloc_memory,
    .free_memory = free_memory,
    .print_string = print_string,
    .sizeof_type = sizeof_type,
    .symbol_addr_lookup = symbol_addr_lookup,
    .read_memory = read_memory,
    .write_memory = write_memory,
    .read_string = read_string,
    .device_to_host = convert,
    .host_to_device = convert,
    .get_thread_context_for_thread_id = get_thread_context,
};
