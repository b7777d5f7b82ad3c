// SPDX-License-Identifier: BSD-3-Clause
// Plays the debugger over a made-up process.
#include "tests/omp/fake_kmp.h"

#include <stdlib.h>
#include <string.h>

static const char *const descriptor_names[] = {"_thread_db_pthread_tid", "_thread_db_pthread_list",
                                               "_thread_db_list_t_next", "_thread_db_list_t_prev"};

unsigned fake_allocs;
int fake_live;

static unsigned fail_alloc;

static bool
fake_read(void *host, taddr addr, size_t size, void *ret)
{
    struct fake_kmp *fake = host;
    const bool fails =
        ++fake->reads == fake->fail_read || (fake->fail_all_reads && fake->reads > fake->fail_read);
    if (fails || addr < FAKE_BASE || addr - FAKE_BASE > FAKE_SIZE ||
        size > FAKE_SIZE - (addr - FAKE_BASE))
        return false;
    memcpy(ret, fake->memory + (addr - FAKE_BASE), size);
    return true;
}

static bool
find_descriptor(const char *name, taddr *ret)
{
    for (unsigned i = 0; i < sizeof(descriptor_names) / sizeof(descriptor_names[0]); i++)
        if (strcmp(name, descriptor_names[i]) == 0) {
            *ret = FAKE_BASE + FAKE_DESCRIPTORS + 16 * (taddr) i;
            return true;
        }
    return false;
}

static bool
fake_symbol(void *host, const char *name, taddr *ret)
{
    const struct fake_kmp *fake = host;
    enum published_entry entry = published_lookup(name);
    if (!fake->loaded)
        return false;
    if (strcmp(name, "__kmp_thread_pool") == 0)
        *ret = FAKE_BASE + FAKE_POOL;
    else if (fake->named && strcmp(name, "__kmp_threads") == 0)
        *ret = FAKE_BASE + FAKE_POOL - 0x48;
    else if (fake->named && entry < PUBLISHED_ENTRIES)
        *ret = fake->entries[entry];
    else if (fake->named && fake_kmp_variable(name) != 0)
        *ret = fake_kmp_variable(name);
    else if (strcmp(name, "__environ") == 0)
        *ret = FAKE_BASE + FAKE_ENVIRON;
    else
        return find_descriptor(name, ret);
    return true;
}

static bool
fake_function(void *host, const char *name, taddr *ret)
{
    const struct fake_kmp *fake = host;
    *ret = FAKE_BASE;
    return fake->foreign && strcmp(name, "omp_get_num_threads") == 0;
}

static const struct target_type *
fake_type(void *host, const char *name)
{
    (void) host;
    (void) name;
    return NULL;
}

static bool
fake_model(void *host, struct datamodel *ret)
{
    const struct fake_kmp *fake = host;
    fail_alloc = fake->fail_alloc;
    *ret = fake->model;
    return true;
}

static void *
fake_alloc(size_t size)
{
    if (++fake_allocs == fail_alloc)
        return NULL;
    fake_live++;
    return malloc(size);
}

static void
fake_free(void *memory)
{
    fake_live -= memory != NULL;
    free(memory);
}

struct target
fake_kmp_target(struct fake_kmp *fake)
{
    static const struct target_ops ops = {
        .read = fake_read,
        .find_symbol = fake_symbol,
        .find_function = fake_function,
        .find_type = fake_type,
        .data_model = fake_model,
        .alloc = fake_alloc,
        .free = fake_free,
    };
    fake_allocs = 0;
    fake_live = 0;
    fail_alloc = 0;
    return (struct target){.ops = &ops, .host = fake};
}
