// SPDX-License-Identifier: BSD-3-Clause
// Reading documents "mqs-ompd/1" and putting several together.
#include "tools/verdict/document.h"

#include "tools/alloc.h"
#include "tools/escape.h"
#include "tools/verdict/member.h"
#include "tools/verdict/sieve.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char schema[] = "mqs-ompd/1";

enum { PROCESSES_MAX = 1 << 20 };
static const uint64_t file_max = UINT64_C(1) << 33;

json_t *
document_create(void)
{
    return json_pack("{s:s, s:[], s:[]}", "schema", schema, "processes", "messages");
}

static char *
escaped_format(char *text)
{
    char *escaped = escape_text(text, SIZE_MAX);
    free(text);
    return escaped;
}

/** What is wrong with a document itself; NULL: nothing. */
static char *
check(const json_t *document, const char *name)
{
    const char *says = member_text(document, "schema");
    const json_t *processes = json_object_get(document, "processes");
    if (says == NULL)
        return escaped_format(alloc_format("%s: no document of mqshow: it has no schema", name));
    if (strcmp(says, schema) != 0)
        return escaped_format(
            alloc_format("%s: its schema is \"%.64s\"; only \"%s\" is known", name, says, schema));
    if (!json_is_array(processes))
        return escaped_format(alloc_format("%s: it has no array \"processes\"", name));
    if (json_array_size(processes) > PROCESSES_MAX)
        return escaped_format(alloc_format("%s: more than %d processes", name, PROCESSES_MAX));
    for (size_t i = 0; i < json_array_size(processes); i++)
        if (!json_is_object(json_array_get(processes, i)))
            return escaped_format(alloc_format("%s: process %zu is no object", name, i));
    return NULL;
}

static char *
read_document(const char *path, json_t **ret)
{
    bool is_stdin = strcmp(path, "-") == 0;
    const char *name = is_stdin ? "standard input" : path;
    FILE *file = is_stdin ? stdin : fopen(path, "re");
    uint64_t left = file_max;
    if (file == NULL)
        return escaped_format(alloc_format("cannot read %s: %s", path, strerror(errno)));
    json_error_t error;
    *ret = sieve_load(file, &left, &error);
    char *problem = NULL;
    if (*ret == NULL && left == 0)
        problem = alloc_format("%s: too long", name);
    else if (*ret == NULL)
        problem = alloc_format("%s:%d: no JSON: %s", name, error.line, error.text);
    if (!is_stdin)
        fclose(file);
    return problem != NULL ? escaped_format(problem) : check(*ret, name);
}

/** "host pid", by which a process is known; to free(). NULL: it cannot be told from others. */
static char *
identity(const json_t *process)
{
    const char *host = member_text(process, "host"), *core = member_text(process, "core");
    int64_t pid = member_number(process, "pid", 1, INT64_MAX, 0);
    // Without a host, equal pids may be of different machines.
    int64_t rank = host == NULL ? member_number(process, "rank", 0, INT32_MAX, -1) : -1;
    if (pid == 0)
        return NULL;
    return alloc_format("%s %lld %lld %s", host != NULL ? host : "", (long long) pid,
                        (long long) rank, core != NULL ? core : "");
}

static void
note_replaced(json_t *document, const json_t *process, const char *path)
{
    const char *host = member_text(process, "host");
    char *words = alloc_format("process %lld%s%s is in several documents: %s counts",
                               (long long) member_number(process, "pid", 1, INT64_MAX, 0),
                               host != NULL ? " of " : "", host != NULL ? host : "",
                               strcmp(path, "-") == 0 ? "standard input" : path);
    char *escaped = escaped_format(words);
    json_array_append_new(json_object_get(document, "messages"), json_string(escaped));
    free(escaped);
}

/** Adds processes; those that are known already take the places of the older ones. */
static void
add_processes(json_t *document, const json_t *added, const char *path)
{
    json_t *all = json_object_get(document, "processes"), *places = json_object();
    size_t i;
    json_t *process;
    json_array_foreach (all, i, process) {
        char *key = identity(process);
        if (key != NULL)
            json_object_set_new_nocheck(places, key, json_integer((json_int_t) i));
        free(key);
    }
    json_array_foreach (added, i, process) {
        char *key = identity(process);
        const json_t *place = key != NULL ? json_object_get(places, key) : NULL;
        if (place != NULL) {
            json_array_set(all, (size_t) json_integer_value(place), process);
            note_replaced(document, process, path);
        } else {
            json_array_append(all, process);
            if (key != NULL)
                json_object_set_new_nocheck(places, key,
                                            json_integer((json_int_t) json_array_size(all) - 1));
        }
        free(key);
    }
    json_decref(places);
}

char *
document_add(json_t *document, const char *path)
{
    json_t *read = NULL;
    char *problem = read_document(path, &read);
    if (problem == NULL) {
        size_t i;
        json_t *message;
        add_processes(document, json_object_get(read, "processes"), path);
        json_array_foreach (json_object_get(read, "messages"), i, message)
            if (json_is_string(message))
                json_array_append(json_object_get(document, "messages"), message);
    }
    json_decref(read);
    return problem;
}
