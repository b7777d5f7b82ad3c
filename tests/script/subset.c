// SPDX-License-Identifier: BSD-3-Clause
// Whether what was printed of a process that could be read only in part is a part of the whole.
#include "tests/script/subset.h"

#include "tests/script/source.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/** Lines of an output, and where the comparison stands. */
struct lines {
    char *text;
    char **lines;
    size_t n;
    size_t comm;  // line after the communicator that is being compared
    size_t start; // line after the heading of the queue
    size_t queue; // line after the last operation that was found
};

static struct lines
split(const char *text)
{
    struct lines lines = {.text = need_copy(text)};
    char *rest = lines.text;

    for (char *line; (line = strsep(&rest, "\n"));) {
        lines.lines = need_array(lines.lines, lines.n + 1, sizeof(*lines.lines));
        lines.lines[lines.n++] = line;
    }
    return lines;
}

static bool
starts(const char *line, const char *with)
{
    return !strncmp(line, with, strlen(with));
}

static bool
has_word(const char *line, const char *word)
{
    char *copy = need_copy(line);
    char *rest = copy;
    const char *found = word_next(&rest);

    while (found && strcmp(found, word))
        found = word_next(&rest);
    free(copy);
    return found;
}

// A rank in MPI_COMM_WORLD may be unknown, and so may the name of a communicator or a datatype.
static bool
may_be_new(const char *word)
{
    static const char *const words[] = {"world=-1", "actual_world=-1", "\"\"", "datatype=\"\""};

    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        if (!strcmp(word, words[i]))
            return true;
    }
    return false;
}

// Whether every word of `part` is in `whole`.
static bool
words_within(const char *part, const char *whole)
{
    char *copy = need_copy(part);
    char *rest = copy;
    const char *word = word_next(&rest);

    while (word && (may_be_new(word) || has_word(whole, word)))
        word = word_next(&rest);
    free(copy);
    return !word;
}

// Whether the words are the same in order; a member of a group may be unknown.
static bool
words_equal(const char *part, const char *whole)
{
    char *copies[2] = {need_copy(part), need_copy(whole)};
    char *rests[2] = {copies[0], copies[1]};
    const char *mine = NULL;
    const char *its = NULL;

    do {
        mine = word_next(&rests[0]);
        its = word_next(&rests[1]);
    } while (mine && its && (!strcmp(mine, its) || !strcmp(mine, "-1")));
    free(copies[0]);
    free(copies[1]);
    return !mine && !its;
}

// Finds a line from *from on in the same block, which a line of less indent ends.
static bool
find(const struct lines *whole, const char *line, size_t *from)
{
    size_t indent = strspn(line, " ");

    for (size_t i = *from; i < whole->n; i++) {
        const char *its = whole->lines[i];
        if (strspn(its, " ") < indent)
            break;
        if (strspn(its, " ") > indent ||
            starts(its, "communicator ") != starts(line, "communicator "))
            continue;
        if (!(indent == 2 ? words_equal : words_within)(line, its))
            continue;
        *from = i + 1;
        return true;
    }
    return false;
}

// The line about the MPI implementation: what it says of the layout depends on what is there.
static bool
is_heading(const char *line)
{
    return !starts(line, " ") && !starts(line, "communicator ") && strstr(line, " layout \"");
}

// Whether a line may be there that the whole has not.
static bool
is_news(const char *line)
{
    return strstr(line, "failed: ") || strstr(line, "no information") || strstr(line, ": \"") ||
           starts(line, "message ") || starts(line, "rank ") || is_heading(line) ||
           starts(line, "      ") || !*line;
}

// Sends to one peer have an order, those to different ones have none between them.
static bool
has_no_place(const char *line)
{
    return starts(line, "    pending ") && !strstr(line, " peer=");
}

static bool
check_line(struct lines *whole, const char *line)
{
    size_t indent = strspn(line, " ");
    bool found;

    if (is_news(line))
        return true;
    if (indent >= 4)
        return find(whole, line, has_no_place(line) ? &(size_t){whole->start} : &whole->queue);
    if (indent == 2)
        whole->queue = whole->comm;
    found = find(whole, line, indent ? &whole->queue : &whole->comm);
    whole->queue = indent ? whole->queue : whole->comm;
    whole->start = whole->queue;
    return found;
}

char *
subset_check(const char *part, const char *whole)
{
    struct lines some = split(part);
    struct lines all = split(whole);
    char *stranger = NULL;

    for (size_t i = 0; i < some.n && !stranger; i++) {
        if (!check_line(&all, some.lines[i]))
            stranger = need_copy(some.lines[i]);
    }
    free(some.lines);
    free(some.text);
    free(all.lines);
    free(all.text);
    return stranger;
}
