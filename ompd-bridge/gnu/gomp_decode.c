// SPDX-License-Identifier: BSD-3-Clause
// Which functions show which facts, and whether all of them agree.
#include "ompd-bridge/gnu/gomp_decode.h"

enum {
    PAGE = 4096,
    STRUCT_MAX = 4096, // bytes; the runtime's structs are smaller
    USUAL_TEAM_ID = 40 // offset that the first of the functions shows, in all releases so far
};

/** What one function returns, and what that shows: the facts of the offsets that it follows. */
struct shown {
    const char *function;
    uint8_t stored; // 0: the value returned; 1, 2: stored through that argument
    bool jumps;
    enum code_base base;
    uint8_t n_loads;
    uint8_t width; // of the last load; 0: any
    struct {
        enum gomp_fact whole; // what is added before and by the load
        enum gomp_fact added; // by instructions of their own
        enum gomp_fact shift; // by the load
    } loads[CODE_LOADS];
    enum gomp_fact added;    // behind the last load
    enum gomp_fact address;  // of a variable
    enum gomp_fact fallback; // used when there is no task
};

// A function that follows offsets from the thread's record.
#define FOLLOWS(name, count, bytes, ...)                                       \
    .function = name, .base = BASE_VARIABLE, .n_loads = count, .width = bytes, \
    .loads = {__VA_ARGS__}
#define THREAD_FIELD(name, fact)             \
    {                                        \
        FOLLOWS(name, 1, 4, {.whole = fact}) \
    }
#define ICV_FIELD(name, out, bytes, fact)                           \
    {                                                               \
        FOLLOWS(name, 2, bytes, {.whole = FACT(gomp_thread, task)}, \
                {.added = FACT(gomp_task, icv), .shift = fact}),    \
            .stored = out, .fallback = FACT_GLOBAL_ICV              \
    }
#define GLOBAL(name, bytes, fact)                                                           \
    {                                                                                       \
        .function = name, .base = BASE_IMAGE, .n_loads = 1, .width = bytes, .address = fact \
    }

// Each function stands once for each shape that it has in some release.
static const struct shown functions[] = {
    THREAD_FIELD("omp_get_thread_num", FACT_TEAM_ID),
    THREAD_FIELD("omp_get_level", FACT_LEVEL),
    THREAD_FIELD("omp_get_active_level", FACT_ACTIVE_LEVEL),
    THREAD_FIELD("omp_get_place_num", FACT_PLACE),
    THREAD_FIELD("omp_get_num_teams", FACT_NUM_TEAMS),
    {FOLLOWS("omp_get_num_threads", 2, 4, {.whole = FACT_TEAM},
             {.whole = FACT(gomp_team, nthreads)})},
    {FOLLOWS("omp_get_ancestor_thread_num", 2, 4,
             {FACT_TEAM, FACT(gomp_thread, ts), FACT(gomp_team_state, team)},
             {.added = FACT(gomp_team, prev_ts), .shift = FACT(gomp_team_state, team_id)})},
    {FOLLOWS("omp_get_team_size", 3, 4,
             {FACT_TEAM, FACT(gomp_thread, ts), FACT(gomp_team_state, team)},
             {.added = FACT(gomp_team, prev_ts), .shift = FACT(gomp_team_state, team)},
             {.whole = FACT(gomp_team, nthreads)})},
    {FOLLOWS("GOMP_barrier", 1, 8, {.whole = FACT_TEAM}), .jumps = true,
     .added = FACT_TEAM_BARRIER},
    {FOLLOWS("omp_in_final", 2, 1, {.whole = FACT(gomp_thread, task)},
             {.whole = FACT(gomp_task, final_task)})},
    ICV_FIELD("omp_get_max_threads", 0, 0, FACT(gomp_task_icv, nthreads_var)),
    ICV_FIELD("omp_get_schedule", 1, 4, FACT(gomp_task_icv, run_sched_var)),
    ICV_FIELD("omp_get_schedule", 2, 4, FACT(gomp_task_icv, run_sched_chunk_size)),
    ICV_FIELD("omp_get_default_device", 0, 4, FACT(gomp_task_icv, default_device_var)),
    ICV_FIELD("omp_get_thread_limit", 0, 4, FACT(gomp_task_icv, thread_limit_var)),
    ICV_FIELD("omp_get_dynamic", 0, 1, FACT(gomp_task_icv, dyn_var)),
    ICV_FIELD("omp_get_max_active_levels", 0, 1, FACT(gomp_task_icv, max_active_levels_var)),
    ICV_FIELD("omp_get_proc_bind", 0, 1, FACT(gomp_task_icv, bind_var)),
    GLOBAL("omp_get_max_active_levels", 4, FACT_GLOBAL_ACTIVE_LEVELS),
    GLOBAL("omp_get_cancellation", 1, FACT_GLOBAL_CANCEL),
    GLOBAL("omp_get_max_task_priority", 4, FACT_GLOBAL_PRIORITY),
    GLOBAL("omp_get_num_procs", 4, FACT_GLOBAL_PROCS),
};

