// SPDX-License-Identifier: BSD-3-Clause
// The lines of a script after includes, macros and repeats; words of a line.
#ifndef TESTS_SCRIPT_SOURCE_H
#define TESTS_SCRIPT_SOURCE_H

#include <glob.h>
#include <stddef.h>
#include <stdint.h>

/** A statement and where it was written. */
struct line {
    const char *file;
    int number; // from 1
    char *text; // without comment and outer blanks, never empty
};

struct macro;

struct source {
    struct line *lines;
    size_t n_lines;
    size_t room;
    struct macro *macros; // newest first
    char **files;         // names and texts that lines point into
    size_t n_files;
    unsigned depth; // of includes and macros, bounded
};

/** Reads a script. A mistake in it ends the program with exit code 99 and a message. */
void source_load(struct source *source, const char *path);

/** Like source_load() for a text in memory; `name` is shown in messages. */
void source_load_text(struct source *source, const char *name, const char *text);

/** Frees what the source holds. */
void source_deinit(struct source *source);

/** The files that a program's arguments name, or else those of a pattern; source_error() when there
 * are none.
 * @param found empty; globfree() it when the names are no longer used
 */
char **source_files(int argc, char **argv, const char *pattern, glob_t *found, int *ret_count);

/** Says what is wrong with a line (NULL: no line in particular), and exits with 99. */
_Noreturn void source_error(const struct line *line, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/** Cuts the next word off *rest, changing the text; quotes and parentheses hold a word together.
 * @return NULL when there is none left
 */
char *word_next(char **rest);

/** Replaces a word in double quotes by its text, in place; any other word stays.
 * @return its length
 */
size_t word_unquote(char *word);

/** Like malloc(), calloc(), realloc(), strdup(), but ends the program when there is no memory. */
void *need_alloc(size_t size);
void *need_array(void *old, size_t count, size_t size);
char *need_copy(const char *text);

// Between the files that read sources:

/** Adds lines, with macros and includes expanded. */
void source_expand(struct source *source, const struct line *lines, size_t n);

/** Adds a line as it is. */
void source_emit(struct source *source, const struct line *line);

/** Adds the lines of the file that an `include` names. */
void source_include(struct source *source, const struct line *line, char *rest);

/** Frees a text with the source. @return text */
char *source_keep(struct source *source, char *text);

void macros_deinit(struct source *source);

#endif
