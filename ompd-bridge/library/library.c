// SPDX-License-Identifier: BSD-3-Clause
// Asks a runtime's own OMPD library, where no native reader recognises the runtime. Its answers are
// taken as they are; but that it crashes, loses memory or goes on after a failure is prevented as
// far as its callbacks can (callbacks.h), and what may be loaded at all trust.h decides.
#include "ompd-bridge/backend.h"
#include "ompd-bridge/library/callbacks.h"
#include "ompd-bridge/library/library_load.h"
#include "ompd-bridge/states.h"

#include <stdio.h>
#include <string.h>

enum { LIBRARY_OBJECTS = 1 << 12, LIBRARY_ICVS = 64, LIBRARY_ICV_NAME = 64, ENUMERATED_MAX = 256 };

struct backend_state {
    struct inferior *inf;
    struct ompd_library library;
    struct ompd_context context;
    ompd_address_space_handle_t *space;
    bool tracking;
    /** A control variable as the library numbers it. */
    struct library_icv {
        struct omp_icv icv; // of this name
        char name[LIBRARY_ICV_NAME];
        ompd_icv_id_t id;
    } icvs[LIBRARY_ICVS];
    unsigned n_icvs;
    /** A handle of the library's, once for each thread, region or task. */
    struct library_object {
        enum omp_kind kind;
        void *handle;
        unsigned uses; // 0: the place is free
    } objects[LIBRARY_OBJECTS];
};

/** Calls a function of the library; an ompd_rc_t that ompd_context_leave() has checked. Results
 * mean nothing unless it is ompd_rc_ok. */
#define ASK(state, function, ...)           \
    (ompd_context_enter(&(state)->context), \
     ompd_context_leave(&(state)->context, (state)->library.call.function(__VA_ARGS__)))

static void
release_handle(struct backend_state *state, enum omp_kind kind, void *handle)
{
    if (kind == OMP_THREAD)
        (void) ASK(state, rel_thread_handle, handle);
    else if (kind == OMP_PARALLEL)
        (void) ASK(state, rel_parallel_handle, handle);
    else
        (void) ASK(state, rel_task_handle, handle);
}

static bool
are_same(struct backend_state *state, enum omp_kind kind, void *a, void *b)
{
    int order = 1;
    ompd_rc_t rc = kind == OMP_THREAD     ? ASK(state, thread_handle_compare, a, b, &order)
                   : kind == OMP_PARALLEL ? ASK(state, parallel_handle_compare, a, b, &order)
                                          : ASK(state, task_handle_compare, a, b, &order);
    return rc == ompd_rc_ok && order == 0;
}

// The place of the same thing, or else the first free one; NULL: there is none.
static struct library_object *
find_place(struct backend_state *state, enum omp_kind kind, void *handle)
{
    struct library_object *place = NULL;
    for (unsigned i = LIBRARY_OBJECTS; i-- > 0;) {
        struct library_object *object = &state->objects[i];
        if (object->uses == 0)
            place = object;
        else if (object->kind == kind && are_same(state, kind, object->handle, handle))
            return object;
    }
    return place;
}

// Makes an object of a handle that the library gave, and takes the handle over in any case. The
// object's address is a number of ours. Libraries' handles are compared by themselves: one thing
// has one object. ompd_rc_nomem: there are more than LIBRARY_OBJECTS.
static ompd_rc_t
library_adopt(struct backend_state *state, enum omp_kind kind, void *handle, struct omp_object *ret)
{
    if (!handle)
        return ompd_rc_error;
    struct library_object *object = find_place(state, kind, handle);
    if (!object || object->uses > 0)
        release_handle(state, kind, handle);
    else
        *object = (struct library_object){.kind = kind, .handle = handle};
    if (!object)
        return ompd_rc_nomem;
    object->uses++;
    *ret = (struct omp_object){.addr = (taddr) (object - state->objects) + 1};
    return ompd_rc_ok;
}

