// SPDX-License-Identifier: BSD-3-Clause
// Answers an OMPD library's callbacks, and in place of a stripped runtime its lost symbols.
#include "ompd-bridge/callbacks.h"

#include <string.h>
#include <time.h>

enum {
    READ_MAX = 64 * 1024,    // bytes of one read
    ALLOC_MAX = 1024 * 1024, // bytes of one allocation
    FILL = 0x5a              // of new memory: libompd uses members that it has not set as non-NULL
};

// Addresses outside of what any processor can reach, for what is answered from here: the threads'
// own copies of __kmp_gtid, four bytes each in the order of the array of threads, and the published
// table as it was when it was checked. The library trusts the sizes in it; the process could change
// them.
static const taddr made_up_gtids = 0x00f0000000000000U;
static const taddr made_up_table = 0x00f1000000000000U;

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
    context->kmp = kmp;
    context->id = last;
    context->last_found = 0;
}

ompd_address_space_context_t *
ompd_context_handle(const struct ompd_context *context)
{
    return (ompd_address_space_context_t *) context->id;
}

void
ompd_context_enter(struct ompd_context *context)
{
    current = context;
}

void
ompd_context_leave(void)
{
    current = NULL;
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
    void *memory = inferior_alloc(current->kmp->inf, (size_t) size);
    if (!memory)
        return ompd_rc_nomem;
    memset(memory, FILL, (size_t) size);
    *ptr = memory;
    return ompd_rc_ok;
}

static ompd_rc_t
free_memory(void *ptr)
{
    if (!current)
        return ompd_rc_bad_input;
    inferior_free(current->kmp->inf, ptr);
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

// Threads are handed out as one more than their place in the array.
static ompd_thread_context_t *
thread_handle(uint32_t place)
{
    return (ompd_thread_context_t *) ((uintptr_t) place + 1);
}

static bool
find_variable(const char *name, ompd_thread_context_t *thread, taddr *ret)
{
    const struct kmp *kmp = current->kmp;
    const struct target *target = &kmp->inf->target;
    enum published_entry entry = published_lookup(name);
    if (thread && strcmp(name, "__kmp_gtid") == 0)
        *ret = made_up_gtids + ((uintptr_t) thread - 1) * 4;
    else if (entry < PUBLISHED_ENTRIES)
        *ret = made_up_table + entry * (taddr) PUBLISHED_ENTRY;
    else if (strcmp(name, "__kmp_threads") == 0)
        *ret = kmp->variable;
    else
        return !thread && target->ops->find_symbol(target->host, name, ret);
    return true;
}

static ompd_rc_t
symbol_addr_lookup(ompd_address_space_context_t *context, ompd_thread_context_t *thread,
                   const char *name, ompd_address_t *addr, const char *file_name)
{
    taddr found;
    (void) file_name;
    if (!is_current(context) || !name || !addr)
        return ompd_rc_bad_input;
    if (!find_variable(name, thread, &found))
        return ompd_rc_error;
    addr->segment = 0;
    addr->address = found;
    return ompd_rc_ok;
}

// Whether `size` bytes at `addr` are within the `whole` bytes at `start`.
static bool
is_within(taddr addr, ompd_size_t size, taddr start, uint64_t whole)
{
    return addr >= start && addr - start <= whole && size <= whole - (addr - start);
}

// Reads what is answered from here; false for real addresses.
static bool
read_made_up(taddr addr, ompd_size_t size, void *buffer)
{
    const struct published *table = &current->kmp->table;
    uint32_t place = (uint32_t) ((addr - made_up_gtids) / 4);
    if (is_within(addr, size, made_up_table, sizeof(table->values)))
        memcpy(buffer, (const uint8_t *) table->values + (addr - made_up_table), (size_t) size);
    else if (size == 4 && is_within(addr, size, made_up_gtids, KMP_THREADS_MAX * (uint64_t) 4))
        memcpy(buffer, &place, sizeof(place));
    else
        return false;
    return true;
}

static ompd_rc_t
read_memory(ompd_address_space_context_t *context, ompd_thread_context_t *thread,
            const ompd_address_t *addr, ompd_size_t size, void *buffer)
{
    (void) thread;
    if (!is_current(context) || !addr || !buffer || size > READ_MAX)
        return ompd_rc_bad_input;
    if (read_made_up(addr->address, size, buffer))
        return ompd_rc_ok;
    enum status status = inferior_read(current->kmp->inf, addr->address, (size_t) size, buffer);
    return status == STATUS_OK ? ompd_rc_ok : ompd_rc_error;
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
    enum status status =
        inferior_read_string(current->kmp->inf, addr->address, (size_t) size, buffer);
    return status == STATUS_OK ? ompd_rc_ok : ompd_rc_error;
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
is_at(uint32_t place, taddr pthread)
{
    struct kmp_thread thread;
    return kmp_read_thread(current->kmp, place, &thread) == STATUS_OK && thread.pthread == pthread;
}

// Threads are mostly asked for in order: tries the place after the last one found first.
static bool
find_thread(taddr pthread, uint32_t *ret)
{
    uint32_t capacity = current->kmp->capacity;
    for (uint32_t i = 0; i < capacity; i++) {
        uint32_t place = (uint32_t) (((uint64_t) current->last_found + i) % capacity);
        if (!is_at(place, pthread))
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
    uint64_t pthread;
    uint32_t place;
    if (kind != OMPD_THREAD_ID_PTHREAD)
        return ompd_rc_unsupported;
    if (!is_current(context) || size != sizeof(pthread) || !id || !thread)
        return ompd_rc_bad_input;
    memcpy(&pthread, id, sizeof(pthread));
    if (!find_thread(pthread, &place))
        return ompd_rc_unavailable;
    *thread = thread_handle(place);
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
