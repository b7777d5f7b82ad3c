// SPDX-License-Identifier: BSD-3-Clause
// Finds variables for an OMPD library, and keeps checked copies of the sizes among them.
#include "ompd-bridge/library/synth_symbols.h"

#include "ompd-bridge/llvm/published.h"

#include <string.h>

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

bool
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

bool
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
