// SPDX-License-Identifier: BSD-3-Clause
// A sample of a job for people: the verdict, what changed, and the processes.
#include "tools/print_sample.h"

#include "tools/alloc.h"
#include "tools/draft.h"
#include "tools/verdict/text.h"

#include <stdlib.h>
#include <string.h>

// Rows that the verdict leaves to the processes; notes.
enum { PROCESS_ROWS = 8, NOTES_SHOWN = 3 };

// Of more processes those that do what another one does are not shown.
enum { FEW_PROCESSES = 4 };

static bool
has_verdict(const struct sample *sample, const struct verdict *verdict)
{
    return json_object_get(sample->document, "verdict") != NULL &&
           verdict_is_worth_telling(verdict);
}

static void
print_verdict(FILE *out, const struct sample *sample, const struct verdict *verdict,
              struct style style)
{
    if (has_verdict(sample, verdict))
        verdict_print(verdict, out, (struct verdict_style){.color = style.color, .all = style.all});
}

void
print_sample(FILE *out, const struct sample *sample, struct style style)
{
    struct verdict verdict;
    verdict_init(&verdict, sample->document);
    style.numbered = verdict.view.by_index && sample->count > 1;
    print_verdict(out, sample, &verdict, style);
    fputs(sample->changes != NULL ? sample->changes : "", out);
    if (has_verdict(sample, &verdict) || sample->changes != NULL)
        fputc('\n', out);
    verdict_deinit(&verdict);
    print_text(out, sample->reports, sample->count, style);
}

/** Why a process is shown: the first reason counts. */
enum weight { CAUSE, IN_CYCLE, WAITS, OTHER };

/** A process and its place in the order in which they are shown. */
struct placed {
    int32_t label;
    uint32_t process;
    enum weight weight;
    bool repeats; // what another one does that comes before it
};

struct places {
    struct placed *items;
    size_t count;
};

/** Those that have none come last. */
static int
compare_labels(const void *left, const void *right)
{
    const struct placed *a = left, *b = right;
    uint32_t label = (uint32_t) a->label, other = (uint32_t) b->label;
    return (label > other) - (label < other);
}

static int
compare_placed(const void *left, const void *right)
{
    const struct placed *a = left, *b = right;
    if (a->repeats != b->repeats)
        return a->repeats ? 1 : -1;
    return a->weight != b->weight ? (a->weight < b->weight ? -1 : 1) : compare_labels(a, b);
}

/** Marks processes by their labels. */
static void
mark_range(struct places *places, int first, int last, enum weight weight)
{
    size_t low = 0, high = places->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if ((uint32_t) places->items[middle].label < (uint32_t) first)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < places->count && (uint32_t) places->items[low].label <= (uint32_t) last; low++)
        if (places->items[low].weight > weight)
            places->items[low].weight = weight;
}

/** Marks the processes of an array of ranks: numbers, and texts "first-last". */
static void
mark_ranks(struct places *places, const json_t *ranks, enum weight weight)
{
    size_t i;
    json_t *rank;
    json_array_foreach (ranks, i, rank) {
        int first = (int) json_integer_value(rank), last = first;
        const char *run = json_string_value(rank);
        if (json_is_integer(rank) || (run != NULL && sscanf(run, "%d-%d", &first, &last) == 2))
            mark_range(places, first, last, weight);
    }
}

static void
mark_all(struct places *places, const json_t *verdict)
{
    const json_t *cause = json_object_get(verdict, "cause");
    size_t i;
    json_t *cycle;
    mark_ranks(places, json_object_get(cause, "ranks"), CAUSE);
    json_array_foreach (json_object_get(verdict, "cycles"), i, cycle)
        mark_ranks(places, cycle, IN_CYCLE);
    mark_ranks(places, json_object_get(cause, "waiting"), WAITS);
}

/** A process that cannot go on is a cause even where the verdict does not know of it. */
static bool
is_held(const struct report *report)
{
    char *state = state_describe(&report->state);
    free(state);
    return state != NULL;
}

/** Finds the order in which processes are shown. */
static void
place_processes(struct places *places, const struct sample *sample, const struct verdict *verdict)
{
    bool *seen = alloc_zeroed(verdict->n_groups + 1, sizeof *seen);
    *places = (struct places){.items = alloc_zeroed(sample->count + 1, sizeof *places->items)};
    for (uint32_t i = 0; i < sample->count; i++)
        if (report_has_something(&sample->reports[i]))
            places->items[places->count++] =
                (struct placed){.label = verdict->view.processes[i].label,
                                .process = i,
                                .weight = is_held(&sample->reports[i]) ? CAUSE : OTHER};
    qsort(places->items, places->count, sizeof *places->items, compare_labels);
    mark_all(places, json_object_get(sample->document, "verdict"));
    qsort(places->items, places->count, sizeof *places->items, compare_placed);
    for (size_t i = 0; i < places->count; i++) {
        uint32_t group = verdict->view.processes[places->items[i].process].group;
        places->items[i].repeats = seen[group];
        seen[group] = true;
    }
    qsort(places->items, places->count, sizeof *places->items, compare_placed);
    free(seen);
}

