// SPDX-License-Identifier: BSD-3-Clause
// Asks a runtime's own OMPD library, where no native reader recognises the runtime. Its answers are
// taken as they are; but that it crashes, loses memory or goes on after a failure is prevented as
// far as its callbacks can (callbacks.h), and what may be loaded at all trust.h decides.
#ifndef OMPD_BRIDGE_LIBRARY_LIBRARY_H
#define OMPD_BRIDGE_LIBRARY_LIBRARY_H

#include "ompd-bridge/backend.h"
#include "ompd-bridge/library/callbacks.h"
#include "ompd-bridge/library/library_load.h"

enum { LIBRARY_OBJECTS = 1 << 12, LIBRARY_ICVS = 64, LIBRARY_ICV_NAME = 64 };

/** A handle of the library's, once for each thread, region or task. */
struct library_object {
    enum omp_kind kind;
    void *handle;
    unsigned uses; // 0: the place is free
};

/** A control variable as the library numbers it. */
struct library_icv {
    char name[LIBRARY_ICV_NAME];
    struct omp_icv icv; // of that name
    ompd_icv_id_t id;
};

struct backend_state {
    struct inferior *inf;
    struct ompd_library library;
    struct ompd_context context;
    ompd_address_space_handle_t *space;
    bool tracking;
    struct library_icv icvs[LIBRARY_ICVS];
    unsigned n_icvs;
    struct library_object objects[LIBRARY_OBJECTS];
    unsigned n_objects; // places in use so far
};

/** Calls a function of the library; an ompd_rc_t that ompd_context_leave() has checked. Results
 * mean nothing unless it is ompd_rc_ok. */
#define ASK(state, function, ...)           \
    (ompd_context_enter(&(state)->context), \
     ompd_context_leave(&(state)->context, (state)->library.call.function(__VA_ARGS__)))

/** Makes an object of a handle that the library gave, and takes the handle over in any case. The
 * object's address is a number of ours.
 * @return ompd_rc_nomem when there are more than LIBRARY_OBJECTS
 */
ompd_rc_t library_adopt(struct backend_state *state, enum omp_kind kind, void *handle,
                        struct omp_object *ret);

/** The library's handle of an object. */
void *library_handle(const struct backend_state *state, const struct omp_object *object);

/** backend.release */
void library_release(struct backend_state *state, enum omp_kind kind, struct omp_object *object);

/** Releases all objects. */
void library_release_all(struct backend_state *state);

/** Learns which control variables the library has. */
void library_learn_icvs(struct backend_state *state);

const struct omp_icv *library_icv(struct backend_state *state, unsigned number);
ompd_rc_t library_icv_value(struct backend_state *state, const struct omp_object *object,
                            unsigned number, ompd_word_t *ret);
ompd_rc_t library_icv_text(struct backend_state *state, const struct omp_object *object,
                           unsigned number, size_t size, char *ret);

#endif
