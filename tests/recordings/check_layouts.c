// SPDX-License-Identifier: BSD-3-Clause
// check_layouts [-t] [RECORDING...]: a layout that is not the process's own is refused, or what it
// shows is true.
//
// Of each recorded process, with a library in which blocks can be forced: what the blocks of other
// releases show of it, and what its own block shows with one member moved. It is wrong to show
// anything that the right block does not show, which check_recordings compares with the program's
// own record. -t: prints what came of each. What is known to be wrong is in wrong-layouts.txt.
//
// "less": something is not shown, and a message says so; "silent": no message does.
#include "tests/check_set.h"
#include "tests/recordings/forced.h"
#include "tests/script/case.h"
#include "tests/script/heap.h"
#include "tests/script/subset.h"

#include <dlfcn.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_BLOCKS = 64, NAME = 200, MOST_KNOWN = 2000 };
// Of the mutants, one in so many.
enum { OF_QUICK = 40, OF_FULL = 10, OF_ALL = 1 };

/** What came of a layout. */
enum result { REFUSED, SAME, LESS, SILENT, WRONG, RESULTS };
static const char *const result_names[RESULTS] = {"refused", "same", "less", "silent", "WRONG"};

static const struct {
    const char *name;
    int by;   // bytes
    bool all; // the members behind it, too: as if one was inserted
} moves[] = {{"+4", 4, false},  {"+8", 8, false}, {"+16", 16, false},
             {"-8", -8, false}, {">4", 4, true},  {">8", 8, true}};
enum { MOVES = sizeof(moves) / sizeof(moves[0]) };

/** A line of wrong-layouts.txt. */
static struct known {
    char pattern[NAME];
    bool met, wrong;
} known[MOST_KNOWN];
static size_t n_known;

static struct {
    void (*force)(const char *table, const char *label, const struct builtin_row *rows,
                  unsigned n_rows);
    const struct forced_table *(*tables)(unsigned *ret_count);
} dll;
static bool shows_tables;
static int failures;

/** A recorded process, and what is right of it. */
struct recorded {
    char name[NAME];
    struct source source;
    struct session session;
    char *good;
};

static void
open_dll(void)
{
    void *handle = dll_open()->handle;
    void *force = dlsym(handle, "mqs_force_block"), *tables = dlsym(handle, "mqs_forced_tables");

    if (!force || !tables)
        source_error(NULL, "the library is not the one for this test");
    memcpy(&dll.force, &force, sizeof(force));
    memcpy(&dll.tables, &tables, sizeof(tables));
}

static char *
look(struct recorded *recorded)
{
    struct debugger *debugger = &recorded->session.debugger;

    host_forgive();
    if (debugger_start(debugger))
        debugger_show(debugger);
    debugger_stop(debugger);
    if (host_violations())
        fprintf(debugger->out, "VIOLATION: %s\n", host_first_violation());
    return session_text(&recorded->session);
}

static bool
is_news(const char *line)
{
    static const char *const starts[] = {"message ", "image", "process", "update", "communicators"};

    for (size_t i = 0; i < sizeof(starts) / sizeof(starts[0]); i++)
        if (!strncmp(line, starts[i], strlen(starts[i])))
            return true;
    return strstr(line, "failed: ") || strstr(line, "no information") || strstr(line, "      \"");
}

// The first line of `text` that `other` has not, and that says what is not known.
static bool
says_more(const char *text, const char *other)
{
    for (const char *line = text, *end; *line; line = *end ? end + 1 : end) {
        end = line + strcspn(line, "\n");
        char *copy = strndup(line, (size_t) (end - line));
        const bool ret = copy && is_news(copy) && !strstr(other, copy);
        free(copy);
        if (ret)
            return true;
    }
    return false;
}

