// SPDX-License-Identifier: BSD-3-Clause
// Reads the beginning of the table that Intel's OpenMP runtime exports for debuggers, under the
// same name and in the same form in all releases: two numbers, for each variable its address and
// its size, and for members of structs their offsets and sizes.
#include "ompd-bridge/llvm/intel.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum {
    AT_MAJOR,
    AT_MINOR,
    AT_BUILD,
    AT_VERSION,
    AT_BANNER,
    AT_THREADS,
    AT_ROOTS,
    AT_CAPACITY,
    VARIABLES
};
enum {
    HEADER = 8,
    ENTRY = 16,
    QUEUES = 660, // of which one is used
    OFFSET_MAX = 4096,
    FAR = 64 << 20, // bytes between variables of one library
};

static const char table_name[] = "__kmp_omp_debug_struct_info";

enum status
intel_detect(struct inferior *inf, taddr *ret_table)
{
    return inferior_symbol(inf, table_name, ret_table);
}

// The addresses of the variables. Nothing but a table of this kind has these sizes in a row.
static enum status
read_addresses(struct inferior *inf, taddr table, taddr ret[VARIABLES])
{
    const uint64_t width = inf->model.pointer_size;
    const uint64_t sizes[VARIABLES] = {4, 4, 4, 4, 0, width, width, 4};
    uint8_t bytes[HEADER + VARIABLES * ENTRY];
    TRY(inferior_read(inf, table, sizeof(bytes), bytes));
    for (unsigned i = 0; i < VARIABLES; i++) {
        const uint8_t *entry = bytes + HEADER + (size_t) i * ENTRY;
        ret[i] = datamodel_uint(&inf->model, entry, 8);
        bool near = ret[i] - (table - FAR) <= 2 * (uint64_t) FAR;
        if (datamodel_uint(&inf->model, entry + 8, 4) != sizes[i] || !near)
            return trail_begin(&inf->trail, STATUS_CORRUPT, "%s is of no known form", table_name);
    }
    return STATUS_OK;
}

static enum status
read_queues(struct inferior *inf, taddr table, uint64_t *ret)
{
    uint64_t size;
    TRY(inferior_read_uint(inf, table + QUEUES, 4, ret));
    TRY(inferior_read_uint(inf, table + QUEUES + 4, 4, &size));
    bool fits = size == inf->model.pointer_size && *ret % size == 0 && *ret <= OFFSET_MAX;
    return fits ? STATUS_OK
                : trail_begin(&inf->trail, STATUS_CORRUPT, "%s is of no known form", table_name);
}

enum status
intel_find(struct inferior *inf, struct intel *ret)
{
    taddr table, addresses[VARIABLES];
    uint64_t numbers[AT_VERSION + 1], queues;
    char banner[8];
    TRY(intel_detect(inf, &table));
    TRY(read_addresses(inf, table, addresses));
    TRY(inferior_read_string(inf, addresses[AT_BANNER], sizeof(banner), banner));
    // LLVM's runtime can be built with this table, too.
    if (strncmp(banner, "Intel", 5) != 0)
        return trail_begin(&inf->trail, STATUS_ABSENT, "the OpenMP runtime is not Intel's");
    for (unsigned i = AT_MAJOR; i <= AT_VERSION; i++)
        TRY(inferior_read_uint(inf, addresses[i], 4, &numbers[i]));
    TRY(read_queues(inf, table, &queues));
    *ret = (struct intel){.queues = queues,
                          .threads = addresses[AT_THREADS],
                          .capacity = addresses[AT_CAPACITY],
                          .version = (int64_t) numbers[AT_VERSION]};
    snprintf(ret->release, sizeof(ret->release), "%" PRIu64 ".%" PRIu64 ".%" PRIu64,
             numbers[AT_MAJOR], numbers[AT_MINOR], numbers[AT_BUILD]);
    return STATUS_OK;
}
