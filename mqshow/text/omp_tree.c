// SPDX-License-Identifier: BSD-3-Clause
// The tree of OpenMP regions with the threads of their teams, as lines of a table.
#include "mqshow/text/omp_tree.h"

#include "mqshow/base/alloc.h"
#include "mqshow/base/escape.h"
#include "mqshow/text/omp_text.h"
#include "mqshow/base/search.h"
#include "mqshow/report/openmp.h"
#include "mqshow/base/table.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { STEP = 2, DEPTH_MAX = 500 }; // blanks of a level; levels
enum { FOLDED_MIN = 4 };            // equal threads in a row that are worth folding

/** How a line of a thread reads but for its numbers. */
struct line {
    char *state; // or what it waits for
    char *rest;
};

static void
line_deinit(struct line *line)
{
    free(line->state);
    free(line->rest);
}

static bool
lines_are_equal(const struct line *a, const struct line *b)
{
    return strcmp(a->state, b->state) == 0 && strcmp(a->rest, b->rest) == 0;
}

static bool
is_told(const struct omp_tree *tree, const char *note)
{
    return tree->note && strncmp(tree->note, note, MQS_OMP_NOTE) == 0;
}

/** @param note whether the thread's note is not shown above */
static struct line
line_of_thread(const struct omp_tree *tree, const mqs_omp_thread *thread, bool note)
{
    bool waits = openmp_wait(tree->omp, thread) != NULL;
    bool has_place = waits || !tree->report->has_mpi; // else it is with the threads of the process
    struct line line = {
        waits ? omp_text_wait(tree->omp, thread) : omp_text_state(thread),
        waits ? alloc_text("") : omp_wait(tree->omp, thread),
    };
    if (has_place)
        line.rest = omp_text_join(omp_text_place(tree->report, thread), "   ", line.rest);
    line.rest = omp_text_join(line.rest, "   ", omp_text_task(tree->omp, thread, tree->all));
    if (note && !is_told(tree, thread->note))
        line.rest = omp_text_join(line.rest, "   ", escape_text(thread->note, sizeof thread->note));
    return line;
}

static void
mark_drawn(struct omp_tree *tree, const mqs_omp_thread *thread)
{
    tree->drawn[thread - tree->omp->threads] = true;
}

/** Adds a line, taking the texts over. */
static void
add_line(struct omp_tree *tree, int indent, char *who, char *tid, struct line line)
{
    table_line(tree->table);
    table_cell(tree->table, 0, alloc_format("%*s%s", indent, "", who), NULL);
    table_cell(tree->table, 1, tid, NULL);
    table_cell(tree->table, 2, line.state, NULL);
    table_cell(tree->table, 3, line.rest, NULL);
    free(who);
}

void
omp_tree_add_thread(struct omp_tree *tree, int indent, char *who, const mqs_omp_thread *thread,
                    bool with_note)
{
    add_line(tree, indent, who, omp_text_tid(thread), line_of_thread(tree, thread, with_note));
}

char *
omp_tree_tids(const mqs_omp_thread *const *threads, size_t count, bool all)
{
    int64_t *tids = alloc_zeroed(count + 1, sizeof *tids);
    size_t known = 0;
    for (size_t i = 0; i < count; i++)
        if ((threads[i]->known & MQS_OMP_TID) != 0)
            tids[known++] = threads[i]->tid;
    qsort(tids, known, sizeof *tids, compare_int64);
    char *numbers = omp_text_numbers(tids, known, all);
    char *text = known == 0 ? alloc_text("tids ?")
                            : alloc_format("tid%s %s", known == 1 ? "" : "s", numbers);
    free(numbers);
    free(tids);
    return text;
}

static bool
starts_region(const struct openmp *omp, const mqs_omp_region *around, const mqs_omp_thread *thread)
{
    const uint32_t needed = MQS_OMP_PARENT | MQS_OMP_PRIMARY;
    for (size_t i = 0; i < omp->n_regions; i++)
        if ((omp->regions[i].known & needed) == needed &&
            omp->regions[i].parent == around->number && omp->regions[i].primary == thread->number)
            return true;
    return false;
}

/** How many members from the first one on are equal and in nothing nested. */
static size_t
count_equal(const struct omp_tree *tree, const mqs_omp_region *region, const struct member *members,
            size_t count, bool note)
{
    size_t n = 1;
    struct line first = line_of_thread(tree, members[0].thread, note);
    for (bool equal = members[0].is_inner; equal && n < count; n += equal) {
        struct line next = line_of_thread(tree, members[n].thread, note);
        equal = members[n].is_inner && members[n].num == members[n - 1].num + 1 &&
                !starts_region(tree->omp, region, members[n].thread) &&
                lines_are_equal(&first, &next);
        line_deinit(&next);
    }
    line_deinit(&first);
    return n;
}

static char *
member_text(const struct member *member)
{
    return member->num < 0 ? alloc_text("thread ?") : alloc_format("thread %" PRId64, member->num);
}

static void
add_member(struct omp_tree *tree, const struct member *member, int indent, bool note)
{
    struct line none = {NULL, NULL};
    add_line(tree, indent, member_text(member), omp_text_tid(member->thread),
             member->is_inner ? line_of_thread(tree, member->thread, note) : none);
    if (member->is_inner)
        mark_drawn(tree, member->thread);
}

