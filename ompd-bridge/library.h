// SPDX-License-Identifier: BSD-3-Clause
// The state of the backend that asks an OMPD library; shared by its sources only.
#ifndef OMPD_BRIDGE_LIBRARY_H
#define OMPD_BRIDGE_LIBRARY_H

#include "ompd-bridge/backend.h"
#include "ompd-bridge/callbacks.h"
#include "ompd-bridge/library_load.h"

enum { LIBRARY_BUCKETS = 256, LIBRARY_ICVS = 32 };

/** A handle of the library's, once for each thing that it stands for. */
struct library_object {
    struct library_object *next;
    enum omp_kind kind;
    void *handle;
    taddr identity[2]; // where the library reads what this thing has of its own
    unsigned uses;
};

/** A control variable as the library numbers it. */
struct library_icv {
    const struct icv_kind *kind;
    ompd_icv_id_t id;
};

struct backend_state {
    struct kmp kmp;
    struct notes *notes;
    struct ompd_library library;
    struct ompd_context context;
    ompd_address_space_handle_t *space;
    ompd_word_t version; // of OpenMP; 0: not known
    bool knows_tracking; // whether `tracking` was found out since the last refresh
    bool tracking;
    struct library_icv icvs[LIBRARY_ICVS];
    unsigned n_icvs;
    struct library_object *objects[LIBRARY_BUCKETS];
};

/** Calls a function of the library; an ompd_rc_t that ompd_context_leave() has looked at. Results
 * mean nothing unless it is ompd_rc_ok. */
#define ASK(state, function, ...)           \
    (ompd_context_enter(&(state)->context), \
     ompd_context_leave(&(state)->context, (state)->library.call.function(__VA_ARGS__)))

/** The trail says that a function of the library failed. @return STATUS_UNSUPPORTED */
enum status library_failed(struct backend_state *state, const char *function, ompd_rc_t rc);

/** Makes an object of a handle that the library gave, and takes the handle over in any case.
 * @return ompd_rc_error when the library does not tell what it stands for; ompd_rc_nomem
 */
ompd_rc_t library_adopt(struct backend_state *state, enum omp_kind kind, void *handle,
                        struct omp_object *ret);

/** The library's handle of an object. */
void *library_handle(const struct omp_object *object);

/** backend.release */
void library_release(struct backend_state *state, enum omp_kind kind, struct omp_object *object);

/** Releases all objects. */
void library_release_all(struct backend_state *state);

/** Learns which control variables the library has.
 * @return STATUS_UNSUPPORTED when it lacks those that everything else needs, and the trail says so
 */
CHECKED enum status library_learn_icvs(struct backend_state *state);

/** Asks for a control variable by its name. */
ompd_rc_t library_icv_named(struct backend_state *state, const struct omp_object *object,
                            const char *name, ompd_word_t *ret);

/** Asks for a control variable of a handle, and throws the answer away.
 * @return the address in the process that was read for it; 0: none
 */
taddr library_icv_place(struct backend_state *state, void *handle, const char *name);

/** Whether the runtime keeps states; looks at all threads for it, once after a refresh. */
bool library_is_tracking(struct backend_state *state);

// The questions of struct backend.
CHECKED enum status library_threads(struct backend_state *state, struct object_sink *sink);
ompd_rc_t library_find_thread(struct backend_state *state, ompd_thread_id_t kind, uint64_t id,
                              struct omp_object *ret);
ompd_rc_t library_thread_id(struct backend_state *state, const struct omp_object *thread,
                            struct omp_thread_id *ret);
ompd_rc_t library_thread_state(struct backend_state *state, const struct omp_object *thread,
                               ompd_word_t *ret_state, ompd_wait_id_t *ret_wait_id);
ompd_rc_t
library_task_function(struct backend_state *state, const struct omp_object *task, taddr *ret);
ompd_rc_t library_task_frame(struct backend_state *state, const struct omp_object *task,
                             ompd_frame_info_t *ret_exit, ompd_frame_info_t *ret_enter);
ompd_rc_t
library_tool_data(struct backend_state *state, enum omp_kind kind, const struct omp_object *object,
                  ompd_word_t *ret_value, taddr *ret_ptr);
omp_step library_curr_parallel, library_enclosing_parallel, library_task_parallel;
omp_step library_curr_task, library_generating_task, library_scheduling_task;
ompd_rc_t library_thread_in_parallel(struct backend_state *state, const struct omp_object *parallel,
                                     int num, struct omp_object *ret);
ompd_rc_t library_task_in_parallel(struct backend_state *state, const struct omp_object *parallel,
                                   int num, struct omp_object *ret);
const struct omp_icv *library_icv(struct backend_state *state, unsigned number);
ompd_rc_t library_icv_value(struct backend_state *state, const struct omp_object *object,
                            unsigned number, ompd_word_t *ret);
ompd_rc_t library_icv_text(struct backend_state *state, const struct omp_object *object,
                           unsigned number, size_t size, char *ret);
ompd_rc_t library_control_vars(struct backend_state *state, struct text_sink *sink);

#endif
