// SPDX-License-Identifier: BSD-3-Clause
// All threads, regions and tasks of a process as one reader sees them, and how they hang together.
#ifndef OMPD_BRIDGE_PICTURE_H
#define OMPD_BRIDGE_PICTURE_H

#include "ompd-bridge/backend.h"

/** A backend and its state for the process; no backend: not in use. */
struct reader {
    const struct backend *backend;
    struct backend_state *state;
};

enum {
    PICTURE_NONE = -1,    // there is no such region or task
    PICTURE_UNKNOWN = -2, // it cannot be told
};

/** Numbers are places in the picture's lists, PICTURE_NONE or PICTURE_UNKNOWN. */
struct picture_thread {
    struct omp_object object;
    int32_t region; // the innermost that it executes; NONE: it waits between regions
    int32_t task;   // that it executes
};

struct picture_region {
    struct omp_object object;
    int32_t parent;  // the enclosing one; NONE: this is the outermost
    int32_t primary; // thread with the number 0; UNKNOWN: none was seen
    int64_t size;    // threads of its team; 0: not known
};

struct picture_task {
    struct omp_object object;
    int32_t region;
    int32_t generating;
    int32_t scheduling;
    int32_t thread;  // that executes it, now or after what interrupts it; UNKNOWN: none was seen
    int32_t num;     // of an implicit task: of its thread in the team; UNKNOWN for others
    bool is_current; // that thread executes it right now
};

/** Items of one kind, and the place of each by its object. */
struct picture_list {
    enum omp_kind kind;
    void *items;
    uint32_t count, room;
    uint32_t *places; // number + 1 of the item whose object hashes to here; 0: none
    uint32_t n_places;
};

/** What one reader sees. Objects are the picture's, and go with it. */
struct picture {
    struct inferior *inf;
    struct reader reader;
    struct notes *notes; // where what is missing is explained
    struct picture_list threads, regions, tasks;
    enum status broken; // why something is missing; STATUS_OK: nothing is
};

enum {
    PICTURE_REGIONS_MAX = 1 << 16,
    PICTURE_TASKS_MAX = 1 << 18,
    PICTURE_CHAIN_MAX = 1 << 12, // steps from a thread or task to the initial one
    PICTURE_TEAM_MAX = 1 << 17,  // threads of a team
};

/** Makes an empty picture; allocates nothing. */
void picture_init(struct picture *picture, struct inferior *inf);

/** Empties the picture and releases all its objects; their reader must be open. */
void picture_deinit(struct picture *picture);

/** Looks at every thread, and from there at all regions and tasks, each once.
 *
 * The picture is empty before; what was seen until a failure stays.
 * @return STATUS_NOMEM, and what the reader's threads() says; a thread or chain that makes no sense
 * shows in `broken` only
 */
CHECKED enum status
picture_take(struct picture *picture, const struct reader *reader, struct notes *notes);

/** Whether both have the same threads, regions and tasks, hanging together in the same way. */
bool picture_agree(const struct picture *a, const struct picture *b);

/** Value of the number-valued control variable of that name. */
ompd_rc_t reader_icv(const struct reader *reader, const struct omp_object *object,
                     ompd_scope_t scope, const char *name, ompd_word_t *ret);

/** The item of that number; NULL when there is none. */
struct picture_thread *picture_thread(const struct picture *picture, int64_t number);
struct picture_region *picture_region(const struct picture *picture, int64_t number);
struct picture_task *picture_task(const struct picture *picture, int64_t number);

#endif
