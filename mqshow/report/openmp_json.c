// SPDX-License-Identifier: BSD-3-Clause
// The OpenMP side of a process as JSON: members that are not known are left out.
#include "mqshow/report/openmp_json.h"

#include "mqshow/base/alloc.h"
#include "mqshow/base/escape.h"
#include "mqshow/base/intern.h"
#include "mqshow/base/json_out.h"
#include "mqshow/base/member.h"
#include "mqshow/report/omp_wait.h"
#include "mqshow/report/openmp.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum { PLACES_MAX = 4096 }; // they are searched one by one

enum omp_kind {
    OMP_TEXT,      // char[]: a text
    OMP_INTEGER,   // int64_t: an integer
    OMP_NONZERO,   // likewise, absent when it is 0
    OMP_HEX,       // uint64_t: "0x4711"
    OMP_ADDRESS,   // likewise, absent when it is 0
    OMP_FLAG,      // a bit: true, false
    OMP_REGION,    // int32_t, a record's number: its id; null: MQS_OMP_NONE
    OMP_THREAD,    // likewise
    OMP_TASK,      // likewise
    OMP_FUNCTION,  // an address: what is there
    OMP_AWAITED,   // likewise, of a variable
    OMP_TASKS,     // a task's number: it and those that were interrupted
    OMP_TOOL_DATA, // uint64_t and the address behind it: both
};

struct omp_field {
    const char *key;
    enum omp_kind kind;
    uint32_t known;
    uint16_t offset, size;
};

/** A sort of records, which begin with `known` and `number`. */
struct omp_type {
    const struct omp_field *fields;
    size_t n_fields, size;
};

#define COUNT(array) (sizeof(array) / sizeof *(array))

#define ENTRY(known_, kind_, member_, key_, meaning_) \
    {.key = (key_),                                   \
     .kind = OMP_##kind_,                             \
     .known = (known_),                               \
     .offset = offsetof(STRUCT, member_),             \
     .size = sizeof((STRUCT *) NULL)->member_},

#define STRUCT mqs_omp_thread
static const struct omp_field thread_fields[] = {
#define OPENMP_THREAD ENTRY
#include "mqshow/report/report.def"
};
#undef STRUCT

#define STRUCT mqs_omp_region
static const struct omp_field region_fields[] = {
#define OPENMP_REGION ENTRY
#include "mqshow/report/report.def"
};
#undef STRUCT

#define STRUCT mqs_omp_task
static const struct omp_field task_fields[] = {
#define OPENMP_TASK ENTRY
#include "mqshow/report/report.def"
};
#undef STRUCT

static const struct omp_type thread_type = {thread_fields, COUNT(thread_fields),
                                            sizeof(mqs_omp_thread)},
                             region_type = {region_fields, COUNT(region_fields),
                                            sizeof(mqs_omp_region)},
                             task_type = {task_fields, COUNT(task_fields), sizeof(mqs_omp_task)};

/** The OpenMP side while it is written. */
struct omp_writer {
    struct json_out *json;
    const struct openmp *omp;
    bool *written; // tasks by their places
};

/** A value of a type, whatever its address. */
#define VALUE(type, record, offset) \
    (*(const type *) memcpy(&(type){0}, (const char *) (record) + (offset), sizeof(type)))

static void
write_escaped(struct json_out *json, const char *text, size_t size)
{
    char *escaped = escape_text(text, size);
    json_out_text(json, escaped);
    free(escaped);
}

/** The id of a record; NULL: there is no such record. */
static const char *
id_of(const struct openmp *omp, enum omp_kind kind, int32_t number)
{
    const mqs_omp_thread *thread = kind == OMP_THREAD ? openmp_thread(omp, number) : NULL;
    const mqs_omp_region *region = kind == OMP_REGION ? openmp_region(omp, number) : NULL;
    const mqs_omp_task *task = kind == OMP_TASK ? openmp_task(omp, number) : NULL;
    return thread != NULL   ? thread->id
           : region != NULL ? region->id
           : task != NULL   ? task->id
                            : NULL;
}

/** Whether a member of a record is written. */
static bool
is_written(const struct openmp *omp, const struct omp_field *field, const void *record)
{
    const char *value = (const char *) record + field->offset;
    uint32_t known = VALUE(uint32_t, record, 0);
    if (field->kind == OMP_FLAG)
        return (((const mqs_omp_task *) record)->flags_known & field->known) != 0;
    if (field->kind == OMP_TEXT && *value == '\0')
        return false;
    if (field->known != 0 && (known & field->known) == 0)
        return false;
    switch (field->kind) {
    case OMP_NONZERO:
    case OMP_ADDRESS:
    case OMP_FUNCTION:
        return VALUE(uint64_t, record, field->offset) != 0;
    case OMP_REGION:
    case OMP_THREAD:
    case OMP_TASK:
        return VALUE(int32_t, record, field->offset) == MQS_OMP_NONE ||
               id_of(omp, field->kind, VALUE(int32_t, record, field->offset)) != NULL;
    case OMP_AWAITED: {
        const struct place *place = openmp_place(omp, VALUE(uint64_t, record, field->offset));
        return place != NULL && (place->symbol != NULL || place->function != NULL);
    }
    case OMP_TOOL_DATA:
        // Runtimes do not tell a tool that attached nothing from no tool.
        return VALUE(uint64_t, record, field->offset) != 0 ||
               VALUE(uint64_t, record, field->offset + sizeof(uint64_t)) != 0;
    default:
        return true;
    }
}

