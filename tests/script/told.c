// SPDX-License-Identifier: BSD-3-Clause
// Statements that say literally what a debugger is told of the process.
#include "tests/script/statements.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_PAGES = 1 << 16 };

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

void
do_image(struct script *script, const struct line *line, char *rest)
{
    snprintf(script->image, sizeof(script->image), "%s", need_word(line, &rest, "NAME"));
}

void
do_rank(struct script *script, const struct line *line, char *rest)
{
    script->rank = (int) need_value(script, line, &rest, true);
}

void
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

void
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

void
do_type(struct script *script, const struct line *line, char *rest)
{
    struct record *record = told_type(script, need_word(line, &rest, "NAME"));

    record->told_size = (int64_t) need_value(script, line, &rest, false);
    record->told = true;
}

void
do_field(struct script *script, const struct line *line, char *rest)
{
    struct record *record = told_type(script, need_word(line, &rest, "TYPE"));
    const char *name = need_word(line, &rest, "MEMBER");
    int64_t offset = (int64_t) need_value(script, line, &rest, false);

    if (!record_find(record, name))
        record_add(record, name, (struct ctype){.align = 1}, 0);
    record_find(record, name)->told_offset = offset;
}

void
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

void
do_pages(struct script *script, const struct line *line, char *rest)
{
    uint64_t addr = need_value(script, line, &rest, false);
    uint64_t count = need_value(script, line, &rest, true);

    if (addr % MEMORY_PAGE || count > MOST_PAGES)
        source_error(line, "these are no pages");
    if (!script->exact)
        memory_map(&script->memory, addr, count * MEMORY_PAGE, MEMORY_UNKNOWN);
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

void
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

void
do_stripped(struct script *script, const struct line *line, char *rest)
{
    (void) line;
    (void) rest;
    for (struct record *record = script->types.records; record; record = record->next)
        record->told = false;
}

void
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

void
do_show(struct script *script, const struct line *line, char *rest)
{
    const char *what = need_word(line, &rest, "what");
    if (!strcmp(what, "layout"))
        script->show_layout = true;
    else if (!strcmp(what, "handles"))
        script->show_handles = true;
    else
        source_error(line, "only the layout and the handles can be shown");
}

void
do_origins(struct script *script, const struct line *line, char *rest)
{
    for (char *word; (word = word_next(&rest));)
        script->origins |= strcmp(word, "debug") ? 2 : 1;
    if (!script->origins)
        source_error(line, "expected: origins debug or built-in");
}

void
do_reads(struct script *script, const struct line *line, char *rest)
{
    script->most_reads = (size_t) need_value(script, line, &rest, true);
}

void
do_certain(struct script *script, const struct line *line, char *rest)
{
    const char *what = need_word(line, &rest, "what");

    if (strcmp(what, "fields") && strcmp(what, "types") && strcmp(what, "symbols"))
        source_error(line, "only fields, types and symbols can be certain");
    script->fields_certain |= strcmp(what, "symbols") != 0;
    script->types_certain |= !strcmp(what, "types");
    script->symbols_certain |= !strcmp(what, "symbols");
}
