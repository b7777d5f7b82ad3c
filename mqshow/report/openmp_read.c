// SPDX-License-Identifier: BSD-3-Clause
// Reading the OpenMP side of a process from JSON, which may hold anything.
#include "mqshow/base/alloc.h"
#include "mqshow/base/escape.h"
#include "mqshow/base/intern.h"
#include "mqshow/base/json_get.h"
#include "mqshow/report/openmp.h"
#include "mqshow/report/openmp_fields.h"
#include "mqshow/report/openmp_json.h"

#include <limits.h>
#include <stdlib.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

enum { SYMBOLIZED_MAX = 4096 }; // they are searched one by one

/** The OpenMP side while it is read. */
struct omp_reader {
    struct openmp *omp;
    struct intern *texts;
    json_t *ids[OMP_TASK + 1]; // numbers of records by their ids
};

static int32_t
number_of(const struct omp_reader *reader, enum omp_kind kind, const json_t *id)
{
    const char *text = json_string_value(id);
    const json_t *number = text != NULL ? json_object_get(reader->ids[kind], text) : NULL;
    return json_is_integer(number) ? (int32_t) json_integer_value(number) : -1;
}

static bool
read_text(const json_t *value, char *ret, size_t size)
{
    if (!json_is_string(value))
        return false;
    char *text = escape_text(json_string_value(value), SIZE_MAX);
    memset(ret, 0, size);
    memcpy(ret, text, strnlen(text, size - 1));
    free(text);
    return true;
}

static char *
escaped_member(const json_t *object, const char *key)
{
    const char *text = json_get_text(object, key);
    return text != NULL ? escape_text(text, SIZE_MAX) : NULL;
}

/** Adds what a document says of an address, unless that is known. */
static void
add_place(struct openmp *omp, uint64_t addr, const json_t *object)
{
    if (omp->n_symbolized >= SYMBOLIZED_MAX || openmp_symbolized(omp, addr) != NULL)
        return;
    *openmp_add_symbolized(omp) = (struct symbolized){
        .addr = addr,
        .symbol = escaped_member(object, "symbol"),
        .offset = (uint64_t) json_get_number(object, "offset", 0, INT64_MAX, 0),
        .function = escaped_member(object, "name"),
        .file = escaped_member(object, "file"),
        .line = (int) json_get_number(object, "line", 1, INT32_MAX, 0),
    };
}

static bool
read_function(struct openmp *omp, const json_t *object, uint64_t *ret)
{
    if (!json_get_hex(json_object_get(object, "address"), ret))
        return false;
    add_place(omp, *ret, object);
    return true;
}

/** Reads a member of a record. @return whether the value is one that it may have */
static bool
read_value(const struct omp_reader *reader, const struct omp_field *field, char *record,
           const json_t *value)
{
    char *at = record + field->offset;
    int64_t integer = json_integer_value(value);
    uint64_t number = 0, more = 0;
    int32_t reference;
    bool good = true;
    switch (field->kind) {
    case OMP_TEXT:
        return read_text(value, at, field->size);
    case OMP_INTEGER:
    case OMP_NONZERO:
        memcpy(at, &integer, sizeof integer);
        return json_is_integer(value);
    case OMP_HEX:
    case OMP_ADDRESS:
        good = json_get_hex(value, &number);
        break;
    case OMP_FUNCTION:
        good = read_function(reader->omp, value, &number);
        break;
    case OMP_FLAG:
        ((mqs_omp_task *) (void *) record)->flags |= json_is_true(value) ? field->known : 0;
        ((mqs_omp_task *) (void *) record)->flags_known |=
            json_is_boolean(value) ? field->known : 0;
        return json_is_boolean(value);
    case OMP_REGION:
    case OMP_THREAD:
    case OMP_TASK:
        reference = number_of(reader, field->kind, value);
        memcpy(at, &reference, sizeof reference);
        return json_is_null(value) || reference >= 0;
    case OMP_TASKS:
        reference = number_of(reader, OMP_TASK, json_object_get(json_array_get(value, 0), "id"));
        memcpy(at, &reference, sizeof reference);
        return json_is_array(value);
    case OMP_AWAITED: // with the number of which it says more
        return json_is_object(value);
    case OMP_TOOL_DATA:
        good = json_get_hex(json_object_get(value, "value"), &number) &&
               json_get_hex(json_object_get(value, "address"), &more);
        if (good)
            memcpy(at + sizeof number, &more, sizeof more);
        break;
    }
    if (good)
        memcpy(at, &number, sizeof number);
    return good;
}

