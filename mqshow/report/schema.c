// SPDX-License-Identifier: BSD-3-Clause
#include "mqshow/report/schema.h"

#include "mqshow/base/json_out.h"
#include "mqshow/report/openmp_json.h"
#include "mqshow/report/report.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

#define HEX_FORM      "\"type\": \"string\", \"pattern\": \"^0x[0-9a-f]+$\""
#define OR_ANY_FORM   "\"anyOf\": [{\"type\": \"integer\"}, {\"const\": \"any\"}]"
#define LIST_OF(form) "{\"type\": \"array\", \"items\": {" form "}}"

/** What values of a kind are; a record, a word and a list of these are made of their types. */
static const char *const forms[] = {
    [FIELD_INTEGER] = "{\"type\": \"integer\"}",
    [FIELD_INT32] = "{\"type\": \"integer\"}",
    [FIELD_RANK] = "{\"type\": \"integer\", \"minimum\": 0}",
    [FIELD_RANK_OR_ANY] = "{" OR_ANY_FORM "}",
    [FIELD_INT32_OR_ANY] = "{" OR_ANY_FORM "}",
    [FIELD_HEX] = "{" HEX_FORM "}",
    [FIELD_FLAG] = "{\"type\": \"boolean\"}",
    [FIELD_MILLISECONDS] = "{\"type\": \"number\"}",
    [FIELD_TEXT] = "{\"type\": \"string\"}",
    [FIELD_KEPT] = "{\"type\": \"string\"}",
    [FIELD_KEPT_LINES] = LIST_OF("\"type\": \"string\""),
    [FIELD_INTEGERS] = LIST_OF("\"type\": \"integer\""),
    [FIELD_ADDRESSES] = LIST_OF(HEX_FORM),
    [FIELD_TEXTS] = LIST_OF("\"type\": \"string\""),
    [FIELD_RANKS] = LIST_OF("\"anyOf\": [{\"type\": \"integer\"}, "
                            "{\"type\": \"string\", \"pattern\": \"^[0-9]+-[0-9]+$\"}]"),
    [FIELD_TRAFFIC] = LIST_OF("\"type\": \"array\", \"items\": {\"type\": \"integer\"}, "
                              "\"minItems\": 3, \"maxItems\": 3"),
    [FIELD_OPENMP] = "{\"$ref\": \"#/$defs/openmp\"}",
    [FIELD_CHARS] = "{\"type\": \"string\"}",
    [FIELD_NONZERO] = "{\"type\": \"integer\"}",
    [FIELD_ADDRESS] = "{" HEX_FORM "}",
    [FIELD_BIT] = "{\"type\": \"boolean\"}",
    [FIELD_ID] = "{\"type\": [\"string\", \"null\"]}",
    [FIELD_FUNCTION] = "{\"type\": \"object\", \"properties\": {"
                       "\"address\": {" HEX_FORM "}, \"symbol\": {\"type\": \"string\"}, "
                       "\"name\": {\"type\": \"string\"}, \"file\": {\"type\": \"string\"}, "
                       "\"line\": {\"type\": \"integer\"}}}",
    [FIELD_AWAITED] = "{\"type\": \"object\", \"properties\": {"
                      "\"symbol\": {\"type\": \"string\"}, \"offset\": {\"type\": \"integer\"}, "
                      "\"name\": {\"type\": \"string\"}}}",
    [FIELD_TOOL_DATA] = "{\"type\": \"object\", \"properties\": {"
                        "\"value\": {" HEX_FORM "}, \"address\": {" HEX_FORM "}}}",
    [FIELD_ICVS] = "{\"type\": \"object\"}",
};

/** The document around its records. */
static const char document_form[] =
    "{\"$schema\": \"https://json-schema.org/draft/2020-12/schema\", \"title\": \"mqs-ompd/1\", "
    "\"type\": \"object\", \"required\": [\"schema\", \"processes\"], \"properties\": {"
    "\"schema\": {\"const\": \"mqs-ompd/1\"}, "
    "\"processes\": {\"type\": \"array\", \"items\": {\"$ref\": \"#/$defs/process\"}}, "
    "\"messages\": " LIST_OF(
        "\"type\": \"string\"") ", "
                                "\"stats\": {\"type\": \"object\"}, "
                                "\"looks\": {\"type\": \"object\", \"properties\": {\"count\": "
                                "{\"type\": \"integer\"}, "
                                "\"seconds\": {\"type\": \"number\"}, \"moved\": {\"type\": "
                                "\"boolean\"}}}, "
                                "\"verdict\": {\"type\": \"object\", \"required\": [\"kind\", "
                                "\"text\"]}, "
                                "\"time\": {\"type\": \"string\"}, "
                                "\"changes\": {\"type\": \"object\", \"properties\": {"
                                "\"new\": " LIST_OF(
                                    "\"type\": \"object\"") ", "
                                                            "\"gone\": " LIST_OF(
                                                                "\"type\": \"object\"") ", "
                                                                                        "\"moved\":"
                                                                                        " {"
                                                                                        "\"type\": "
                                                                                        "\"integer"
                                                                                        "\"}, "
                                                                                        "\"unmoved"
                                                                                        "\": "
                                                                                        "{\"type\":"
                                                                                        " \"integer"
                                                                                        "\"}, "
                                                                                        "\"threads_"
                                                                                        "moved\": "
                                                                                        "{\"type\":"
                                                                                        " \"integer"
                                                                                        "\"}, "
                                                                                        "\"threads_"
                                                                                        "unmoved\":"
                                                                                        " {"
                                                                                        "\"type\": "
                                                                                        "\"integer"
                                                                                        "\"}, "
                                                                                        "\"verdict"
                                                                                        "\": "
                                                                                        "{\"type\":"
                                                                                        " \"boolean"
                                                                                        "\"}}}}}";

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
    else if (field->kind == FIELD_RECORD || field->kind == FIELD_ACTUAL)
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
        &report_type,        &mpi_record_type,      &communicator_type,
        &operation_type,     &envelope_record_type, &collective_record_type,
        &thread_record_type, &frame_record_type,    &awaits_record_type,
        &openmp_type,        &omp_thread_type,      &omp_region_type,
        &omp_task_type,
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