static void
add_folded(struct omp_tree *tree, const struct member *members, size_t count, int indent, bool note)
{
    const mqs_omp_thread **threads = alloc_zeroed(count, sizeof(*threads));
    for (size_t i = 0; i < count; i++) {
        threads[i] = members[i].thread;
        mark_drawn(tree, threads[i]);
    }
    add_line(tree, indent,
             alloc_format("threads %" PRId64 "-%" PRId64, members[0].num, members[count - 1].num),
             omp_tree_tids(threads, count, false), line_of_thread(tree, threads[0], note));
    free(threads);
}

/** The note that all threads that are here innermost have; NULL: they differ, or have none. */
static const char *
common_note(const struct member *members, size_t count)
{
    const char *note = NULL;
    for (size_t i = 0; i < count; i++) {
        const char *own = members[i].thread->note;
        if (!members[i].is_inner)
            continue;
        if (note && strncmp(note, own, MQS_OMP_NOTE) != 0)
            return NULL;
        note = own;
    }
    return note && *note != '\0' ? note : NULL;
}

static void draw_nested(struct omp_tree *tree, const mqs_omp_region *around,
                        const mqs_omp_thread *thread, int depth);

static void
draw_members(struct omp_tree *tree, const mqs_omp_region *region, const struct member *members,
             size_t count, int depth)
{
    int indent = STEP * (depth + 1);
    bool note = !common_note(members, count);
    for (size_t i = 0, n; i < count; i += n) {
        bool nests = starts_region(tree->omp, region, members[i].thread);
        n = nests || tree->all ? 1 : count_equal(tree, region, &members[i], count - i, note);
        if (n >= FOLDED_MIN) {
            add_folded(tree, &members[i], n, indent, note);
            continue;
        }
        n = 1;
        add_member(tree, &members[i], indent, note);
        if (nests)
            draw_nested(tree, region, members[i].thread, depth + 2);
    }
}

/** Prints how many threads a team has that are not in the list. */
static void
draw_missing(struct omp_tree *tree, const mqs_omp_region *region, size_t count, int depth)
{
    if ((region->known & MQS_OMP_TEAM_SIZE) != 0 && region->team_size > (int64_t) count)
        table_free_line(tree->table,
                        alloc_format("%*s%" PRId64 " more: not known", STEP * (depth + 1), "",
                                     region->team_size - (int64_t) count));
}

static char *
heading_text(const struct omp_tree *tree, const mqs_omp_region *region,
             const struct member *members, size_t count)
{
    const char *note = common_note(members, count);
    char *text = omp_text_region(tree->omp, region);
    if (note && !is_told(tree, note))
        text = omp_text_join(text, "   note: ", escape_text(note, MQS_OMP_NOTE));
    return text;
}

/** Draws a region, once: a damaged one may be around itself. */
static void
draw_region(struct omp_tree *tree, const mqs_omp_region *region, int depth)
{
    struct member *members;
    bool *drawn = &tree->regions[region - tree->omp->regions];
    if (*drawn)
        return;
    *drawn = true;
    size_t count = openmp_members(tree->omp, region, &members);
    char *heading = heading_text(tree, region, members, count);
    table_free_line(tree->table, alloc_format("%*s%s", STEP * depth, "", heading));
    free(heading);
    draw_members(tree, region, members, count, depth);
    draw_missing(tree, region, count, depth);
    draw_nested(tree, region, NULL, depth + 1);
    free(members);
}

/** Whether a thread of the team around a region has the region below it. */
static bool
has_place_in(const struct openmp *omp, const mqs_omp_region *region)
{
    return (region->known & MQS_OMP_PRIMARY) != 0 && openmp_thread(omp, region->primary);
}

/** Draws the regions nested in a region that a thread has started, or, with NULL, those of whom
 * that is not known.
 */
static void
draw_nested(struct omp_tree *tree, const mqs_omp_region *around, const mqs_omp_thread *thread,
            int depth)
{
    const struct openmp *omp = tree->omp;
    for (size_t i = 0; i < omp->n_regions && depth < DEPTH_MAX; i++) {
        const mqs_omp_region *region = &omp->regions[i];
        if ((region->known & MQS_OMP_PARENT) == 0 || region->parent != around->number)
            continue;
        if (thread ? has_place_in(omp, region) && region->primary == thread->number
                   : !has_place_in(omp, region))
            draw_region(tree, region, depth);
    }
}

void
omp_tree_draw(struct omp_tree *tree)
{
    const struct openmp *omp = tree->omp;
    tree->regions = alloc_zeroed(omp->n_regions, sizeof *tree->regions);
    for (size_t i = 0; i < omp->n_regions; i++) {
        const mqs_omp_region *region = &omp->regions[i];
        const mqs_omp_region *parent =
            (region->known & MQS_OMP_PARENT) != 0 ? openmp_region(omp, region->parent) : NULL;
        bool below_hidden = parent && openmp_is_outermost(parent);
        bool hidden = !parent && openmp_is_outermost(region);
        if (tree->all ? !parent : below_hidden || (!parent && !hidden))
            draw_region(tree, region, 0);
    }
    free(tree->regions);
    tree->regions = NULL;
}
