// SPDX-License-Identifier: BSD-3-Clause
// Reading the OpenMP side of a process from JSON, which may hold anything.
#include "mqshow/report/openmp_json.h"

#include "mqshow/base/alloc.h"
#include "mqshow/base/escape.h"
#include "mqshow/base/intern.h"
#include "mqshow/base/json_get.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum { SYMBOLIZED_MAX = 4096 }; // they are searched one by one

void
openmp_keep_unknown(const void *record, const char *members, const struct record_place *place)
{
    struct openmp *omp = place->omp->omp;
    *ALLOC_ADD(omp->unknown.items, omp->unknown.count, omp->unknown.capacity) =
        (struct omp_unknown){record != omp ? record : NULL, intern_keep(place->texts, members)};
}

static int32_t
number_of(const struct omp_place *in, const struct record_type *type, const json_t *id)
{
    const char *text = json_string_value(id);
    const json_t *ids = json_object_get(in->ids, type->name);
    const json_t *number = text != NULL ? json_object_get(ids, text) : NULL;
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

/** Ids of records that there are none of are left out. */
static bool
read_ids(const struct field *field, void *record, const json_t *array,
         const struct record_place *place)
{
    LIST(int32_t) numbers = {.items = NULL};
    for (size_t i = 0; i < json_array_size(array); i++) {
        int32_t number = number_of(place->omp, field->type, json_array_get(array, i));
        if (number >= 0)
            *ALLOC_ADD(numbers.items, numbers.count, numbers.capacity) = number;
    }
    if (!json_is_array(array))
        return false;
    record_forget(field, record);
    memcpy((char *) record + field->offset, &numbers, sizeof numbers);
    return true;
}

static bool
read_state_from(const mqs_omp_thread *thread, const json_t *value, const struct openmp *omp)
{
    if (!text_equals(json_string_value(value), omp_state_from_stack))
        return false;
    omp->waits[thread - omp->threads].state_from_stack = true;
    return true;
}

static bool
read_bit(const struct field *field, void *record, const json_t *value, const struct openmp *omp)
{
    if (json_is_true(value))
        *(uint32_t *) (void *) ((char *) record + field->offset) |= field->known;
    if (record != omp && json_is_boolean(value))
        ((mqs_omp_task *) record)->flags_known |= field->known;
    return json_is_boolean(value);
}

bool
openmp_read_value(const struct field *field, void *record, const json_t *value,
                  const struct record_place *place)
{
    void *at = (char *) record + field->offset;
    uint64_t *number = at, more;
    switch (field->kind) {
    case FIELD_CHARS:
        return read_text(value, at, field->size);
    case FIELD_BIT:
        return read_bit(field, record, value, place->omp->omp);
    case FIELD_ID:
        *(int32_t *) at = number_of(place->omp, field->type, value);
        return json_is_null(value) || *(int32_t *) at >= 0;
    case FIELD_IDS:
        return read_ids(field, record, value, place);
    case FIELD_STATE_FROM:
        return read_state_from(record, value, place->omp->omp);
    case FIELD_WAIT:
        return record_read(
            field->type,
            &place->omp->omp->waits[(const mqs_omp_thread *) record - place->omp->omp->threads],
            value, place);
    case FIELD_TASKS:
        *(int32_t *) at =
            number_of(place->omp, field->type, json_object_get(json_array_get(value, 0), "id"));
        return json_is_array(value);
    case FIELD_FUNCTION:
        if (!json_get_hex(json_object_get(value, "address"), number))
            return false;
        add_place(place->omp->omp, *number, value);
        return true;
    case FIELD_AWAITED: // with the number of which it says more
        return json_is_object(value);
    case FIELD_TOOL_DATA:
        if (!json_get_hex(json_object_get(value, "address"), &more) ||
            !json_get_hex(json_object_get(value, "value"), number))
            return false;
        number[1] = more;
        return true;
    default:
        return false;
    }
}

/** Numbers the records of an array from `first` on. @return the number after the last */
static int32_t
number_ids(struct omp_place *in, const struct record_type *type, const json_t *array, int32_t first)
{
    json_t *ids = json_object_get(in->ids, type->name);
    size_t count = json_array_size(array);
    if (ids == NULL)
        json_object_set_new(in->ids, type->name, ids = json_object());
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
read_records(const struct record_type *type, void *records, int32_t first, const json_t *array,
             const struct record_place *place)
{
    for (size_t i = 0; i < json_array_size(array); i++, first++) {
        void *record = (char *) records + (size_t) first * type->size;
        ((mqs_omp_thread *) record)->number = first; // where all have it
        record_read(type, record, json_array_get(array, i), place);
    }
    return first;
}

static void
read_tasks(const json_t *threads, const json_t *others, const struct record_place *place)
{
    struct openmp *omp = place->omp->omp;
    int32_t count = 0;
    for (size_t i = 0; i < json_array_size(threads); i++)
        count = number_ids(place->omp, &omp_task_type,
                           json_object_get(json_array_get(threads, i), "tasks"), count);
    omp->n_tasks = (size_t) number_ids(place->omp, &omp_task_type, others, count);
    omp->tasks = alloc_zeroed(omp->n_tasks, sizeof *omp->tasks);
    count = 0;
    for (size_t i = 0; i < json_array_size(threads); i++)
        count = read_records(&omp_task_type, omp->tasks, count,
                             json_object_get(json_array_get(threads, i), "tasks"), place);
    read_records(&omp_task_type, omp->tasks, count, others, place);
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
        *ALLOC_ADD(omp->icvs, omp->n_icvs, omp->icvs_capacity) = (struct icv){
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
read_all_icvs(const struct omp_place *in, const json_t *icvs)
{
    in->omp->has_icvs = json_is_object(icvs);
    read_icvs(in->omp, MQS_OMP_OF_PROCESS, 0, json_object_get(icvs, "process"));
    for (size_t i = 0; i < OMP_SCOPES; i++) {
        size_t k;
        json_t *owner;
        json_array_foreach (json_object_get(icvs, omp_scopes[i].key), k, owner)
            read_icvs(in->omp, omp_scopes[i].scope,
                      number_of(in, omp_scopes[i].type, json_object_get(owner, "id")),
                      json_object_get(owner, "values"));
    }
}

static void
read_others(struct openmp *omp, const json_t *threads, const json_t *control_vars)
{
    size_t i;
    json_t *value;
    omp->others_are_known = json_is_array(threads);
    omp->has_control_vars = json_is_array(control_vars);
    json_array_foreach (threads, i, value)
        if (json_integer_value(value) > 0 && json_integer_value(value) <= INT_MAX)
            *ALLOC_ADD(omp->others, omp->n_others, omp->others_capacity) =
                (pid_t) json_integer_value(value);
    json_array_foreach (control_vars, i, value)
        if (json_is_string(value))
            *ALLOC_ADD(omp->control_vars, omp->n_control_vars, omp->control_vars_capacity) =
                escape_text(json_string_value(value), SIZE_MAX);
}

/** Reads what is of the whole, and keeps what is no member of it. */
static void
read_info(const json_t *object, const struct record_place *place)
{
    struct openmp *omp = place->omp->omp;
    json_t *unknown = json_copy((json_t *) object);
    omp->info.omp_version = json_get_number(object, "omp_version", INT64_MIN, INT64_MAX, 0);
    for (size_t i = 0; i < openmp_type.n_fields; i++) {
        const struct field *field = &openmp_type.fields[i];
        if (field->kind == FIELD_CHARS || field->kind == FIELD_BIT)
            openmp_read_value(field, omp, json_object_get(object, field->key), place);
        json_object_del(unknown, field->key);
    }
    record_keep_others(&openmp_type, omp, unknown, place);
    json_decref(unknown);
}

bool
openmp_read(struct openmp *omp, const json_t *object, struct intern *texts)
{
    const json_t *threads = json_object_get(object, "threads");
    const json_t *regions = json_object_get(object, "regions");
    const json_t *tasks = json_object_get(object, "tasks");
    struct omp_place in = {.omp = omp};
    const struct record_place place = {.texts = texts, .omp = &in};
    if (!json_is_object(object))
        return false;
    in.ids = json_object();
    read_info(object, &place);
    omp->has_regions = json_is_array(regions);
    omp->has_tasks = json_is_array(tasks);
    omp->n_threads = (size_t) number_ids(&in, &omp_thread_type, threads, 0);
    omp->n_regions = (size_t) number_ids(&in, &omp_region_type, regions, 0);
    omp->threads = alloc_zeroed(omp->n_threads, sizeof *omp->threads);
    omp->waits = alloc_zeroed(omp->n_threads, sizeof *omp->waits);
    omp->regions = alloc_zeroed(omp->n_regions, sizeof *omp->regions);
    read_tasks(threads, tasks, &place);
    read_records(&omp_region_type, omp->regions, 0, regions, &place);
    read_records(&omp_thread_type, omp->threads, 0, threads, &place);
    read_awaited(omp, threads);
    read_all_icvs(&in, json_object_get(object, "icvs"));
    read_others(omp, json_object_get(object, "other_threads"),
                json_object_get(object, "control_vars"));
    json_decref(in.ids);
    return true;
}
