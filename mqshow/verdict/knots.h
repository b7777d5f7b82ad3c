// SPDX-License-Identifier: BSD-3-Clause
// Knots: sets of processes that wait for each other and for nobody else that could help.
#ifndef MQSHOW_VERDICT_KNOTS_H
#define MQSHOW_VERDICT_KNOTS_H

#include "mqshow/verdict/wait_graph.h"

struct knot {
    uint32_t *cycle; // nodes of the graph, each waits for the next, the last for the first
    size_t n_cycle;
    uint32_t *ring; // processes in the order of the cycle
    size_t n_ring;
    uint32_t *processes; // all of the knot, rising
    size_t n_processes;
    bool certain; // neither messages on their way nor the order of samples can explain it
};

struct knots {
    struct knot *items;
    size_t count, capacity;
};

/** Finds the knots among the blocked nodes of the graph, in linear time. */
void knots_init(struct knots *knots, const struct waits *waits);
void knots_deinit(struct knots *knots);

/** Whether a process is part of a knot. */
bool knot_has(const struct knot *knot, uint32_t process);

#endif