static void *
handle_of(const struct backend_state *state, const struct omp_object *object)
{
    return state->objects[object->addr - 1].handle;
}

static void
library_release(struct backend_state *state, enum omp_kind kind, struct omp_object *released)
{
    struct library_object *object = &state->objects[released->addr - 1];
    if (--object->uses == 0)
        release_handle(state, kind, object->handle);
}

static void *
handle_asked(const struct icv_question *question)
{
    return question->icv->scope == ompd_scope_address_space
               ? question->state->space
               : handle_of(question->state, question->object);
}

static ompd_rc_t
read_number(const struct icv_question *question, ompd_word_t *ret)
{
    const struct library_icv *own = (const struct library_icv *) question->icv;
    ompd_word_t value = 0;
    ompd_rc_t rc = ASK(question->state, get_icv_from_scope, handle_asked(question), own->icv.scope,
                       own->id, &value);
    if (rc == ompd_rc_ok || rc == ompd_rc_incomplete)
        *ret = value;
    return rc;
}

// For a number, which has no text, libompd returns "unsupported".
static ompd_rc_t
read_text(const struct icv_question *question, size_t size, char *ret)
{
    const struct library_icv *own = (const struct library_icv *) question->icv;
    const char *text = NULL;
    ompd_rc_t rc = ASK(question->state, get_icv_string_from_scope, handle_asked(question),
                       own->icv.scope, own->id, &text);
    if (rc == ompd_rc_ok && !text)
        rc = ompd_rc_error;
    if (rc == ompd_rc_ok)
        snprintf(ret, size, "%s", text);
    ompd_context_drop(&question->state->context);
    return rc == ompd_rc_unsupported ? ompd_rc_incompatible : rc;
}

static bool
is_known(const struct backend_state *state, const char *name, ompd_scope_t scope)
{
    for (unsigned i = 0; i < state->n_icvs; i++)
        if (state->icvs[i].icv.scope == scope && strcmp(state->icvs[i].name, name) == 0)
            return true;
    return false;
}

// The first of several names for one variable is enough.
static void
take_icv(struct backend_state *state, const char *name, ompd_scope_t scope, ompd_icv_id_t id)
{
    for (unsigned i = 0; i < OLD_ICV_NAMES; i++)
        if (strcmp(old_icv_names[i].old, name) == 0)
            name = old_icv_names[i].name;
    bool fits = strnlen(name, LIBRARY_ICV_NAME) < LIBRARY_ICV_NAME &&
                scope >= ompd_scope_address_space && scope <= ompd_scope_task;
    if (!fits || state->n_icvs == LIBRARY_ICVS || is_known(state, name, scope))
        return;
    struct library_icv *icv = &state->icvs[state->n_icvs++];
    snprintf(icv->name, sizeof(icv->name), "%s", name);
    text_make_harmless(icv->name);
    icv->icv = (struct omp_icv){icv->name, scope, read_number, read_text, 0};
    icv->id = id;
}

// Control variables are known by their names in OpenMP 5.2.
static void
learn_icvs(struct backend_state *state)
{
    ompd_icv_id_t id = 0;
    int more = 1;
    for (unsigned i = 0; more && i < ENUMERATED_MAX; i++) {
        const char *name = NULL;
        ompd_scope_t scope = ompd_scope_global;
        if (ASK(state, enumerate_icvs, state->space, id, &id, &name, &scope, &more) != ompd_rc_ok ||
            !name)
            return;
        take_icv(state, name, scope, id);
        ompd_context_drop(&state->context);
    }
}

static const struct omp_icv *
library_icv(struct backend_state *state, unsigned number)
{
    return number < state->n_icvs ? &state->icvs[number].icv : NULL;
}

static enum status
library_failed(struct backend_state *state, const char *function, ompd_rc_t rc)
{
    return trail_begin(&state->inf->trail, STATUS_UNSUPPORTED, "%s: ompd_%s returns %d",
                       state->library.path, function, (int) rc);
}

