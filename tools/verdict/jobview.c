// SPDX-License-Identifier: BSD-3-Clause
// All processes of a document as tables of plain data.
#include "tools/verdict/jobview.h"

#include "tools/alloc.h"
#include "tools/verdict/groups.h"
#include "tools/verdict/member.h"

#include <stdlib.h>
#include <string.h>

/** The number of a word in a list; 0: it is none of them. */
static int
word_of(const json_t *json, const char *key, const char *const *words, int count)
{
    const char *text = member_text(json, key);
    for (int i = 1; text != NULL && i < count; i++)
        if (strcmp(text, words[i]) == 0)
            return i;
    return 0;
}

static enum jv_state
state_of(const json_t *json)
{
    static const char *const words[] = {
        [JV_RUNS] = "",         [JV_DISK_SLEEP] = "disk sleep", [JV_STOPPED] = "stopped",
        [JV_TRACED] = "traced", [JV_DEAD] = "zombie",           [JV_GONE] = "gone"};
    return (enum jv_state) word_of(json, "state", words, sizeof words / sizeof *words);
}

#define PHASE(number, verdict, name) [verdict] = (name),
static const char *const phases[] = {
    [JV_IN_USE] = "",
#include "tools/verdict/phases.def"
};
#undef PHASE

static enum jv_phase
phase_of(const json_t *json)
{
    return (enum jv_phase) word_of(json_object_get(json, "mpi"), "phase", phases,
                                   sizeof phases / sizeof *phases);
}

const char *
jobview_phase_name(enum jv_phase phase)
{
    return phases[phase];
}

bool
jobview_is_halted(const struct jv_process *process)
{
    return process->state >= JV_STOPPED || process->phase == JV_FINALIZED;
}

bool
jobview_is_out(const struct jv_process *process)
{
    return jobview_is_halted(process) || process->phase == JV_IN_FINALIZE;
}

static void
load_processes(struct jobview *view)
{
    const json_t *all = json_object_get(view->document, "processes");
    view->n_processes = json_array_size(all);
    view->processes = alloc_zeroed(view->n_processes, sizeof *view->processes);
    for (size_t i = 0; i < view->n_processes; i++) {
        const json_t *json = json_array_get(all, i);
        const char *world = member_text(json, "world");
        view->processes[i] = (struct jv_process){
            .json = json,
            .rank = (int32_t) member_number(json, "rank", 0, INT32_MAX, NOBODY),
            .world = intern_text(&view->texts, world != NULL ? world : ""),
            .state = state_of(json),
            .phase = phase_of(json),
            .settled = member_true(json, "settled"),
            .moved = member_false(json, "settled"),
        };
        view->processes[i].moved &= !jobview_is_halted(&view->processes[i]);
        if (view->n_processes > 1 && member_text(json, "core") != NULL)
            jobview_unseen(view, alloc_text("whether the cores are of one moment"));
    }
}

static int
compare_ranks(const void *left, const void *right)
{
    const int32_t *a = left, *b = right;
    return (*a > *b) - (*a < *b);
}

/** Whether a process is a core that nothing of MPI was read of: its file names it. */
static bool
is_unread_core(const struct jv_process *process)
{
    return process->rank == NOBODY && member_text(process->json, "core") != NULL &&
           json_array_size(json_object_get(process->json, "communicators")) == 0;
}

/** Whether ranks do not tell processes apart, as in several worlds. */
static bool
ranks_repeat(const struct jobview *view)
{
    int32_t *ranks = alloc_zeroed(view->n_processes, sizeof *ranks);
    size_t n_ranks = 0, n_named = 0;
    bool repeat = false;
    for (size_t i = 0; i < view->n_processes; i++)
        if (view->processes[i].rank != NOBODY)
            ranks[n_ranks++] = view->processes[i].rank;
        else
            n_named += is_unread_core(&view->processes[i]);
    qsort(ranks, n_ranks, sizeof *ranks, compare_ranks);
    for (size_t i = 1; i < n_ranks; i++)
        repeat |= ranks[i] == ranks[i - 1];
    free(ranks);
    return repeat || n_ranks + n_named < view->n_processes || n_ranks == 0;
}

void
jobview_init_comms(struct jobview *view, const json_t *document)
{
    *view = (struct jobview){.document = document};
    load_processes(view);
    jobview_load_comms(view);
}

