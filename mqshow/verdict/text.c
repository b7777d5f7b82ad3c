// SPDX-License-Identifier: BSD-3-Clause
// The verdict for people.
#include "mqshow/verdict/text.h"

#include "mqshow/base/escape.h"

#include <stdlib.h>

enum {
    KNOT_ROWS = 10,
    GROUP_ROWS = 10,
    COLLECTIVE_ROWS = 5,
    UNMATCHED_ROWS = 8,
    UNSEEN_ROWS = 5,
    NOTE_ROWS = 5
};

static const char plain[] = "\033[0m";

bool
verdict_is_worth_telling(const struct verdict *verdict)
{
    return verdict->view.n_processes > 1 || verdict->knots.count > 0 ||
           verdict->waits.n_awaited > 0;
}

char *
verdict_cell(struct strbuf *words)
{
    char *text = strbuf_take(words), *escaped = escape_text(text, SIZE_MAX);
    free(text);
    return escaped;
}

static void
print_kind(const struct verdict *verdict, FILE *out, bool color)
{
    static const char *const colors[] = {[VERDICT_DEADLOCK] = "\033[1;31m",
                                         [VERDICT_HANG] = "\033[1;31m",
                                         [VERDICT_NONE_SEEN] = "\033[32m",
                                         [VERDICT_UNKNOWN] = "\033[33m"};
    char *text = escape_text(verdict->text, SIZE_MAX);
    fprintf(out, "%s%s%s\n", color ? colors[verdict->kind] : "", text, color ? plain : "");
    free(text);
}

static void
print_facts(const struct verdict *verdict, FILE *out)
{
    for (size_t i = 0; i < verdict->n_facts; i++) {
        char *text = escape_text(verdict->facts[i], SIZE_MAX);
        fprintf(out, "  %s\n", text);
        free(text);
    }
}

static void
print_unseen(const struct verdict *verdict, FILE *out, size_t max)
{
    for (size_t i = 0; i < verdict->view.n_unseen && i < max; i++) {
        char *text = escape_text(verdict->view.unseen[i], SIZE_MAX);
        fprintf(out, "  not known: %s\n", text);
        free(text);
    }
    if (verdict->view.n_unseen > max)
        fprintf(out, "  not known: %zu more things; see --json\n", verdict->view.n_unseen - max);
}

void
verdict_print(const struct verdict *verdict, FILE *out, struct verdict_style style)
{
    size_t none = style.all ? SIZE_MAX : 0;
    print_kind(verdict, out, style.color);
    print_facts(verdict, out);
    verdict_print_knots(verdict, out, style, KNOT_ROWS | none);
    if (verdict->view.n_processes > 1 || verdict->kind == VERDICT_UNKNOWN)
        verdict_print_groups(verdict, out, style, GROUP_ROWS | none);
    verdict_print_collectives(verdict, out, style, COLLECTIVE_ROWS | none);
    verdict_print_unmatched(verdict, out, style, UNMATCHED_ROWS | none);
    print_unseen(verdict, out, UNSEEN_ROWS | none);
    if (verdict->view.by_index)
        fputs("  processes are numbered by their place, since ranks repeat or are not known\n",
              out);
    if (style.alone && style.all)
        verdict_print_processes(verdict, out);
    else if (style.alone)
        verdict_print_notes(verdict, out, NOTE_ROWS);
}
