// SPDX-License-Identifier: BSD-3-Clause
// The control variables of the native reader: which there are, where they stand, and how numbers,
// lists and schedules are written.
#include "ompd-bridge/llvm/kmp_settings.h"
#include "ompd-bridge/llvm/libomp.h"

#include <inttypes.h>
#include <stdio.h>

enum { LEVEL, ACTIVE_LEVEL, TEAM_SIZE }; // of a region
enum { NTHREADS, BIND };                 // lists, KMP_LISTS of them

// The task whose variables are asked for: that which a thread executes, or the object itself.
static ompd_rc_t
read_task(const struct icv_question *question, struct libomp_task *ret)
{
    struct omp_object task = *question->object;
    if (question->icv->scope == ompd_scope_thread)
        RC_TRY(libomp_curr_task(question->state, question->object, &task));
    return libomp_read_task(question->state, &task, ret);
}

// Number in the control variables that a task carries.
static ompd_rc_t
of_task(const struct icv_question *question, ompd_word_t *ret)
{
    struct libomp_task task;
    RC_TRY(read_task(question, &task));
    return rc_of(kmp_get_signed(&question->state->kmp, task.task.addr, question->icv->what, ret));
}

static ompd_rc_t
task_flag(const struct icv_question *question, ompd_word_t *ret)
{
    struct libomp_task task;
    RC_TRY(read_task(question, &task));
    RC_TRY(rc_of(kmp_task_rest(&question->state->kmp, &task.task)));
    *ret = kmp_task_is(&question->state->kmp, &task.task, question->icv->what);
    return ompd_rc_ok;
}

static ompd_rc_t
is_implicit(const struct icv_question *question, ompd_word_t *ret)
{
    struct libomp_task task;
    RC_TRY(read_task(question, &task));
    *ret = task.task.is_implicit;
    return ompd_rc_ok;
}

// A thread that waits between regions has the number that it had in the last one.
static ompd_rc_t
thread_number(const struct icv_question *question, ompd_word_t *ret)
{
    struct omp_object region;
    struct kmp_thread thread;
    const struct omp_object *object = question->object;
    RC_TRY(libomp_curr_parallel(question->state, object, &region));
    RC_TRY(rc_of(
        kmp_read_record(&question->state->kmp, (uint32_t) object->detail, object->addr, &thread)));
    *ret = thread.num;
    return ompd_rc_ok;
}

// Around a team of several threads, lightweight teams stand for serialised regions only.
static ompd_rc_t
of_region(const struct icv_question *question, ompd_word_t *ret)
{
    struct libomp_region region;
    RC_TRY(libomp_read_region(question->state, question->object, &region));
    int64_t level = 0, active = 0;
    if (question->icv->what != TEAM_SIZE)
        RC_TRY(rc_of(kmp_team_level(&question->state->kmp, &region.team, &level, &active)));
    const ompd_word_t values[] = {
        [LEVEL] = level - region.position,
        [ACTIVE_LEVEL] = active - (region.lwt != 0 && region.team.size > 1),
        [TEAM_SIZE] = libomp_region_size(&region),
    };
    *ret = values[question->icv->what];
    return ompd_rc_ok;
}

static ompd_rc_t
is_debug(const struct icv_question *question, ompd_word_t *ret)
{
    bool tracks = false;
    if (question->state->kmp.table.builtin)
        return ompd_rc_unsupported; // the release has no such variable
    RC_TRY(rc_of(kmp_read_tracking(&question->state->kmp, &tracks)));
    *ret = tracks;
    return ompd_rc_ok;
}

// What a stripped runtime does not name is not known: its own account of its settings
// (ompd_env_block) is from before it read them.
static ompd_rc_t
read_variable(const struct icv_question *question, uint64_t *ret)
{
    enum status status = kmp_variable_read(&question->state->kmp, question->icv->what, ret);
    return status == STATUS_ABSENT ? ompd_rc_unavailable : rc_of(status);
}

static ompd_rc_t
variable_number(const struct icv_question *question, ompd_word_t *ret)
{
    uint64_t value;
    RC_TRY(read_variable(question, &value));
    *ret = question->icv->what == KMP_STACKSIZE ? (ompd_word_t) value : (int32_t) value;
    return ompd_rc_ok;
}

static ompd_rc_t
variable_text(const struct icv_question *question, size_t size, char *ret)
{
    uint64_t addr;
    RC_TRY(read_variable(question, &addr));
    if (addr != 0)
        return rc_of(inferior_read_string(question->state->kmp.inf, addr, size, ret));
    ret[0] = '\0';
    return ompd_rc_ok;
}

// Lists have one element for each level of nesting. The first is the task's; the others are the
// runtime's.
static const struct {
    enum published_entry first;
    enum kmp_variable rest;
    enum published_entry used, elements; // of the variable
    const char *setting;                 // of the environment
} lists[] = {
    [NTHREADS] = {OFFSET_kmp_internal_control_t__nproc, KMP_NESTED_NTH,
                  OFFSET_kmp_nested_nthreads_t__used, OFFSET_kmp_nested_nthreads_t__nth,
                  "OMP_NUM_THREADS"},
    [BIND] = {OFFSET_kmp_internal_control_t__proc_bind, KMP_NESTED_PROC_BIND,
              OFFSET_kmp_nested_proc_bind_t__used, OFFSET_kmp_nested_proc_bind_t__bind_types,
              "OMP_PROC_BIND"},
};

