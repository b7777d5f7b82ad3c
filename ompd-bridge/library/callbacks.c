// SPDX-License-Identifier: BSD-3-Clause
// Answers an OMPD library's callbacks. It is given checked copies of the sizes that the runtime
// publishes: libraries of LLVM's make use them without a check, to copy so many bytes into their
// own variables, and the process could change its own.
#include "ompd-bridge/library/callbacks.h"

#include "ompd-bridge/llvm/published.h"

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
    uint64_t call;            // in which it was asked for
    alignas(max_align_t) char memory[];
};

static void
free_block(struct inferior *inf, struct ompd_block *block)
{
    *block->link = block->next;
    if (block->next)
        block->next->link = block->link;
    inferior_free(inf, block);
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
    TRY(nptl_find_heads(&context->nptl, inf, &context->heads));
    context->inf = inf;
    return STATUS_OK;
}

void
ompd_context_deinit(struct ompd_context *context)
{
    while (context->blocks)
        free_block(context->inf, context->blocks);
}

ompd_address_space_context_t *
ompd_context_handle(const struct ompd_context *context)
{
    return (ompd_address_space_context_t *) context->id;
}

void
ompd_context_enter(struct ompd_context *context)
{
    context->call++;
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
    while (context->blocks && context->blocks->call == context->call)
        free_block(context->inf, context->blocks);
}

enum {
    THREADS_MAX = 1 << 17, // places in a runtime's array of threads
    LIST_MAX = 4096,       // elements
    GTID_SIZE = 4,
};

// Outside of what any processor can reach: the threads' own copies of __kmp_gtid, in the order of
// the array of threads.
static const taddr synth_gtids = 0x00f0000000000000U;

// Variables that head a list. libompd multiplies their lengths in 32 bits to allocate memory.
static const struct {
    const char *name, *used; // the variable, and the offset of the length in it
} lists[] = {
    {"__kmp_nested_nth", "ompd_access__kmp_nested_nthreads_t__used"},
    {"__kmp_nested_proc_bind", "ompd_access__kmp_nested_proc_bind_t__used"},
};

static bool
is_layout(const char *name)
{
    return strncmp(name, "ompd_sizeof__", 13) == 0 || strncmp(name, "ompd_access__", 13) == 0 ||
           strncmp(name, "ompd_bitfield__", 15) == 0;
}

static const struct synth_copy *
find_copy(const struct synth_symbols *synth, taddr addr)
{
    for (unsigned i = 0; i < synth->n_copies; i++)
        if (synth->copies[i].addr == addr)
            return &synth->copies[i];
    return NULL;
}

// The copy of a variable, made when it is first asked for; NULL: there can be none.
static const struct synth_copy *
copy_of(struct synth_symbols *synth, struct inferior *inf, taddr addr, size_t width)
{
    const struct synth_copy *known = find_copy(synth, addr);
    if (known)
        return known;
    struct synth_copy copy = {.addr = addr};
    if (synth->n_copies == SYNTH_COPIES ||
        inferior_read_uint(inf, addr, width, &copy.value) != STATUS_OK)
        return NULL;
    synth->copies[synth->n_copies] = copy;
    return &synth->copies[synth->n_copies++];
}

static bool synth_find(struct synth_symbols *synth, struct inferior *inf, const char *name,
                       taddr pthread, taddr *ret);

// A value of the runtime's tables; 0: it is not known.
static uint64_t
layout_value(struct synth_symbols *synth, struct inferior *inf, const char *name)
{
    taddr addr;
    const struct synth_copy *copy =
        synth_find(synth, inf, name, 0, &addr) ? find_copy(synth, addr) : NULL;
    return copy ? copy->value : 0;
}

static bool
has_good_length(struct synth_symbols *synth, struct inferior *inf, const char *used, taddr list)
{
    const taddr addr = list + layout_value(synth, inf, used);
    const struct synth_copy *copy = copy_of(synth, inf, addr, sizeof(uint32_t));
    return copy && copy->value <= LIST_MAX;
}

// Whether the value of a variable can be right, where libraries rely on that.
static bool
makes_sense(struct synth_symbols *synth, struct inferior *inf, const char *name, taddr addr)
{
    for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++)
        if (strcmp(name, lists[i].name) == 0)
            return has_good_length(synth, inf, lists[i].used, addr);
    if (!is_layout(name))
        return true;
    const struct synth_copy *copy = copy_of(synth, inf, addr, sizeof(copy->value));
    return copy && published_fits(name, copy->value, &inf->model);
}

