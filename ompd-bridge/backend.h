// SPDX-License-Identifier: BSD-3-Clause
// The contract between the OpenMP side and what reads one kind of OpenMP runtime.
//
// How to add a backend, in stages:
//
// 1. detect(): recognise the runtime by a symbol that only it has. open(): find its tables.
//    info(): name it. Debuggers now show which runtime a process uses.
// 2. threads() and the control variables thread-num-var, team-size-var, levels-var and
//    active-levels-var; curr_parallel, enclosing_parallel. Debuggers now show threads and regions.
// 3. Tasks, the other control variables, states, frames: whatever the runtime's memory holds.
//
// A function that is NULL is a question that the backend cannot answer: ompd_rc_unsupported. All
// of them read the target through the inferior only, trust nothing that they read, and bound every
// walk. A backend keeps no address over a refresh but those of the runtime's variables.
#ifndef OMPD_BRIDGE_BACKEND_H
#define OMPD_BRIDGE_BACKEND_H

#include "ompd-bridge/diagnostics.h"
#include "ompd-bridge/ompd.h"
#include "target/inferior.h"

/** A thread, region or task, as its backend finds it again. What the members mean is the backend's;
 * objects of one kind are the same when both members are equal.
 *
 * An object stays good until the process runs on. Afterwards the functions answer
 * ompd_rc_stale_handle as far as memory shows that it has gone.
 */
struct omp_object {
    taddr addr;
    uint64_t detail;
};

enum omp_kind { OMP_SPACE, OMP_THREAD, OMP_PARALLEL, OMP_TASK };

struct omp_info {
    char runtime[64];  // "LLVM OpenMP"
    char release[32];  // "14 or 15"; "" when not known
    char backend[256]; // "libomp table"
    bool tracking;     // the runtime keeps the states of its threads
    int64_t version;   // yyyymm of the specification; 0: not known
};

struct omp_thread_id {
    taddr pthread; // 0: not known
    int64_t tid;   // the operating system's; 0: not known
};

/** What a task is, as far as it is known. */
enum omp_task_flag {
    OMP_TASK_IMPLICIT = 1 << 0,
    OMP_TASK_UNTIED = 1 << 1,
    OMP_TASK_FINAL = 1 << 2,
    OMP_TASK_UNDEFERRED = 1 << 3, // its generating task waits until it is complete
    OMP_TASK_STARTED = 1 << 4,
    OMP_TASK_COMPLETE = 1 << 5,
    OMP_TASK_IN_TASKWAIT = 1 << 6,
    OMP_TASK_IN_TASKGROUP_END = 1 << 7, // waits for the tasks of a taskgroup
};

struct omp_task_flags {
    unsigned known; // enum omp_task_flag
    unsigned set;
};

/** Explicit tasks that a region's threads have not completed. */
struct omp_task_counts {
    int64_t queued;
    int64_t running;
};

/** Takes what a backend finds. */
struct object_sink {
    /** @return STATUS_NOMEM */
    enum status (*emit)(struct object_sink *sink, const struct omp_object *object);
    /** Something cannot be read, so that the list is not complete. */
    void (*broken)(struct object_sink *sink, enum status status);
};

/** Takes texts; each is valid during the call only. @return STATUS_NOMEM */
struct text_sink {
    enum status (*emit)(struct text_sink *sink, const char *text);
};

/** State of one backend for one process; each backend has a type of its own. */
struct backend_state;

/** A question about a control variable. */
struct icv_question {
    struct backend_state *state;
    const struct omp_icv *icv;
    const struct omp_object *object; // of the variable's scope; not used for the address space
};

/** Reads a variable as a number; a failure leaves `ret` as it is.
 * @return ompd_rc_incomplete when it is a list, of which this is the first element: its text has
 * the rest; ompd_rc_incompatible when a number alone does not describe it */
typedef ompd_rc_t icv_number(const struct icv_question *question, ompd_word_t *ret);

/** Reads it as a text. @param size of `ret`, 1 or more; what does not fit is cut */
typedef ompd_rc_t icv_text(const struct icv_question *question, size_t size, char *ret);