/** What is known of one list. */
struct list {
    const struct kmp_team *team;
    ompd_word_t first;
    int64_t level; // of the region; the rest, if there is one, begins behind this element
    int64_t used;  // elements of the variable
    taddr elements;
    bool is_known; // else it has more elements than are known
};

// Elements that the environment asks for: one more than commas. The variable may not be set.
static enum status
count_wanted(const struct kmp *kmp, const char *setting, int64_t *ret)
{
    char value[KMP_SETTING_MAX];
    enum status status = kmp_environ_get(kmp, setting, sizeof(value), value);
    *ret = status == STATUS_OK;
    for (const char *at = value; status == STATUS_OK && *at != '\0'; at++)
        *ret += *at == ',';
    return status == STATUS_ABSENT ? STATUS_OK : status;
}

static enum status
read_level(const struct kmp *kmp, struct list *list)
{
    return kmp_team_level(kmp, list->team, &list->level, NULL);
}

// The most elements that a list can have; KMP_LEVELS_MAX when that is not known.
static enum status
find_elements(const struct kmp *kmp, unsigned what, int64_t *ret)
{
    int64_t wanted, modes = 0;
    if (kmp->seen && kmp->seen->lists[what].known) {
        *ret = kmp->seen->lists[what].elements;
        return STATUS_OK;
    }
    TRY(count_wanted(kmp, lists[what].setting, &wanted));
    if (what == NTHREADS)
        TRY(count_wanted(kmp, "KMP_NESTING_MODE", &modes));
    *ret = modes == 0 ? wanted : KMP_LEVELS_MAX;
    if (kmp->seen) {
        kmp->seen->lists[what].known = true;
        kmp->seen->lists[what].elements = *ret;
    }
    return STATUS_OK;
}

// A stripped runtime does not name the variable. Then no more is known than that the environment
// has asked for no further elements, and that nothing else makes any.
static ompd_rc_t
find_single(const struct kmp *kmp, unsigned what, struct list *list)
{
    int64_t wanted = KMP_LEVELS_MAX;
    enum status status = find_elements(kmp, what, &wanted);
    if (status == STATUS_OK && wanted > 1 && wanted < KMP_LEVELS_MAX)
        status = read_level(kmp, list);
    list->is_known = status == STATUS_OK && list->level + 1 >= wanted;
    return status == STATUS_UNSUPPORTED ? ompd_rc_ok : rc_of(status);
}

static ompd_rc_t
read_rest(const struct kmp *kmp, unsigned what, struct list *list)
{
    taddr variable;
    uint64_t used = 0;
    enum status status = kmp_variable_addr(kmp, lists[what].rest, &variable);
    if (status == STATUS_ABSENT)
        return find_single(kmp, what, list);
    if (status == STATUS_OK) {
        kmp_fetch(kmp, variable, lists[what].used, lists[what].elements);
        status = kmp_get(kmp, variable, lists[what].used, &used);
    }
    if (status == STATUS_OK)
        status = kmp_get(kmp, variable, lists[what].elements, &list->elements);
    if (status == STATUS_OK && (used > KMP_LEVELS_MAX || (used > 0 && list->elements == 0)))
        status = STATUS_CORRUPT;
    if (status == STATUS_OK && used > 1)
        status = read_level(kmp, list);
    list->used = (int64_t) used;
    list->is_known = true;
    return rc_of(status);
}

static ompd_rc_t
read_list(const struct icv_question *question, struct list *ret)
{
    const struct kmp *kmp = &question->state->kmp;
    struct libomp_task task;
    RC_TRY(read_task(question, &task));
    *ret = (struct list){.team = &task.region.team};
    RC_TRY(
        rc_of(kmp_get_signed(kmp, task.task.addr, lists[question->icv->what].first, &ret->first)));
    ompd_rc_t rc = read_rest(kmp, question->icv->what, ret);
    ret->team = NULL;
    return rc;
}

static ompd_rc_t
list_number(const struct icv_question *question, ompd_word_t *ret)
{
    struct list list;
    RC_TRY(read_list(question, &list));
    *ret = list.first;
    return list.is_known && list.level + 1 >= list.used ? ompd_rc_ok : ompd_rc_incomplete;
}

static ompd_rc_t
list_text(const struct icv_question *question, size_t size, char *ret)
{
    struct inferior *inf = question->state->kmp.inf;
    struct list list;
    RC_TRY(read_list(question, &list));
    if (!list.is_known)
        return ompd_rc_unavailable;
    size_t length = (size_t) snprintf(ret, size, "%" PRId64, list.first);
    for (int64_t i = list.level + 1; i < list.used && length < size; i++) {
        uint64_t value;
        RC_TRY(rc_of(inferior_read_uint(inf, list.elements + (taddr) i * 4, 4, &value)));
        length += (size_t) snprintf(ret + length, size - length, ",%" PRId32, (int32_t) value);
    }
    return ompd_rc_ok;
}

