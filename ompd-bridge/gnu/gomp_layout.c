// SPDX-License-Identifier: BSD-3-Clause
// The layout of the runtime's structs: by debug information, or by its code; both must agree.
#include "ompd-bridge/gnu/gomp_layout.h"

#include "target/layout_define.h"

/** Which facts tell the place of a field: one, less another. */
static const struct place {
    uint16_t field;
    uint8_t fact, less;
} places[] = {
    {F(gomp_team_state, team), FACT_TS_TEAM, FACT_NONE},
    {F(gomp_team_state, team_id), FACT_TEAM_ID, FACT_TS},
    {F(gomp_team_state, level), FACT_LEVEL, FACT_TS},
    {F(gomp_team_state, active_level), FACT_ACTIVE_LEVEL, FACT_TS},
    {F(gomp_thread, ts), FACT_TS, FACT_NONE},
    {F(gomp_thread, task), FACT_TASK, FACT_NONE},
    {F(gomp_thread, thread_pool), FACT_POOL, FACT_NONE},
    {F(gomp_team, nthreads), FACT_TEAM_NTHREADS, FACT_NONE},
    {F(gomp_team, prev_ts), FACT_TEAM_PREV_TS, FACT_NONE},
    {F(gomp_team, task_count), FACT_TEAM_COUNT, FACT_NONE},
    {F(gomp_team, task_queued_count), FACT_TEAM_QUEUED, FACT_NONE},
    {F(gomp_team, task_running_count), FACT_TEAM_RUNNING, FACT_NONE},
    {F(gomp_task_icv, nthreads_var), FACT_ICV_NTHREADS, FACT_NONE},
    {F(gomp_task_icv, run_sched_var), FACT_ICV_SCHEDULE, FACT_NONE},
    {F(gomp_task_icv, run_sched_chunk_size), FACT_ICV_CHUNK, FACT_NONE},
    {F(gomp_task_icv, default_device_var), FACT_ICV_DEVICE, FACT_NONE},
    {F(gomp_task_icv, thread_limit_var), FACT_ICV_LIMIT, FACT_NONE},
    {F(gomp_task_icv, dyn_var), FACT_ICV_DYNAMIC, FACT_NONE},
    {F(gomp_task_icv, max_active_levels_var), FACT_ICV_ACTIVE_LEVELS, FACT_NONE},
    {F(gomp_task_icv, bind_var), FACT_ICV_BIND, FACT_NONE},
    {F(gomp_task, parent), FACT_TASK_PARENT, FACT_NONE},
    {F(gomp_task, taskgroup), FACT_TASK_TASKGROUP, FACT_NONE},
    {F(gomp_task, taskwait), FACT_TASK_TASKWAIT, FACT_NONE},
    {F(gomp_task, icv), FACT_TASK_ICV, FACT_NONE},
    {F(gomp_task, fn), FACT_TASK_FN, FACT_NONE},
    {F(gomp_task, kind), FACT_TASK_KIND, FACT_NONE},
    {F(gomp_task, final_task), FACT_TASK_FINAL, FACT_NONE},
    {F(gomp_taskgroup, in_taskgroup_wait), FACT_IN_TASKGROUP, FACT_NONE},
    {F(gomp_taskwait, in_taskwait), FACT_IN_TASKWAIT, FACT_NONE},
};

_Static_assert(sizeof(places) / sizeof(places[0]) == NEEDS_FIELDS, "one place for each field");

// The offset that the code tells of a field; -1: it tells none.
static int32_t
told_offset(const struct gomp_facts *facts, unsigned field)
{
    for (unsigned i = 0; i < NEEDS_FIELDS; i++) {
        const struct place *place = &places[i];
        if (place->field != field)
            continue;
        bool known =
            facts->known[place->fact] && (place->less == FACT_NONE || facts->known[place->less]);
        taddr less = place->less == FACT_NONE ? 0 : facts->values[place->less];
        return known && facts->values[place->fact] >= less
                   ? (int32_t) (facts->values[place->fact] - less)
                   : -1;
    }
    return -1;
}

// Sets one struct from the code. Sizes are told of tasks only;
// other structs end with the last field that is known.
static enum status
set_from_code(struct layout *layout, const struct gomp_facts *facts, unsigned number)
{
    int32_t offsets[NEEDS_FIELDS], count = 0;
    uint32_t size = 0;
    for (unsigned i = 0; i < NEEDS_FIELDS; i++) {
        const struct field_need *need = &gomp_needs.fields[i];
        if (need->owner != number)
            continue;
        int32_t offset = told_offset(facts, i);
        uint32_t width =
            need->kind == KIND_EMBEDS
                ? layout->structs[need->extra].size
                : (uint32_t) layout_kind_width(need->kind, need->extra, &layout->model);
        if (offset >= 0 && (uint32_t) offset + width > size)
            size = (uint32_t) offset + width;
        offsets[count++] = offset;
    }
    if (number == S(gomp_task) && facts->known[FACT_TASK_SIZE] &&
        facts->values[FACT_TASK_SIZE] > size)
        size = (uint32_t) facts->values[FACT_TASK_SIZE];
    return layout_set(layout, number, size, offsets);
}

static enum status
check_agreement(struct inferior *inf, const struct layout *layout, const struct gomp_facts *facts)
{
    for (unsigned i = 0; i < NEEDS_FIELDS; i++) {
        const struct field_need *need = &gomp_needs.fields[i];
        int32_t told = told_offset(facts, i);
        if (told >= 0 && layout->fields[i].offset >= 0 && layout->fields[i].offset != told)
            return trail_begin(&inf->trail, STATUS_MISMATCH,
                               "libgomp's debug information and its code disagree about %s.%s: "
                               "install the libgomp1-dbgsym of the same version",
                               gomp_needs.structs[need->owner].name, need->name);
    }
    return STATUS_OK;
}

enum status
gomp_layout_resolve(struct inferior *inf, const struct gomp_facts *facts, struct layout *ret)
{
    layout_init(ret, &gomp_needs, &inf->model);
    layout_from_debug(ret, inf);
    TRY(check_agreement(inf, ret, facts));
    for (unsigned i = 0; i < NEEDS_STRUCTS; i++)
        if (ret->structs[i].origin == ORIGIN_NONE && set_from_code(ret, facts, i) != STATUS_OK &&
            i <= S(gomp_team))
            break;
    const char *missing = layout_missing(ret);
    if (missing)
        return trail_begin(&inf->trail, STATUS_ABSENT,
                           "the layout of %s is not known for this libgomp: install "
                           "libgomp1-dbgsym",
                           missing);
    return STATUS_OK;
}