static void
write_reference(const struct omp_writer *writer, enum omp_kind kind, int32_t number)
{
    if (number == MQS_OMP_NONE)
        json_out_null(writer->json);
    else
        write_escaped(writer->json, id_of(writer->omp, kind, number), MQS_OMP_ID);
}

static void
write_member(struct json_out *json, const char *key, const char *text)
{
    if (text == NULL)
        return;
    json_out_key(json, key);
    json_out_text(json, text);
}

static void
write_function(const struct omp_writer *writer, uint64_t addr)
{
    const struct place *place = openmp_place(writer->omp, addr);
    struct json_out *json = writer->json;
    json_out_open(json, '{');
    json_out_key(json, "address");
    json_out_hex(json, addr);
    if (place != NULL) {
        write_member(json, "symbol", place->offset == 0 ? place->symbol : NULL);
        write_member(json, "name", place->function);
        write_member(json, "file", place->file);
        if (place->file != NULL) {
            json_out_key(json, "line");
            json_out_integer(json, place->line);
        }
    }
    json_out_close(json, '}');
}

/** The variable that a lock is in, and the name to show. */
static void
write_awaited(const struct omp_writer *writer, const mqs_omp_thread *thread)
{
    const struct place *place = openmp_place(writer->omp, thread->wait_id);
    char *name = omp_wait(writer->omp, thread);
    json_out_open(writer->json, '{');
    write_member(writer->json, "symbol", place->symbol);
    json_out_key(writer->json, "offset");
    json_out_integer(writer->json, (int64_t) place->offset);
    write_member(writer->json, "name", *name != '\0' ? name : NULL);
    json_out_close(writer->json, '}');
    free(name);
}

static void
write_record(struct omp_writer *writer, const struct omp_type *type, const void *record);

static void
write_task(struct omp_writer *writer, const mqs_omp_task *task)
{
    writer->written[task - writer->omp->tasks] = true;
    json_out_next(writer->json);
    write_record(writer, &task_type, task);
}

/** The task that a thread executes and those that it has interrupted. */
static void
write_tasks(struct omp_writer *writer, int32_t number)
{
    const mqs_omp_task *task = openmp_task(writer->omp, number);
    json_out_open(writer->json, '[');
    // A task that was written already would come round for ever.
    for (; task != NULL && !writer->written[task - writer->omp->tasks];
         task = openmp_interrupted(writer->omp, task))
        write_task(writer, task);
    json_out_close(writer->json, ']');
}

static void
write_tool_data(struct json_out *json, uint64_t value, uint64_t address)
{
    json_out_open(json, '{');
    json_out_key(json, "value");
    json_out_hex(json, value);
    json_out_key(json, "address");
    json_out_hex(json, address);
    json_out_close(json, '}');
}

static void
write_value(struct omp_writer *writer, const struct omp_field *field, const void *record)
{
    struct json_out *json = writer->json;
    switch (field->kind) {
    case OMP_TEXT:
        write_escaped(json, (const char *) record + field->offset, field->size);
        break;
    case OMP_INTEGER:
    case OMP_NONZERO:
        json_out_integer(json, VALUE(int64_t, record, field->offset));
        break;
    case OMP_HEX:
    case OMP_ADDRESS:
        json_out_hex(json, VALUE(uint64_t, record, field->offset));
        break;
    case OMP_FLAG:
        json_out_bool(json, (VALUE(uint32_t, record, field->offset) & field->known) != 0);
        break;
    case OMP_REGION:
    case OMP_THREAD:
    case OMP_TASK:
        write_reference(writer, field->kind, VALUE(int32_t, record, field->offset));
        break;
    case OMP_FUNCTION:
        write_function(writer, VALUE(uint64_t, record, field->offset));
        break;
    case OMP_AWAITED:
        write_awaited(writer, record);
        break;
    case OMP_TASKS:
        write_tasks(writer, VALUE(int32_t, record, field->offset));
        break;
    case OMP_TOOL_DATA:
        write_tool_data(json, VALUE(uint64_t, record, field->offset),
                        VALUE(uint64_t, record, field->offset + sizeof(uint64_t)));
        break;
    }
}

