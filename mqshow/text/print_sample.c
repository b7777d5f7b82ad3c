// SPDX-License-Identifier: BSD-3-Clause
// A sample of a job for people: the verdict, what changed, and the processes.
#include "mqshow/text/print_sample.h"

#include "mqshow/base/alloc.h"
#include "mqshow/base/draft.h"
#include "mqshow/base/search.h"
#include "mqshow/verdict/text.h"

#include <stdlib.h>
#include <string.h>

// Rows that the verdict leaves to the processes; notes.
enum { PROCESS_ROWS = 8, NOTES_SHOWN = 3 };

// Of more processes those that do what another one does are not shown.
enum { FEW_PROCESSES = 4 };

static bool
has_verdict(const struct sample *sample)
{
    return sample->verdict && verdict_is_worth_showing(sample->verdict);
}

static void
print_verdict(FILE *out, const struct sample *sample, struct style style)
{
    if (has_verdict(sample))
        verdict_print(sample->verdict, out,
                      (struct verdict_style){.color = style.color, .all = style.all});
}

void
print_sample(FILE *out, const struct sample *sample, struct style style,
             void (*forget)(void *context), void *context)
{
    style.numbered = sample->document->count > 1 && job_index_is_by_index(sample->document);
    print_verdict(out, sample, style);
    fputs(sample->changes ? sample->changes : "", out);
    if (has_verdict(sample) || sample->changes)
        fputc('\n', out);
    if (forget)
        forget(context);
    print_text(out, sample->document->reports, sample->document->count, style);
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

/** Those that have no label come last. */
static int
compare_placed(const void *left, const void *right)
{
    const struct placed *a = left, *b = right;
    return COMPARE({a->repeats, b->repeats}, {a->weight, b->weight},
                   {(uint32_t) a->label, (uint32_t) b->label});
}

/** Gives processes a weight, unless they have a larger one. */
static void
mark(enum weight *weights, const uint32_t *processes, size_t count, enum weight weight)
{
    for (size_t i = 0; i < count; i++)
        if (weights[processes[i]] > weight)
            weights[processes[i]] = weight;
}

/** What the processes are in the verdict. */
static void
mark_all(enum weight *weights, const struct verdict *verdict)
{
    const struct cause *cause = &verdict->cause;
    size_t n_waiting;
    uint32_t *waiting = verdict_select(verdict, verdict_is_waiting, &n_waiting);
    for (size_t i = 0; i < verdict->knots.count; i++)
        mark(weights, verdict->knots.items[i].ring, verdict->knots.items[i].n_ring, IN_CYCLE);
    if (cause->what) {
        mark(weights, cause->processes, cause->n_processes, CAUSE);
        mark(weights, waiting, n_waiting, WAITS);
    }
    free(waiting);
}

/** A process that cannot go on is a cause even where the verdict does not know of it. */
static bool
is_held(const struct report *report)
{
    const struct state known = report_state(report);
    char *state = state_describe(&known);
    free(state);
    return state != NULL;
}

/** Finds the order in which processes are shown. */
static void
place_processes(struct places *places, const struct sample *sample, const struct verdict *verdict)
{
    const struct document *document = sample->document;
    bool *seen = alloc_zeroed(verdict->n_groups + 1, sizeof *seen);
    bool is_plain = print_is_plain(document->reports, document->count);
    enum weight *weights = alloc_zeroed(document->count + 1, sizeof *weights);
    *places = (struct places){.items = alloc_zeroed(document->count + 1, sizeof *places->items)};
    for (size_t i = 0; i < document->count; i++)
        weights[i] = is_held(&document->reports[i]) ? CAUSE : OTHER;
    if (sample->verdict)
        mark_all(weights, sample->verdict);
    for (uint32_t i = 0; i < document->count; i++)
        if (report_has_something(&document->reports[i]) || is_plain)
            places->items[places->count++] = (struct placed){
                .label = verdict->job.processes[i].label, .process = i, .weight = weights[i]};
    qsort(places->items, places->count, sizeof *places->items, compare_placed);
    for (size_t i = 0; i < places->count; i++) {
        uint32_t group = verdict->job.processes[places->items[i].process].group;
        places->items[i].repeats = seen[group];
        seen[group] = true;
    }
    qsort(places->items, places->count, sizeof *places->items, compare_placed);
    free(weights);
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
put_head(struct room *room, const struct sample *sample, struct style style)
{
    struct draft draft;
    print_verdict(draft_open(&draft), sample, style);
    char *text = draft_close(&draft);
    const char *changes = sample->changes ? sample->changes : "";
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
    print_process(file, &sample->document->reports[place], place, style, last);
    return draft_close(&draft);
}

/** "... 3 more: ranks [1-3]; --all shows all, --rank LIST some of them" */
static char *
rest_text(const struct verdict *verdict, const struct placed *items, size_t count)
{
    struct strbuf words = {.text = NULL};
    if (count == 0)
        return strbuf_take(&words);
    uint32_t *processes = alloc_zeroed(count, sizeof *processes);
    for (size_t i = 0; i < count; i++)
        processes[i] = items[i].process;
    strbuf_add(&words, "... %zu more: ", count);
    verdict_add_ranks(verdict, &words, processes, count);
    strbuf_add(&words, "; --all shows all%s\n",
               verdict->job.by_index ? "" : ", --rank LIST some of them");
    free(processes);
    return strbuf_take(&words);
}

/** What could not be shown, of several processes each thing once. */
static char *
notes_text(const struct sample *sample, const struct verdict *verdict)
{
    struct draft draft;
    FILE *file = draft_open(&draft);
    if (sample->document->count > 1)
        verdict_print_notes(verdict, file, NOTES_SHOWN);
    else if (sample->document->count > 0)
        print_notes(file, &sample->document->reports[0]);
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
    struct verdict own;
    struct room room = {.out = out, .screen = screen, .left = screen->rows - 1};
    const struct verdict *verdict = sample->verdict;
    // Where there is nothing to judge, who does the same matters all the same.
    if (!verdict) {
        verdict_init(&own, sample->document);
        verdict = &own;
    }
    style.numbered = verdict->job.by_index && sample->document->count > 1;
    put_head(&room, sample, style);
    put_processes(&room, sample, verdict, style);
    if (verdict == &own)
        verdict_deinit(&own);
}