/** What is left of a screen. */
struct room {
    FILE *out;
    const struct screen *screen;
    size_t left;
};

/** Prints a text that leaves some rows free. */
static void
put(struct room *room, const char *text, size_t spare)
{
    size_t rows = room->left > spare ? room->left - spare : 0;
    room->left -= screen_print(room->screen, room->out, text, rows);
}

/** The verdict, what changed, and what could not be shown. */
static void
put_head(struct room *room, const struct sample *sample, const struct verdict *verdict,
         struct style style)
{
    struct draft draft;
    print_verdict(draft_open(&draft), sample, verdict, style);
    char *text = draft_close(&draft);
    const char *changes = sample->changes != NULL ? sample->changes : "";
    put(room, text, screen_rows(room->screen, changes) + PROCESS_ROWS);
    put(room, changes, 0);
    free(text);
}

static char *
process_text(const struct sample *sample, uint32_t place, struct style style, bool first,
             char **last)
{
    struct draft draft;
    FILE *file = draft_open(&draft);
    fputs(first ? "" : "\n", file);
    print_process(file, &sample->reports[place], place, style, last);
    return draft_close(&draft);
}

/** "... 3 more: ranks [1-3]; --all shows all, --rank LIST some of them" */
static char *
rest_text(const struct verdict *verdict, const struct placed *items, size_t count)
{
    struct words words = {.text = NULL};
    if (count == 0)
        return words_take(&words);
    uint32_t *processes = alloc_zeroed(count, sizeof *processes);
    for (size_t i = 0; i < count; i++)
        processes[i] = items[i].process;
    words_add(&words, "... %zu more: ", count);
    verdict_add_ranks(verdict, &words, processes, count);
    words_add(&words, "; --all shows all%s\n",
              verdict->view.by_index ? "" : ", --rank LIST some of them");
    free(processes);
    return words_take(&words);
}

/** What could not be shown, of several processes each thing once. */
static char *
notes_text(const struct sample *sample, const struct verdict *verdict)
{
    struct draft draft;
    FILE *file = draft_open(&draft);
    if (sample->count > 1)
        verdict_print_notes(verdict, file, NOTES_SHOWN);
    else if (sample->count > 0)
        print_notes(file, &sample->reports[0]);
    return draft_close(&draft);
}

/** How many processes are worth showing. */
static size_t
count_worth(const struct places *places)
{
    size_t count = places->count;
    while (places->count > FEW_PROCESSES && count > 1 && places->items[count - 1].repeats)
        count--;
    return count;
}

/** Prints as many processes as fit. @return their number */
static size_t
put_some(struct room *room, const struct sample *sample, const struct places *places,
         struct style style, size_t spare)
{
    char *last = NULL;
    bool fits = true, is_full = room->left < room->screen->rows - 1;
    size_t shown = 0, worth = count_worth(places);
    while (fits && shown < worth) {
        size_t for_rest = shown + 1 < places->count;
        uint32_t place = places->items[shown].process;
        char *text = process_text(sample, place, style, !is_full && shown == 0, &last);
        fits = screen_rows(room->screen, text) + spare + for_rest <= room->left;
        if (fits || shown == 0) {
            put(room, text, spare + for_rest);
            shown++;
        }
        free(text);
    }
    free(last);
    return shown;
}

static void
put_processes(struct room *room, const struct sample *sample, const struct verdict *verdict,
              struct style style)
{
    struct places places;
    place_processes(&places, sample, verdict);
    char *notes = notes_text(sample, verdict);
    size_t spare = screen_rows(room->screen, notes);
    spare = spare < room->left / 2 ? spare : room->left / 2;
    size_t shown = put_some(room, sample, &places, style, spare);
    char *rest = rest_text(verdict, places.items + shown, places.count - shown);
    put(room, rest, spare);
    put(room, notes, 0);
    free(rest);
    free(notes);
    free(places.items);
}

void
print_sample_on_screen(FILE *out, const struct sample *sample, struct style style,
                       const struct screen *screen)
{
    struct verdict verdict;
    struct room room = {.out = out, .screen = screen, .left = screen->rows - 1};
    verdict_init(&verdict, sample->document);
    style.numbered = verdict.view.by_index && sample->count > 1;
    put_head(&room, sample, &verdict, style);
    put_processes(&room, sample, &verdict, style);
    verdict_deinit(&verdict);
}
