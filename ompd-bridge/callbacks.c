// SPDX-License-Identifier: BSD-3-Clause
// Answers an OMPD library's callbacks.
#include "ompd-bridge/callbacks.h"

#include "ompd-bridge/made_up.h"

#include <string.h>
#include <time.h>

enum {
    READ_MAX = 64 * 1024,    // bytes of one read
    ALLOC_MAX = 1024 * 1024, // bytes of one allocation
    NULL_PAGES = 64 * 1024   // addresses that come of NULL pointers
};

// The callbacks for memory have no argument that would tell them the process.
static struct ompd_context *current;

// libompd keeps what it knows of a process for ever under the address of its context. The clock
// gives numbers that were not in use before, not even by an earlier copy of this code.
void
ompd_context_init(struct ompd_context *context, const struct kmp *kmp)
{
    static uintptr_t last;
    struct timespec now = {0};
    clock_gettime(CLOCK_MONOTONIC, &now);
    uintptr_t id = (uintptr_t) now.tv_sec * 1000000000U + (uintptr_t) now.tv_nsec;
    last = id > last ? id : last + 1;
    memset(context, 0, sizeof(*context));
    context->kmp = kmp;
    context->id = last;
}

void
ompd_context_deinit(struct ompd_context *context)
{
    if (!context->kmp)
        return;
    ompd_blocks_clear(&context->last, context->kmp->inf);
    ompd_blocks_clear(&context->kept, context->kmp->inf);
}

ompd_address_space_context_t *
ompd_context_handle(const struct ompd_context *context)
{
    return (ompd_address_space_context_t *) context->id;
}

void
ompd_context_enter(struct ompd_context *context)
{
    ompd_blocks_move(&context->last, &context->kept);
    context->missing = false;
    context->unreadable = false;
    context->last_read = 0;
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
    ompd_blocks_clear(&context->last, context->kmp->inf);
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
    void *memory = ompd_blocks_alloc(&current->last, current->kmp->inf, (size_t) size);
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
    ompd_blocks_free(current->kmp->inf, ptr);
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
    const struct datamodel *model = &current->kmp->inf->model;
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
    taddr found;
    (void) file_name;
    if (!is_current(context) || !name || !addr)
        return ompd_rc_bad_input;
    bool known = made_up_find(current, name, thread, &found);
    addr->segment = 0;
    addr->address = found;
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
    if (made_up_read(current, addr->address, size, buffer))
        return ompd_rc_ok;
    current->last_read = addr->address;
    return note_read(addr->address >= NULL_PAGES &&
                     inferior_read(current->kmp->inf, addr->address, (size_t) size, buffer) ==
                         STATUS_OK &&
                     made_up_trusts(current, addr->address, size, buffer));
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
    return note_read(
        addr->address >= NULL_PAGES &&
        inferior_read_string(current->kmp->inf, addr->address, (size_t) size, buffer) == STATUS_OK);
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

static bool
is_at(uint32_t place, ompd_thread_id_t kind, uint64_t id)
{
    struct kmp_thread thread;
    const struct kmp *kmp = current->kmp;
    int64_t tid;
    if (kmp_read_thread(kmp, place, &thread) != STATUS_OK)
        return false;
    if (kind == OMPD_THREAD_ID_PTHREAD)
        return thread.pthread == id;
    return kmp->has_nptl && nptl_tid(&kmp->nptl, kmp->inf, thread.pthread, &tid) == STATUS_OK &&
           (uint64_t) tid == id;
}

// Threads are mostly asked for in order: tries the place after the last one found first.
static bool
find_thread(ompd_thread_id_t kind, uint64_t id, uint32_t *ret)
{
    uint32_t capacity = current->kmp->capacity;
    for (uint32_t i = 0; i < capacity; i++) {
        uint32_t place = (uint32_t) (((uint64_t) current->last_found + i) % capacity);
        if (!is_at(place, kind, id))
            continue;
        current->last_found = place;
        *ret = place;
        return true;
    }
    return false;
}

static ompd_rc_t
get_thread_context(ompd_address_space_context_t *context, ompd_thread_id_t kind, ompd_size_t size,
                   const void *id, ompd_thread_context_t **thread)
{
    uint64_t number;
    uint32_t place;
    if (kind != OMPD_THREAD_ID_PTHREAD && kind != OMPD_THREAD_ID_LWP)
        return ompd_rc_unsupported;
    if (!is_current(context) || size != sizeof(number) || !id || !thread)
        return ompd_rc_bad_input;
    memcpy(&number, id, sizeof(number));
    if (!find_thread(kind, number, &place))
        return ompd_rc_unavailable;
    *thread = made_up_thread(place);
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
