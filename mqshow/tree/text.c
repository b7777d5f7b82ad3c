// SPDX-License-Identifier: BSD-3-Clause
// The tree for people.
#include "mqshow/tree/text.h"

#include "mqshow/base/alloc.h"
#include "mqshow/base/draft.h"
#include "mqshow/base/escape.h"
#include "mqshow/base/search.h"
#include "mqshow/base/table.h"
#include "mqshow/verdict/text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMNS = 4, INDENT = 2, STEP_INDENT = 2 };
enum { RUNS_SHOWN = 4, OUTLIERS_SHOWN = 6, PLACES_SHOWN = 2 };
enum { FIRST_SHOWN = 2, LAST_SHOWN = 3 }; // steps of a branch

/** What is printed. */
struct tree_page {
    const struct tree *tree;
    bool all;
};

static size_t
runs_max(const struct tree_page *page)
{
    return page->all ? SIZE_MAX : RUNS_SHOWN;
}

/** A plural where there are several. */
static const char *
noun_of(const struct tree *tree, size_t count)
{
    static const char *const nouns[][2] = {
        {"rank", "ranks"}, {"process", "processes"}, {"pid", "processes"}};
    const char *noun = tree_noun(tree);
    size_t i = 0;
    while (strcmp(nouns[i][0], noun) != 0)
        i++;
    return i == 2 && count == 1 ? "process" : nouns[i][count != 1];
}

/** "1024 ranks, 4096 threads; of 3 ranks no threads are known" */
static void
print_heading(FILE *out, const struct tree *tree)
{
    const struct job_index *job = &tree->verdict->job;
    fprintf(out, "%zu %s%s, %zu thread%s", job->n_processes, noun_of(tree, job->n_processes),
            tree->by_pid ? ", by pid" : "", job->n_threads, job->n_threads == 1 ? "" : "s");
    if (tree->n_without > 0)
        fprintf(out, "; of %zu %s no threads are known", tree->n_without,
                noun_of(tree, tree->n_without));
    if (tree->n_moved > 0)
        fprintf(out, "; %zu moved between samples", tree->n_moved);
    else if (tree->n_unmoved > 0)
        fprintf(out, "; %zu did not move between samples", tree->n_unmoved);
    fputc('\n', out);
}

// Who is elsewhere than the many.

/** "[17] alone in solve at x.c:88; 1023 others in MPI_Allreduce in step at x.c:9" */
static char *
outlier_text(const struct tree_page *page, const struct place_group *group)
{
    const struct tree *tree = page->tree;
    const struct place_group *many = &tree->groups[0];
    struct strbuf words = {.text = NULL}, own = {.text = NULL}, others = {.text = NULL};
    size_t max = page->all ? SIZE_MAX : PLACES_SHOWN;
    tree_add_who(tree, &words, group->processes, group->count, runs_max(page));
    tree_add_places(tree, &own, group, many, max);
    tree_add_places(tree, &others, many, group, max);
    if (own.length > 0)
        strbuf_add(&words, "%s %s", group->count == 1 ? " alone" : "", own.text);
    if (others.length > 0)
        strbuf_add(&words, "%s %" PRIu32 " others %s", own.length > 0 ? ";" : " not where",
                   many->count, own.length > 0 ? "" : "are: ");
    if (others.length > 0)
        strbuf_add(&words, "%s", others.text);
    free(own.text);
    free(others.text);
    return strbuf_take(&words);
}

static void
print_outliers(FILE *out, const struct tree_page *page)
{
    const struct tree *tree = page->tree;
    size_t shown =
        page->all || tree->n_outliers < OUTLIERS_SHOWN ? tree->n_outliers : OUTLIERS_SHOWN;
    size_t n_left = 0;
    const struct place_group *outliers = tree->groups + tree->n_groups - tree->n_outliers;
    for (size_t i = 0; i < shown; i++) {
        char *text = outlier_text(page, &outliers[i]), *escaped = escape_text(text, SIZE_MAX);
        fprintf(out, "%*s%s\n", INDENT, "", escaped);
        free(text);
        free(escaped);
    }
    for (size_t i = shown; i < tree->n_outliers; i++)
        n_left += outliers[i].count;
    if (n_left > 0)
        fprintf(out, "%*s... %zu more %s elsewhere; --all shows all\n", INDENT, "", n_left,
                noun_of(tree, n_left));
}

// The tree.

/** "main at x.c:9 > ... 3 frames ... > solve at x.c:88 > MPI_Recv": a branch up to where it
 * divides.
 */
static char *
branch_text(const struct tree *tree, size_t first)
{
    size_t end = tree_end_of_branch(tree, first), count = end - first + 1;
    bool is_cut = count > FIRST_SHOWN + LAST_SHOWN + 1;
    struct strbuf words = {.text = NULL};
    for (size_t i = first; i <= end; i++) {
        strbuf_add(&words, "%s", i > first ? " > " : "");
        if (is_cut && i == first + FIRST_SHOWN) {
            strbuf_add(&words, "(%zu frames)", count - FIRST_SHOWN - LAST_SHOWN);
            i = end - LAST_SHOWN;
        } else {
            tree_add_node(tree, &words, &tree->nodes[i]);
        }
    }
    return strbuf_take(&words);
}

/** The place of each node in the text: branches that divide go one step to the right. */
static size_t *
find_indents(const struct tree_page *page)
{
    const struct tree *tree = page->tree;
    size_t *ret = alloc_zeroed(tree->n_nodes + 1, sizeof *ret);
    for (size_t i = 0; i < tree->n_nodes; i++) {
        int32_t parent = tree->nodes[i].parent;
        bool is_next = page->all || (parent != NOBODY && tree->nodes[parent].n_children > 1);
        ret[i] = parent == NOBODY ? 0 : ret[parent] + is_next;
    }
    return ret;
}