/** An internal control variable. */
struct omp_icv {
    const char *name; // as in OpenMP 5.2, "thread-num-var"
    ompd_scope_t scope;
    icv_number *number; // NULL: it is no number
    icv_text *text;     // NULL: it has no form but the number
    unsigned what;      // for the two functions, which know the meaning
};

/** Leads from one object to another.
 * @return ompd_rc_unavailable when there is no such object (not in a region, the outermost region,
 * the initial task); ompd_rc_stale_handle, ompd_rc_device_read_error, ompd_rc_error for what makes
 * no sense
 */
typedef ompd_rc_t
omp_step(struct backend_state *state, const struct omp_object *from, struct omp_object *ret);

struct backend {
    const char *name;

    /** Whether the process has loaded the runtime; looks up symbols only.
     * @return STATUS_ABSENT when it has not */
    enum status (*detect)(struct inferior *inf);

    /** Prepares to read the runtime.
     * @param diagnostics for what the user may want to know; outlives the state
     * @return STATUS_UNUSED when the runtime has not started, or has ended; STATUS_ABSENT when it
     * cannot be read by this backend; the trail says so for the user; STATUS_NOMEM and others */
    enum status (*open)(struct inferior *inf, struct diagnostics *diagnostics,
                        struct backend_state **ret);

    /** Frees the state; NULL is fine. All objects were released before. */
    void (*close)(struct backend_state *state);

    /** The inferior was refreshed: reads again what may have changed. */
    enum status (*refresh)(struct backend_state *state);

    enum status (*info)(struct backend_state *state, struct omp_info *ret);

    /** Emits every thread of the runtime once, in the runtime's order, also those that wait between
     * regions. What is emitted before a failure stays good. A thread that is invalid is left
     * out with a note. */
    enum status (*threads)(struct backend_state *state, struct object_sink *sink);

    // The questions of OMPD, named as there. The results of one that fails mean nothing.

    /** @param kind OMPD_THREAD_ID_PTHREAD or _LWP
     * @return ompd_rc_unavailable when it is no thread of the runtime */
    ompd_rc_t (*find_thread)(struct backend_state *state, ompd_thread_id_t kind, uint64_t id,
                             struct omp_object *ret);
    /** Name of a variable of each thread's own that leads to its record, by which a thread is found
     * that has only just begun; NULL when the runtime has no names. NULL itself: never. */
    const char *(*own_variable)(struct backend_state *state);
    /** The thread that has this variable. @return ompd_rc_unavailable as find_thread() */
    ompd_rc_t (*thread_of_variable)(struct backend_state *state, taddr variable,
                                    struct omp_object *ret);
    ompd_rc_t (*thread_id)(struct backend_state *state, const struct omp_object *thread,
                           struct omp_thread_id *ret);
    omp_step *curr_parallel;      // of a thread; ompd_rc_unavailable when it waits between regions
    omp_step *enclosing_parallel; // of a region; ompd_rc_unavailable for the outermost
    omp_step *task_parallel;      // of a task
    omp_step *curr_task;          // of a thread
    omp_step *generating_task;    // of a task
    omp_step *scheduling_task;    // of a task: whose execution it interrupts on its thread
    /** @return ompd_rc_bad_input when the team has no thread of that number */
    ompd_rc_t (*thread_in_parallel)(struct backend_state *state, const struct omp_object *parallel,
                                    int num, struct omp_object *ret);
    ompd_rc_t (*task_in_parallel)(struct backend_state *state, const struct omp_object *parallel,
                                  int num, struct omp_object *ret);
    ompd_rc_t (*task_function)(struct backend_state *state, const struct omp_object *task,
                               taddr *ret);
    ompd_rc_t (*task_frame)(struct backend_state *state, const struct omp_object *task,
                            ompd_frame_info_t *ret_exit, ompd_frame_info_t *ret_enter);
    /** @return ompd_rc_needs_state_tracking */
    ompd_rc_t (*thread_state)(struct backend_state *state, const struct omp_object *thread,
                              ompd_word_t *ret_state, ompd_wait_id_t *ret_wait_id);

