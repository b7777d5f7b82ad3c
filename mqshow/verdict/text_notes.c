// SPDX-License-Identifier: BSD-3-Clause
// What the processes of a document say could not be shown, each thing once, for people.
#include "mqshow/base/alloc.h"
#include "mqshow/base/search.h"
#include "mqshow/verdict/text.h"

#include <stdlib.h>

/** A message of a process. */
struct said {
    uint32_t text; // in an intern
    uint32_t process;
};

struct notes {
    struct intern texts;
    struct said *items;
    size_t count, capacity;
};

static void
gather(struct notes *notes, const struct jobview *view)
{
    for (uint32_t i = 0; i < view->n_processes; i++) {
        const struct report *report = view->processes[i].report;
        for (size_t k = 0; k < report->messages.count; k++) {
            *ALLOC_ADD(notes->items, notes->count, notes->capacity) =
                (struct said){intern_text(&notes->texts, report->messages.items[k]), i};
        }
    }
}

static int
compare_texts(const void *left, const void *right)
{
    const struct said *a = left, *b = right;
    return COMPARE({a->text, b->text});
}

static int
compare(const void *left, const void *right)
{
    const struct said *a = left, *b = right;
    return COMPARE({a->text, b->text}, {a->process, b->process});
}

/** Prints what some processes say. */
static void
print_note(const struct verdict *verdict, FILE *out, const struct notes *notes, size_t first,
           size_t end)
{
    struct strbuf words = {.text = NULL};
    uint32_t *processes = alloc_zeroed(end - first, sizeof *processes);
    for (size_t i = first; i < end; i++)
        processes[i - first] = notes->items[i].process;
    verdict_add_ranks(verdict, &words, processes, end - first);
    strbuf_add(&words, ": %s", intern_get_text(&notes->texts, notes->items[first].text));
    char *text = verdict_cell(&words);
    fprintf(out, "  note: %s\n", text);
    free(text);
    free(processes);
}

void
verdict_print_notes(const struct verdict *verdict, FILE *out, size_t max)
{
    struct notes notes = {.items = NULL};
    gather(&notes, &verdict->view);
    if (notes.count > 0)
        qsort(notes.items, notes.count, sizeof *notes.items, compare);
    for (size_t first = 0, end; first < notes.count; first = end) {
        end = search_end(notes.items, notes.count, sizeof *notes.items, first, compare_texts);
        if (notes.items[first].text < max)
            print_note(verdict, out, &notes, first, end);
    }
    if (notes.texts.count > max)
        fprintf(out, "  note: %zu more; see --all\n", notes.texts.count - max);
    free(notes.items);
    intern_deinit(&notes.texts);
}
