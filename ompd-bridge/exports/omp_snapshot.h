// SPDX-License-Identifier: BSD-3-Clause
// All threads, regions and tasks of a process as a reader lists them, and how they are linked.
#ifndef OMPD_BRIDGE_EXPORTS_OMP_SNAPSHOT_H
#define OMPD_BRIDGE_EXPORTS_OMP_SNAPSHOT_H

#include "ompd-bridge/backend.h"

enum {
    OMP_NONE = -1,    // there is no such region or task
    OMP_UNKNOWN = -2, // it is not known
};

/** Numbers are places in the snapshot's lists, OMP_NONE or OMP_UNKNOWN. */
struct snapshot_thread {
    struct omp_object object;
    int32_t region; // the innermost that it executes; NONE: it waits between regions
    int32_t task;   // that it executes
};

struct snapshot_region {
    struct omp_object object;
    int32_t parent;  // the enclosing one; NONE: this is the outermost
    int32_t primary; // thread with the number 0; UNKNOWN: none was found
    int64_t size;    // threads of its team; 0: not known
    uint32_t depth;  // regions around it
};

struct snapshot_task {
    struct omp_object object;
    int32_t region;
    int32_t generating;
    int32_t scheduling;
    int32_t thread;  // that executes it, now or after what interrupts it; UNKNOWN: none was found
    int32_t num;     // of an implicit task: of its thread in the team; UNKNOWN for others
    bool is_current; // that thread executes it right now
};

/** Items of one kind, and the place of each by its object. */
struct snapshot_list {
    enum omp_kind kind;
    void *items;
    uint32_t count, room;
    uint32_t *places; // number + 1 of the item whose object hashes to here; 0: none
    uint32_t n_places;
};

/** What a reader found. Objects are the snapshot's, and go with it. */
struct omp_snapshot {
    struct object_sink sink; // what the reader's threads are put into
    struct inferior *inf;
    struct reader reader;
    struct diagnostics *diagnostics; // where what is missing is explained
    struct snapshot_list threads, regions, tasks;
    uint32_t deepest;   // of the regions
    enum status broken; // why something is missing; STATUS_OK: nothing is
};

enum {
    SNAPSHOT_REGIONS_MAX = 1 << 16,
    SNAPSHOT_TASKS_MAX = 1 << 18,
    SNAPSHOT_CHAIN_MAX = 1 << 12, // steps from a thread or task to the initial one
    SNAPSHOT_TEAM_MAX = 1 << 17,  // threads of a team
};

/** Makes an empty snapshot; allocates nothing. */
void omp_snapshot_init(struct omp_snapshot *snapshot, struct inferior *inf);

/** Empties the snapshot and releases all its objects; their reader must be open. */
void omp_snapshot_deinit(struct omp_snapshot *snapshot);

/** Lists every thread, and from there all regions and tasks, each once.
 *
 * The snapshot is empty before; what was found until a failure stays.
 * @return STATUS_NOMEM, and what the reader's threads() returns; a thread or chain that makes no
 * sense shows in `broken` only
 */
CHECKED enum status omp_snapshot_take(struct omp_snapshot *snapshot, const struct reader *reader,
                                      struct diagnostics *diagnostics);

/** Value of the number-valued control variable of that name. */
ompd_rc_t reader_icv(const struct reader *reader, const struct omp_object *object,
                     ompd_scope_t scope, const char *name, ompd_word_t *ret);

/** The item of that number, which begins with its object; NULL when there is none. */
void *snapshot_item(const struct snapshot_list *list, int64_t number);

/** The same: snapshot_thread(), snapshot_region(), snapshot_task(). */
#define SNAPSHOT_ITEM(name)                                                                    \
    static inline struct snapshot_##name *snapshot_##name(const struct omp_snapshot *snapshot, \
                                                          int64_t number)                      \
    {                                                                                          \
        return (struct snapshot_##name *) snapshot_item(&snapshot->name##s, number);           \
    }
SNAPSHOT_ITEM(thread)
SNAPSHOT_ITEM(region)
SNAPSHOT_ITEM(task)
#undef SNAPSHOT_ITEM

#endif
