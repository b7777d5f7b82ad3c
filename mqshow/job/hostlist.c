// SPDX-License-Identifier: BSD-3-Clause
// Lists of machines as users, Slurm and clush write them.
#include "mqshow/job/hostlist.h"

#include "mqshow/base/alloc.h"
#include "mqshow/base/escape.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { SHOWN_MAX = 64, DIGITS_MAX = 9 };

struct expansion {
    struct nodes *nodes;
    size_t left;   // names that may still be made, also when they are the same
    char *problem; // NULL: none
};

/** @return false */
static bool
fail(struct expansion *expansion, const char *what, const char *text)
{
    char *escaped = escape_text(text, SHOWN_MAX);
    if (expansion->problem == NULL)
        expansion->problem =
            alloc_format("invalid list of machines: %s \"%s\": these are written n[1-3,7],m5; what "
                         "`scontrol show hostnames` or `nodeset -S, -e` prints is taken too",
                         what, escaped);
    free(escaped);
    return false;
}

static bool
add_name(struct expansion *expansion, const char *name)
{
    if (!nodes_name_is_good(name))
        return fail(expansion, "no name of a machine", name);
    if (expansion->left == 0)
        return fail(expansion, "too many machines, the last one", name);
    expansion->left--;
    nodes_get(expansion->nodes, name);
    return true;
}

/** A number of a range, which `*text` is moved behind. @return false: it is none, or too long */
static bool
read_number(const char **text, unsigned long *ret)
{
    size_t length = strspn(*text, "0123456789");
    *ret = strtoul(*text, NULL, 10);
    *text += length;
    return length > 0 && length <= DIGITS_MAX;
}

static bool expand(struct expansion *expansion, const char *before, const char *word);

/** Each number of "1" or "01-16", between `before` and `after`. A number has as many digits as the
 * first one. */
static bool
expand_range(struct expansion *expansion, const char *before, const char *range, const char *after)
{
    const char *text = range;
    unsigned long first, last;
    bool good = read_number(&text, &first);
    int width = (int) (text - range);
    last = first;
    if (good && *text == '-') {
        text++;
        good = read_number(&text, &last);
    }
    if (!good || *text != '\0' || last < first)
        return fail(expansion, "no range of numbers", range);
    for (unsigned long number = first; good && number <= last; number++) {
        char *name = alloc_format("%s%0*lu", before, width, number);
        good = expand(expansion, name, after);
        free(name);
    }
    return good;
}

/** The names that begin with `before` and go on as a word says, which may have brackets. Each of
 * these makes a name longer, so that no word has more of them than a name has characters. */
static bool
expand(struct expansion *expansion, const char *before, const char *word)
{
    const char *open = strchr(word, '['), *close = open != NULL ? strchr(open, ']') : NULL;
    char *start = alloc_format("%s%.*s", before, (int) strcspn(word, "["), word);
    bool good = true;
    if (open == NULL) {
        good = add_name(expansion, start);
    } else if (close == NULL || close == open + 1 || !nodes_name_is_good(start)) {
        good = fail(expansion, close == NULL ? "no ] in" : "no numbers behind a name in", word);
    } else {
        char *ranges = alloc_format("%.*s", (int) (close - open - 1), open + 1), *rest = ranges;
        for (char *range; good && (range = strsep(&rest, ",")) != NULL;)
            good = expand_range(expansion, start, range, close + 1);
        free(ranges);
    }
    free(start);
    return good;
}

/** The next word, which ends at a comma outside of brackets; NULL: there is none.
 * @param rest moved behind it */
static char *
next_word(char **rest)
{
    char *word = *rest;
    bool inside = false;
    if (word == NULL)
        return NULL;
    for (char *c = word; *c != '\0'; c++) {
        inside = *c == '[' || (inside && *c != ']');
        if (*c == ',' && !inside) {
            *c = '\0';
            *rest = c + 1;
            return word;
        }
    }
    *rest = NULL;
    return word;
}

char *
hostlist_read(const char *list, struct nodes *nodes)
{
    struct expansion expansion = {.nodes = nodes, .left = NODES_MAX};
    char *copy = alloc_text(list), *rest = copy;
    bool good = true;
    for (char *word; good && (word = next_word(&rest)) != NULL;)
        good = expand(&expansion, "", word);
    free(copy);
    return expansion.problem;
}
