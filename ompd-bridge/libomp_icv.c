// SPDX-License-Identifier: BSD-3-Clause
// The control variables of the native reader: which there are, and where their values stand.
#include "ompd-bridge/libomp_icv.h"

#include "ompd-bridge/kmp_variable.h"

ompd_rc_t
libomp_task_number(struct backend_state *state, taddr task, enum published_entry field,
                   ompd_word_t *ret)
{
    const struct kmp *kmp = &state->kmp;
    taddr carried = published_addr(&kmp->table, task, OFFSET_kmp_taskdata_t__td_icvs);
    uint64_t value;
    enum status status = published_read(&kmp->table, kmp->inf, carried, field, &value);
    bool byte = kmp->table.values[field + PUBLISHED_FIELDS] == 1;
    if (status == STATUS_OK)
        *ret = byte ? (int8_t) value : (int32_t) value;
    return code_of(status);
}

static ompd_rc_t
of_task(const struct icv_question *question, ompd_word_t *ret)
{
    struct libomp_task task;
    ompd_rc_t rc = libomp_read_task(question->state, question->object, &task);
    return rc == ompd_rc_ok ? libomp_task_number(question->state, task.task.addr,
                                                 (enum published_entry) question->what, ret)
                            : rc;
}

static ompd_rc_t
of_current_task(const struct icv_question *question, ompd_word_t *ret)
{
    struct omp_object task;
    ompd_rc_t rc = libomp_curr_task(question->state, question->object, &task);
    return rc == ompd_rc_ok ? libomp_task_number(question->state, task.addr,
                                                 (enum published_entry) question->what, ret)
                            : rc;
}

// A thread that waits between regions has the number that it had in the last one.
static ompd_rc_t
thread_number(const struct icv_question *question, ompd_word_t *ret)
{
    struct omp_object region;
    struct kmp_thread thread;
    ompd_rc_t rc = libomp_curr_parallel(question->state, question->object, &region);
    if (rc == ompd_rc_ok)
        rc = libomp_read_thread(question->state, question->object, &thread);
    if (rc == ompd_rc_ok)
        *ret = thread.num;
    return rc;
}

static ompd_rc_t
level(const struct icv_question *question, ompd_word_t *ret)
{
    struct libomp_region region;
    ompd_rc_t rc = libomp_read_region(question->state, question->object, &region);
    if (rc == ompd_rc_ok)
        *ret = region.team.level - region.position;
    return rc;
}

// Around a team of several threads, lightweight teams stand for serialised regions only.
static ompd_rc_t
active_level(const struct icv_question *question, ompd_word_t *ret)
{
    struct libomp_region region;
    ompd_rc_t rc = libomp_read_region(question->state, question->object, &region);
    if (rc == ompd_rc_ok)
        *ret = region.team.active_level - (region.lwt != 0 && region.team.size > 1);
    return rc;
}

static ompd_rc_t
team_size(const struct icv_question *question, ompd_word_t *ret)
{
    struct libomp_region region;
    ompd_rc_t rc = libomp_read_region(question->state, question->object, &region);
    if (rc == ompd_rc_ok)
        *ret = libomp_region_size(&region);
    return rc;
}

static ompd_rc_t
is_final(const struct icv_question *question, ompd_word_t *ret)
{
    struct libomp_task task;
    ompd_rc_t rc = libomp_read_task(question->state, question->object, &task);
    if (rc == ompd_rc_ok)
        *ret = kmp_task_is(&question->state->kmp, &task.task, FLAG_final);
    return rc;
}

static ompd_rc_t
is_implicit(const struct icv_question *question, ompd_word_t *ret)
{
    struct libomp_task task;
    ompd_rc_t rc = libomp_read_task(question->state, question->object, &task);
    if (rc == ompd_rc_ok)
        *ret = kmp_task_is_implicit(&question->state->kmp, &task.task);
    return rc;
}

static ompd_rc_t
is_debug(const struct icv_question *question, ompd_word_t *ret)
{
    bool tracks = false;
    enum status status = kmp_read_tracking(&question->state->kmp, &tracks);
    *ret = tracks;
    return code_of(status);
}

// What a stripped runtime does not name is not known: its own account of its settings
// (ompd_env_block) is from before it looked at them.
static ompd_rc_t
read_variable(const struct icv_question *question, uint64_t *ret)
{
    enum status status =
        kmp_variable_read(&question->state->kmp, (enum kmp_variable) question->what, ret);
    return status == STATUS_ABSENT ? ompd_rc_unavailable : code_of(status);
}

static ompd_rc_t
variable_number(const struct icv_question *question, ompd_word_t *ret)
{
    uint64_t value;
    ompd_rc_t rc = read_variable(question, &value);
    if (rc == ompd_rc_ok)
        *ret = question->what == KMP_STACKSIZE ? (ompd_word_t) value : (int32_t) value;
    return rc;
}

static ompd_rc_t
variable_text(const struct icv_question *question, size_t size, char *ret)
{
    uint64_t addr;
    ompd_rc_t rc = read_variable(question, &addr);
    if (rc != ompd_rc_ok)
        return rc;
    if (addr != 0)
        return code_of(inferior_read_string(question->state->kmp.inf, addr, size, ret));
    ret[0] = '\0';
    return ompd_rc_ok;
}

static const struct {
    struct omp_icv icv;
    icv_number_fn *number; // NULL: it is no number
    icv_text_fn *text;     // NULL: it is nothing but a number
    int what;
} icvs[] = {
#define ICV(name, scope, number, text, what) {{name, ompd_scope_##scope}, number, text, what},
#include "ompd-bridge/libomp_icvs.def"
#undef ICV
};

enum { ICVS = sizeof(icvs) / sizeof(icvs[0]) };

const struct omp_icv *
libomp_icv(struct backend_state *state, unsigned number)
{
    (void) state;
    return number < ICVS ? &icvs[number].icv : NULL;
}

ompd_rc_t
libomp_icv_value(struct backend_state *state, const struct omp_object *object, unsigned number,
                 ompd_word_t *ret)
{
    if (number >= ICVS)
        return ompd_rc_bad_input;
    if (!icvs[number].number)
        return ompd_rc_incompatible;
    const struct icv_question question = {state, object, icvs[number].what};
    return icvs[number].number(&question, ret);
}

ompd_rc_t
libomp_icv_text(struct backend_state *state, const struct omp_object *object, unsigned number,
                size_t size, char *ret)
{
    if (number >= ICVS)
        return ompd_rc_bad_input;
    if (!icvs[number].text)
        return ompd_rc_incompatible;
    const struct icv_question question = {state, object, icvs[number].what};
    return icvs[number].text(&question, size, ret);
}
