// SPDX-License-Identifier: BSD-3-Clause
// The OpenMP side of a process as JSON: members that are not known are left out.
#include "mqshow/base/alloc.h"
#include "mqshow/base/escape.h"
#include "mqshow/base/json_out.h"
#include "mqshow/report/omp_wait.h"
#include "mqshow/report/openmp.h"
#include "mqshow/report/openmp_fields.h"
#include "mqshow/report/openmp_json.h"

#include <stdlib.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

/** The OpenMP side while it is written. */
struct omp_writer {
    struct json_out *json;
    const struct openmp *omp;
    bool *written; // tasks by their places
};

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
        const struct symbolized *symbolized =
            openmp_symbolized(omp, VALUE(uint64_t, record, field->offset));
        return symbolized != NULL && (symbolized->symbol != NULL || symbolized->function != NULL);
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
write_function(const struct omp_writer *writer, uint64_t addr)
{
    const struct symbolized *symbolized = openmp_symbolized(writer->omp, addr);
    struct json_out *json = writer->json;
    json_out_open(json, '{');
    json_out_key(json, "address");
    json_out_hex(json, addr);
    if (symbolized != NULL) {
        json_out_set_text(json, "symbol", symbolized->offset == 0 ? symbolized->symbol : NULL);
        json_out_set_text(json, "name", symbolized->function);
        json_out_set_text(json, "file", symbolized->file);
        if (symbolized->file != NULL)
            json_out_set_integer(json, "line", symbolized->line);
    }
    json_out_close(json, '}');
}

/** The variable that a lock is in, and the name to show. */
static void
write_awaited(const struct omp_writer *writer, const mqs_omp_thread *thread)
{
    const struct symbolized *symbolized = openmp_symbolized(writer->omp, thread->wait_id);
    char *name = omp_wait(writer->omp, thread);
    json_out_open(writer->json, '{');
    json_out_set_text(writer->json, "symbol", symbolized->symbol);
    json_out_set_integer(writer->json, "offset", (int64_t) symbolized->offset);
    json_out_set_text(writer->json, "name", *name != '\0' ? name : NULL);
    json_out_close(writer->json, '}');
    free(name);
}

static void
write_record(struct omp_writer *writer, const struct omp_type *type, const void *record);

static void
write_task(struct omp_writer *writer, const mqs_omp_task *task)
{
    writer->written[task - writer->omp->tasks] = true;
    write_record(writer, &omp_task_type, task);
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
        json_out_open(json, '{');
        if (id != NULL && *id != '\0') {
            json_out_key(json, "id");
            write_escaped(json, id, MQS_OMP_ID);
        }
        json_out_object(json, "values");
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
    json_out_object(json, "process");
    for (size_t i = 0; i < omp->n_icvs; i++)
        if (omp->icvs[i].scope == MQS_OMP_OF_PROCESS)
            write_icv(json, &omp->icvs[i]);
    json_out_close(json, '}');
    for (size_t i = 0; i < OMP_SCOPES; i++) {
        json_out_key(json, omp_scopes[i].key);
        write_scope(json, omp, omp_scopes[i].scope, omp_scopes[i].kind);
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
    json_out_set_integer(json, "omp_version", info->omp_version);
}

static void
write_records(struct omp_writer *writer, const char *key, const struct omp_type *type,
              const void *records, size_t count)
{
    json_out_array(writer->json, key);
    for (size_t i = 0; i < count; i++)
        write_record(writer, type, (const char *) records + i * type->size);
    json_out_close(writer->json, ']');
}

/** The tasks that are no thread's. */
static void
write_other_tasks(struct omp_writer *writer)
{
    json_out_array(writer->json, "tasks");
    for (size_t i = 0; i < writer->omp->n_tasks; i++)
        if (!writer->written[i])
            write_task(writer, &writer->omp->tasks[i]);
    json_out_close(writer->json, ']');
}

static void
write_lists(struct json_out *json, const struct openmp *omp)
{
    if (omp->others_are_known) {
        json_out_array(json, "other_threads");
        for (size_t i = 0; i < omp->n_others; i++)
            json_out_integer(json, omp->others[i]);
        json_out_close(json, ']');
    }
    if (omp->has_control_vars) {
        json_out_array(json, "control_vars");
        for (size_t i = 0; i < omp->n_control_vars; i++)
            json_out_text(json, omp->control_vars[i]);
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
        write_records(&writer, "regions", &omp_region_type, omp->regions, omp->n_regions);
    write_records(&writer, "threads", &omp_thread_type, omp->threads, omp->n_threads);
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