#define TRY_ASK(state, function, ...)                      \
    do {                                                   \
        ompd_rc_t rc_ = ASK(state, function, __VA_ARGS__); \
        if (rc_ != ompd_rc_ok)                             \
            return library_failed(state, #function, rc_);  \
    } while (0)

// Another user of the same library may have set other callbacks since. Whether the runtime keeps
// states, libraries hold for all processes in one variable.
static enum status
library_refresh(struct backend_state *state)
{
    taddr addr;
    uint64_t value;
    TRY_ASK(state, initialize, OMPD_API_VERSION, &ompd_bridge_callbacks);
    state->tracking = inferior_symbol(state->inf, "ompd_state", &addr) != STATUS_OK ||
                      (inferior_read_uint(state->inf, addr, 8, &value) == STATUS_OK && value != 0);
    return STATUS_OK;
}

// The library's reading of sizes and numbers is only known to be right for processes like itself.
static bool
is_like_ourselves(const struct datamodel *model)
{
    return model->big_endian == (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__) &&
           model->pointer_size == sizeof(void *) && model->long_size == sizeof(long) &&
           model->int_size == sizeof(int);
}

static enum status
start_library(struct backend_state *state, struct diagnostics *diagnostics)
{
    ompd_word_t version = 0;
    ompd_address_space_handle_t *space = NULL;
    if (!is_like_ourselves(&state->inf->model))
        return trail_begin(&state->inf->trail, STATUS_UNSUPPORTED,
                           "OMPD libraries read processes of their own kind only");
    TRY(ompd_library_open(state->inf, diagnostics, &state->library));
    TRY(ompd_context_init(&state->context, state->inf));
    TRY_ASK(state, get_api_version, &version);
    if (version != OMPD_API_VERSION)
        return trail_begin(&state->inf->trail, STATUS_UNSUPPORTED,
                           "%s has version %lld of the interface", state->library.path,
                           (long long) version);
    TRY(library_refresh(state));
    TRY_ASK(state, process_initialize, ompd_context_handle(&state->context), &space);
    state->space = space;
    learn_icvs(state);
    return STATUS_OK;
}

static enum status
library_detect(struct inferior *inf)
{
    taddr locations;
    return inferior_symbol(inf, "ompd_dll_locations", &locations);
}

static void
library_close(struct backend_state *state)
{
    if (!state)
        return;
    if (state->space)
        (void) ASK(state, rel_address_space_handle, state->space);
    ompd_context_deinit(&state->context);
    ompd_library_close(&state->library);
    inferior_free(state->inf, state);
}

static enum status
library_open(struct inferior *inf, struct diagnostics *diagnostics, struct backend_state **ret)
{
    struct backend_state *state = inferior_alloc(inf, sizeof(*state));
    if (!state)
        return trail_begin(&inf->trail, STATUS_NOMEM, "%s", status_text(STATUS_NOMEM));
    memset(state, 0, sizeof(*state));
    state->inf = inf;
    enum status status = start_library(state, diagnostics);
    if (status == STATUS_OK)
        *ret = state;
    else
        library_close(state);
    return status;
}

static enum status
library_info(struct backend_state *state, struct omp_info *ret)
{
    memset(ret, 0, sizeof(*ret));
    snprintf(ret->runtime, sizeof(ret->runtime), "unknown OpenMP runtime");
    snprintf(ret->backend, sizeof(ret->backend), "OMPD library %.240s", state->library.path);
    ret->tracking = state->tracking;
    if (ASK(state, get_omp_version, state->space, &ret->version) != ompd_rc_ok || ret->version < 0)
        ret->version = 0;
    return STATUS_OK;
}

// Libraries return this when they find a NULL pointer where the next thing would be.
static ompd_rc_t
adopt_answer(struct backend_state *state, ompd_rc_t rc, enum omp_kind kind, void *handle,
             struct omp_object *ret)
{
    if (rc == ompd_rc_ok)
        return library_adopt(state, kind, handle, ret);
    return rc == ompd_rc_unsupported ? ompd_rc_unavailable : rc;
}

// STEP(name, handle, kind): the question ompd_get_NAME_handle, which leads to such a handle.
#define STEP(name, to, kind)                                                                    \
    static ompd_rc_t library_##name(struct backend_state *state, const struct omp_object *from, \
                                    struct omp_object *ret)                                     \
    {                                                                                           \
        ompd_##to##_handle_t *handle = NULL;                                                    \
        ompd_rc_t rc = ASK(state, get_##name##_handle, handle_of(state, from), &handle);        \
        return adopt_answer(state, rc, kind, handle, ret);                                      \
    }
STEP(curr_parallel, parallel, OMP_PARALLEL)
STEP(enclosing_parallel, parallel, OMP_PARALLEL)
STEP(task_parallel, parallel, OMP_PARALLEL)
STEP(curr_task, task, OMP_TASK)
STEP(generating_task, task, OMP_TASK)
STEP(scheduling_task, task, OMP_TASK)
#undef STEP

// Without states, nobody writes it.
static ompd_rc_t
scheduling_task(struct backend_state *state, const struct omp_object *task, struct omp_object *ret)
{
    return state->tracking ? library_scheduling_task(state, task, ret)
                           : ompd_rc_needs_state_tracking;
}

// MEMBER(to, kind): the question ompd_get_TO_in_parallel.
#define MEMBER(to, kind)                                                                           \
    static ompd_rc_t library_##to##_in_parallel(struct backend_state *state,                       \
                                                const struct omp_object *region, int num,          \
                                                struct omp_object *ret)                            \
    {                                                                                              \
        ompd_##to##_handle_t *handle = NULL;                                                       \
        ompd_rc_t rc = ASK(state, get_##to##_in_parallel, handle_of(state, region), num, &handle); \
        return adopt_answer(state, rc, kind, handle, ret);                                         \
    }
MEMBER(thread, OMP_THREAD)
MEMBER(task, OMP_TASK)
#undef MEMBER

static ompd_rc_t
thread_of(struct backend_state *state, taddr pthread, struct omp_object *ret)
{
    ompd_thread_handle_t *handle = NULL;
    ompd_rc_t rc = ASK(state, get_thread_handle, state->space, OMPD_THREAD_ID_PTHREAD,
                       sizeof(pthread), &pthread, &handle);
    return rc == ompd_rc_ok ? library_adopt(state, OMP_THREAD, handle, ret) : rc;
}

/** The C library's threads, of which some are the runtime's. */
struct thread_visit {
    struct backend_state *state;
    struct object_sink *sink; // takes them; NULL: the one with this id is searched for
    int64_t tid;
    taddr found; // its pthread_t
};

static enum status
emit_thread(void *closure, taddr pthread)
{
    const struct thread_visit *visit = closure;
    struct omp_object object;
    ompd_rc_t rc = thread_of(visit->state, pthread, &object);
    if (rc == ompd_rc_ok)
        return visit->sink->emit(visit->sink, &object);
    if (rc == ompd_rc_nomem)
        return trail_begin(&visit->state->inf->trail, STATUS_NOMEM, "%s",
                           status_text(STATUS_NOMEM));
    if (rc != ompd_rc_unavailable)
        visit->sink->broken(visit->sink, library_failed(visit->state, "get_thread_handle", rc));
    return STATUS_OK;
}

static enum status
match_thread(void *closure, taddr pthread)
{
    struct thread_visit *visit = closure;
    struct ompd_context *context = &visit->state->context;
    int64_t tid;
    if (nptl_tid(&context->nptl, context->inf, pthread, &tid) == STATUS_OK && tid == visit->tid)
        visit->found = pthread;
    return STATUS_OK;
}

static enum status
library_threads(struct backend_state *state, struct object_sink *sink)
{
    struct thread_visit visit = {.state = state, .sink = sink};
    const struct ompd_context *context = &state->context;
    enum status status =
        nptl_walk(&context->nptl, &context->heads, state->inf, emit_thread, &visit);
    if (status != STATUS_CORRUPT && status != STATUS_UNREADABLE)
        return status;
    sink->broken(sink, status);
    return STATUS_OK;
}

static ompd_rc_t
library_find_thread(struct backend_state *state, ompd_thread_id_t kind, uint64_t id,
                    struct omp_object *ret)
{
    struct thread_visit visit = {.state = state, .tid = (int64_t) id};
    if (kind == OMPD_THREAD_ID_PTHREAD)
        return thread_of(state, id, ret);
    if (kind != OMPD_THREAD_ID_LWP)
        return ompd_rc_unsupported;
    const struct ompd_context *context = &state->context;
    enum status status =
        nptl_walk(&context->nptl, &context->heads, state->inf, match_thread, &visit);
    if (visit.found == 0)
        return status == STATUS_OK ? ompd_rc_unavailable : rc_of(status);
    return thread_of(state, visit.found, ret);
}

static ompd_rc_t
library_thread_id(struct backend_state *state, const struct omp_object *thread,
                  struct omp_thread_id *ret)
{
    *ret = (struct omp_thread_id){0};
    RC_TRY(ASK(state, get_thread_id, handle_of(state, thread), OMPD_THREAD_ID_PTHREAD,
               sizeof(ret->pthread), &ret->pthread));
    if (nptl_tid(&state->context.nptl, state->inf, ret->pthread, &ret->tid) != STATUS_OK)
        ret->tid = 0;
    return ompd_rc_ok;
}

static ompd_rc_t
library_thread_state(struct backend_state *state, const struct omp_object *thread,
                     ompd_word_t *ret_state, ompd_wait_id_t *ret_wait_id)
{
    *ret_state = 0;
    *ret_wait_id = 0;
    if (!state->tracking)
        return ompd_rc_needs_state_tracking;
    RC_TRY(ASK(state, get_state, handle_of(state, thread), ret_state, ret_wait_id));
    return omp_state_valid(*ret_state) ? ompd_rc_ok : ompd_rc_error;
}

static ompd_rc_t
library_task_function(struct backend_state *state, const struct omp_object *task, taddr *ret)
{
    ompd_address_t function = {0};
    ompd_rc_t rc = ASK(state, get_task_function, handle_of(state, task), &function);
    if (rc == ompd_rc_bad_input || (rc == ompd_rc_ok && function.address == 0))
        return ompd_rc_unavailable;
    *ret = function.address;
    return rc;
}

static ompd_rc_t
library_task_frame(struct backend_state *state, const struct omp_object *task,
                   ompd_frame_info_t *ret_exit, ompd_frame_info_t *ret_enter)
{
    *ret_exit = *ret_enter = (ompd_frame_info_t){.frame_flag = 0};
    if (!state->tracking)
        return ompd_rc_needs_state_tracking;
    return ASK(state, get_task_frame, handle_of(state, task), ret_exit, ret_enter);
}

static ompd_rc_t
library_tool_data(struct backend_state *state, enum omp_kind kind, const struct omp_object *object,
                  ompd_word_t *ret_value, taddr *ret_ptr)
{
    static const ompd_scope_t scopes[] = {[OMP_THREAD] = ompd_scope_thread,
                                          [OMP_PARALLEL] = ompd_scope_parallel,
                                          [OMP_TASK] = ompd_scope_task};
    ompd_address_t ptr = {0};
    *ret_value = 0;
    if (!state->tracking)
        return ompd_rc_unavailable;
    RC_TRY(ASK(state, get_tool_data, handle_of(state, object), scopes[kind], ret_value, &ptr));
    *ret_ptr = ptr.address;
    return ompd_rc_ok;
}

const struct backend backend_library = {
    .name = "OMPD library",
    .detect = library_detect,
    BACKEND_MEMBERS(library),
    .scheduling_task = scheduling_task,
    .task_frame = library_task_frame,
    .tool_data = library_tool_data,
    .release = library_release,
};