/** What a record has that this version does not know, the text of an object; NULL: nothing. */
static const char *
unknown_of(const struct openmp *omp, const void *record)
{
    for (size_t i = 0; i < omp->unknown.count; i++)
        if (omp->unknown.items[i].record == record)
            return omp->unknown.items[i].members;
    return NULL;
}

static void
write_record(struct omp_writer *writer, const struct omp_type *type, const void *record)
{
    json_out_open(writer->json, '{');
    for (size_t i = 0; i < type->n_fields; i++) {
        if (!is_written(writer->omp, &type->fields[i], record))
            continue;
        json_out_key(writer->json, type->fields[i].key);
        write_value(writer, &type->fields[i], record);
    }
    json_out_members_of_text(writer->json, unknown_of(writer->omp, record));
    json_out_close(writer->json, '}');
}

/** The text where there is one, as only that says all of a list; null when it cannot be read. */
static void
write_icv(struct json_out *json, const struct icv *icv)
{
    json_out_key(json, icv->name);
    if (icv->text != NULL)
        json_out_text(json, icv->text);
    else if (icv->has_value)
        json_out_integer(json, icv->value);
    else
        json_out_null(json);
}

/** Scopes of variables, and the records that own them. */
static const struct {
    const char *key;
    int scope;
    enum omp_kind kind;
} scopes[] = {
    {"regions", MQS_OMP_OF_REGION, OMP_REGION},
    {"threads", MQS_OMP_OF_THREAD, OMP_THREAD},
    {"tasks", MQS_OMP_OF_TASK, OMP_TASK},
};

/** The variables of one scope from the i-th on that have the same owner. @return the one behind */
static size_t
write_owned_icvs(struct json_out *json, const struct openmp *omp, size_t i)
{
    int scope = omp->icvs[i].scope;
    int32_t owner = omp->icvs[i].number;
    for (; i < omp->n_icvs && (omp->icvs[i].scope != scope || omp->icvs[i].number == owner); i++)
        if (omp->icvs[i].scope == scope)
            write_icv(json, &omp->icvs[i]);
    return i;
}

static void
write_scope(struct json_out *json, const struct openmp *omp, int scope, enum omp_kind kind)
{
    json_out_open(json, '[');
    for (size_t i = 0; i < omp->n_icvs;) {
        if (omp->icvs[i].scope != scope) {
            i++;
            continue;
        }
        const char *id = id_of(omp, kind, omp->icvs[i].number);
        json_out_next(json);
        json_out_open(json, '{');
        if (id != NULL && *id != '\0') {
            json_out_key(json, "id");
            write_escaped(json, id, MQS_OMP_ID);
        }
        json_out_key(json, "values");
        json_out_open(json, '{');
        i = write_owned_icvs(json, omp, i);
        json_out_close(json, '}');
        json_out_close(json, '}');
    }
    json_out_close(json, ']');
}

static void
write_icvs(struct json_out *json, const struct openmp *omp)
{
    json_out_open(json, '{');
    json_out_key(json, "process");
    json_out_open(json, '{');
    for (size_t i = 0; i < omp->n_icvs; i++)
        if (omp->icvs[i].scope == MQS_OMP_OF_PROCESS)
            write_icv(json, &omp->icvs[i]);
    json_out_close(json, '}');
    for (size_t i = 0; i < COUNT(scopes); i++) {
        json_out_key(json, scopes[i].key);
        write_scope(json, omp, scopes[i].scope, scopes[i].kind);
    }
    json_out_close(json, '}');
}

static void
write_info(struct json_out *json, const mqs_omp_info *info)
{
    const struct {
        const char *key, *text;
        size_t size;
    } texts[] = {{"runtime", info->runtime, sizeof info->runtime},
                 {"release", info->release, sizeof info->release},
                 {"backend", info->backend, sizeof info->backend}};
    for (size_t i = 0; i < COUNT(texts); i++) {
        if (*texts[i].text == '\0')
            continue;
        json_out_key(json, texts[i].key);
        write_escaped(json, texts[i].text, texts[i].size);
    }
    json_out_key(json, "state_tracking");
    json_out_bool(json, info->state_tracking != 0);
    if (info->omp_version == 0)
        return;
    json_out_key(json, "omp_version");
    json_out_integer(json, info->omp_version);
}

static void
write_records(struct omp_writer *writer, const char *key, const struct omp_type *type,
              const void *records, size_t count)
{
    json_out_key(writer->json, key);
    json_out_open(writer->json, '[');
    for (size_t i = 0; i < count; i++) {
        json_out_next(writer->json);
        write_record(writer, type, (const char *) records + i * type->size);
    }
    json_out_close(writer->json, ']');
}