static const struct omp_field *
find_field(const struct omp_type *type, const char *key)
{
    for (size_t i = 0; i < type->n_fields; i++)
        if (strcmp(type->fields[i].key, key) == 0)
            return &type->fields[i];
    return NULL;
}

/** Keeps members that this version does not know. @param unknown an object; NULL: there are none */
static void
keep_unknown(const struct omp_reader *reader, const void *record, json_t *unknown)
{
    char *text = unknown != NULL ? json_dumps(unknown, JSON_COMPACT | JSON_ENSURE_ASCII) : NULL;
    json_decref(unknown);
    if (text == NULL)
        return;
    struct openmp *omp = reader->omp;
    omp->unknown.items = alloc_grow(omp->unknown.items, omp->unknown.count, &omp->unknown.capacity,
                                    sizeof *omp->unknown.items);
    omp->unknown.items[omp->unknown.count++] =
        (struct omp_unknown){record, intern_keep(reader->texts, text)};
    free(text);
}

static void
read_record(const struct omp_reader *reader, const struct omp_type *type, void *record,
            int32_t number, const json_t *object)
{
    const char *key;
    json_t *value, *unknown = NULL;
    uint32_t known = 0;
    ((mqs_omp_thread *) record)->number = number;
    json_object_foreach ((json_t *) object, key, value) {
        const struct omp_field *field = find_field(type, key);
        if (field != NULL && read_value(reader, field, record, value)) {
            known |= field->kind != OMP_FLAG ? field->known : 0;
            continue;
        }
        unknown = unknown != NULL ? unknown : json_object();
        json_object_set(unknown, key, value);
    }
    memcpy(record, &known, sizeof known);
    keep_unknown(reader, record, unknown);
}

/** Numbers the records of an array from `first` on. @return the number after the last */
static int32_t
number_ids(json_t *ids, const json_t *array, int32_t first)
{
    size_t count = json_array_size(array);
    for (size_t i = 0; i < count && first < INT32_MAX; i++) {
        const char *id = json_get_text(json_array_get(array, i), "id");
        if (id != NULL && json_object_get(ids, id) == NULL)
            json_object_set_new(ids, id, json_integer(first));
        first++;
    }
    return first;
}

/** Reads the records of an array, which have the numbers from `first` on. @return the one behind */
static int32_t
read_records(const struct omp_reader *reader, const struct omp_type *type, void *records,
             int32_t first, const json_t *array)
{
    for (size_t i = 0; i < json_array_size(array); i++, first++)
        read_record(reader, type, (char *) records + (size_t) first * type->size, first,
                    json_array_get(array, i));
    return first;
}

static void
read_tasks(struct omp_reader *reader, const json_t *threads, const json_t *others)
{
    struct openmp *omp = reader->omp;
    int32_t count = 0;
    for (size_t i = 0; i < json_array_size(threads); i++)
        count = number_ids(reader->ids[OMP_TASK],
                           json_object_get(json_array_get(threads, i), "tasks"), count);
    omp->n_tasks = (size_t) number_ids(reader->ids[OMP_TASK], others, count);
    omp->tasks = alloc_zeroed(omp->n_tasks, sizeof *omp->tasks);
    count = 0;
    for (size_t i = 0; i < json_array_size(threads); i++)
        count = read_records(reader, &omp_task_type, omp->tasks, count,
                             json_object_get(json_array_get(threads, i), "tasks"));
    read_records(reader, &omp_task_type, omp->tasks, count, others);
}

/** What variables threads wait for, which says more of the numbers that they wait for. */
static void
read_awaited(struct openmp *omp, const json_t *threads)
{
    for (size_t i = 0; i < omp->n_threads; i++) {
        const json_t *variable = json_object_get(json_array_get(threads, i), "waits_for");
        if ((omp->threads[i].known & MQS_OMP_WAIT_ID) != 0 && json_is_object(variable))
            add_place(omp, omp->threads[i].wait_id, variable);
    }
}

static void
read_icvs(struct openmp *omp, int scope, int32_t number, const json_t *values)
{
    const char *name;
    json_t *value;
    json_object_foreach ((json_t *) values, name, value) {
        const char *text = json_string_value(value);
        omp->icvs = alloc_grow(omp->icvs, omp->n_icvs, &omp->icvs_capacity, sizeof *omp->icvs);
        omp->icvs[omp->n_icvs++] = (struct icv){
            .scope = scope,
            .number = number,
            .name = escape_text(name, SIZE_MAX),
            .has_value = json_is_integer(value),
            .value = json_integer_value(value),
            .text = text != NULL ? escape_text(text, SIZE_MAX) : NULL,
        };
    }
}

