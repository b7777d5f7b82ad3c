// SPDX-License-Identifier: BSD-3-Clause
// Setting members of JSON objects: what is not known is left out.
#ifndef TOOLS_JSON_H
#define TOOLS_JSON_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct host_stats;
struct openmp;
struct report;
struct threads;

/** An escaped text; nothing for NULL. */
void json_set_text(json_t *object, const char *key, const char *text);

/** A text that is not escaped yet, of at most `size` bytes; nothing when it is empty. */
void json_set_raw_text(json_t *object, const char *key, const char *text, size_t size);

void json_set_integer(json_t *object, const char *key, bool known, int64_t value);
void json_set_bool(json_t *object, const char *key, bool known, bool value);

/** A number, or the word "any". */
void json_set_or_any(json_t *object, const char *key, bool known, bool any, int64_t value);

/** The number as a text, "0x4711". */
void json_set_hex(json_t *object, const char *key, bool known, uint64_t value);

/** The document "mqs-ompd/1". @param stats NULL: left out */
json_t *json_document(const struct report *reports, size_t count, const struct host_stats *stats);

/** A process. */
json_t *json_report(const struct report *report);

/** The same without its operations: a queue that is known is an empty array. */
json_t *json_outline(const struct report *report);

/** The threads of a process. @param omp tells which of them are OpenMP's */
json_t *json_threads(const struct threads *threads, const struct openmp *omp);

/** The OpenMP side of it. */
json_t *json_openmp(const struct openmp *omp);

/** Adds its control variables, and the threads that it has nothing to do with; a part of it. */
void json_set_openmp_variables(json_t *object, const struct openmp *omp);

#endif
