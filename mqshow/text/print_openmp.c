// SPDX-License-Identifier: BSD-3-Clause
// The OpenMP side of a process for people.
#include "mqshow/text/print_openmp.h"

#include "mqshow/base/alloc.h"
#include "mqshow/base/escape.h"
#include "mqshow/text/omp_text.h"
#include "mqshow/text/omp_tree.h"
#include "mqshow/base/table.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { HEADING_INDENT = 2, TREE_INDENT = 4 };

/** "thread 1 of 3, level 1" of a thread that the tree has no place for. */
static char *
lone_text(const struct openmp *omp, const mqs_omp_thread *thread)
{
    const mqs_omp_region *region =
        (thread->known & MQS_OMP_REGION) != 0 ? openmp_region(omp, thread->region) : NULL;
    if (region != NULL && openmp_is_outermost(region))
        return alloc_text("initial thread");
    char *text = (thread->known & MQS_OMP_THREAD_NUM) != 0
                     ? alloc_format("thread %" PRId64, thread->thread_num)
                     : alloc_text("thread ?");
    if ((thread->known & MQS_OMP_TEAM_SIZE) != 0)
        text = omp_text_join(text, "", alloc_format(" of %" PRId64, thread->team_size));
    if ((thread->known & MQS_OMP_LEVEL) != 0)
        text = omp_text_join(text, "", alloc_format(", level %" PRId64, thread->level));
    return text;
}

/** Draws the threads that stand in no region of the tree, those that wait for work last and in one
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
        if (note != NULL && strncmp(note, thread->note, MQS_OMP_NOTE) != 0)
            return NULL;
        note = thread->note;
    }
    return note != NULL && *note != '\0' ? note : NULL;
}

static void
print_heading(FILE *out, const struct openmp *omp, const char *note)
{
    char *runtime = escape_text(omp->info.runtime, sizeof omp->info.runtime);
    char *release = escape_text(omp->info.release, sizeof omp->info.release);
    char *backend = escape_text(omp->info.backend, sizeof omp->info.backend);
    runtime = omp_text_join(runtime, " ", release);
    runtime = omp_text_join(alloc_text("OpenMP"), "   ", runtime);
    if (*backend != '\0')
        runtime = omp_text_join(runtime, " ", alloc_format("(%s)", backend));
    char *remark = escape_text(note != NULL ? note : "", MQS_OMP_NOTE);
    fprintf(out, "%*s%s   %zu thread%s%s%s\n", HEADING_INDENT, "", runtime, omp->n_threads,
            omp->n_threads == 1 ? "" : "s", *remark != '\0' ? "   note: " : "", remark);
    free(remark);
    free(runtime);
    free(backend);
}

/** Says which threads of the process OpenMP has nothing to do with. */
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
print_openmp(FILE *out, const struct openmp *omp, struct style style)
{
    struct omp_tree tree = {
        .omp = omp,
        .table = table_create(OMP_TREE_COLUMNS, style.color),
        .note = common_note(omp),
        .all = style.all,
        .drawn = alloc_zeroed(omp->n_threads + 1, sizeof *tree.drawn),
    };
    print_heading(out, omp, tree.note);
    omp_tree_draw(&tree);
    draw_rest(&tree);
    table_print(tree.table, out, TREE_INDENT);
    if (style.all)
        print_others(out, omp);
    print_openmp_variables(out, omp, style);
    free(tree.drawn);
}
