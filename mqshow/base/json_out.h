// SPDX-License-Identifier: BSD-3-Clause
// Writing JSON as it comes, without holding it in memory.
#ifndef MQSHOW_BASE_JSON_OUT_H
#define MQSHOW_BASE_JSON_OUT_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct json_out {
    FILE *out;
    size_t flags;
    int depth;
    bool begun;  // the innermost object or array has something in it
    bool placed; // a key, or what parts values, is written, and its value is to follow
    bool exact;  // integers that a double does not hold are texts; false at first
    size_t used;
    char text[1 << 14]; // what is not written yet
};

/** @param flags JSON_COMPACT or JSON_INDENT(), JSON_ENSURE_ASCII, JSON_REAL_PRECISION(), of jansson
 */
void json_out_begin(struct json_out *json, FILE *out, size_t flags);

/** Writes the rest. */
void json_out_end(struct json_out *json);

/** Begins and ends an object or array. @param bracket '{', '[', '}', ']' */
void json_out_open(struct json_out *json, char bracket);
void json_out_close(struct json_out *json, char bracket);

/** Goes to the next member of an object, whose value is to follow. */
void json_out_key(struct json_out *json, const char *key);

/** Begins a member that is an array or an object. */
void json_out_array(struct json_out *json, const char *key);
void json_out_object(struct json_out *json, const char *key);

/** Writes a member. A text may be NULL: there is none. */
void json_out_set_text(struct json_out *json, const char *key, const char *text);
void json_out_set_integer(struct json_out *json, const char *key, int64_t number);

// Values.
void json_out_text(struct json_out *json, const char *text);
void json_out_bytes(struct json_out *json, const char *text, size_t length);
void json_out_integer(struct json_out *json, int64_t number);
void json_out_hex(struct json_out *json, uint64_t number); // "0x4711"
void json_out_real(struct json_out *json, double number);
void json_out_bool(struct json_out *json, bool value);
void json_out_null(struct json_out *json);

/** The numbers from `first` to `last`, of many of them the text "first-last". */
void json_out_run(struct json_out *json, int64_t first, int64_t last);

void json_out_value(struct json_out *json, const json_t *value);

/** All members of an object, or of the text of one, whose texts are not escaped. NULL: none. */
void json_out_members(struct json_out *json, const json_t *object);
void json_out_members_of_text(struct json_out *json, const char *object);

#endif
