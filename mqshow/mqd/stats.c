// SPDX-License-Identifier: BSD-3-Clause
// What a run counted, by names.
#include "mqshow/mqd/stats.h"

#include "mqshow/process/procfs.h"

#include <inttypes.h>
#include <jansson.h>
#include <stddef.h>
#include <unistd.h>

struct host_stats host_stats;

void
stats_count_time(void)
{
    static struct procfs_time before;
    static pid_t whose;
    struct procfs_time now;
    pid_t pid = getpid();
    if (!procfs_thread_time(pid, pid, &now))
        return;
    if (pid != whose)
        before = (struct procfs_time){.ns = 0};
    host_stats.cpu_us += (now.ns - before.ns) / 1000;
    host_stats.starved_us += (now.starved_ns - before.starved_ns) / 1000;
    before = now;
    whose = pid;
}

static const struct {
    const char *name;
    size_t offset;
    bool is_most; // of several processes the largest counts, not the sum
} counters[] = {
    {"reads", offsetof(struct host_stats, reads), false},
    {"bytes", offsetof(struct host_stats, bytes), false},
    {"ahead", offsetof(struct host_stats, ahead), false},
    {"again", offsetof(struct host_stats, again), false},
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
stats_print(FILE *out, const struct host_stats *stats)
{
    for (unsigned i = 0; stats_name(i) != NULL; i++)
        fprintf(out, "%s %" PRIu64 "\n", stats_name(i), stats_value(stats, i));
}

json_t *
stats_json(const struct host_stats *stats)
{
    json_t *object = json_object();
    for (unsigned i = 0; stats_name(i) != NULL; i++)
        json_object_set_new(object, stats_name(i), json_integer((int64_t) stats_value(stats, i)));
    return object;
}
