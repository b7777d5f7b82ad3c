// SPDX-License-Identifier: BSD-3-Clause
// The JSON Schema of documents, made of report.def.
#include "mqshow/report/document.h"

#include "mqshow/base/json_out.h"
#include "mqshow/report/openmp_json.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

#define TEXT_FORM     "{\"type\": \"string\"}"
#define INTEGER_FORM  "{\"type\": \"integer\"}"
#define NUMBER_FORM   "{\"type\": \"number\"}"
#define FLAG_FORM     "{\"type\": \"boolean\"}"
#define OBJECT_FORM   "{\"type\": \"object\"}"
#define HEX_FORM      "{\"type\": \"string\", \"pattern\": \"^0x[0-9a-f]+$\"}"
#define OR_ANY_FORM   "{\"anyOf\": [{\"type\": \"integer\"}, {\"const\": \"any\"}]}"
#define LIST_OF(form) "{\"type\": \"array\", \"items\": " form "}"
#define TEXTS_FORM    LIST_OF(TEXT_FORM)
#define OBJECTS_FORM  LIST_OF(OBJECT_FORM)

/** What values of a kind are; a record, a word and a list of these are made of their types. */
static const char *const forms[] = {
    [FIELD_INTEGER] = INTEGER_FORM,
    [FIELD_INT32] = INTEGER_FORM,
    [FIELD_RANK] = "{\"type\": \"integer\", \"minimum\": 0}",
    [FIELD_RANK_OR_ANY] = OR_ANY_FORM,
    [FIELD_INT32_OR_ANY] = OR_ANY_FORM,
    [FIELD_HEX] = HEX_FORM,
    [FIELD_FLAG] = FLAG_FORM,
    [FIELD_MILLISECONDS] = NUMBER_FORM,
    [FIELD_TEXT] = TEXT_FORM,
    [FIELD_KEPT] = TEXT_FORM,
    [FIELD_KEPT_LINES] = TEXTS_FORM,
    [FIELD_INTEGERS] = LIST_OF(INTEGER_FORM),
    [FIELD_ADDRESSES] = LIST_OF(HEX_FORM),
    [FIELD_TEXTS] = TEXTS_FORM,
    [FIELD_RANKS] = LIST_OF("{\"anyOf\": [{\"type\": \"integer\"}, "
                            "{\"type\": \"string\", \"pattern\": \"^[0-9]+-[0-9]+$\"}]}"),
    [FIELD_TRAFFIC] = LIST_OF("{\"type\": \"array\", \"items\": {\"type\": \"integer\"}, "
                              "\"minItems\": 3, \"maxItems\": 3}"),
    [FIELD_CHARS] = TEXT_FORM,
    [FIELD_NONZERO] = INTEGER_FORM,
    [FIELD_ADDRESS] = HEX_FORM,
    [FIELD_BIT] = FLAG_FORM,
    [FIELD_ID] = "{\"type\": [\"string\", \"null\"]}",
    [FIELD_IDS] = TEXTS_FORM,
    [FIELD_STATE_FROM] = TEXT_FORM,
    [FIELD_FUNCTION] = "{\"type\": \"object\", \"properties\": {"
                       "\"address\": " HEX_FORM ", \"symbol\": " TEXT_FORM ", "
                       "\"name\": " TEXT_FORM ", \"file\": " TEXT_FORM ", "
                       "\"line\": " INTEGER_FORM "}}",
    [FIELD_AWAITED] = "{\"type\": \"object\", \"properties\": {"
                      "\"symbol\": " TEXT_FORM ", \"offset\": " INTEGER_FORM ", "
                      "\"name\": " TEXT_FORM "}}",
    [FIELD_TOOL_DATA] = "{\"type\": \"object\", \"properties\": {"
                        "\"value\": " HEX_FORM ", \"address\": " HEX_FORM "}}",
    [FIELD_ICVS] = OBJECT_FORM,
};

