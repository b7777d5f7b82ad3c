// SPDX-License-Identifier: BSD-3-Clause
// Writing JSON as it comes, without holding it in memory.
#include "mqshow/base/json_out.h"

#include <inttypes.h>
#include <string.h>

static void
flush(struct json_out *json)
{
    fwrite(json->text, 1, json->used, json->out);
    json->used = 0;
}

static void
put_bytes(struct json_out *json, const char *bytes, size_t size)
{
    if (size > sizeof json->text - json->used)
        flush(json);
    if (size > sizeof json->text) {
        fwrite(bytes, 1, size, json->out);
        return;
    }
    memcpy(json->text + json->used, bytes, size);
    json->used += size;
}

static void
put(struct json_out *json, const char *text)
{
    put_bytes(json, text, strlen(text));
}

static void
put_char(struct json_out *json, char c)
{
    put_bytes(json, &c, 1);
}

/** What is between things: a new line where there is indentation. */
static void
put_break(struct json_out *json)
{
    static const char blanks[] = "                                ";
    int width = (int) (json->flags & JSON_MAX_INDENT) * json->depth;
    if ((json->flags & JSON_MAX_INDENT) == 0)
        return;
    put_char(json, '\n');
    for (int most = sizeof blanks - 1; width > 0; width -= most)
        put_bytes(json, blanks, (size_t) (width < most ? width : most));
}

/** Goes to the next value of an array, or to the next member of an object. */
static void
go_on(struct json_out *json)
{
    if (json->begun)
        put_char(json, ',');
    put_break(json);
    json->begun = json->placed = true;
}

/** Puts a value of an array behind the one before; that of a member follows its key. */
static void
begin_value(struct json_out *json)
{
    if (!json->placed && json->depth > 0)
        go_on(json);
    json->placed = false;
}

void
json_out_begin(struct json_out *json, FILE *out, size_t flags)
{
    // The buffer is left as it is.
    json->out = out;
    json->flags = flags;
    json->depth = 0;
    json->begun = false;
    json->placed = false;
    json->exact = false;
    json->used = 0;
}

void
json_out_end(struct json_out *json)
{
    flush(json);
}

void
json_out_open(struct json_out *json, char bracket)
{
    begin_value(json);
    put_char(json, bracket);
    json->depth++;
    json->begun = false;
}

void
json_out_close(struct json_out *json, char bracket)
{
    json->depth--;
    if (json->begun)
        put_break(json);
    put_char(json, bracket);
    json->begun = true;
}

void
json_out_key(struct json_out *json, const char *key)
{
    go_on(json);
    json_out_text(json, key);
    put(json, (json->flags & JSON_COMPACT) != 0 ? ":" : ": ");
    json->placed = true;
}

/** Whether a text is written as it is. */
static bool
is_plain(const char *text, size_t length)
{
    size_t i = 0;
    while (i < length && text[i] >= ' ' && text[i] != '"' && text[i] != '\\' && text[i] < 0x7f)
        i++;
    return i == length;
}

static void
put_scalar(struct json_out *json, const json_t *value)
{
    flush(json);
    json_dumpf(value, json->out, json->flags | JSON_ENCODE_ANY);
}

void
json_out_bytes(struct json_out *json, const char *text, size_t length)
{
    begin_value(json);
    if (is_plain(text, length)) {
        put_char(json, '"');
        put_bytes(json, text, length);
        put_char(json, '"');
        return;
    }
    json_t *value = json_stringn(text, length);
    put_scalar(json, value);
    json_decref(value);
}

void
json_out_text(struct json_out *json, const char *text)
{
    json_out_bytes(json, text, strlen(text));
}

void
json_out_integer(struct json_out *json, int64_t number)
{
    begin_value(json);
    char digits[24], *at = digits + sizeof digits;
    uint64_t left = number < 0 ? -(uint64_t) number : (uint64_t) number;
    do {
        *--at = (char) ('0' + left % 10);
        left /= 10;
    } while (left > 0);
    if (number < 0)
        *--at = '-';
    const int64_t most = (int64_t) 1 << 53;
    const char *quote = json->exact && (number > most || number < -most) ? "\"" : "";
    put(json, quote);
    put_bytes(json, at, (size_t) (digits + sizeof digits - at));
    put(json, quote);
}

void
json_out_hex(struct json_out *json, uint64_t number)
{
    begin_value(json);
    char digits[24], *at = digits + sizeof digits;
    do {
        *--at = "0123456789abcdef"[number % 16];
        number /= 16;
    } while (number > 0);
    put(json, "\"0x");
    put_bytes(json, at, (size_t) (digits + sizeof digits - at));
    put_char(json, '"');
}

void
json_out_real(struct json_out *json, double number)
{
    begin_value(json);
    json_t *value = json_real(number);
    put_scalar(json, value);
    json_decref(value);
}

void
json_out_bool(struct json_out *json, bool value)
{
    begin_value(json);
    put(json, value ? "true" : "false");
}

void
json_out_null(struct json_out *json)
{
    begin_value(json);
    put(json, "null");
}

void
json_out_array(struct json_out *json, const char *key)
{
    json_out_key(json, key);
    json_out_open(json, '[');
}

void
json_out_object(struct json_out *json, const char *key)
{
    json_out_key(json, key);
    json_out_open(json, '{');
}

void
json_out_set_text(struct json_out *json, const char *key, const char *text)
{
    if (text == NULL)
        return;
    json_out_key(json, key);
    json_out_text(json, text);
}

void
json_out_set_integer(struct json_out *json, const char *key, int64_t number)
{
    json_out_key(json, key);
    json_out_integer(json, number);
}

void
json_out_run(struct json_out *json, int64_t first, int64_t last)
{
    enum { LONG_RUN = 64 };
    char text[48];
    if (last - first + 1 >= LONG_RUN) {
        snprintf(text, sizeof text, "%" PRId64 "-%" PRId64, first, last);
        json_out_text(json, text);
        return;
    }
    for (int64_t i = first; i <= last; i++)
        json_out_integer(json, i);
}

void
json_out_members(struct json_out *json, const json_t *object)
{
    const char *key;
    json_t *value;
    json_object_foreach ((json_t *) object, key, value) {
        json_out_key(json, key);
        json_out_value(json, value);
    }
}

void
json_out_members_of_text(struct json_out *json, const char *object)
{
    json_t *value = object != NULL ? json_loads(object, 0, NULL) : NULL;
    size_t flags = json->flags;
    json->flags |= JSON_ENSURE_ASCII;
    json_out_members(json, value);
    json->flags = flags;
    json_decref(value);
}

void
json_out_value(struct json_out *json, const json_t *value)
{
    if (json_is_object(value)) {
        json_out_open(json, '{');
        json_out_members(json, value);
        json_out_close(json, '}');
    } else if (json_is_array(value)) {
        json_out_open(json, '[');
        for (size_t i = 0; i < json_array_size(value); i++)
            json_out_value(json, json_array_get(value, i));
        json_out_close(json, ']');
    } else if (json_is_integer(value)) {
        json_out_integer(json, json_integer_value(value));
    } else if (json_is_string(value)) {
        json_out_bytes(json, json_string_value(value), json_string_length(value));
    } else if (value != NULL) {
        begin_value(json);
        put_scalar(json, value);
    } else {
        json_out_null(json);
    }
}