// Schedules: bits beside the kind; the kinds are the runtime's interface to compilers.
enum { MONOTONIC = 1 << 29, NONMONOTONIC = 1 << 30 };

static const struct {
    const char *name; // of no kind: NULL
    bool has_chunk;
} kinds[] = {
    [33] = {"static", true},  [34] = {"static", false},      [35] = {"dynamic", true},
    [36] = {"guided", true},  [38] = {"auto", true},         [39] = {"trapezoidal", true},
    [40] = {"static", false}, [41] = {"static", false},      [42] = {"guided", true},
    [43] = {"guided", true},  [44] = {"static_steal", true},
};

// "dynamic,4"
static ompd_rc_t
schedule_text(const struct icv_question *question, size_t size, char *ret)
{
    const struct kmp *kmp = &question->state->kmp;
    struct libomp_task task;
    uint64_t type, chunk;
    RC_TRY(read_task(question, &task));
    kmp_fetch(kmp, task.task.addr, OFFSET_kmp_r_sched_t__r_sched_type, OFFSET_kmp_r_sched_t__chunk);
    RC_TRY(rc_of(kmp_get(kmp, task.task.addr, OFFSET_kmp_r_sched_t__r_sched_type, &type)));
    RC_TRY(rc_of(kmp_get(kmp, task.task.addr, OFFSET_kmp_r_sched_t__chunk, &chunk)));
    uint32_t kind = (uint32_t) type & ~(uint32_t) (MONOTONIC | NONMONOTONIC);
    if (kind >= sizeof(kinds) / sizeof(kinds[0]) || !kinds[kind].name)
        return ompd_rc_error;
    snprintf(ret, size, "%s%s,%" PRId32,
             type & MONOTONIC      ? "monotonic:"
             : type & NONMONOTONIC ? "nonmonotonic:"
                                   : "",
             kinds[kind].name, kinds[kind].has_chunk ? (int32_t) chunk : 0);
    return ompd_rc_ok;
}

// Names in OpenMP 5.2, who reads the number, who the text, what is read; in the order of LLVM's
// OMPD library, as its clients know variables by their places in it.
static const struct omp_icv icvs[] = {
// clang-format off
#define ICV(name, scope, ...) {name, ompd_scope_##scope, __VA_ARGS__},
    ICV ("dyn-var", thread, of_task, NULL, OFFSET_kmp_internal_control_t__dynamic)
    ICV ("run-sched-var", task, NULL, schedule_text, 0)
    ICV ("stacksize-var", address_space, variable_number, NULL, KMP_STACKSIZE)
    ICV ("cancel-var", address_space, variable_number, NULL, KMP_CANCELLATION)
    ICV ("max-task-priority-var", address_space, variable_number, NULL, KMP_MAX_TASK_PRIORITY)
    ICV ("debug-var", address_space, is_debug, NULL, 0)
    ICV ("nthreads-var", thread, list_number, list_text, NTHREADS)
    ICV ("display-affinity-var", address_space, variable_number, NULL, KMP_DISPLAY_AFFINITY)
    ICV ("affinity-format-var", address_space, NULL, variable_text, KMP_AFFINITY_FORMAT)
    ICV ("default-device-var", thread, of_task, NULL, OFFSET_kmp_internal_control_t__default_device)
    ICV ("tool-var", address_space, variable_number, NULL, KMP_TOOL)
    ICV ("tool-libraries-var", address_space, NULL, variable_text, KMP_TOOL_LIBRARIES)
    ICV ("tool-verbose-init-var", address_space, NULL, variable_text, KMP_TOOL_VERBOSE_INIT)
    ICV ("levels-var", parallel, of_region, NULL, LEVEL)
    ICV ("active-levels-var", parallel, of_region, NULL, ACTIVE_LEVEL)
    ICV ("thread-limit-var", task, of_task, NULL, OFFSET_kmp_internal_control_t__thread_limit)
    ICV ("max-active-levels-var", task, of_task, NULL, OFFSET_kmp_internal_control_t__max_active_levels)
    ICV ("bind-var", task, list_number, list_text, BIND)
    ICV ("num-procs-var", address_space, variable_number, NULL, KMP_AVAIL_PROC)
    ICV ("thread-num-var", thread, thread_number, NULL, 0)
    ICV ("final-task-var", task, task_flag, NULL, FLAG_final)
    ICV ("implicit-task-var", task, is_implicit, NULL, 0)
    ICV ("team-size-var", parallel, of_region, NULL, TEAM_SIZE)
#undef ICV
    // clang-format on
};

const struct omp_icv *
libomp_icv(struct backend_state *state, unsigned number)
{
    (void) state;
    return number < sizeof(icvs) / sizeof(icvs[0]) ? &icvs[number] : NULL;
}
