// SPDX-License-Identifier: BSD-3-Clause
// What a stripped runtime no longer names, at addresses of our own.
#include "ompd-bridge/made_up.h"

#include "ompd-bridge/kmp_environ.h"
#include "ompd-bridge/kmp_variable.h"

#include <string.h>

static const char version_name[] = "__kmp_openmp_version";

enum {
    LIST_MAX = 4096, // elements of a control variable that is a list
    SETTING_SIZE = KMP_SETTING_MAX
};

// Addresses outside of what any processor can reach, for what is answered from here: the threads'
// own copies of __kmp_gtid, four bytes each in the order of the array of threads, and the published
// table as it was when it was checked. The library trusts the sizes in it; the process could change
// them.
static const taddr made_up_gtids = 0x00f0000000000000U;
static const taddr made_up_table = 0x00f1000000000000U;

// Where variables are that the runtime does not name: libompd reads them even after it was told.
static const taddr made_up_nothing = 0x00f2000000000000U;

// Lists that the runtime does not name, each with room for the struct that heads it. Only their
// lengths are known: the environment tells those.
static const taddr made_up_lists = 0x00f3000000000000U;

static const struct {
    enum kmp_variable variable;
    enum published_entry used;
    const char *setting; // of the environment: gives the list its elements
    const char *mode;    // gives it more; NULL: there is no such variable
} lists[] = {
    {KMP_NESTED_NTH, OFFSET_kmp_nested_nthreads_t__used, "OMP_NUM_THREADS", "KMP_NESTING_MODE"},
    {KMP_NESTED_PROC_BIND, OFFSET_kmp_nested_proc_bind_t__used, "OMP_PROC_BIND", NULL},
};
enum { LISTS = sizeof(lists) / sizeof(lists[0]) };

// The variables that libompd knows besides those that are published.
static const struct {
    const char *name;
    enum kmp_variable variable;
} variables[] = {
#define VARIABLE(id, name, ...) {name, KMP_##id},
#include "ompd-bridge/kmp_variables.def"
#undef VARIABLE
};

// Threads are handed out as one more than their place in the array.
ompd_thread_context_t *
made_up_thread(uint32_t place)
{
    return (ompd_thread_context_t *) ((uintptr_t) place + 1);
}

static bool
make_up_list(enum kmp_variable variable, taddr *ret)
{
    for (unsigned i = 0; i < LISTS; i++)
        if (lists[i].variable == variable) {
            *ret = made_up_lists + i * (taddr) PUBLISHED_STRUCT_MAX;
            return true;
        }
    return false;
}

static bool
find_real(const struct ompd_context *context, const char *name, taddr *ret)
{
    const struct kmp *kmp = context->kmp;
    const struct target *target = &kmp->inf->target;
    if (strcmp(name, version_name) == 0)
        return inferior_symbol(kmp->inf, version_name, ret) == STATUS_OK;
    for (size_t i = 0; i < sizeof(variables) / sizeof(variables[0]); i++)
        if (strcmp(name, variables[i].name) == 0)
            return kmp_variable_addr(kmp, variables[i].variable, ret) == STATUS_OK ||
                   make_up_list(variables[i].variable, ret);
    return target->ops->find_symbol(target->host, name, ret);
}

bool
made_up_find(const struct ompd_context *context, const char *name,
             const ompd_thread_context_t *thread, taddr *ret)
{
    enum published_entry entry = published_lookup(name);
    if (thread && strcmp(name, "__kmp_gtid") == 0)
        *ret = made_up_gtids + ((uintptr_t) thread - 1) * 4;
    else if (entry < PUBLISHED_ENTRIES)
        *ret = made_up_table + entry * (taddr) PUBLISHED_ENTRY;
    else if (strcmp(name, "__kmp_threads") == 0)
        *ret = context->kmp->variable;
    else if (thread || !find_real(context, name, ret)) {
        *ret = made_up_nothing;
        return false;
    }
    return true;
}

