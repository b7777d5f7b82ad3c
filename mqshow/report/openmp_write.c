// SPDX-License-Identifier: BSD-3-Clause
// Writing the OpenMP side of a process as JSON.
#include "mqshow/report/openmp_json.h"

#include "mqshow/base/alloc.h"
#include "mqshow/base/escape.h"
#include "mqshow/base/json_out.h"

#include <stdlib.h>
#include <string.h>

const char omp_state_from_stack[] = "stack";

const struct omp_scope omp_scopes[OMP_SCOPES] = {
    {"regions", MQS_OMP_OF_REGION, &omp_region_type},
    {"threads", MQS_OMP_OF_THREAD, &omp_thread_type},
    {"tasks", MQS_OMP_OF_TASK, &omp_task_type},
};

/** The id of a record; NULL: there is no such record. */
static const char *
id_of(const struct openmp *omp, const struct record_type *type, int32_t number)
{
    const mqs_omp_thread *thread = type == &omp_thread_type ? openmp_thread(omp, number) : NULL;
    const mqs_omp_region *region = type == &omp_region_type ? openmp_region(omp, number) : NULL;
    const mqs_omp_task *task = type == &omp_task_type ? openmp_task(omp, number) : NULL;
    return thread != NULL   ? thread->id
           : region != NULL ? region->id
           : task != NULL   ? task->id
                            : NULL;
}

/** What is known of the whole. */
static uint32_t
known_parts(const struct openmp *omp)
{
    return (omp->has_regions ? OPENMP_HAS_REGIONS : 0u) | (omp->has_tasks ? OPENMP_HAS_TASKS : 0u) |
           (omp->others_are_known ? OPENMP_HAS_OTHERS : 0u) |
           (omp->has_control_vars ? OPENMP_HAS_CONTROL_VARS : 0u) |
           (omp->has_icvs ? OPENMP_HAS_ICVS : 0u);
}

bool
openmp_has(const struct field *field, const void *record, const struct record_place *place)
{
    const struct openmp *omp = place->omp->omp;
    const void *at = (const char *) record + field->offset;
    const uint64_t *number = at;
    const struct symbolized *symbolized;
    bool is_whole = record == omp;
    if (field->kind == FIELD_BIT)
        return is_whole || (((const mqs_omp_task *) record)->flags_known & field->known) != 0;
    if (field->known != 0 &&
        ((is_whole ? known_parts(omp) : *(const uint32_t *) record) & field->known) == 0)
        return false;
    switch (field->kind) {
    case FIELD_STATE_FROM:
        return omp->waits &&
               omp->waits[(const mqs_omp_thread *) record - omp->threads].state_from_stack;
    case FIELD_WAIT:
        return openmp_wait(omp, record) != NULL;
    case FIELD_CHARS:
        return *(const char *) at != '\0';
    case FIELD_NONZERO:
    case FIELD_ADDRESS:
    case FIELD_FUNCTION:
        return *number != 0;
    case FIELD_ID:
        return *(const int32_t *) at == MQS_OMP_NONE ||
               id_of(omp, field->type, *(const int32_t *) at) != NULL;
    case FIELD_AWAITED:
        symbolized = openmp_symbolized(omp, *number);
        return symbolized != NULL && (symbolized->symbol != NULL || symbolized->function != NULL);
    case FIELD_TOOL_DATA:
        // Runtimes do not tell a tool that attached nothing from no tool.
        return number[0] != 0 || number[1] != 0;
    default:
        return true;
    }
}

static void
write_escaped(struct json_out *json, const char *text, size_t size)
{
    char *escaped = escape_text(text, size);
    json_out_text(json, escaped);
    free(escaped);
}

static void
write_ids(struct json_out *json, const struct field *field, const void *record,
          const struct openmp *omp)
{
    LIST(int32_t) numbers;
    memcpy(&numbers, (const char *) record + field->offset, sizeof numbers);
    json_out_open(json, '[');
    for (size_t i = 0; i < numbers.count; i++) {
        const char *id = id_of(omp, field->type, numbers.items[i]);
        if (id != NULL)
            write_escaped(json, id, MQS_OMP_ID);
    }
    json_out_close(json, ']');
}