// The line that starts so, to be freed; NULL: there is none.
static char *
line_of(const char *text, const char *start)
{
    while (text && strncmp(text, start, strlen(start)) != 0)
        text = (text = strchr(text, '\n')) ? text + 1 : NULL;
    return text ? strndup(text, strcspn(text, "\n")) : NULL;
}

static bool
has_other_rank(const char *text, const char *good)
{
    char *line = line_of(text, "rank "), *right = line_of(good, "rank ");
    const bool ret = line && right && strcmp(line, right) && strcmp(line, "rank -1");

    free(line);
    free(right);
    return ret;
}

// @param ret_what what is wrong, to be freed
static enum result
judge(const char *text, const char *good, char **ret_what)
{
    *ret_what = line_of(text, "VIOLATION");
    if (!*ret_what && has_other_rank(text, good))
        *ret_what = line_of(text, "rank ");
    if (!*ret_what)
        *ret_what = subset_check(text, good);
    if (*ret_what)
        return WRONG;
    if (!strstr(text, "communicator \""))
        return REFUSED;
    char *back = subset_check(good, text);
    const enum result ret = !back ? SAME : says_more(text, good) ? LESS : SILENT;
    free(back);
    return ret;
}

static struct known *
find_known(const char *name)
{
    for (size_t i = 0; i < n_known; i++)
        if (fnmatch(known[i].pattern, name, 0) == 0)
            return &known[i];
    return NULL;
}

static void
try(struct recorded *recorded, const char *name)
{
    char *what = NULL, *text = look(recorded);
    const enum result ret = judge(text, recorded->good, &what);
    struct known *line = find_known(name);

    if (line) {
        line->met = true;
        line->wrong |= ret == WRONG;
    } else if (ret == WRONG) {
        fprintf(stderr, "%s shows what is not true: %s\n", name, what);
        failures++;
    }
    if (shows_tables)
        printf("%-9s %s%s%s\n", result_names[ret], name, what ? "  " : "", what ? what : "");
    free(what);
    free(text);
}

static void
cross(struct recorded *recorded, const struct forced_table *table)
{
    const char *label;
    char name[3 * NAME];

    for (unsigned i = 0; (label = layout_block_label(table->rows, table->n_rows, i)); i++) {
        // What only others are made of.
        if (!strcmp(label, table->label) || strstr(label, " of "))
            continue;
        dll.force(table->needs->name, label, NULL, 0);
        snprintf(name, sizeof(name), "%s: %s as %s", recorded->name, table->needs->name, label);
        try(recorded, name);
    }
}

static unsigned
alignment_of(const struct layout *layout, unsigned field)
{
    const struct field_need *need = &layout->needs->fields[field];

    return need->kind == KIND_EMBEDS  ? layout->model.pointer_size
           : need->kind == KIND_BYTES ? layout->model.int_size
                                      : layout->fields[field].width;
}

// Rows that move a member, or all from it on. @return their number; 0: it cannot be moved so
static unsigned
move_member(const struct layout *layout, unsigned field, unsigned move,
            struct builtin_row rows[FORCED_ROWS])
{
    const struct field_need *needs = layout->needs->fields, *need = &needs[field];
    const struct struct_layout *owner = &layout->structs[need->owner];
    const int32_t from = layout->fields[field].offset;
    unsigned n = 0;

    for (unsigned i = 0; i < layout->needs->n_fields; i++) {
        const struct field_layout *at = &layout->fields[i];
        const int64_t moved = (int64_t) at->offset + moves[move].by;
        if (needs[i].owner != need->owner || at->offset < 0 ||
            (moves[move].all ? at->offset < from : strcmp(needs[i].name, need->name)))
            continue;
        if (moves[move].by % (int) alignment_of(layout, i) || moved < 0 ||
            (uint64_t) moved + at->width > owner->size)
            return 0;
        rows[n++] = (struct builtin_row){ROW_OFFSET, (uint16_t) i, (int32_t) moved, NULL};
    }
    return n;
}