// Whether `size` bytes at `addr` are within the `whole` bytes at `start`.
static bool
is_within(taddr addr, ompd_size_t size, taddr start, uint64_t whole)
{
    return addr >= start && addr - start <= whole && size <= whole - (addr - start);
}

// Reads of the table, as far as they are one of its entries.
static bool
read_table(const struct ompd_context *context, taddr addr, ompd_size_t size, void *buffer)
{
    const struct kmp *kmp = context->kmp;
    const void *values = kmp->table.values;
    bool tracks = true;
    if (!is_within(addr, size, made_up_table, sizeof(kmp->table.values)))
        return false;
    if (addr == made_up_table + WORD_ompd_state * (taddr) PUBLISHED_ENTRY &&
        size == sizeof(uint64_t)) {
        if (!context->always_tracks && kmp_read_tracking(kmp, &tracks) != STATUS_OK)
            return false;
        memcpy(buffer, &(uint64_t){tracks}, sizeof(uint64_t));
    } else {
        memcpy(buffer, (const uint8_t *) values + (addr - made_up_table), (size_t) size);
    }
    return true;
}

static bool
read_gtid(taddr addr, ompd_size_t size, void *buffer)
{
    uint32_t place = (uint32_t) ((addr - made_up_gtids) / 4);
    if (size != 4 || !is_within(addr, size, made_up_gtids, KMP_THREADS_MAX * (uint64_t) 4))
        return false;
    memcpy(buffer, &place, sizeof(place));
    return true;
}

// A list that was never given has one element: that of the task which is asked for it. With none,
// libompd takes it for one of many. Not knowing, there are more than there can be.
static uint32_t
list_length(const struct kmp *kmp, unsigned list)
{
    char value[SETTING_SIZE];
    uint32_t length = 1;
    enum status status = STATUS_ABSENT;
    if (lists[list].mode)
        status = kmp_environ_get(kmp, lists[list].mode, sizeof(value), value);
    if (status != STATUS_ABSENT)
        return LIST_MAX;
    status = kmp_environ_get(kmp, lists[list].setting, sizeof(value), value);
    for (const char *at = value; status == STATUS_OK && *at != '\0'; at++)
        length += *at == ',';
    return status == STATUS_OK || status == STATUS_ABSENT ? length : LIST_MAX;
}

// Reads a length; the elements are missing.
static bool
read_list(struct ompd_context *context, taddr addr, ompd_size_t size, void *buffer)
{
    const struct kmp *kmp = context->kmp;
    uint64_t list = (addr - made_up_lists) / PUBLISHED_STRUCT_MAX;
    if (!is_within(addr, size, made_up_lists, LISTS * (uint64_t) PUBLISHED_STRUCT_MAX) ||
        list >= LISTS)
        return false;
    uint32_t length = list_length(kmp, (unsigned) list);
    if (size != sizeof(length) ||
        (addr - made_up_lists) % PUBLISHED_STRUCT_MAX != kmp->table.values[lists[list].used]) {
        context->missing = true;
        return false;
    }
    memcpy(buffer, &length, sizeof(length));
    return true;
}

bool
made_up_read(struct ompd_context *context, taddr addr, ompd_size_t size, void *buffer)
{
    return read_gtid(addr, size, buffer) || read_table(context, addr, size, buffer) ||
           read_list(context, addr, size, buffer);
}

bool
made_up_trusts(const struct ompd_context *context, taddr addr, ompd_size_t size, const void *buffer)
{
    uint32_t length;
    if (size != sizeof(length))
        return true;
    memcpy(&length, buffer, sizeof(length));
    for (unsigned i = 0; i < LISTS; i++) {
        taddr list;
        if (length > LIST_MAX &&
            kmp_variable_addr(context->kmp, lists[i].variable, &list) == STATUS_OK &&
            published_addr(&context->kmp->table, list, lists[i].used) == addr)
            return false;
    }
    return true;
}