static void
write_function(struct json_out *json, const struct openmp *omp, uint64_t addr)
{
    const struct symbolized *symbolized = openmp_symbolized(omp, addr);
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
write_awaited(struct json_out *json, const struct openmp *omp, const mqs_omp_thread *thread)
{
    const struct symbolized *symbolized = openmp_symbolized(omp, thread->wait_id);
    char *name = omp_wait(omp, thread);
    json_out_open(json, '{');
    json_out_set_text(json, "symbol", symbolized->symbol);
    json_out_set_integer(json, "offset", (int64_t) symbolized->offset);
    json_out_set_text(json, "name", *name != '\0' ? name : NULL);
    json_out_close(json, '}');
    free(name);
}

/** Writes a task, and says whether it was written already: it would come round for ever. */
static bool
write_task(struct json_out *json, const mqs_omp_task *task, const struct record_place *place)
{
    bool *written = &place->omp->written[task - place->omp->omp->tasks];
    if (*written)
        return false;
    *written = true;
    record_write(json, &omp_task_type, task, place);
    return true;
}

/** The tasks that are no thread's. */
static void
write_other_tasks(struct json_out *json, const struct record_place *place)
{
    json_out_open(json, '[');
    for (size_t i = 0; i < place->omp->omp->n_tasks; i++)
        write_task(json, &place->omp->omp->tasks[i], place);
    json_out_close(json, ']');
}

/** The task that a thread executes and those that it has interrupted. */
static void
write_tasks(struct json_out *json, int32_t number, const struct record_place *place)
{
    const mqs_omp_task *task = openmp_task(place->omp->omp, number);
    json_out_open(json, '[');
    while (task != NULL && write_task(json, task, place))
        task = openmp_interrupted(place->omp->omp, task);
    json_out_close(json, ']');
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

static void
end_owner(struct json_out *json, const struct icv *last)
{
    if (last == NULL)
        return;
    json_out_close(json, '}');
    json_out_close(json, '}');
}

/** The variables of a scope, those of one owner together. */
static void
write_scope(struct json_out *json, const struct openmp *omp, const struct omp_scope *scope)
{
    const struct icv *last = NULL;
    json_out_array(json, scope->key);
    for (size_t i = 0; i < omp->n_icvs; i++) {
        const struct icv *icv = &omp->icvs[i];
        if (icv->scope != scope->scope)
            continue;
        if (last == NULL || last->number != icv->number) {
            const char *id = id_of(omp, scope->type, icv->number);
            end_owner(json, last);
            json_out_open(json, '{');
            if (id != NULL && *id != '\0') {
                json_out_key(json, "id");
                write_escaped(json, id, MQS_OMP_ID);
            }
            json_out_object(json, "values");
        }
        write_icv(json, icv);
        last = icv;
    }
    end_owner(json, last);
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
    for (size_t i = 0; i < OMP_SCOPES; i++)
        write_scope(json, omp, &omp_scopes[i]);
    json_out_close(json, '}');
}

void
openmp_write_value(struct json_out *json, const struct field *field, const void *record,
                   const struct record_place *place)
{
    const struct openmp *omp = place->omp->omp;
    const void *at = (const char *) record + field->offset;
    const int32_t *number = at;
    const uint64_t *addresses = at;
    switch (field->kind) {
    case FIELD_CHARS:
        write_escaped(json, at, field->size);
        break;
    case FIELD_BIT:
        json_out_bool(json, (*(const uint32_t *) at & field->known) != 0);
        break;
    case FIELD_ID:
        if (*number == MQS_OMP_NONE)
            json_out_null(json);
        else
            write_escaped(json, id_of(omp, field->type, *number), MQS_OMP_ID);
        break;
    case FIELD_IDS:
        write_ids(json, field, record, omp);
        break;
    case FIELD_STATE_FROM:
        json_out_text(json, omp_state_from_stack);
        break;
    case FIELD_WAIT:
        record_write(json, field->type, openmp_wait(omp, record), place);
        break;
    case FIELD_FUNCTION:
        write_function(json, omp, *addresses);
        break;
    case FIELD_AWAITED:
        write_awaited(json, omp, record);
        break;
    case FIELD_TASKS:
        write_tasks(json, *number, place);
        break;
    case FIELD_OTHER_TASKS:
        write_other_tasks(json, place);
        break;
    case FIELD_TOOL_DATA:
        json_out_open(json, '{');
        json_out_key(json, "value");
        json_out_hex(json, addresses[0]);
        json_out_key(json, "address");
        json_out_hex(json, addresses[1]);
        json_out_close(json, '}');
        break;
    case FIELD_ICVS:
        write_icvs(json, omp);
        break;
    default:
        json_out_null(json);
    }
}

void
openmp_write(struct json_out *json, const struct openmp *omp)
{
    struct omp_place in = {.omp = (struct openmp *) omp,
                           .written = alloc_zeroed(omp->n_tasks, sizeof(bool))};
    record_write(json, &openmp_type, omp, &(struct record_place){.omp = &in});
    free(in.written);
}

const char *
openmp_unknown(const void *record, const struct record_place *place)
{
    const struct openmp *omp = place->omp->omp;
    for (size_t i = 0; i < omp->unknown.count; i++)
        if (omp->unknown.items[i].record == (record != omp ? record : NULL))
            return omp->unknown.items[i].members;
    return NULL;
}