    /** The variable of that number, from 0; NULL past the last one. The same in all processes of a
     * data model, for as long as the state lives. */
    const struct omp_icv *(*icv)(struct backend_state *state, unsigned number);
    /** Emits "NAME=VALUE" for each variable that the runtime was started with. */
    ompd_rc_t (*control_vars)(struct backend_state *state, struct text_sink *sink);
    /** What an OMPT tool has attached to a thread, region or task.
     * @return ompd_rc_unavailable when there is no tool */
    ompd_rc_t (*tool_data)(struct backend_state *state, enum omp_kind kind,
                           const struct omp_object *object, ompd_word_t *ret_value, taddr *ret_ptr);

    // What OMPD has no question for.

    ompd_rc_t (*task_flags)(struct backend_state *state, const struct omp_object *task,
                            struct omp_task_flags *ret);
    ompd_rc_t (*task_counts)(struct backend_state *state, const struct omp_object *parallel,
                             struct omp_task_counts *ret);

    /** Lets go of an object that the backend gave; NULL: there is nothing to do. */
    void (*release)(struct backend_state *state, enum omp_kind kind, struct omp_object *object);
};

/** The members that all our readers have, each by the function of the same name: PREFIX_open(). */
#define BACKEND_MEMBERS(prefix)                                                                 \
    .open = prefix##_open, .close = prefix##_close, .refresh = prefix##_refresh,                \
    .info = prefix##_info, .threads = prefix##_threads, .find_thread = prefix##_find_thread,    \
    .thread_id = prefix##_thread_id, .curr_parallel = prefix##_curr_parallel,                   \
    .enclosing_parallel = prefix##_enclosing_parallel, .task_parallel = prefix##_task_parallel, \
    .curr_task = prefix##_curr_task, .generating_task = prefix##_generating_task,               \
    .thread_in_parallel = prefix##_thread_in_parallel,                                          \
    .task_in_parallel = prefix##_task_in_parallel, .task_function = prefix##_task_function,     \
    .thread_state = prefix##_thread_state, .icv = prefix##_icv

/** A backend and its state for a process; no backend: not in use. */
struct reader {
    const struct backend *backend;
    struct backend_state *state;
};

/** A reader's answer to a question that gives an ompd_rc_t. */
#define READER_ASK(reader, question, ...)                                                    \
    ((reader)->backend->question ? (reader)->backend->question((reader)->state, __VA_ARGS__) \
                                 : ompd_rc_unsupported)

/** The control variable of that number; NULL past the last one. */
static inline const struct omp_icv *
reader_icv_at(const struct reader *reader, unsigned number)
{
    return reader->backend->icv ? reader->backend->icv(reader->state, number) : NULL;
}

/** The value of a control variable in one of its forms, `number` or `text`; ompd_rc_incompatible
 * when it has no such form. */
#define ICV_ASK(reader, icv, form, object, ...)                                                   \
    ((icv)->form ? (icv)->form(&(struct icv_question){(reader)->state, icv, object}, __VA_ARGS__) \
                 : ompd_rc_incompatible)

/** Lets go of an object that a reader gave. */
static inline void
reader_release(const struct reader *reader, enum omp_kind kind, struct omp_object *object)
{
    if (reader->backend->release)
        reader->backend->release(reader->state, kind, object);
}

/** The code of OMPD for a status: ompd_rc_error for whatever OMPD has no word for. What is absent
 * or not supported, the caller knows better. */
ompd_rc_t rc_of(enum status status);

/** Leaves the calling function with the code of `call` unless that is ompd_rc_ok. */
#define RC_TRY(call)                \
    do {                            \
        ompd_rc_t try_rc_ = (call); \
        if (try_rc_ != ompd_rc_ok)  \
            return try_rc_;         \
    } while (0)

/** Control variables that OpenMP 5.0 named otherwise than 5.2 does. */
enum { OLD_ICV_NAMES = 7 };
extern const struct old_icv_name {
    const char *old, *name;
} old_icv_names[OLD_ICV_NAMES];

/** Reads the table that LLVM's runtime publishes. */
extern const struct backend backend_libomp;

/** Reads GNU's runtime. */
extern const struct backend backend_libgomp;

/** Asks the OMPD library that a runtime names. */
extern const struct backend backend_library;

#endif
