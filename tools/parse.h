// SPDX-License-Identifier: BSD-3-Clause
// Reading reports back from the document "mqs-ompd/1".
//
// A document may come from another machine: it is no more trusted than a process is. What does not
// have the type that the format gives it counts as not known, texts are escaped again (which
// changes nothing in one that is escaped), and nothing grows beyond what the document itself holds
// but a group, which has a limit.
#ifndef TOOLS_PARSE_H
#define TOOLS_PARSE_H

#include "tools/model.h"

#include <jansson.h>

/** Reads a member of "processes". The caller frees the report in either case.
 * @return false when it is no process
 */
bool parse_report(struct report *report, const json_t *process);

// Parts of it.

/** The OpenMP side of a process, as json_openmp() writes it. */
void parse_openmp(struct openmp *omp, const json_t *object);

/** Records of one kind by their ids: an object of numbers. */
struct parse_ids {
    json_t *threads, *regions, *tasks;
};

/** Adds its control variables and the threads that it has nothing to do with. */
void parse_openmp_variables(struct openmp *omp, const json_t *object, const struct parse_ids *ids);

// Single members.

/** A text, escaped, to free(); NULL: it is not there. */
char *parse_text(const json_t *object, const char *key);

/** Copies a text, escaped, and cut when it is longer. */
void parse_copy(const json_t *object, const char *key, char *ret, size_t size);

/** @return false, with `*ret` as it was, when there is no such number */
bool parse_integer(const json_t *object, const char *key, int64_t *ret);

/** Likewise, of a number written as "0x4711". */
bool parse_hex(const json_t *object, const char *key, uint64_t *ret);
bool parse_hex_text(const char *text, uint64_t *ret);

/** Sets a bit of `*known` when the member is true or false. @return whether it is true */
bool parse_flag(const json_t *object, const char *key, uint32_t bit, uint32_t *known);

/** Number of an id among those of its kind; -1: not there. */
int32_t parse_number(const json_t *ids, const char *id);

#endif