enum status
gomp_read_code(struct inferior *inf, const char *name, size_t size, uint8_t *ret, taddr *ret_addr,
               size_t *ret_size)
{
    const struct target *target = &inf->target;
    taddr addr;
    if (!target->ops->find_function(target->host, name, &addr) &&
        inferior_symbol(inf, name, &addr) != STATUS_OK)
        return trail_begin(&inf->trail, STATUS_ABSENT, "there is no function %s", name);
    size_t left = PAGE - addr % PAGE;
    *ret_addr = addr;
    *ret_size = size;
    if (inferior_read(inf, addr, size, ret) == STATUS_OK)
        return STATUS_OK;
    // The code may end with its page.
    *ret_size = size < left ? size : left;
    return inferior_read(inf, addr, *ret_size, ret);
}

bool
gomp_facts_set(struct gomp_facts *facts, enum gomp_fact fact, taddr value)
{
    if (fact == FACT_NONE)
        return true;
    if (facts->known[fact])
        return facts->values[fact] == value;
    facts->known[fact] = true;
    facts->values[fact] = value;
    return true;
}

// Whether a value comes from where the function is known to take it from.
static bool
has_shape(const struct shown *shown, const struct code_result *result,
          const struct code_value *value)
{
    return result->jumps == shown->jumps && value->base == shown->base &&
           value->n_loads == shown->n_loads &&
           (shown->width == 0 || value->loads[value->n_loads - 1].width == shown->width);
}

static bool
is_offset(int64_t offset)
{
    return offset >= 0 && offset < STRUCT_MAX;
}

static bool
note_offset(struct gomp_facts *facts, enum gomp_fact fact, int64_t offset)
{
    return fact == FACT_NONE || (is_offset(offset) && gomp_facts_set(facts, fact, (taddr) offset));
}

static bool
note_all(struct gomp_facts *facts, const struct shown *shown, const struct code_value *value)
{
    bool good = true;
    for (unsigned i = 0; i < value->n_loads; i++) {
        const struct code_load *load = &value->loads[i];
        good = good && note_offset(facts, shown->loads[i].whole, load->added + load->shift) &&
               note_offset(facts, shown->loads[i].added, load->added) &&
               note_offset(facts, shown->loads[i].shift, load->shift);
    }
    enum gomp_fact addr = value->base != BASE_VARIABLE ? shown->address
                          : value->is_offset           ? FACT_OFFSET
                                                       : FACT_SLOT;
    return good && note_offset(facts, shown->added, value->added) &&
           gomp_facts_set(facts, addr, value->addr) &&
           (shown->fallback == FACT_NONE ||
            gomp_facts_set(facts, shown->fallback, value->fallback));
}

// Code for static linking can count from the thread pointer itself, and does not tell where in that
// the thread's record begins. It does not matter as long as all offsets count from there.
static void
count_from_record(const struct gomp_facts *facts, struct code_value *value)
{
    struct code_load *first = &value->loads[0];
    if (value->base != BASE_VARIABLE || !value->is_offset || value->addr != 0 ||
        value->n_loads == 0)
        return;
    int32_t start = facts->known[FACT_OFFSET] ? (int32_t) (int64_t) facts->values[FACT_OFFSET]
                                              : first->added + first->shift - USUAL_TEAM_ID;
    value->addr = (taddr) start;
    *(first->added != 0 ? &first->added : &first->shift) -= start;
}

