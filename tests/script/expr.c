// SPDX-License-Identifier: BSD-3-Clause
// Values of a script: expressions of C over addresses, sizes and constants.
#include "tests/script/script.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/** What is left of an expression, and where it stands. */
struct cursor {
    const struct script *script;
    const struct line *line;
    const char *at;
};

static const struct operator
{
    const char *text;
    int binds; // the higher, the closer
}
operators[] = {
    {"||", 1}, {"&&", 2}, {"==", 6}, {"!=", 6}, {"<<", 8}, {">>", 8}, {"|", 3},  {"^", 4},
    {"&", 5},  {"<", 7},  {">", 7},  {"+", 9},  {"-", 9},  {"*", 10}, {"/", 10}, {"%", 10},
};

static uint64_t ternary(struct cursor *cursor);

static void
skip_blanks(struct cursor *cursor)
{
    while (isspace((unsigned char) *cursor->at))
        cursor->at++;
}

static bool
accept(struct cursor *cursor, const char *text)
{
    skip_blanks(cursor);
    size_t length = strlen(text);
    if (strncmp(cursor->at, text, length))
        return false;
    cursor->at += length;
    return true;
}

static void
expect(struct cursor *cursor, const char *text)
{
    if (!accept(cursor, text))
        source_error(cursor->line, "expected \"%s\" before \"%s\"", text, cursor->at);
}

// Copies an identifier (type names may have brackets), "" when there is none.
static void
identifier(struct cursor *cursor, char *ret, size_t size)
{
    size_t n = 0;

    skip_blanks(cursor);
    while ((isalnum((unsigned char) *cursor->at) || strchr("_[]", *cursor->at)) && *cursor->at &&
           n + 1 < size)
        ret[n++] = *cursor->at++;
    ret[n] = '\0';
}

static struct ctype
named_type(struct cursor *cursor, const char *name)
{
    struct ctype type = {0};

    if (!types_parse(&cursor->script->types, name, &type))
        source_error(cursor->line, "there is no type \"%s\"", name);
    return type;
}

static uint64_t
type_property(struct cursor *cursor, bool offset)
{
    char name[128];

    expect(cursor, "(");
    identifier(cursor, name, sizeof(name));
    struct ctype type = named_type(cursor, name);
    uint64_t value = type.width * type.count;
    if (offset) {
        expect(cursor, ",");
        identifier(cursor, name, sizeof(name));
        const struct member *member = type.record ? record_find(type.record, name) : NULL;
        if (!member)
            source_error(cursor->line, "there is no member \"%s\"", name);
        value = member->offset;
    }
    expect(cursor, ")");
    return value;
}

// What a member holds now.
static uint64_t
value_of_member(struct cursor *cursor)
{
    uint8_t bytes[8];

    expect(cursor, "(");
    skip_blanks(cursor);
    struct place place = path_parse(cursor->script, cursor->line, &cursor->at);
    size_t width = (size_t) place.type.width;
    expect(cursor, ")");
    if (place.type.record || place.type.array ||
        !memory_read(&cursor->script->memory, place.addr, width, bytes))
        source_error(cursor->line, "this has no value");
    return model_decode(cursor->script->model, bytes, width);
}

static uint64_t
named(struct cursor *cursor)
{
    char name[128];

    identifier(cursor, name, sizeof(name));
    if (!strcmp(name, "sizeof") || !strcmp(name, "offsetof"))
        return type_property(cursor, *name == 'o');
    if (!strcmp(name, "value"))
        return value_of_member(cursor);
    if (!strcmp(name, "wide"))
        return cursor->script->model->sizes[SIZE_POINTER] == 8;
    const struct name *constant = script_name(cursor->script, NAME_CONSTANT, name);
    if (!constant)
        source_error(cursor->line, "\"%s\" is not a value", *name ? name : cursor->at);
    return constant->value;
}

static uint64_t
number(struct cursor *cursor)
{
    char *end = NULL;
    uint64_t value = strtoull(cursor->at, &end, 0);
    if (isalnum((unsigned char) *end))
        source_error(cursor->line, "\"%s\" is not a number", cursor->at);
    cursor->at = end;
    return value;
}

static uint64_t
unary(struct cursor *cursor)
{
    skip_blanks(cursor);
    if (isdigit((unsigned char) *cursor->at))
        return number(cursor);
    if (*cursor->at == '\'' && cursor->at[1] && cursor->at[2] == '\'') {
        cursor->at += 3;
        return (unsigned char) cursor->at[-2];
    }
    if (accept(cursor, "&"))
        return path_parse(cursor->script, cursor->line, &cursor->at).addr;
    if (accept(cursor, "-"))
        return 0 - unary(cursor);
    if (accept(cursor, "~"))
        return ~unary(cursor);
    if (accept(cursor, "!"))
        return !unary(cursor);
    if (accept(cursor, "(")) {
        uint64_t value = ternary(cursor);
        expect(cursor, ")");
        return value;
    }
    return named(cursor);
}

static uint64_t
divide(struct cursor *cursor, uint64_t left, char how, uint64_t right)
{
    if (right == 0)
        source_error(cursor->line, "division by zero");
    return how == '/' ? left / right : left % right;
}

static uint64_t
apply(struct cursor *cursor, const char *operator, uint64_t left, uint64_t right)
{
    bool doubled = operator[1] != '\0';

    switch (operator[0]) {
    case '|':
        return doubled ? left || right : left | right;
    case '&':
        return doubled ? left && right : left & right;
    case '<':
        return doubled ? left << (right & 63) : (int64_t) left < (int64_t) right;
    case '>':
        return doubled ? left >> (right & 63) : (int64_t) left > (int64_t) right;
    case '=':
        return left == right;
    case '!':
        return left != right;
    case '^':
        return left ^ right;
    case '+':
        return left + right;
    case '-':
        return left - right;
    case '*':
        return left * right;
    default:
        return divide(cursor, left, operator[0], right);
    }
}

static const struct operator* next_operator(struct cursor *cursor, int least)
{
    skip_blanks(cursor);
    for (size_t i = 0; i < sizeof(operators) / sizeof(operators[0]); i++) {
        const char *text = operators[i].text;
        if (strncmp(cursor->at, text, strlen(text)))
            continue;
        if (operators[i].binds < least)
            return NULL;
        cursor->at += strlen(text);
        return &operators[i];
    }
    return NULL;
}

static uint64_t
binary(struct cursor *cursor, int least)
{
    uint64_t left = unary(cursor);

    for (const struct operator* found; (found = next_operator(cursor, least));) {
        uint64_t right = binary(cursor, found->binds + 1);
        left = apply(cursor, found->text, left, right);
    }
    return left;
}

static uint64_t
ternary(struct cursor *cursor)
{
    uint64_t condition = binary(cursor, 1);
    if (!accept(cursor, "?"))
        return condition;
    uint64_t yes = ternary(cursor);
    expect(cursor, ":");
    uint64_t no = ternary(cursor);
    return condition ? yes : no;
}

uint64_t
expression(const struct script *script, const struct line *line, const char *text)
{
    struct cursor cursor = {script, line, text};
    uint64_t value = ternary(&cursor);

    skip_blanks(&cursor);
    if (*cursor.at)
        source_error(line, "\"%s\" is left over", cursor.at);
    return value;
}
