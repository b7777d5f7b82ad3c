// SPDX-License-Identifier: BSD-3-Clause
// The callbacks of an OMPD tool as a target.
#include "ompd-bridge/exports/host_ompd.h"

#include "ompd-bridge/exports/proxy.h"

#include <string.h>

// Bytes of a read at most: those of a page. Where a read fails because it crosses the edge of a
// mapping, tools take it badly: gdb's plugin for OMPD crashes. It also fetches single bytes, so
// that nothing is read but what is asked for.
enum { READ_MAX = PIECES_PAGE };

static const ompd_callbacks_t *
calls(void)
{
    return &proxy_get()->calls;
}

void *
ompd_host_alloc(size_t size)
{
    void *memory = NULL;
    return calls()->alloc_memory(size, &memory) == ompd_rc_ok ? memory : NULL;
}

void
ompd_host_free(void *memory)
{
    if (memory)
        calls()->free_memory(memory);
}

static bool
host_read(void *host, taddr addr, size_t size, void *ret)
{
    const struct ompd_host *self = host;
    const ompd_address_t from = {.address = addr};
    return size <= READ_MAX &&
           calls()->read_memory(self->context, NULL, &from, size, ret) == ompd_rc_ok;
}

// Some tools say ok and give 0 or -1, of the target's width, when there is no such symbol.
static bool
is_nowhere(taddr addr)
{
    return addr == 0 || addr == UINT32_MAX || addr == UINT64_MAX;
}

// A symbol may be of a variable or a function alike.
static bool
host_find_symbol(void *host, const char *name, taddr *ret)
{
    const struct ompd_host *self = host;
    ompd_address_t addr = {0};
    if (calls()->symbol_addr_lookup(self->context, NULL, name, &addr, NULL) != ompd_rc_ok ||
        is_nowhere(addr.address))
        return false;
    *ret = addr.address;
    return true;
}

bool
ompd_host_thread_variable(const struct ompd_host *host, ompd_thread_id_t kind, ompd_size_t size,
                          const void *id, const char *name, taddr *ret)
{
    ompd_thread_context_t *thread = NULL;
    ompd_address_t addr = {0};
    if (!calls()->get_thread_context_for_thread_id ||
        calls()->get_thread_context_for_thread_id(host->context, kind, size, id, &thread) !=
            ompd_rc_ok ||
        !thread ||
        calls()->symbol_addr_lookup(host->context, thread, name, &addr, NULL) != ompd_rc_ok)
        return false;
    *ret = addr.address;
    return !is_nowhere(addr.address);
}

// The tool converts from the target's byte order to ours: what it makes of a one shows the former.
static ompd_rc_t
ask_byte_order(const struct ompd_host *host, bool *ret_big_endian)
{
    const uint8_t one[4] = {1, 0, 0, 0};
    uint32_t converted = 0;
    ompd_rc_t rc = calls()->device_to_host(host->context, one, sizeof(one), 1, &converted);
    *ret_big_endian = converted != 1;
    return rc;
}

static bool
host_data_model(void *host, struct datamodel *ret)
{
    struct ompd_host *self = host;
    ompd_device_type_sizes_t sizes;
    bool big_endian = false;
    memset(&sizes, 0, sizeof(sizes));
    self->failure = calls()->sizeof_type(self->context, &sizes);
    if (self->failure == ompd_rc_ok)
        self->failure = ask_byte_order(self, &big_endian);
    if (self->failure != ompd_rc_ok)
        return false;
    *ret = (struct datamodel){
        .big_endian = big_endian,
        .short_size = sizes.sizeof_short,
        .int_size = sizes.sizeof_int,
        .long_size = sizes.sizeof_long,
        .long_long_size = sizes.sizeof_long_long,
        .pointer_size = sizes.sizeof_pointer,
        .bool_size = 1,
        .size_t_size = sizes.sizeof_pointer,
    };
    return true;
}

static const struct target_ops host_ops = {
    .reads_exactly = true,
    .read = host_read,
    .find_symbol = host_find_symbol,
    .find_function = host_find_symbol,
    .data_model = host_data_model,
    .alloc = ompd_host_alloc,
    .free = ompd_host_free,
};

struct target
ompd_host_target(struct ompd_host *host)
{
    return (struct target){&host_ops, host};
}
