// SPDX-License-Identifier: BSD-3-Clause
// What a document tells of each rank: whether it waits, in which call, for whom.
#include "tools/html/situation.h"

#include "tools/alloc.h"
#include "tools/search.h"
#include "tools/html/run.h"

#include <stdlib.h>
#include <string.h>

static int
compare(const void *a, const void *b)
{
    json_int_t x = ((const struct situation *) a)->rank, y = ((const struct situation *) b)->rank;
    return x < y ? -1 : x > y;
}

size_t
situations_from(const struct situations *all, json_int_t rank)
{
    const struct situation key = {.rank = rank};
    return search_first(&key, all->items, all->count, sizeof key, compare);
}

static struct situation *
find(const struct situations *all, json_int_t rank)
{
    size_t i = situations_from(all, rank);
    return i < all->count && all->items[i].rank == rank ? &all->items[i] : NULL;
}

static bool
are_distinct(const struct situations *all)
{
    for (size_t i = 1; i < all->count; i++)
        if (all->items[i].rank == all->items[i - 1].rank)
            return false;
    return true;
}

static bool
is_rank(const json_t *value)
{
    json_int_t rank = json_integer_value(value);
    return json_is_integer(value) && rank >= 0 && rank <= INT32_MAX;
}

/** Whether nothing is known of a process but the core's file, whose name tells it apart. */
static bool
is_unread_core(const json_t *process)
{
    return !is_rank(json_object_get(process, "rank")) && json_object_get(process, "core") != NULL &&
           json_array_size(json_object_get(process, "communicators")) == 0;
}

/** Ranks identify processes when each has one of its own, else their places do, as in the verdict.
 */
static void
read_processes(struct situations *all, const json_t *processes)
{
    size_t count = json_array_size(processes), n_unread = 0;
    all->items = alloc_zeroed(count + 1, sizeof *all->items);
    for (size_t i = 0; i < count; i++) {
        const json_t *process = json_array_get(processes, i);
        const json_t *rank = json_object_get(process, "rank");
        if (is_rank(rank))
            all->items[all->count++] =
                (struct situation){.rank = json_integer_value(rank), .process = process};
        n_unread += is_unread_core(process);
    }
    qsort(all->items, all->count, sizeof *all->items, compare);
    all->by_index = all->count == 0 || all->count + n_unread < count || !are_distinct(all);
    if (!all->by_index)
        return;
    all->count = count;
    for (size_t i = 0; i < count; i++) {
        const json_t *process = json_array_get(processes, i);
        all->items[i] = (struct situation){.rank = (json_int_t) i, .process = process};
    }
}

/** A growing list of situations behind the ordered ones. */
struct unread {
    struct situations *all;
    size_t added, capacity;
};

/** Adds the ranks that a list names and no process has. */
static void
add_unread(struct unread *unread, const json_t *list)
{
    struct situations *all = unread->all;
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *rank = json_array_get(list, i);
        if (!is_rank(rank) || find(all, json_integer_value(rank)) != NULL)
            continue;
        size_t end = all->count + unread->added++;
        all->items = alloc_grow(all->items, end, &unread->capacity, sizeof *all->items);
        all->items[end] = (struct situation){.rank = json_integer_value(rank)};
    }
}

static void
read_unread(struct situations *all, const json_t *verdict)
{
    struct unread unread = {.all = all, .capacity = all->count + 1};
    const json_t *waits = json_object_get(verdict, "waits");
    const json_t *cycles = json_object_get(verdict, "cycles");
    for (size_t i = 0; i < json_array_size(waits); i++)
        add_unread(&unread, json_object_get(json_array_get(waits, i), "for"));
    for (size_t i = 0; i < json_array_size(cycles); i++)
        add_unread(&unread, json_array_get(cycles, i));
    all->count += unread.added;
    qsort(all->items, all->count, sizeof *all->items, compare);
    size_t kept = 0;
    for (size_t i = 0; i < all->count; i++)
        if (kept == 0 || all->items[kept - 1].rank != all->items[i].rank)
            all->items[kept++] = all->items[i];
    all->count = kept;
}

/** Mixes bytes into a hash (FNV-1a). */
static uint64_t
mix(uint64_t hash, const void *data, size_t size)
{
    const unsigned char *bytes = data;
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ bytes[i]) * 0x100000001b3;
    return hash;
}

static bool
is_any(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text != NULL && strcmp(text, "any") == 0;
}

bool
wait_needs_any(const json_t *wait)
{
    return is_any(wait, "needs") || is_any(json_object_get(wait, "operation"), "peer");
}

uint64_t
wait_hash(const json_t *wait)
{
    uint64_t hash = 0xcbf29ce484222325;
    const json_t *list = json_object_get(wait, "for");
    struct run run;
    for (size_t i = 0; i < json_array_size(list); i++)
        if (run_read(json_array_get(list, i), &run))
            hash = mix(hash, &run, sizeof run);
    return hash ^ wait_needs_any(wait);
}

/** Of threads that wait for another one of their process, the first that waits for a lock is told,
 * for in a barrier they wait all the time. */