// Within a thread's record.
static uint64_t
pthread_offset(struct synth_symbols *synth, struct inferior *inf)
{
    return layout_value(synth, inf, "ompd_access__kmp_info_t__th") +
           layout_value(synth, inf, "ompd_access__kmp_base_info_t__th_info") +
           layout_value(synth, inf, "ompd_access__kmp_desc_t__ds") +
           layout_value(synth, inf, "ompd_access__kmp_desc_base_t__ds_thread");
}

static bool
is_at(struct inferior *inf, taddr place, uint64_t offset, taddr pthread)
{
    taddr thread, its;
    return inferior_read_pointer(inf, place, &thread) == STATUS_OK && thread != 0 &&
           inferior_read_pointer(inf, thread + offset, &its) == STATUS_OK && its == pthread;
}

// LLVM's runtimes number their threads in a thread-local variable, which is also the place in their
// array. Threads are mostly asked for in order.
static bool
find_gtid(struct synth_symbols *synth, struct inferior *inf, taddr pthread, uint32_t *ret)
{
    taddr variable, threads, capacity_at;
    uint64_t capacity;
    if (inferior_symbol(inf, "__kmp_threads", &variable) != STATUS_OK ||
        inferior_symbol(inf, "__kmp_threads_capacity", &capacity_at) != STATUS_OK ||
        inferior_read_pointer(inf, variable, &threads) != STATUS_OK ||
        inferior_read_uint(inf, capacity_at, 4, &capacity) != STATUS_OK || capacity > THREADS_MAX)
        return false;
    const uint64_t offset = pthread_offset(synth, inf);
    for (uint64_t i = 0; i < capacity; i++) {
        uint64_t place = (synth->last_found + i) % capacity;
        if (!is_at(inf, threads + place * inf->model.pointer_size, offset, pthread))
            continue;
        *ret = synth->last_found = (uint32_t) place;
        return true;
    }
    return false;
}

// Address of a variable; `pthread` is the thread whose copy it is, 0 when it is not thread-local.
// false: there is no such variable, or it is invalid.
static bool
synth_find(struct synth_symbols *synth, struct inferior *inf, const char *name, taddr pthread,
           taddr *ret)
{
    uint32_t gtid;
    if (pthread != 0) {
        if (strcmp(name, "__kmp_gtid") != 0 || !find_gtid(synth, inf, pthread, &gtid))
            return false;
        *ret = synth_gtids + (taddr) gtid * GTID_SIZE;
        return true;
    }
    const struct target *target = &inf->target; // the inferior remembers literals only
    return target->ops->find_symbol(target->host, name, ret) && makes_sense(synth, inf, name, *ret);
}

// Reads what does not stand in the process.
static bool
synth_read(const struct synth_symbols *synth, taddr addr, uint64_t size, void *buffer)
{
    const uint32_t gtid = (uint32_t) ((addr - synth_gtids) / GTID_SIZE);
    const struct synth_copy *copy = find_copy(synth, addr);
    const uint32_t narrow = copy ? (uint32_t) copy->value : 0;
    if (addr - synth_gtids < (uint64_t) THREADS_MAX * GTID_SIZE && size == GTID_SIZE)
        memcpy(buffer, &gtid, sizeof(gtid));
    else if (copy && size == sizeof(copy->value))
        memcpy(buffer, &copy->value, sizeof(copy->value));
    else if (copy && size == sizeof(narrow))
        memcpy(buffer, &narrow, sizeof(narrow));
    else
        return false;
    return true;
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
    struct ompd_block *block = inferior_alloc(current->inf, sizeof(*block) + (size_t) size);
    if (!block)
        return ompd_rc_nomem;
    block->next = current->blocks;
    block->link = &current->blocks;
    block->call = current->call;
    if (block->next)
        block->next->link = &block->next;
    current->blocks = block;
    *ptr = memset(block->memory, FILL, (size_t) size);
    return ompd_rc_ok;
}

static ompd_rc_t
free_memory(void *ptr)
{
    if (!current)
        return ompd_rc_bad_input;
    if (ptr)
        free_block(current->inf,
                   (struct ompd_block *) ((char *) ptr - offsetof(struct ompd_block, memory)));
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