static void
mutate(struct recorded *recorded, const struct forced_table *table, unsigned *turn)
{
    const unsigned of = check_set_pick(OF_QUICK, OF_FULL, OF_ALL);
    static struct builtin_row rows[FORCED_ROWS];
    struct layout layout;
    char name[3 * NAME];
    unsigned block = 0;

    while (strcmp(layout_block_label(table->rows, table->n_rows, block), table->label))
        block++;
    layout_init(&layout, table->needs, &table->model);
    if (layout_from_block(&layout, table->rows, table->n_rows, block) != STATUS_OK)
        source_error(NULL, "%s: block %s is wrong", recorded->name, table->label);
    for (unsigned i = 0; i < table->needs->n_fields; i++)
        for (unsigned move = 0; move < MOVES; move++) {
            const struct field_need *need = &table->needs->fields[i];
            unsigned n = layout.fields[i].offset < 0 ? 0 : move_member(&layout, i, move, rows);
            if (n == 0 || (*turn)++ % of)
                continue;
            dll.force(table->needs->name, table->label, rows, n);
            snprintf(name, sizeof(name), "%s: %s.%s %s", recorded->name,
                     table->needs->structs[need->owner].name, need->reading, moves[move].name);
            try(recorded, name);
        }
}

static void
check(const char *path)
{
    struct recorded recorded = {.good = NULL};
    struct forced_table tables[FORCED_TABLES];
    const char *folder = strrchr(path, '/');
    unsigned n, turn = 0;

    while (folder > path && folder[-1] != '/')
        folder--;
    snprintf(recorded.name, sizeof(recorded.name), "%.*s", (int) strlen(folder) - 5, folder);
    source_load(&recorded.source, path);
    session_init(&recorded.session, &recorded.source, script_model(&recorded.source), false);
    dll.force(NULL, NULL, NULL, 0);
    recorded.good = look(&recorded);
    const struct forced_table *seen = dll.tables(&n);
    memcpy(tables, seen, n * sizeof(*seen));
    for (unsigned i = 0; i < n; i++) {
        cross(&recorded, &tables[i]);
        mutate(&recorded, &tables[i], &turn);
    }
    free(recorded.good);
    session_deinit(&recorded.session);
    source_deinit(&recorded.source);
}

// Lines "PATTERN | REASON".
static void
load_known(void)
{
    FILE *file = fopen(KNOWN, "r");
    char line[1000];

    while (file && fgets(line, sizeof(line), file)) {
        char *bar = strstr(line, " | ");
        if (*line == '#' || *line == '\n')
            continue;
        if (!bar || n_known == MOST_KNOWN)
            source_error(NULL, KNOWN ": a line without a reason, or too many: %s", line);
        snprintf(known[n_known++].pattern, NAME, "%.*s", (int) (bar - line), line);
    }
    if (!file || fclose(file))
        source_error(NULL, KNOWN " cannot be read");
}

int
main(int argc, char **argv)
{
    glob_t found = {0};
    int n;

    for (int option; (option = getopt(argc, argv, "t")) != -1;) {
        if (option == '?')
            return EXIT_FAILURE;
        shows_tables = true;
    }
    setenv("MQS_DLL", FORCED_DLL, 0);
    open_dll();
    load_known();
    char **paths =
        source_files(argc - optind + 1, argv + optind - 1, RECORDINGS "/*/*.case", &found, &n);
    for (int i = 0; i < n; i++)
        check(paths[i]);
    // Only all mutants of all recordings tell which lines are of no use any more.
    for (size_t i = 0; i < n_known && check_set() == ALL_SET; i++) {
        if (!known[i].met || known[i].wrong)
            continue;
        fprintf(stderr, KNOWN ": nothing is wrong any more: %s\n", known[i].pattern);
        failures++;
    }
    globfree(&found);
    return failures ? EXIT_FAILURE : EXIT_SUCCESS;
}
