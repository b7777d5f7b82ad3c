// SPDX-License-Identifier: BSD-3-Clause
// nthreads-var and bind-var: lists of one element for each level of nesting.
#include "ompd-bridge/libomp_icv.h"
#include "ompd-bridge/kmp_environ.h"
#include "ompd-bridge/kmp_variable.h"

#include <inttypes.h>
#include <stdio.h>

// The first element is the task's; the others are the runtime's.
static const struct {
    enum published_entry first;
    enum kmp_variable rest;
    enum published_entry used, elements; // of the variable
    const char *setting;                 // of the environment
} lists[] = {
    [LIBOMP_NTHREADS] = {OFFSET_kmp_internal_control_t__nproc, KMP_NESTED_NTH,
                         OFFSET_kmp_nested_nthreads_t__used, OFFSET_kmp_nested_nthreads_t__nth,
                         "OMP_NUM_THREADS"},
    [LIBOMP_BIND] = {OFFSET_kmp_internal_control_t__proc_bind, KMP_NESTED_PROC_BIND,
                     OFFSET_kmp_nested_proc_bind_t__used, OFFSET_kmp_nested_proc_bind_t__bind_types,
                     "OMP_PROC_BIND"},
};

/** What is known of one list. */
struct list {
    ompd_word_t first;
    int64_t level; // of the region; the rest begins behind this element
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
    int64_t count = status == STATUS_OK;
    for (const char *at = value; status == STATUS_OK && *at != '\0'; at++)
        count += *at == ',';
    *ret = count;
    return status == STATUS_ABSENT ? STATUS_OK : status;
}

// A stripped runtime does not name the variable. Then no more is known than that the environment
// has asked for no further elements, and that nothing else makes any.
static ompd_rc_t
find_single(const struct kmp *kmp, int what, struct list *list)
{
    int64_t wanted, modes = 0;
    enum status status = count_wanted(kmp, lists[what].setting, &wanted);
    if (status == STATUS_OK && what == LIBOMP_NTHREADS)
        status = count_wanted(kmp, "KMP_NESTING_MODE", &modes);
    if (status != STATUS_OK && status != STATUS_UNSUPPORTED)
        return code_of(status);
    list->is_known = status == STATUS_OK && modes == 0 && list->level + 1 >= wanted;
    list->used = 0;
    return ompd_rc_ok;
}

static ompd_rc_t
read_rest(const struct kmp *kmp, int what, struct list *list)
{
    const struct published *t = &kmp->table;
    taddr variable;
    uint64_t used = 0;
    enum status status = kmp_variable_addr(kmp, lists[what].rest, &variable);
    if (status == STATUS_ABSENT)
        return find_single(kmp, what, list);
    if (status == STATUS_OK)
        status = published_read(t, kmp->inf, variable, lists[what].used, &used);
    if (status == STATUS_OK)
        status = published_read(t, kmp->inf, variable, lists[what].elements, &list->elements);
    if (status == STATUS_OK && (used > KMP_LEVELS_MAX || (used > 0 && list->elements == 0)))
        status = STATUS_CORRUPT;
    list->used = (int64_t) used;
    list->is_known = true;
    return code_of(status);
}

static ompd_rc_t
read_list(const struct icv_question *question, const struct omp_object *object, struct list *ret)
{
    struct backend_state *state = question->state;
    struct libomp_task task;
    ompd_rc_t rc = libomp_read_task(state, object, &task);
    if (rc == ompd_rc_ok)
        rc = libomp_task_number(state, object->addr, lists[question->what].first, &ret->first);
    if (rc != ompd_rc_ok)
        return rc;
    ret->level = task.region.team.level;
    return read_rest(&state->kmp, question->what, ret);
}

static ompd_rc_t
list_number(const struct icv_question *question, const struct omp_object *task, ompd_word_t *ret)
{
    struct list list;
    ompd_rc_t rc = read_list(question, task, &list);
    if (rc != ompd_rc_ok)
        return rc;
    *ret = list.first;
    return list.is_known && list.level + 1 >= list.used ? ompd_rc_ok : ompd_rc_incomplete;
}

static ompd_rc_t
list_text(const struct icv_question *question, const struct omp_object *task, size_t size,
          char *ret)
{
    struct inferior *inf = question->state->kmp.inf;
    struct list list;
    ompd_rc_t rc = read_list(question, task, &list);
    if (rc == ompd_rc_ok && !list.is_known)
        return ompd_rc_unavailable;
    if (rc != ompd_rc_ok)
        return rc;
    size_t length = (size_t) snprintf(ret, size, "%" PRId64, list.first);
    for (int64_t i = list.level + 1; i < list.used && length < size; i++) {
        uint64_t value;
        enum status status = inferior_read_uint(inf, list.elements + (taddr) i * 4, 4, &value);
        if (status != STATUS_OK)
            return code_of(status);
        length += (size_t) snprintf(ret + length, size - length, ",%" PRId32, (int32_t) value);
    }
    return ompd_rc_ok;
}

ompd_rc_t
libomp_tasks_list_number(const struct icv_question *question, ompd_word_t *ret)
{
    return list_number(question, question->object, ret);
}

ompd_rc_t
libomp_tasks_list_text(const struct icv_question *question, size_t size, char *ret)
{
    return list_text(question, question->object, size, ret);
}

ompd_rc_t
libomp_threads_list_number(const struct icv_question *question, ompd_word_t *ret)
{
    struct omp_object task;
    ompd_rc_t rc = libomp_curr_task(question->state, question->object, &task);
    return rc == ompd_rc_ok ? list_number(question, &task, ret) : rc;
}

ompd_rc_t
libomp_threads_list_text(const struct icv_question *question, size_t size, char *ret)
{
    struct omp_object task;
    ompd_rc_t rc = libomp_curr_task(question->state, question->object, &task);
    return rc == ompd_rc_ok ? list_text(question, &task, size, ret) : rc;
}
