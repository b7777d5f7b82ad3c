// SPDX-License-Identifier: BSD-3-Clause
// The OpenMP side of a process for people.
#include "mqshow/text/print.h"

#include "mqshow/base/alloc.h"
#include "mqshow/base/escape.h"
#include "mqshow/base/table.h"
#include "mqshow/text/omp_text.h"
#include "mqshow/text/omp_tree.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { INDENT = 4, ITEM_INDENT = 6, VALUES_SHOWN = 4 };

static const struct {
    int scope;
    const char *name;
} scopes[] = {
    {MQS_OMP_OF_PROCESS, "process"},
    {MQS_OMP_OF_REGION, "regions"},
    {MQS_OMP_OF_THREAD, "threads"},
    {MQS_OMP_OF_TASK, "tasks"},
};

static char *
value_text(const struct icv *icv)
{
    if (icv->text)
        return alloc_text(icv->text);
    return icv->has_value ? alloc_format("%" PRId64, icv->value) : alloc_text("?");
}

/** What a variable belongs to: "tid 4711", "region at ring.c:14", "a task of tid 4711". */
static char *
owner_text(const struct openmp *omp, const struct icv *icv)
{
    const mqs_omp_thread *thread =
        icv->scope == MQS_OMP_OF_THREAD ? openmp_thread(omp, icv->number) : NULL;
    const mqs_omp_region *region =
        icv->scope == MQS_OMP_OF_REGION ? openmp_region(omp, icv->number) : NULL;
    const mqs_omp_task *task = icv->scope == MQS_OMP_OF_TASK ? openmp_task(omp, icv->number) : NULL;
    if (task && (task->known & MQS_OMP_THREAD) != 0)
        thread = openmp_thread(omp, task->thread);
    if (thread && (thread->known & MQS_OMP_TID) != 0)
        return alloc_format("%stid %" PRId64, task ? "of " : "", thread->tid);
    if (region && (region->known & MQS_OMP_FUNCTION) != 0 && region->function != 0)
        return omp_text_code(omp, region->function);
    return region && (region->known & MQS_OMP_LEVEL) != 0
               ? alloc_format("at level %" PRId64, region->level)
               : alloc_format("number %" PRId32, icv->number);
}

/** One value of a variable, and who has it. */
struct group {
    char *value;
    char *owner; // the only one, or the first
    size_t count;
};

struct groups {
    struct group *items;
    size_t count, capacity;
};

static void
add_to_groups(struct groups *groups, const struct openmp *omp, const struct icv *icv)
{
    char *value = value_text(icv);
    for (size_t i = 0; i < groups->count; i++)
        if (strcmp(groups->items[i].value, value) == 0) {
            groups->items[i].count++;
            free(value);
            return;
        }
    *ALLOC_ADD(groups->items, groups->count, groups->capacity) =
        (struct group){value, owner_text(omp, icv), 1};
}

/** "3"; or "0 (tid 1), 1 (13), ..." when not all have the same; frees the groups. */
static char *
groups_text(struct groups *groups, bool all)
{
    char *text = alloc_text("");
    for (size_t i = 0; i < groups->count; i++) {
        struct group *group = &groups->items[i];
        char *value = groups->count == 1  ? alloc_text(group->value)
                      : group->count == 1 ? alloc_format("%s (%s)", group->value, group->owner)
                                          : alloc_format("%s (%zu)", group->value, group->count);
        if (i < VALUES_SHOWN || all)
            text = omp_text_join(text, ", ", value);
        else
            free(value);
        free(group->value);
        free(group->owner);
    }
    if (groups->count > VALUES_SHOWN && !all)
        text = omp_text_join(text, ", ",
                             alloc_format("%zu other values", groups->count - VALUES_SHOWN));
    free(groups->items);
    return text;
}

static bool
is_first(const struct openmp *omp, size_t number)
{
    for (size_t i = 0; i < number; i++)
        if (omp->icvs[i].scope == omp->icvs[number].scope &&
            strcmp(omp->icvs[i].name, omp->icvs[number].name) == 0)
            return false;
    return true;
}

static char *
values_of(const struct openmp *omp, const struct icv *first, bool all)
{
    struct groups groups = {.items = NULL};
    for (const struct icv *icv = first; icv < omp->icvs + omp->n_icvs; icv++)
        if (icv->scope == first->scope && strcmp(icv->name, first->name) == 0)
            add_to_groups(&groups, omp, icv);
    return groups_text(&groups, all);
}

static void
print_scope(FILE *out, const struct openmp *omp, int scope, const char *name, struct style style)
{
    struct table *table = table_create(2, style.color);
    bool any = false;
    for (size_t i = 0; i < omp->n_icvs; i++) {
        if (omp->icvs[i].scope != scope || !is_first(omp, i))
            continue;
        table_line(table);
        table_cell(table, 0, alloc_text(omp->icvs[i].name), NULL);
        table_cell(table, 1, values_of(omp, &omp->icvs[i], style.all), NULL);
        any = true;
    }
    if (any)
        fprintf(out, "%*scontrol variables of the %s\n", INDENT, "", name);
    table_print(table, out, ITEM_INDENT);
}

