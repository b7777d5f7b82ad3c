// SPDX-License-Identifier: BSD-3-Clause
// Asks one backend every question about every thread, region and task, and writes the answers down.
#ifndef TESTS_OMP_ASK_ALL_H
#define TESTS_OMP_ASK_ALL_H

#include "ompd-bridge/backend.h"

enum { ASK_OBJECTS = 1 << 11, ASK_ANSWERS = 1 << 15, ASK_NAME = 160, ASK_TEXT = 200 };

struct answer {
    char subject[ASK_NAME];  // how the subject is reached: "thread 0/task/generating"
    char question[ASK_NAME]; // "task_function", "icv levels-var"
    char text[ASK_TEXT];     // "ok ...", or the name of the error
};

/** An object, by the first way that led to it. */
struct asked_object {
    enum omp_kind kind;
    struct omp_object object;
    char name[ASK_NAME];
};

struct answers {
    const struct backend *backend;
    struct backend_state *state;
    struct asked_object objects[ASK_OBJECTS];
    struct answer items[ASK_ANSWERS];
    unsigned n_objects, n_items;
    bool complete; // there was room for all
};

/** Asks everything. The backend is open; nothing is left to be released.
 * @return answers in an order that follows from what there is, to be freed with free(); NULL when
 * there is no memory
 */
struct answers *ask_all(const struct backend *backend, struct backend_state *state);

/** The answer to the question; NULL when it was not asked.
 * @param hint place to start at, 0 first; moves on
 */
const struct answer *
ask_find(const struct answers *answers, const char *subject, const char *question, unsigned *hint);

// For the file that asks.

/** Writes an answer down; `format` says what comes after "ok" or "incomplete". */
void ask_put(struct answers *all, const char *subject, const char *question, ompd_rc_t rc,
             const char *format, ...) __attribute__((format(printf, 5, 6)));

/** Takes an object over. @return its name, that of the first way that led to it */
const char *ask_take(struct answers *all, enum omp_kind kind, struct omp_object *object,
                     const char *from, const char *way);

/** Releases an object. */
void ask_let_go(const struct answers *all, enum omp_kind kind, struct omp_object *object);

#endif
