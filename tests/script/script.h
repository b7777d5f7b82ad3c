// SPDX-License-Identifier: BSD-3-Clause
// A process as a script describes it, in one data model.
#ifndef TESTS_SCRIPT_SCRIPT_H
#define TESTS_SCRIPT_SCRIPT_H

#include "tests/script/memory.h"
#include "tests/script/source.h"
#include "tests/script/types.h"

/** A part of the memory with its type. */
struct place {
    uint64_t addr;
    struct ctype type;
};

/** An object, or an alias of a part of one. */
struct object {
    char *label;
    struct place place;
};

enum name_kind { NAME_SYMBOL, NAME_FUNCTION, NAME_CONSTANT, NAME_KINDS };

struct name {
    enum name_kind kind;
    char *name;
    uint64_t value;
};

/** Which members of a struct make it a ring. */
struct ring {
    const struct record *list;
    const struct member *sentinel;
    const struct member *length;
    uint64_t next; // offsets in an item
    uint64_t prev;
};

/** Callbacks that a debugger may leave out, as bits of `without`. */
enum callback {
    CALLBACK_DPRINTS,
    CALLBACK_ERRORSTRING,
    CALLBACK_SIZEOF,
    CALLBACK_FIELD_OFFSET,
    CALLBACK_FIND_TYPE,
    CALLBACK_FIND_FUNCTION,
    CALLBACK_GET_TYPE_SIZES,
    CALLBACK_GET_GLOBAL_RANK,
    CALLBACK_GET_IMAGE,
    CALLBACK_TARGET_TO_HOST,
    CALLBACKS
};

struct script {
    const struct source *source;
    const struct model *model;
    bool exact; // nothing around the objects can be read
    int told_sizes[SIZES];
    size_t n_told_sizes; // a debugger of MQD 1.0 tells 5, most tell 7
    int rank;
    char image[256];
    struct types types;
    struct memory memory;
    struct object *objects;
    size_t n_objects;
    size_t last; // number of the object that `.member = value` means
    struct name *names;
    size_t n_names;
    struct ring *rings;
    size_t n_rings;
    uint64_t next_addr;  // where the next object goes
    size_t next_line;    // of the lines, where the next phase starts
    bool declaring;      // in the first pass, which makes types and objects only
    struct record *open; // the struct whose members the lines are
    unsigned without;    // bits 1 << enum callback
    bool show_layout;
    bool show_handles;
    int origins;          // 0: not restricted
    size_t most_reads;    // of the first look at whole pages; 0: any number
    bool fields_certain;  // a failing look-up of a member would mean something else
    bool types_certain;   // likewise of a type
    bool symbols_certain; // likewise of a variable or function
};

/** Data models to run in: bits 1 << index in `models`. */
unsigned script_models(const struct source *source);

/** The one of them, as a recording has it; the last model when there are several. */
const struct model *script_model(const struct source *source);

/** Builds the process up to the first `then`. Mistakes end the program with 99.
 * @param source must live as long as the script
 */
void script_load(struct script *script, const struct source *source, const struct model *model,
                 bool exact);

/** Goes on to the next `then`. @return false when there is no further phase */
bool script_then(struct script *script);

/** A process that is as another one, and goes on by other lines.
 * @param source must live as long as the script, and so must the other one
 */
void script_copy(struct script *script, const struct script *other, const struct source *source);

void script_deinit(struct script *script);

/** @return NULL when there is none */
const struct name *script_name(const struct script *script, enum name_kind kind, const char *name);

/** Sets or adds a name. */
void script_set_name(struct script *script, enum name_kind kind, const char *name, uint64_t value);

/** Takes a name away. */
void script_remove_name(struct script *script, enum name_kind kind, const char *name);

/** Memory for an object; `label` is copied. */
const struct object *script_place(struct script *script, const char *label, struct ctype type);

/** Writes an address for people: "&label.member", or hexadecimal. @return ret */
const char *script_show(const struct script *script, uint64_t addr, char *ret, size_t size);

// Between the files of the script machine:

/** The place that a path names, moving *text behind it. */
struct place path_parse(const struct script *script, const struct line *line, const char **text);

/** The value of an expression that goes to the end of the text. */
uint64_t expression(const struct script *script, const struct line *line, const char *text);

/** `PATH = VALUE`. */
void assign(struct script *script, const struct line *line, const char *path, char *value);

/** The next word, or the end of the program with a message that `what` is missing. */
char *need_word(const struct line *line, char **rest, const char *what);

/** Statements of the first and of the second pass; false: there is no such statement. */
bool
statement_declares(struct script *script, const struct line *line, const char *word, char *rest);
bool statement_acts(struct script *script, const struct line *line, const char *word, char *rest);

#endif