// A line for each, threads with equal values together.
void
print_openmp_variables(FILE *out, const struct openmp *omp, struct style style)
{
    for (size_t i = 0; i < sizeof scopes / sizeof *scopes && !style.no_icvs; i++)
        print_scope(out, omp, scopes[i].scope, scopes[i].name, style);
    if (omp->has_icvs && omp->n_icvs == 0 && !style.no_icvs)
        fprintf(out, "%*scontrol variables: not known\n", INDENT, "");
    if (style.no_control_vars)
        return;
    if (omp->has_control_vars)
        fprintf(out, "%*sstarted with%s\n", INDENT, "",
                omp->n_control_vars == 0 ? ": not known" : "");
    for (size_t i = 0; i < omp->n_control_vars; i++)
        fprintf(out, "%*s%s\n", ITEM_INDENT, "", omp->control_vars[i]);
}

// The OpenMP side of a process for people.

enum { HEADING_INDENT = 2, TREE_INDENT = 4 };

/** "thread 1 of 3, level 1" of a thread that the tree has no place for. */
static char *
lone_text(const struct openmp *omp, const mqs_omp_thread *thread)
{
    const mqs_omp_region *region =
        (thread->known & MQS_OMP_REGION) != 0 ? openmp_region(omp, thread->region) : NULL;
    if (region && openmp_is_outermost(region))
        return alloc_text("initial thread");
    char *text = omp_text_thread(thread);
    if ((thread->known & MQS_OMP_LEVEL) != 0)
        text = omp_text_join(text, "", alloc_format(", level %" PRId64, thread->level));
    return text;
}

/** Draws the threads that are in no region of the tree, those that wait for work last and in one
 * line.
 */
static void
draw_rest(struct omp_tree *tree)
{
    const struct openmp *omp = tree->omp;
    const mqs_omp_thread **idle = alloc_zeroed(omp->n_threads + 1, sizeof(*idle));
    size_t n_idle = 0;
    for (size_t i = 0; i < omp->n_threads; i++) {
        const mqs_omp_thread *thread = &omp->threads[i];
        if (tree->drawn[i])
            continue;
        if (openmp_is_idle(thread))
            idle[n_idle++] = thread;
        else
            omp_tree_add_thread(tree, 0, lone_text(omp, thread), thread, true);
    }
    char *tids = omp_tree_tids(idle, n_idle, tree->all);
    if (n_idle > 0)
        table_free_line(tree->table, alloc_format("idle: %zu thread%s, %s", n_idle,
                                                  n_idle == 1 ? "" : "s", tids));
    free(tids);
    free(idle);
}

/** The note that all threads have which are in regions; NULL: they differ, or have none. */
static const char *
common_note(const struct openmp *omp)
{
    const char *note = NULL;
    for (size_t i = 0; i < omp->n_threads; i++) {
        const mqs_omp_thread *thread = &omp->threads[i];
        if (openmp_is_idle(thread))
            continue;
        if (note && strncmp(note, thread->note, MQS_OMP_NOTE) != 0)
            return NULL;
        note = thread->note;
    }
    return note && *note != '\0' ? note : NULL;
}

void
print_openmp_heading(FILE *out, const struct openmp *omp)
{
    const char *note = common_note(omp);
    char *runtime = escape_text(omp->info.runtime, sizeof omp->info.runtime);
    char *release = escape_text(omp->info.release, sizeof omp->info.release);
    char *backend = escape_text(omp->info.backend, sizeof omp->info.backend);
    runtime = omp_text_join(runtime, " ", release);
    runtime = omp_text_join(alloc_text("OpenMP"), "   ", runtime);
    if (*backend != '\0')
        runtime = omp_text_join(runtime, " ", alloc_format("(%s)", backend));
    char *remark = escape_text(note ? note : "", MQS_OMP_NOTE);
    fprintf(out, "%*s%s   %zu thread%s%s%s\n", HEADING_INDENT, "", runtime, omp->n_threads,
            omp->n_threads == 1 ? "" : "s", *remark != '\0' ? "   note: " : "", remark);
    free(remark);
    free(runtime);
    free(backend);
}

/** Prints which threads of the process are outside of OpenMP. */
static void
print_others(FILE *out, const struct openmp *omp)
{
    int64_t *tids = alloc_zeroed(omp->n_others + 1, sizeof *tids);
    for (size_t i = 0; i < omp->n_others; i++)
        tids[i] = omp->others[i];
    char *numbers = omp_text_numbers(tids, omp->n_others, true);
    if (omp->n_others > 0)
        fprintf(out, "%*s%zu thread%s outside of OpenMP: tid%s %s\n", TREE_INDENT, "",
                omp->n_others, omp->n_others == 1 ? "" : "s", omp->n_others == 1 ? "" : "s",
                numbers);
    free(numbers);
    free(tids);
}

void
print_openmp(FILE *out, const struct report *report, struct style style)
{
    const struct openmp *omp = &report->omp;
    struct omp_tree tree = {
        .report = report,
        .omp = omp,
        .table = table_create(OMP_TREE_COLUMNS, style.color),
        .note = common_note(omp),
        .all = style.all,
        .drawn = alloc_zeroed(omp->n_threads + 1, sizeof *tree.drawn),
    };
    print_openmp_heading(out, omp);
    omp_tree_draw(&tree);
    draw_rest(&tree);
    table_print(tree.table, out, TREE_INDENT);
    if (style.all)
        print_others(out, omp);
    print_openmp_variables(out, omp, style);
    free(tree.drawn);
}
