// SPDX-License-Identifier: BSD-3-Clause
// Whether the records of all ranks, as far as they are about the whole job, make sense together.
#include "wait_truth.h"
#include "run.h"

static json_t *
verdict_of(const json_t *truths, size_t i)
{
    return json_object_get(json_array_get(truths, i), "verdict");
}

// Whether the record of a rank has a wait for another one.
static bool
has_wait(const json_t *truths, json_t *rank, json_t *other)
{
    size_t i, j, k;
    json_t *truth, *wait, *target;
    json_array_foreach (truths, i, truth) {
        if (!json_equal(json_object_get(truth, "rank"), rank))
            continue;
        json_array_foreach (json_object_get(verdict_of(truths, i), "waits"), j, wait) {
            json_array_foreach (json_object_get(wait, "for"), k, target) {
                if (json_equal(target, other))
                    return true;
            }
        }
    }
    return false;
}

static char *
check_cycles(const json_t *truths, const json_t *cycles)
{
    size_t i, j;
    json_t *cycle, *rank;
    json_array_foreach (cycles, i, cycle) {
        json_array_foreach (cycle, j, rank) {
            json_t *next = json_array_get(cycle, (j + 1) % json_array_size(cycle));
            if (!has_wait(truths, rank, next))
                return run_text("rank %d is in a cycle and does not wait for %d",
                                (int) json_integer_value(rank), (int) json_integer_value(next));
        }
    }
    return NULL;
}

static char *
check_waits(const json_t *truths, size_t i)
{
    size_t j, k;
    json_t *wait, *other, *own = json_object_get(json_array_get(truths, i), "rank");
    json_array_foreach (json_object_get(verdict_of(truths, i), "waits"), j, wait) {
        if (!json_equal(json_object_get(wait, "rank"), own))
            return run_text("the record of rank %d has waits of another",
                            (int) json_integer_value(own));
        json_array_foreach (json_object_get(wait, "for"), k, other) {
            bool is_inside = json_object_get(wait, "inside") != NULL;
            if (json_equal(other, own) != is_inside ||
                (size_t) json_integer_value(other) >= json_array_size(truths))
                return run_text("rank %d cannot wait for %d", (int) json_integer_value(own),
                                (int) json_integer_value(other));
        }
    }
    return NULL;
}

char *
wait_truth_contradiction(const json_t *truths)
{
    const json_t *first = verdict_of(truths, 0);
    for (size_t i = 0; i < json_array_size(truths); i++) {
        const json_t *verdict = verdict_of(truths, i);
        if (json_object_get(verdict, "kind") == NULL ||
            !json_equal(json_object_get(verdict, "kind"), json_object_get(first, "kind")) ||
            (i > 0 &&
             !json_equal(json_object_get(verdict, "cycles"), json_object_get(first, "cycles")) &&
             json_object_get(first, "cycles") != NULL))
            return run_text("records %zu and 0 have different verdicts", i);
        char *problem = check_waits(truths, i);
        if (problem != NULL)
            return problem;
    }
    return check_cycles(truths, json_object_get(first, "cycles"));
}