/** The tasks that are no thread's. */
static void
write_other_tasks(struct omp_writer *writer)
{
    json_out_key(writer->json, "tasks");
    json_out_open(writer->json, '[');
    for (size_t i = 0; i < writer->omp->n_tasks; i++)
        if (!writer->written[i])
            write_task(writer, &writer->omp->tasks[i]);
    json_out_close(writer->json, ']');
}

static void
write_lists(struct json_out *json, const struct openmp *omp)
{
    if (omp->others_are_known) {
        json_out_key(json, "other_threads");
        json_out_open(json, '[');
        for (size_t i = 0; i < omp->n_others; i++) {
            json_out_next(json);
            json_out_integer(json, omp->others[i]);
        }
        json_out_close(json, ']');
    }
    if (omp->has_control_vars) {
        json_out_key(json, "control_vars");
        json_out_open(json, '[');
        for (size_t i = 0; i < omp->n_control_vars; i++) {
            json_out_next(json);
            json_out_text(json, omp->control_vars[i]);
        }
        json_out_close(json, ']');
    }
}

void
openmp_write(struct json_out *json, const struct openmp *omp)
{
    struct omp_writer writer = {json, omp, alloc_zeroed(omp->n_tasks + 1, sizeof(bool))};
    json_out_open(json, '{');
    write_info(json, &omp->info);
    if (omp->has_regions)
        write_records(&writer, "regions", &region_type, omp->regions, omp->n_regions);
    write_records(&writer, "threads", &thread_type, omp->threads, omp->n_threads);
    if (omp->has_tasks)
        write_other_tasks(&writer);
    write_lists(json, omp);
    if (omp->has_icvs) {
        json_out_key(json, "icvs");
        write_icvs(json, omp);
    }
    json_out_members_of_text(json, unknown_of(omp, omp));
    json_out_close(json, '}');
    free(writer.written);
}

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
read_hex(const json_t *value, uint64_t *ret)
{
    const char *text = json_string_value(value);
    char *end = "x";
    errno = 0;
    unsigned long long number =
        text != NULL && strncmp(text, "0x", 2) == 0 ? strtoull(text, &end, 16) : 0;
    if (errno != 0 || *end != '\0')
        return false;
    *ret = number;
    return true;
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
    const char *text = member_text(object, key);
    return text != NULL ? escape_text(text, SIZE_MAX) : NULL;
}

/** Adds what a document says of an address, unless that is known. */
static void
add_place(struct openmp *omp, uint64_t addr, const json_t *object)
{
    if (omp->n_places >= PLACES_MAX || openmp_place(omp, addr) != NULL)
        return;
    *openmp_add_place(omp) = (struct place){
        .addr = addr,
        .symbol = escaped_member(object, "symbol"),
        .offset = (uint64_t) member_number(object, "offset", 0, INT64_MAX, 0),
        .function = escaped_member(object, "name"),
        .file = escaped_member(object, "file"),
        .line = (int) member_number(object, "line", 1, INT32_MAX, 0),
    };
}

static bool
read_function(struct openmp *omp, const json_t *object, uint64_t *ret)
{
    if (!read_hex(json_object_get(object, "address"), ret))
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
        good = read_hex(value, &number);
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
        good = read_hex(json_object_get(value, "value"), &number) &&
               read_hex(json_object_get(value, "address"), &more);
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
    omp->unknown.items[omp->unknown.count++] = (struct omp_unknown){
        record, intern_keep(reader->texts, text)};
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
        const char *id = member_text(json_array_get(array, i), "id");
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
        count = read_records(reader, &task_type, omp->tasks, count,
                             json_object_get(json_array_get(threads, i), "tasks"));
    read_records(reader, &task_type, omp->tasks, count, others);
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
    for (size_t i = 0; i < COUNT(scopes); i++) {
        const json_t *owners = json_object_get(icvs, scopes[i].key);
        for (size_t k = 0; k < json_array_size(owners); k++) {
            const json_t *owner = json_array_get(owners, k);
            read_icvs(reader->omp, scopes[i].scope,
                      number_of(reader, scopes[i].kind, json_object_get(owner, "id")),
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
    info->state_tracking = member_true(object, "state_tracking");
    info->omp_version = member_number(object, "omp_version", INT64_MIN, INT64_MAX, 0);
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
    read_records(&reader, &region_type, omp->regions, 0, regions);
    read_records(&reader, &thread_type, omp->threads, 0, threads);
    read_awaited(omp, threads);
    read_all_icvs(&reader, json_object_get(object, "icvs"));
    read_other_threads(omp, json_object_get(object, "other_threads"));
    read_control_vars(omp, json_object_get(object, "control_vars"));
    keep_unknown_lists(&reader, object);
    for (int kind = OMP_REGION; kind <= OMP_TASK; kind++)
        json_decref(reader.ids[kind]);
    return true;
}
