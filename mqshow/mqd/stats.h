// SPDX-License-Identifier: BSD-3-Clause
// What a run counted, by names.
#ifndef MQSHOW_MQD_STATS_H
#define MQSHOW_MQD_STATS_H

#include <stdint.h>
#include <stdio.h>

/** Calls of callbacks over all processes, the memory that the library has from us, and where the
 * time of this program and its workers goes.
 */
struct host_stats {
    uint64_t reads;
    uint64_t bytes;
    uint64_t ahead; // reads of a process that still runs, to see what is to be copied of it
    uint64_t again; // processes that were stopped once more, since they had moved on
    uint64_t symbols;
    uint64_t types;
    uint64_t allocations;
    uint64_t held;               // bytes allocated and not freed yet, as malloc() rounds them up
    uint64_t peak;               // most bytes ever held
    uint64_t cpu_us, starved_us; // on a processor, and ready to run but without one
    uint64_t stops_us;           // waiting for threads to stop
    uint64_t pauses_us;          // between samples
};

/** Of this process, and of those that it has asked. */
extern struct host_stats host_stats;

/** Counts the time on a processor, and without one, since the last call in this process. */
void stats_count_time(void);

/** The i-th counter; its name is NULL past the last. */
const char *stats_name(unsigned i);
uint64_t stats_value(const struct host_stats *stats, unsigned i);

/** Adds what another process counted. */
void stats_add(struct host_stats *stats, unsigned i, uint64_t value);

/** Lines NAME COUNT. */
void stats_print(FILE *out, const struct host_stats *stats);

/** An object with the counters as members. */
struct json_t *stats_json(const struct host_stats *stats);

#endif