/** A process that does not use MPI has not begun while others are in MPI_Init, which wait for it;
 * otherwise, where others have it in their communicators, it has ended. */
static void
settle_phases(struct jobview *view)
{
    bool *begins = alloc_zeroed(view->texts.count, sizeof *begins);
    bool *is_member = alloc_zeroed(view->n_processes, sizeof *is_member);
    for (size_t i = 0; i < view->n_processes; i++)
        begins[view->processes[i].world] |= view->processes[i].phase == JV_IN_INIT;
    for (size_t i = 0; i < view->n_members; i++)
        is_member[view->members[i].process] = true;
    for (size_t i = 0; i < view->n_processes; i++) {
        struct jv_process *process = &view->processes[i];
        if (process->phase == JV_NOT_IN_USE)
            process->phase = begins[process->world] ? JV_BEFORE_INIT
                             : is_member[i]         ? JV_FINALIZED
                                                    : JV_NOT_IN_USE;
    }
    free(begins);
    free(is_member);
}

void
jobview_init(struct jobview *view, const json_t *document)
{
    jobview_init_comms(view, document);
    view->by_index = ranks_repeat(view);
    for (size_t i = 0; i < view->n_processes; i++)
        view->processes[i].label = view->by_index ? (int32_t) i : view->processes[i].rank;
    jobview_load_ops(view);
    jobview_load_threads(view);
    settle_phases(view);
}

void
jobview_deinit(struct jobview *view)
{
    for (size_t i = 0; i < view->n_unseen; i++)
        free(view->unseen[i]);
    free(view->unseen);
    free(view->processes);
    free(view->threads);
    free(view->comms);
    free(view->members);
    free(view->ops);
    intern_deinit(&view->texts);
    intern_deinit(&view->groups);
    intern_deinit(&view->keys);
}

void
jobview_unseen(struct jobview *view, char *words)
{
    for (size_t i = 0; i < view->n_unseen; i++) {
        if (strcmp(view->unseen[i], words) == 0) {
            free(words);
            return;
        }
    }
    view->unseen =
        alloc_grow(view->unseen, view->n_unseen, &view->unseen_capacity, sizeof *view->unseen);
    view->unseen[view->n_unseen++] = words;
}

const struct jv_member *
jobview_member(const struct jobview *view, uint32_t comm, int64_t local_rank)
{
    const struct jv_comm *of = &view->comms[comm];
    uint32_t low = of->first_member, end = low + of->n_members, high = end;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (view->members[middle].local_rank < local_rank)
            low = middle + 1;
        else
            high = middle;
    }
    return low < end && view->members[low].local_rank == local_rank ? &view->members[low] : NULL;
}

int64_t
jobview_world_rank(const struct jobview *view, uint32_t comm, int64_t local_rank)
{
    const struct jv_member *seen = jobview_member(view, comm, local_rank);
    int32_t group = view->comms[comm].group;
    if (seen != NULL && view->processes[seen->process].rank != NOBODY)
        return view->processes[seen->process].rank;
    return group == NOBODY ? NOBODY : group_rank(&view->groups, (uint32_t) group, local_rank);
}

bool
jobview_knows_queue(const json_t *comm, enum jv_queue queue)
{
    struct operations ignored;
    const char *key = queue_key(jobview_class(queue));
    size_t i;
    json_t *item;
    json_array_foreach (json_object_get(comm, "incomplete"), i, item)
        if (json_is_string(item) && strcmp(json_string_value(item), key) == 0)
            return false;
    return operations_of(comm, jobview_class(queue), &ignored);
}

bool
jobview_has_queue(const struct jv_process *process, enum jv_queue queue)
{
    size_t i;
    json_t *comm;
    json_array_foreach (json_object_get(process->json, "communicators"), i, comm)
        if (!jobview_knows_queue(comm, queue))
            return false;
    return i > 0;
}

int64_t
jobview_not_seen(const struct jobview *view, uint32_t comm)
{
    int64_t left = view->comms[comm].size - view->comms[comm].n_members;
    return left > 0 ? left : 0;
}

const char *
jobview_comm_name(const struct jv_comm *comm)
{
    const char *text = comm->label != NULL ? comm->label : comm->name;
    return text != NULL && *text != '\0' ? text : "(no name)";
}
