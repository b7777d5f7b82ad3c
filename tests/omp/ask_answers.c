// SPDX-License-Identifier: BSD-3-Clause
// Keeps what a backend answered, and by which way each object was first reached.
#include "tests/omp/ask_all.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const char *
rc_name(ompd_rc_t rc)
{
    static const char *const names[] = {"ok",
                                        "unavailable",
                                        "stale_handle",
                                        "bad_input",
                                        "error",
                                        "unsupported",
                                        "needs_state_tracking",
                                        "incompatible",
                                        "device_read_error",
                                        "device_write_error",
                                        "nomem",
                                        "incomplete",
                                        "callback_error"};
    return (unsigned) rc < sizeof(names) / sizeof(names[0]) ? names[rc] : "no ompd_rc_t";
}

void
ask_put(struct answers *all, const char *subject, const char *question, ompd_rc_t rc,
        const char *format, ...)
{
    va_list args;
    if (all->n_items == ASK_ANSWERS) {
        all->complete = false;
        return;
    }
    struct answer *answer = &all->items[all->n_items++];
    snprintf(answer->subject, sizeof(answer->subject), "%s", subject);
    snprintf(answer->question, sizeof(answer->question), "%s", question);
    int length = snprintf(answer->text, sizeof(answer->text), "%s", rc_name(rc));
    if (rc != ompd_rc_ok && rc != ompd_rc_incomplete)
        return;
    va_start(args, format);
    vsnprintf(answer->text + length, sizeof(answer->text) - (size_t) length, format, args);
    va_end(args);
}

static bool
are_same(const struct omp_object *a, const struct omp_object *b)
{
    return a->addr == b->addr && a->detail == b->detail;
}

void
ask_let_go(const struct answers *all, enum omp_kind kind, struct omp_object *object)
{
    if (all->backend->release)
        all->backend->release(all->state, kind, object);
}

// Takes an object over; its name is that of the first way that led to it.
const char *
ask_take(struct answers *all, enum omp_kind kind, struct omp_object *object, const char *from,
         const char *way)
{
    for (unsigned i = 0; i < all->n_objects; i++)
        if (all->objects[i].kind == kind && are_same(&all->objects[i].object, object)) {
            ask_let_go(all, kind, object);
            return all->objects[i].name;
        }
    if (all->n_objects == ASK_OBJECTS || strlen(from) + strlen(way) + 2 > ASK_NAME) {
        all->complete = false;
        ask_let_go(all, kind, object);
        return "one too many";
    }
    struct asked_object *added = &all->objects[all->n_objects++];
    added->kind = kind;
    added->object = *object;
    snprintf(added->name, sizeof(added->name), "%s%s%s", from, from[0] ? "/" : "", way);
    return added->name;
}

// Both sides of a comparison come in nearly the same order: starts where the last one was found.
const struct answer *
ask_find(const struct answers *answers, const char *subject, const char *question, unsigned *hint)
{
    for (unsigned i = 0; i < answers->n_items; i++) {
        unsigned at = (*hint + i) % answers->n_items;
        const struct answer *item = &answers->items[at];
        if (strcmp(item->question, question) == 0 && strcmp(item->subject, subject) == 0) {
            *hint = at + 1;
            return item;
        }
    }
    return NULL;
}
