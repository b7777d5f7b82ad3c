// SPDX-License-Identifier: BSD-3-Clause
// The forms in which reports are printed.
#ifndef TOOLS_PRINT_H
#define TOOLS_PRINT_H

#include "tools/host.h"
#include "tools/model.h"

#include <jansson.h>
#include <stdio.h>

/** How tables for people look. */
struct style {
    bool color;
    bool all;    // nothing is folded or left out
    bool stacks; // with the stacks of threads
};

/** Tables for people. */
void print_text(FILE *out, const struct report *reports, size_t count, struct style style);

/** A document as a text of many lines. */
void print_json(FILE *out, const struct json_t *document);

/** Struct layouts as rows of a built-in table, equal ones once. */
void print_layout(FILE *out, const struct report *reports, size_t count);

/** Lines NAME COUNT. */
void print_stats(FILE *out, const struct host_stats *stats);

/** The i-th counter; its name is NULL past the last. */
const char *stats_name(unsigned i);
uint64_t stats_value(const struct host_stats *stats, unsigned i);

/** Adds what another process counted. */
void stats_add(struct host_stats *stats, unsigned i, uint64_t value);

/** How an operation is told in every form, from the known members and the class of its queue. */
struct shown_operation {
    bool has_peer, any_peer, has_world_peer;
    bool has_tag, any_tag, has_bytes, has_actual;
    struct envelope envelope;
};

struct shown_operation print_judge(const struct operation *op, int op_class);

#endif