static void
read_all_icvs(struct omp_reader *reader, const json_t *icvs)
{
    reader->omp->has_icvs = json_is_object(icvs);
    read_icvs(reader->omp, MQS_OMP_OF_PROCESS, 0, json_object_get(icvs, "process"));
    for (size_t i = 0; i < OMP_SCOPES; i++) {
        const json_t *owners = json_object_get(icvs, omp_scopes[i].key);
        for (size_t k = 0; k < json_array_size(owners); k++) {
            const json_t *owner = json_array_get(owners, k);
            read_icvs(reader->omp, omp_scopes[i].scope,
                      number_of(reader, omp_scopes[i].kind, json_object_get(owner, "id")),
                      json_object_get(owner, "values"));
        }
    }
}

static void
read_other_threads(struct openmp *omp, const json_t *array)
{
    omp->others_are_known = json_is_array(array);
    for (size_t i = 0; i < json_array_size(array); i++) {
        json_int_t tid = json_integer_value(json_array_get(array, i));
        if (tid <= 0 || tid > INT_MAX)
            continue;
        omp->others =
            alloc_grow(omp->others, omp->n_others, &omp->others_capacity, sizeof *omp->others);
        omp->others[omp->n_others++] = (pid_t) tid;
    }
}

static void
read_control_vars(struct openmp *omp, const json_t *array)
{
    omp->has_control_vars = json_is_array(array);
    for (size_t i = 0; i < json_array_size(array); i++) {
        const char *text = json_string_value(json_array_get(array, i));
        if (text == NULL)
            continue;
        omp->control_vars = alloc_grow(omp->control_vars, omp->n_control_vars,
                                       &omp->control_vars_capacity, sizeof *omp->control_vars);
        omp->control_vars[omp->n_control_vars++] = escape_text(text, SIZE_MAX);
    }
}

static void
read_info(mqs_omp_info *info, const json_t *object)
{
    read_text(json_object_get(object, "runtime"), info->runtime, sizeof info->runtime);
    read_text(json_object_get(object, "release"), info->release, sizeof info->release);
    read_text(json_object_get(object, "backend"), info->backend, sizeof info->backend);
    info->state_tracking = json_get_true(object, "state_tracking");
    info->omp_version = json_get_number(object, "omp_version", INT64_MIN, INT64_MAX, 0);
}

/** Keeps what is no member of the OpenMP side. */
static void
keep_unknown_lists(const struct omp_reader *reader, const json_t *object)
{
    static const char *const known[] = {
        "runtime", "release", "backend",       "state_tracking", "omp_version", "regions",
        "threads", "tasks",   "other_threads", "control_vars",   "icvs"};
    json_t *unknown = json_copy((json_t *) object);
    for (size_t i = 0; i < COUNT(known); i++)
        json_object_del(unknown, known[i]);
    bool empty = json_object_size(unknown) == 0;
    if (empty)
        json_decref(unknown);
    keep_unknown(reader, reader->omp, empty ? NULL : unknown);
}

bool
openmp_read(struct openmp *omp, const json_t *object, struct intern *texts)
{
    const json_t *threads = json_object_get(object, "threads");
    const json_t *regions = json_object_get(object, "regions");
    struct omp_reader reader = {omp, texts, {NULL}};
    if (!json_is_object(object))
        return false;
    for (int kind = OMP_REGION; kind <= OMP_TASK; kind++)
        reader.ids[kind] = json_object();
    read_info(&omp->info, object);
    omp->has_regions = json_is_array(regions);
    omp->has_tasks = json_is_array(json_object_get(object, "tasks"));
    omp->n_threads = (size_t) number_ids(reader.ids[OMP_THREAD], threads, 0);
    omp->n_regions = (size_t) number_ids(reader.ids[OMP_REGION], regions, 0);
    omp->threads = alloc_zeroed(omp->n_threads, sizeof *omp->threads);
    omp->regions = alloc_zeroed(omp->n_regions, sizeof *omp->regions);
    read_tasks(&reader, threads, json_object_get(object, "tasks"));
    read_records(&reader, &omp_region_type, omp->regions, 0, regions);
    read_records(&reader, &omp_thread_type, omp->threads, 0, threads);
    read_awaited(omp, threads);
    read_all_icvs(&reader, json_object_get(object, "icvs"));
    read_other_threads(omp, json_object_get(object, "other_threads"));
    read_control_vars(omp, json_object_get(object, "control_vars"));
    keep_unknown_lists(&reader, object);
    for (int kind = OMP_REGION; kind <= OMP_TASK; kind++)
        json_decref(reader.ids[kind]);
    return true;
}