/** The document around its records. */
static const char document_form[] =
    "{\"$schema\": \"https://json-schema.org/draft/2020-12/schema\", \"title\": \"mqs-ompd/1\", "
    "\"type\": \"object\", \"required\": [\"schema\", \"processes\"], \"properties\": {"
    "\"schema\": {\"const\": \"mqs-ompd/1\"}, "
    "\"processes\": {\"type\": \"array\", \"items\": {\"$ref\": \"#/$defs/process\"}}, "
    "\"messages\": " TEXTS_FORM ", \"stats\": " OBJECT_FORM ", "
    "\"looks\": {\"type\": \"object\", \"properties\": {\"count\": " INTEGER_FORM ", "
    "\"seconds\": " NUMBER_FORM ", \"moved\": " FLAG_FORM "}}, "
    "\"verdict\": {\"type\": \"object\", \"required\": [\"kind\", \"text\"]}, "
    "\"tree\": {\"type\": \"object\", \"description\": \"with --tree: all stacks as one tree\", "
    "\"required\": [\"frames\", \"processes\", \"threads\", \"outliers\", \"nodes\"], "
    "\"properties\": {\"frames\": {\"enum\": [\"function\", \"line\"]}, "
    "\"processes\": " INTEGER_FORM ", \"threads\": " INTEGER_FORM ", "
    "\"without_threads\": " INTEGER_FORM ", \"nodes_left_out\": " INTEGER_FORM ", "
    "\"ranks_are\": " TEXT_FORM ", "
    "\"outliers\": {\"type\": \"array\", \"items\": {\"type\": \"object\", "
    "\"required\": [\"ranks\", \"count\", \"others\"], \"properties\": {"
    "\"ranks\": {\"type\": \"array\"}, \"count\": " INTEGER_FORM ", \"place\": " TEXT_FORM ", "
    "\"others\": " INTEGER_FORM ", \"others_place\": " TEXT_FORM "}}}, "
    "\"nodes\": {\"type\": \"array\", \"items\": {\"type\": \"object\", "
    "\"required\": [\"kind\", \"name\", \"ranks\", \"processes\", \"threads\"], "
    "\"properties\": {\"parent\": " INTEGER_FORM ", "
    "\"kind\": {\"enum\": [\"function\", \"call\", \"wait\", \"helpers\", \"unknown\", \"here\"]}, "
    "\"name\": " TEXT_FORM ", \"file\": " TEXT_FORM ", \"line\": " INTEGER_FORM ", "
    "\"repeats\": " INTEGER_FORM ", \"ranks\": {\"type\": \"array\"}, "
    "\"processes\": " INTEGER_FORM ", \"threads\": " INTEGER_FORM ", "
    "\"moved\": " INTEGER_FORM ", \"unmoved\": " INTEGER_FORM "}}}}}, "
    "\"time\": " TEXT_FORM ", \"host\": " TEXT_FORM ", \"version\": " TEXT_FORM ", "
    "\"changes\": {\"type\": \"object\", \"properties\": {"
    "\"new\": " OBJECTS_FORM ", \"gone\": " OBJECTS_FORM ", "
    "\"moved\": " INTEGER_FORM ", \"unmoved\": " INTEGER_FORM ", "
    "\"threads_moved\": " INTEGER_FORM ", \"threads_unmoved\": " INTEGER_FORM ", "
    "\"verdict\": " FLAG_FORM "}}}}";

static void
write_reference(struct json_out *json, const struct record_type *type)
{
    char text[64];
    snprintf(text, sizeof text, "#/$defs/%s", type->name);
    json_out_set_text(json, "$ref", text);
}

/** The names of words; there is no number beyond that has one. */
static void
write_names(struct json_out *json, const struct record_type *words)
{
    json_out_array(json, "enum");
    for (int i = 0; i < NAMES_MAX; i++) {
        if (words->word(i) != NULL)
            json_out_text(json, words->word(i));
    }
    json_out_close(json, ']');
}

static void
write_items(struct json_out *json, const struct field *field)
{
    json_out_set_text(json, "type", "array");
    json_out_object(json, "items");
    if (field->kind == FIELD_QUEUES)
        write_names(json, field->type);
    else
        write_reference(json, field->type);
    json_out_close(json, '}');
}

static void
write_field(struct json_out *json, const struct field *field)
{
    json_out_key(json, field->key);
    json_out_open(json, '{');
    json_out_set_text(json, "description", field->meaning);
    if (field->kind == FIELD_WORD)
        write_names(json, field->type);
    else if (field->kind == FIELD_RECORD || field->kind == FIELD_ACTUAL ||
             field->kind == FIELD_OPENMP || field->kind == FIELD_WAIT)
        write_reference(json, field->type);
    else if (forms[field->kind] != NULL)
        json_out_members_of_text(json, forms[field->kind]);
    else
        write_items(json, field);
    json_out_close(json, '}');
}

static void
write_record(struct json_out *json, const struct record_type *type)
{
    json_out_object(json, type->name);
    json_out_set_text(json, "type", "object");
    json_out_object(json, "properties");
    for (size_t i = 0; i < type->n_fields; i++)
        write_field(json, &type->fields[i]);
    json_out_close(json, '}');
    json_out_close(json, '}');
}

void
schema_write(FILE *out)
{
    static const struct record_type *const types[] = {
        &report_type,
        &mpi_record_type,
        &communicator_type,
        &operation_type,
        &envelope_record_type,
        &collective_record_type,
        &handle_record_type,
        &layout_row_type,
        &nonblocking_record_type,
        &thread_record_type,
        &frame_record_type,
        &awaits_record_type,
        &window_lock_type,
        &system_record_type,
        &kernel_record_type,
        &memory_record_type,
        &unread_record_type,
        &openmp_type,
        &omp_thread_type,
        &omp_region_type,
        &omp_task_type,
        &omp_wait_record_type,
        &device_record_type,
        &accelerator_record_type,
        &arguments_record_type,
        &exception_record_type,
    };
    struct json_out json;
    json_out_begin(&json, out, JSON_INDENT(1) | JSON_ENSURE_ASCII);
    json_out_open(&json, '{');
    json_out_members_of_text(&json, document_form);
    json_out_object(&json, "$defs");
    for (size_t i = 0; i < COUNT(types); i++)
        write_record(&json, types[i]);
    json_out_close(&json, '}');
    json_out_close(&json, '}');
    json_out_end(&json);
    fputc('\n', out);
}
