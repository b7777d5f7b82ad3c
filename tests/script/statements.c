// SPDX-License-Identifier: BSD-3-Clause
// Finds the statement of a line; types, objects and constants.
#include "tests/script/statements.h"

#include <string.h>

uint64_t
need_value(struct script *script, const struct line *line, char **rest, bool all)
{
    char *word = all ? *rest : word_next(rest);
    return expression(script, line, word ? word : "");
}

static void
do_nothing(struct script *script, const struct line *line, char *rest)
{
    (void) script;
    (void) line;
    (void) rest;
}

static void
do_record(struct script *script, const struct line *line, char *rest)
{
    script->open = types_add(&script->types, need_word(line, &rest, "NAME"), *line->text == 'u');
}

static void
do_object(struct script *script, const struct line *line, char *rest)
{
    const char *label = need_word(line, &rest, "LABEL");
    const char *type_name = need_word(line, &rest, "TYPE");
    struct ctype type;

    if (!types_parse(&script->types, type_name, &type))
        source_error(line, "there is no type \"%s\"", type_name);
    script_place(script, label, type);
    script->last = script->n_objects - 1;
}

static void
do_select(struct script *script, const struct line *line, char *rest)
{
    const char *label = need_word(line, &rest, "LABEL");

    for (size_t i = 0; i < script->n_objects; i++) {
        if (!strcmp(script->objects[i].label, label))
            script->last = i;
    }
}

static void
do_alias(struct script *script, const struct line *line, char *rest)
{
    const char *label = need_word(line, &rest, "LABEL");
    const char *path = need_word(line, &rest, "PATH");
    struct object object = {need_copy(label), path_parse(script, line, &path)};

    script->objects = need_array(script->objects, script->n_objects + 1, sizeof(object));
    script->objects[script->n_objects] = object;
    script->last = script->n_objects++;
}

static void
do_place(struct script *script, const struct line *line, char *rest)
{
    script->next_addr = need_value(script, line, &rest, true);
}

static void
do_let(struct script *script, const struct line *line, char *rest)
{
    const char *name = need_word(line, &rest, "NAME");
    script_set_name(script, NAME_CONSTANT, name, need_value(script, line, &rest, true));
}

static void
do_assert(struct script *script, const struct line *line, char *rest)
{
    if (!need_value(script, line, &rest, true))
        source_error(line, "this is not so in %s", script->model->name);
}

static const struct statement {
    const char *word;
    statement_fn *declare;
    statement_fn *act;
} statements[] = {
#define STATEMENT(word, declare, act) {#word, declare, act},
#include "tests/script/statements.def"
#undef STATEMENT
};

static const struct statement *
find_statement(const char *word)
{
    for (size_t i = 0; i < sizeof(statements) / sizeof(statements[0]); i++) {
        if (!strcmp(statements[i].word, word))
            return &statements[i];
    }
    return NULL;
}

// A line inside struct ... end.
static void
declare_member(struct script *script, const struct line *line, const char *word, char *rest)
{
    struct record *record = script->open;
    struct ctype type = {.width = 1, .align = 1};

    if (!strcmp(word, "end")) {
        record_end(record);
        script->open = NULL;
    } else if (!strcmp(word, "pad")) {
        record->size += need_value(script, line, &rest, true);
    } else if (!strcmp(word, "extend")) {
        uint64_t size = need_value(script, line, &rest, true);
        record->size = size > record->size ? size : record->size;
    } else if (!strcmp(word, "align")) {
        type.align = need_value(script, line, &rest, true);
        record_add(record, "", type, NO_OFFSET);
    } else if (types_parse(&script->types, word, &type)) {
        const char *name = need_word(line, &rest, "MEMBER");
        const char *at = word_next(&rest);
        record_add(record, name, type,
                   at ? (int64_t) need_value(script, line, &rest, true) : NO_OFFSET);
    } else {
        source_error(line, "there is no type \"%s\"", word);
    }
}

bool
statement_declares(struct script *script, const struct line *line, const char *word, char *rest)
{
    if (script->open) {
        declare_member(script, line, word, rest);
        return true;
    }
    const struct statement *statement = find_statement(word);
    if (statement && statement->declare)
        statement->declare(script, line, rest);
    return statement;
}

bool
statement_acts(struct script *script, const struct line *line, const char *word, char *rest)
{
    const struct statement *statement = find_statement(word);

    if (script->open) {
        script->open = strcmp(word, "end") ? script->open : NULL;
        return true;
    }
    if (statement)
        statement->act(script, line, rest);
    if (statement && statement->declare == do_record)
        script->open = script->types.records;
    return statement;
}
