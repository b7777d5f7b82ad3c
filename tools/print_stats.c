// SPDX-License-Identifier: BSD-3-Clause
// What a run counted, by names.
#include "tools/print.h"

#include <inttypes.h>
#include <stddef.h>

static const struct {
    const char *name;
    size_t offset;
    bool is_most; // of several processes the largest counts, not the sum
} counters[] = {
    {"reads", offsetof(struct host_stats, reads), false},
    {"bytes", offsetof(struct host_stats, bytes), false},
    {"symbols", offsetof(struct host_stats, symbols), false},
    {"types", offsetof(struct host_stats, types), false},
    {"allocations", offsetof(struct host_stats, allocations), false},
    {"peak", offsetof(struct host_stats, peak), true},
    {"cpu_us", offsetof(struct host_stats, cpu_us), false},
    {"starved_us", offsetof(struct host_stats, starved_us), false},
    {"stops_us", offsetof(struct host_stats, stops_us), false},
    {"pauses_us", offsetof(struct host_stats, pauses_us), false},
};

const char *
stats_name(unsigned i)
{
    return i < sizeof counters / sizeof *counters ? counters[i].name : NULL;
}

uint64_t
stats_value(const struct host_stats *stats, unsigned i)
{
    return *(const uint64_t *) (const void *) ((const char *) stats + counters[i].offset);
}

void
stats_add(struct host_stats *stats, unsigned i, uint64_t value)
{
    uint64_t *count = (uint64_t *) (void *) ((char *) stats + counters[i].offset);
    if (!counters[i].is_most)
        *count += value;
    else if (*count < value)
        *count = value;
}

void
print_stats(FILE *out, const struct host_stats *stats)
{
    for (unsigned i = 0; stats_name(i) != NULL; i++)
        fprintf(out, "%s %" PRIu64 "\n", stats_name(i), stats_value(stats, i));
}
