// SPDX-License-Identifier: BSD-3-Clause
// The statements of a script, each by its first word.
#include "tests/script/script.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const callback_names[CALLBACKS] = {
    [CALLBACK_DPRINTS] = "dprints",
    [CALLBACK_ERRORSTRING] = "errorstring",
    [CALLBACK_SIZEOF] = "sizeof",
    [CALLBACK_FIELD_OFFSET] = "field_offset",
    [CALLBACK_FIND_TYPE] = "find_type",
    [CALLBACK_FIND_FUNCTION] = "find_function",
    [CALLBACK_GET_TYPE_SIZES] = "get_type_sizes",
    [CALLBACK_GET_GLOBAL_RANK] = "get_global_rank",
    [CALLBACK_GET_IMAGE] = "get_image",
    [CALLBACK_TARGET_TO_HOST] = "target_to_host",
};

// Value of the next word, and of all further ones if `all`.
static uint64_t
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

static void
do_sizes(struct script *script, const struct line *line, char *rest)
{
    size_t n = 0;

    for (char *word; (word = word_next(&rest)); n++) {
        if (n == SIZES)
            source_error(line, "there are only %d sizes", SIZES);
        script->told_sizes[n] = (int) expression(script, line, word);
    }
    script->n_told_sizes = n;
}

static void
do_rank(struct script *script, const struct line *line, char *rest)
{
    script->rank = (int) need_value(script, line, &rest, true);
}

static void
do_image(struct script *script, const struct line *line, char *rest)
{
    snprintf(script->image, sizeof(script->image), "%s", need_word(line, &rest, "NAME"));
}

static void
do_symbol(struct script *script, const struct line *line, char *rest)
{
    const char *name = need_word(line, &rest, "NAME");
    enum name_kind kind = *line->text == 's' ? NAME_SYMBOL : NAME_FUNCTION;
    script_set_name(script, kind, name, need_value(script, line, &rest, true));
}

static struct record *
told_type(struct script *script, const char *name)
{
    struct record *record = types_find(&script->types, name);
    return record ? record : types_add(&script->types, name, false);
}

static void
do_type(struct script *script, const struct line *line, char *rest)
{
    struct record *record = told_type(script, need_word(line, &rest, "NAME"));

    record->told_size = (int64_t) need_value(script, line, &rest, false);
    record->told = true;
}

static void
do_field(struct script *script, const struct line *line, char *rest)
{
    struct record *record = told_type(script, need_word(line, &rest, "TYPE"));
    const char *name = need_word(line, &rest, "MEMBER");
    int64_t offset = (int64_t) need_value(script, line, &rest, false);

    if (!record_find(record, name))
        record_add(record, name, (struct ctype){.align = 1}, 0);
    record_find(record, name)->told_offset = offset;
}

static void
do_memory(struct script *script, const struct line *line, char *rest)
{
    uint64_t addr = need_value(script, line, &rest, false);

    for (char *word; (word = word_next(&rest));) {
        char *star = strchr(word, '*');
        unsigned long count = star ? strtoul(star + 1, NULL, 0) : 1;
        size_t length = star ? (size_t) (star - word) : strlen(word);
        for (; count; count--) {
            for (size_t i = 0; i + 1 < length; i += 2, addr++) {
                char digits[3] = {word[i], word[i + 1], '\0'};
                uint8_t byte = (uint8_t) strtoul(digits, NULL, 16);
                memory_write(&script->memory, addr, &byte, 1);
            }
        }
        if (length % 2 || strspn(word, "0123456789abcdefABCDEF") < length)
            source_error(line, "\"%s\" is not bytes", word);
    }
}

static void
forget_type(struct script *script, const struct line *line, char *rest)
{
    told_type(script, need_word(line, &rest, "NAME"))->told = false;
}

static void
forget_field(struct script *script, const struct line *line, char *rest)
{
    struct record *record = types_find(&script->types, need_word(line, &rest, "TYPE"));
    struct member *member = record ? record_find(record, need_word(line, &rest, "MEMBER")) : NULL;
    if (member)
        member->told_offset = NO_OFFSET;
}

static void
forget_memory(struct script *script, const struct line *line, char *rest)
{
    uint64_t addr = need_value(script, line, &rest, false);
    memory_unmap(&script->memory, addr, need_value(script, line, &rest, false));
}

static void
do_no(struct script *script, const struct line *line, char *rest)
{
    const char *what = need_word(line, &rest, "what");

    if (!strcmp(what, "symbol"))
        script_remove_name(script, NAME_SYMBOL, need_word(line, &rest, "NAME"));
    else if (!strcmp(what, "function"))
        script_remove_name(script, NAME_FUNCTION, need_word(line, &rest, "NAME"));
    else if (!strcmp(what, "type"))
        forget_type(script, line, rest);
    else if (!strcmp(what, "field"))
        forget_field(script, line, rest);
    else if (!strcmp(what, "memory"))
        forget_memory(script, line, rest);
    else
        source_error(line, "there is no \"no %s\"", what);
}

static void
do_stripped(struct script *script, const struct line *line, char *rest)
{
    (void) line;
    (void) rest;
    for (struct record *record = script->types.records; record; record = record->next)
        record->told = false;
}

static void
do_without(struct script *script, const struct line *line, char *rest)
{
    for (char *word; (word = word_next(&rest));) {
        size_t i = 0;
        while (i < CALLBACKS && strcmp(callback_names[i], word))
            i++;
        if (i == CALLBACKS)
            source_error(line, "there is no callback \"%s\"", word);
        script->without |= 1U << i;
    }
}

static void
do_show(struct script *script, const struct line *line, char *rest)
{
    if (strcmp(need_word(line, &rest, "what"), "layout"))
        source_error(line, "only the layout can be shown");
    script->show_layout = true;
}

static void
do_origins(struct script *script, const struct line *line, char *rest)
{
    for (char *word; (word = word_next(&rest));)
        script->origins |= strcmp(word, "debug") ? 2 : 1;
    if (!script->origins)
        source_error(line, "expected: origins debug or built-in");
}

/** What a statement does while types and objects are declared, and when they are filled. */
static const struct statement {
    const char *word;
    void (*declare)(struct script *script, const struct line *line, char *rest);
    void (*act)(struct script *script, const struct line *line, char *rest);
} statements[] = {
    {"alias", do_alias, do_select},
    {"append", NULL, statement_append},
    {"assert", NULL, do_assert},
    {"field", NULL, do_field},
    {"function", NULL, do_symbol},
    {"image", NULL, do_image},
    {"let", do_let, do_let},
    {"list", NULL, statement_list},
    {"memory", NULL, do_memory},
    {"model", NULL, do_nothing},
    {"models", NULL, do_nothing},
    {"no", NULL, do_no},
    {"object", do_object, do_select},
    {"origins", NULL, do_origins},
    {"place", do_place, do_nothing},
    {"rank", NULL, do_rank},
    {"ring", do_nothing, statement_ring},
    {"show", NULL, do_show},
    {"sizes", NULL, do_sizes},
    {"stripped", NULL, do_stripped},
    {"struct", do_record, do_nothing},
    {"symbol", NULL, do_symbol},
    {"then", NULL, do_nothing},
    {"type", NULL, do_type},
    {"union", do_record, do_nothing},
    {"without", NULL, do_without},
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
