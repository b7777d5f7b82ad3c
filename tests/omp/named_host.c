// SPDX-License-Identifier: BSD-3-Clause
// Names the variables that LLVM's runtime publishes, its array of threads, and its settings.
#include "tests/omp/named_host.h"

#include "ompd-bridge/llvm/kmp_settings.h"

#include <string.h>

// Two variables on a page that no process has: whether states are kept, and places in the array of
// threads.
static const taddr page = 0x00f8000000000000U;
enum { STATE = 0x100, CAPACITY = 0x200 };

static const char *const settings[] = {
#define VARIABLE(id, name, ...) [KMP_##id] = name,
#include "ompd-bridge/llvm/kmp_variables.def"
#undef VARIABLE
};

bool
named_host_init(struct named_host *host)
{
    struct inferior *inf = &host->inf;
    enum status status = inferior_init(inf, live_host_target(&host->live));
    if (status == STATUS_OK)
        status = kmp_find(inf, &host->kmp);
    return status == STATUS_OK;
}

void
named_host_deinit(struct named_host *host)
{
    inferior_deinit(&host->inf);
    memset(&host->kmp, 0, sizeof(host->kmp));
}

static bool
find_setting(const struct kmp *kmp, const char *name, taddr *ret)
{
    for (unsigned i = 0; i < sizeof(settings) / sizeof(settings[0]); i++)
        if (strcmp(settings[i], name) == 0)
            return kmp_variable_addr(kmp, (enum kmp_variable) i, ret) == STATUS_OK;
    return false;
}

static bool
find_symbol(void *opaque, const char *name, taddr *ret)
{
    struct named_host *host = opaque;
    const enum published_entry entry = published_lookup(name);
    if (entry == WORD_ompd_state)
        *ret = page + STATE;
    else if (entry < PUBLISHED_ENTRIES)
        *ret = host->kmp.table.addresses[entry];
    else if (strcmp(name, "__kmp_threads") == 0)
        *ret = host->kmp.variable;
    else if (strcmp(name, "__kmp_threads_capacity") == 0)
        *ret = page + CAPACITY;
    else
        return live_host_target(&host->live).ops->find_symbol(&host->live, name, ret) ||
               find_setting(&host->kmp, name, ret);
    return true;
}

// Reads come in pages, of which these variables are a part.
static bool
read_memory(void *opaque, taddr addr, size_t size, void *ret)
{
    const struct named_host *host = opaque;
    const uint64_t state = host->tracks;
    const uint32_t capacity = host->kmp.capacity;
    if (addr != page)
        return live_host_target(opaque).ops->read(opaque, addr, size, ret);
    if (size < CAPACITY + sizeof(capacity))
        return false;
    memset(ret, 0, size);
    memcpy((char *) ret + STATE, &state, sizeof(state));
    memcpy((char *) ret + CAPACITY, &capacity, sizeof(capacity));
    return true;
}

struct target
named_host_target(struct named_host *host)
{
    static struct target_ops ops;
    ops = *live_host_target(&host->live).ops;
    ops.find_symbol = ops.find_function = find_symbol;
    ops.read = read_memory;
    return (struct target){&ops, host};
}