static void
add_wait(struct situation *one, const json_t *wait)
{
    uint64_t hash = wait_hash(wait);
    const char *inside = json_string_value(json_object_get(wait, "inside"));
    if (inside != NULL) {
        one->inside = one->inside == NULL && is_any(wait, "needs") ? inside : one->inside;
        return;
    }
    one->waits_hash = mix(one->waits_hash, &hash, sizeof hash);
    one->wait = one->wait != NULL ? one->wait : wait;
}

static void
mark_waits(struct situations *all, const json_t *waits)
{
    for (size_t i = 0; i < json_array_size(waits); i++) {
        const json_t *wait = json_array_get(waits, i);
        const json_t *rank = json_object_get(wait, "rank");
        struct situation *one = json_is_integer(rank) ? find(all, json_integer_value(rank)) : NULL;
        if (one != NULL)
            add_wait(one, wait);
    }
}

static void
mark_cycles(struct situations *all, const json_t *cycles)
{
    for (size_t i = 0; i < json_array_size(cycles); i++) {
        const json_t *cycle = json_array_get(cycles, i);
        for (size_t k = 0; k < json_array_size(cycle); k++) {
            struct situation *one = find(all, json_integer_value(json_array_get(cycle, k)));
            if (one != NULL && one->cycle == SIZE_MAX)
                one->cycle = i;
        }
    }
}

static void
mark_late(struct situations *all, const json_t *collectives)
{
    for (size_t i = 0; i < json_array_size(collectives); i++) {
        const json_t *collective = json_array_get(collectives, i);
        const json_t *missing = json_object_get(collective, "missing");
        for (size_t k = 0; k < json_array_size(missing); k++) {
            struct run run;
            if (!run_read(json_array_get(missing, k), &run))
                continue;
            for (size_t m = situations_from(all, run.first);
                 m < all->count && all->items[m].rank <= run.last; m++)
                if (all->items[m].late == NULL)
                    all->items[m].late = collective;
        }
    }
}

/** Marks the ranks of a text like "[0-3,7]". */
static void
mark_group(struct situations *all, const char *text, size_t group)
{
    const char *at = text != NULL ? text + strspn(text, "[ ") : "";
    for (char *end; *at >= '0' && *at <= '9'; at = end + strspn(end, ", ")) {
        json_int_t first = strtoll(at, &end, 10), last = first;
        if (*end == '-')
            last = strtoll(end + 1, &end, 10);
        for (size_t i = situations_from(all, first); i < all->count && all->items[i].rank <= last;
             i++)
            all->items[i].group = group;
    }
}

static void
mark_groups(struct situations *all, const json_t *groups)
{
    for (size_t i = 0; i < json_array_size(groups); i++) {
        const json_t *ranks = json_object_get(json_array_get(groups, i), "ranks");
        mark_group(all, json_string_value(ranks), i);
    }
}

/** The thread that tells most of where the process is. */
static const json_t *
telling_thread(const struct situation *one)
{
    const json_t *threads = json_object_get(one->process, "threads"), *best = NULL;
    const json_t *tid = json_object_get(one->wait, "tid");
    int best_points = 0;
    for (size_t i = 0; i < json_array_size(threads); i++) {
        const json_t *thread = json_array_get(threads, i);
        bool waits = tid != NULL && json_equal(tid, json_object_get(thread, "tid"));
        int points = waits                                      ? 4
                     : json_object_get(thread, "call") != NULL  ? 3
                     : json_object_get(thread, "frame") != NULL ? 2
                                                                : 1;
        if (points > best_points) {
            best = thread;
            best_points = points;
        }
    }
    return best;
}

static void
judge(struct situation *one)
{
    const json_t *call = json_object_get(one->wait, "call");
    one->thread = telling_thread(one);
    if (call == NULL)
        call = json_object_get(one->thread, "call");
    one->call = json_string_value(call);
    one->state = json_string_value(json_object_get(one->process, "state"));
    if (one->state == NULL && json_object_get(one->process, "tracer") != NULL)
        one->state = "traced";
    one->kind = one->cycle != SIZE_MAX ? KIND_CYCLE
                : one->wait != NULL    ? KIND_WAITS
                : one->process == NULL ? KIND_UNREAD
                : one->call != NULL    ? KIND_MPI
                : one->thread != NULL  ? KIND_RUNS
                                       : KIND_UNKNOWN;
}

struct situations
situations_read(const json_t *document)
{
    struct situations all = {0};
    const json_t *verdict = json_object_get(document, "verdict");
    read_processes(&all, json_object_get(document, "processes"));
    read_unread(&all, verdict);
    for (size_t i = 0; i < all.count; i++)
        all.items[i].group = all.items[i].cycle = SIZE_MAX;
    mark_waits(&all, json_object_get(verdict, "waits"));
    mark_cycles(&all, json_object_get(verdict, "cycles"));
    mark_late(&all, json_object_get(verdict, "collectives"));
    mark_groups(&all, json_object_get(verdict, "groups"));
    for (size_t i = 0; i < all.count; i++)
        judge(&all.items[i]);
    return all;
}

void
situations_free(struct situations *all)
{
    free(all->items);
}
