// SPDX-License-Identifier: BSD-3-Clause
// Builds a process from a script: one pass declares types and objects, the next one fills them.
#include "tests/script/script.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_ADDR = 0x10000000, OBJECT_ALIGN = 16, ALL_MODELS = (1 << MODELS) - 1 };

char *
need_word(const struct line *line, char **rest, const char *what)
{
    char *word = word_next(rest);
    if (!word)
        source_error(line, "%s is missing", what);
    word_unquote(word);
    return word;
}

static unsigned
models_of_line(const struct line *line, char *rest)
{
    unsigned mask = 0;

    for (char *word; (word = word_next(&rest));) {
        const struct model *model = model_find(word);
        if (!model)
            source_error(line, "there is no data model \"%s\"", word);
        mask |= 1U << (model - models);
    }
    return mask;
}

unsigned
script_models(const struct source *source)
{
    unsigned mask = ALL_MODELS;

    for (size_t i = 0; i < source->n_lines; i++) {
        char *copy = need_copy(source->lines[i].text);
        char *rest = copy;
        const char *word = word_next(&rest);
        if (!strcmp(word, "model") || !strcmp(word, "models"))
            mask &= models_of_line(&source->lines[i], rest);
        free(copy);
    }
    return mask;
}

const struct model *
script_model(const struct source *source)
{
    const unsigned mask = script_models(source);
    size_t i = 0;

    while (i < MODELS - 1 && mask != 1U << i)
        i++;
    return &models[i];
}

const struct name *
script_name(const struct script *script, enum name_kind kind, const char *name)
{
    for (size_t i = 0; i < script->n_names; i++) {
        if (script->names[i].kind == kind && !strcmp(script->names[i].name, name))
            return &script->names[i];
    }
    return NULL;
}

void
script_set_name(struct script *script, enum name_kind kind, const char *name, uint64_t value)
{
    script_remove_name(script, kind, name);
    script->names = need_array(script->names, script->n_names + 1, sizeof(*script->names));
    script->names[script->n_names++] = (struct name){kind, need_copy(name), value};
}

void
script_remove_name(struct script *script, enum name_kind kind, const char *name)
{
    const struct name *found = script_name(script, kind, name);
    if (!found)
        return;
    free(found->name);
    script->names[found - script->names] = script->names[--script->n_names];
}

const struct object *
script_place(struct script *script, const char *label, struct ctype type)
{
    uint64_t align = type.align > OBJECT_ALIGN ? type.align : OBJECT_ALIGN;
    uint64_t addr = round_up(script->next_addr, align);
    uint64_t size = type.width * type.count;
    uint64_t around = script->exact ? 1 : MEMORY_PAGE;
    uint64_t first = addr - addr % around;
    struct object object = {need_copy(label), {addr, type}};

    memory_map(&script->memory, first, round_up(addr + size, around) - first, MEMORY_UNKNOWN);
    memory_fill(&script->memory, addr, size, 0);
    script->objects = need_array(script->objects, script->n_objects + 1, sizeof(object));
    script->objects[script->n_objects] = object;
    script->next_addr = addr + size;
    return &script->objects[script->n_objects++];
}

// `PATH = VALUE`; the first word has been cut off `rest` already.
static bool
is_assignment(char **rest)
{
    char *at = *rest + strspn(*rest, " \t");
    if (*at != '=')
        return false;
    *rest = at + 1;
    return true;
}

static void
run_line(struct script *script, const struct line *line)
{
    char *copy = need_copy(line->text);
    char *rest = copy;
    char *word = word_next(&rest);
    bool assignment = is_assignment(&rest);

    if (assignment && !script->declaring)
        assign(script, line, word, rest);
    if (!assignment && script->declaring)
        statement_declares(script, line, word, rest);
    if (!assignment && !script->declaring && !statement_acts(script, line, word, rest))
        source_error(line, "there is no statement \"%s\"", word);
    free(copy);
}

static void
run_phase(struct script *script)
{
    const struct source *source = script->source;

    while (script->next_line < source->n_lines) {
        const struct line *line = &source->lines[script->next_line++];
        if (!strcmp(line->text, "then"))
            return;
        run_line(script, line);
    }
}

void
script_load(struct script *script, const struct source *source, const struct model *model,
            bool exact)
{
    *script = (struct script){.source = source,
                              .model = model,
                              .exact = exact,
                              .n_told_sizes = SIZES,
                              .rank = -1,
                              .image = "a.out",
                              .types.model = model,
                              .next_addr = FIRST_ADDR,
                              .declaring = true};
    memcpy(script->told_sizes, model->sizes, sizeof(script->told_sizes));
    for (size_t i = 0; i < source->n_lines; i++)
        run_line(script, &source->lines[i]);
    if (script->open)
        source_error(NULL, "%s has no end", script->open->name);
    script->declaring = false;
    script->last = 0;
    run_phase(script);
}

bool
script_then(struct script *script)
{
    if (script->next_line == script->source->n_lines)
        return false;
    run_phase(script);
    return true;
}

static void *
copy_array(const void *items, size_t count, size_t size)
{
    void *copy = need_array(NULL, count, size);

    if (count)
        memcpy(copy, items, count * size);
    return copy;
}

void
script_copy(struct script *script, const struct script *other, const struct source *source)
{
    *script = *other;
    script->source = source;
    script->next_line = 0;
    script->types = types_copy(&other->types);
    script->memory = memory_copy(&other->memory);
    script->objects = copy_array(other->objects, other->n_objects, sizeof(*script->objects));
    script->names = copy_array(other->names, other->n_names, sizeof(*script->names));
    script->rings = copy_array(other->rings, other->n_rings, sizeof(*script->rings));
    for (size_t i = 0; i < script->n_objects; i++)
        script->objects[i].label = need_copy(script->objects[i].label);
    for (size_t i = 0; i < script->n_names; i++)
        script->names[i].name = need_copy(script->names[i].name);
    script_then(script);
}

void
script_deinit(struct script *script)
{
    for (size_t i = 0; i < script->n_objects; i++)
        free(script->objects[i].label);
    for (size_t i = 0; i < script->n_names; i++)
        free(script->names[i].name);
    free(script->objects);
    free(script->names);
    free(script->rings);
    memory_deinit(&script->memory);
    types_deinit(&script->types);
}