static void
add_row(struct table *table, const struct tree_page *page, size_t number, size_t indent)
{
    const struct tree *tree = page->tree;
    const struct tree_node *node = &tree->nodes[number];
    struct strbuf who = {.text = NULL}, moves = {.text = NULL}, words = {.text = NULL};
    bool begins = tree_begins_branch(tree, number);
    table_line(table);
    if (begins) {
        size_t count;
        uint32_t *processes = tree_processes(tree, node, &count);
        tree_add_who(tree, &who, processes, count, runs_max(page));
        tree_add_movement(&moves, node);
        free(processes);
    }
    if (page->all)
        tree_add_node(tree, &words, node);
    char *text = page->all ? strbuf_take(&words) : branch_text(tree, number);
    char *escaped = escape_text(text, SIZE_MAX), *list = strbuf_take(&who);
    table_cell(table, 0, escape_text(list, SIZE_MAX), NULL);
    table_cell(table, 1,
               begins ? alloc_format("%" PRIu32 " thread%s", node->n_threads,
                                     node->n_threads == 1 ? "" : "s")
                      : NULL,
               NULL);
    table_cell(table, 2, alloc_format("%*s%s", (int) (STEP_INDENT * indent), "", escaped), NULL);
    table_cell(table, 3, strbuf_take(&moves), NULL);
    free(text);
    free(escaped);
    free(list);
}

/** Branches with more threads come first. */
static int
compare_branches(const void *left, const void *right, void *context)
{
    const struct tree *tree = context;
    uint32_t a = *(const uint32_t *) left, b = *(const uint32_t *) right;
    return COMPARE({tree->nodes[b].n_threads, tree->nodes[a].n_threads}, {a, b});
}

/** The branches by their threads: what is above one comes before it. For free(). */
static uint32_t *
list_branches(const struct tree *tree, size_t *ret_count)
{
    uint32_t *ret = alloc_zeroed(tree->n_nodes + 1, sizeof *ret);
    *ret_count = 0;
    for (uint32_t i = 0; i < tree->n_nodes; i++)
        if (tree_begins_branch(tree, i))
            ret[(*ret_count)++] = i;
    qsort_r(ret, *ret_count, sizeof *ret, compare_branches, (void *) tree);
    return ret;
}

/** "... 12 more branches that end with 14 threads; --all shows all" */
static char *
rest_text(const struct tree *tree, const uint32_t *branches, size_t shown, size_t count)
{
    size_t n_threads = 0;
    for (size_t i = shown; i < count; i++) {
        size_t end = tree_end_of_branch(tree, branches[i]);
        n_threads += tree->nodes[end].n_children == 0 ? tree->nodes[end].n_threads : 0;
    }
    return alloc_format("%*s... %zu more branch%s that end%s with %zu thread%s; --all shows all\n",
                        INDENT, "", count - shown, count - shown == 1 ? "" : "es",
                        count - shown == 1 ? "s" : "", n_threads, n_threads == 1 ? "" : "s");
}

/** The first branches of a list, in the order of the tree, for free(). */
static char *
branches_text(const struct tree_page *page, const uint32_t *branches, size_t count, bool color)
{
    struct table *table = table_create(COLUMNS, color);
    struct draft draft;
    uint32_t *chosen = alloc_zeroed(count + 1, sizeof *chosen);
    size_t *indents = find_indents(page);
    if (count > 0)
        memcpy(chosen, branches, count * sizeof *chosen);
    qsort(chosen, count, sizeof *chosen, compare_int32);
    for (size_t i = 0; i < count; i++)
        add_row(table, page, chosen[i], indents[chosen[i]]);
    table_print(table, draft_open(&draft), INDENT);
    free(chosen);
    free(indents);
    return draft_close(&draft);
}

static void
print_all(FILE *out, const struct tree_page *page, bool color)
{
    size_t count = page->tree->n_nodes;
    uint32_t *nodes = alloc_zeroed(count + 1, sizeof *nodes);
    for (uint32_t i = 0; i < count; i++)
        nodes[i] = i;
    char *text = branches_text(page, nodes, count, color);
    fputs(text, out);
    free(text);
    free(nodes);
}

/** Prints as many branches as there is room for. */
static void
print_some(FILE *out, const struct tree_page *page, const struct screen *screen, size_t rows,
           bool color)
{
    size_t count;
    uint32_t *branches = list_branches(page->tree, &count);
    for (size_t shown = count < rows ? count : rows;; shown--) {
        char *text = branches_text(page, branches, shown, color);
        char *rest = shown < count ? rest_text(page->tree, branches, shown, count) : alloc_text("");
        bool fits = screen_rows(screen, text) + screen_rows(screen, rest) <= rows || shown == 0;
        if (fits) {
            fputs(text, out);
            fputs(rest, out);
        }
        free(text);
        free(rest);
        if (fits)
            break;
    }
    free(branches);
}

void
tree_print(const struct tree *tree, FILE *out, const struct screen *screen, bool color)
{
    const struct tree_page page = {tree, !screen};
    struct draft draft;
    FILE *head = draft_open(&draft);
    if (!tree->own && verdict_is_worth_showing(tree->verdict))
        fprintf(head, "%s\n", tree->verdict->text);
    print_heading(head, tree);
    print_outliers(head, &page);
    char *text = draft_close(&draft);
    size_t rows = screen ? screen->rows - 1 : SIZE_MAX;
    size_t used = screen ? screen_print(screen, out, text, rows - rows / 3) : 0;
    if (screen)
        print_some(out, &page, screen, rows - used, color);
    else {
        fputs(text, out);
        print_all(out, &page, color);
    }
    free(text);
}