static enum status
decode_function(struct inferior *inf, const struct shown *shown, struct gomp_facts *facts)
{
    uint8_t code[CODE_MAX];
    taddr addr = 0;
    size_t size = 0;
    struct code_result result;
    TRY(gomp_read_code(inf, shown->function, sizeof(code), code, &addr, &size));
    if (!code_step_through(facts->machine, code, size, addr, &result))
        return trail_begin(&inf->trail, STATUS_UNSUPPORTED,
                           "the code of %s has a form that is not known", shown->function);
    struct code_value *value = shown->stored ? &result.stored[shown->stored - 1] : &result.value;
    count_from_record(facts, value);
    if (!has_shape(shown, &result, value))
        return trail_begin(&inf->trail, STATUS_UNSUPPORTED,
                           "%s does not return what it is known to return", shown->function);
    if (!note_all(facts, shown, value))
        return trail_begin(&inf->trail, STATUS_CORRUPT,
                           "the code of %s contradicts that of other functions", shown->function);
    return STATUS_OK;
}

// What stands in a thread's place, which the thread's struct embeds.
static bool
note_in_place(struct gomp_facts *facts, enum gomp_fact of_thread, enum gomp_fact fact)
{
    taddr ts = facts->values[FACT(gomp_thread, ts)], offset = facts->values[of_thread];
    if (!facts->known[FACT(gomp_thread, ts)] || !facts->known[of_thread])
        return true;
    return offset < ts ? !facts->known[fact] : gomp_facts_set(facts, fact, offset - ts);
}

// Facts that are known hold together as the struct that they tell of does in all releases.
static bool
related(const struct gomp_facts *facts, enum gomp_fact fact, enum gomp_fact base, taddr distance)
{
    return !facts->known[fact] || !facts->known[base] ||
           facts->values[fact] == facts->values[base] + distance;
}

static enum status
check_relations(struct inferior *inf, struct gomp_facts *facts)
{
    bool good = related(facts, FACT_LEVEL, FACT_TEAM_ID, 4) &&
                related(facts, FACT_ACTIVE_LEVEL, FACT_TEAM_ID, 8) &&
                related(facts, FACT_PLACE, FACT(gomp_thread, task), 12) &&
                related(facts, FACT_NUM_TEAMS, FACT_PLACE, 12) &&
                note_in_place(facts, FACT_TEAM, FACT(gomp_team_state, team)) &&
                note_in_place(facts, FACT_TEAM_ID, FACT(gomp_team_state, team_id)) &&
                note_in_place(facts, FACT_LEVEL, FACT(gomp_team_state, level)) &&
                note_in_place(facts, FACT_ACTIVE_LEVEL, FACT(gomp_team_state, active_level));
    if (!good)
        return trail_begin(&inf->trail, STATUS_CORRUPT, "the code of libgomp contradicts itself");
    return STATUS_OK;
}

// Facts that one machine's instructions show.
static enum status
decode_machine(struct inferior *inf, struct gomp_facts *facts)
{
    TRY(decode_function(inf, &functions[0], facts));
    for (unsigned i = 1; i < sizeof(functions) / sizeof(functions[0]); i++)
        if (decode_function(inf, &functions[i], facts) == STATUS_CORRUPT)
            return STATUS_CORRUPT;
    TRY(check_relations(inf, facts));
    return gomp_decode_traces(inf, facts);
}

enum status
gomp_decode(struct inferior *inf, struct gomp_facts *ret)
{
    static const struct machine *const machines[] = {&machine_x86_64, &machine_aarch64};
    enum status status = STATUS_UNSUPPORTED;
    for (unsigned i = 0; i < sizeof(machines) / sizeof(machines[0]); i++) {
        struct gomp_facts facts = {.machine = machines[i]};
        status = decode_machine(inf, &facts);
        if (status == STATUS_OK)
            *ret = facts;
        if (status == STATUS_OK || status == STATUS_CORRUPT)
            break;
    }
    return status;
}
