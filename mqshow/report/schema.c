// SPDX-License-Identifier: BSD-3-Clause
#include "mqshow/report/schema.h"

#include "mqshow/base/json_out.h"
#include "mqshow/report/openmp_fields.h"
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
};

static const char *const omp_forms[] = {
    [OMP_TEXT] = "{\"type\": \"string\"}",
    [OMP_INTEGER] = "{\"type\": \"integer\"}",
    [OMP_NONZERO] = "{\"type\": \"integer\"}",
    [OMP_HEX] = "{" HEX_FORM "}",
    [OMP_ADDRESS] = "{" HEX_FORM "}",
    [OMP_FLAG] = "{\"type\": \"boolean\"}",
    [OMP_REGION] = "{\"type\": [\"string\", \"null\"]}",
    [OMP_THREAD] = "{\"type\": [\"string\", \"null\"]}",
    [OMP_TASK] = "{\"type\": [\"string\", \"null\"]}",
    [OMP_FUNCTION] = "{\"type\": \"object\", \"properties\": {"
                     "\"address\": {" HEX_FORM "}, \"symbol\": {\"type\": \"string\"}, "
                     "\"name\": {\"type\": \"string\"}, \"file\": {\"type\": \"string\"}, "
                     "\"line\": {\"type\": \"integer\"}}}",
    [OMP_AWAITED] = "{\"type\": \"object\", \"properties\": {"
                    "\"symbol\": {\"type\": \"string\"}, \"offset\": {\"type\": \"integer\"}, "
                    "\"name\": {\"type\": \"string\"}}}",
    [OMP_TASKS] = LIST_OF("\"$ref\": \"#/$defs/openmp_task\""),
    [OMP_TOOL_DATA] = "{\"type\": \"object\", \"properties\": {"
                      "\"value\": {" HEX_FORM "}, \"address\": {" HEX_FORM "}}}",
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

static const char openmp_form[] =
    "{\"type\": \"object\", \"properties\": {"
    "\"runtime\": {\"type\": \"string\"}, \"release\": {\"type\": \"string\"}, "
    "\"backend\": {\"type\": \"string\"}, \"state_tracking\": {\"type\": \"boolean\"}, "
    "\"omp_version\": {\"type\": \"integer\"}, "
    "\"regions\": " LIST_OF(
        "\"$ref\": \"#/$defs/openmp_region\"") ", "
                                               "\"threads\": " LIST_OF(
                                                   "\"$ref\": \"#/$defs/openmp_thread\"") ", "
                                                                                          "\"tasks"
                                                                                          "\":"
                                                                                          " " LIST_OF(
                                                                                              "\"$"
                                                                                              "ref"
                                                                                              "\": "
                                                                                              "\"#/"
                                                                                              "$def"
                                                                                              "s/"
                                                                                              "open"
                                                                                              "mp_"
                                                                                              "task"
                                                                                              "\"") ", "
                                                                                                    "\"other_threads\": " LIST_OF(
                                                                                                        "\"type\": \"integer\"") ", "
                                                                                                                                 "\"control_vars\": " LIST_OF(
                                                                                                                                     "\"type\": \"string\"") ", "
                                                                                                                                                             "\"icvs\": {\"type\": \"object\"}}}";

static void
write_reference(struct json_out *json, const struct record_type *type)
{
    char text[64];
    snprintf(text, sizeof text, "#/$defs/%s", type->name);
    json_out_set_text(json, "$ref", text);
}

/** The names of words; there is no number beyond that has one. */
static void
write_names(struct json_out *json, const char *(*name)(int) )
{
    json_out_array(json, "enum");
    for (int i = 0; i < NAMES_MAX; i++) {
        if (name(i) == NULL)
            continue;
        json_out_text(json, name(i));
    }
    json_out_close(json, ']');
}

static void
write_items(struct json_out *json, const struct field *field)
{
    json_out_set_text(json, "type", "array");
    json_out_object(json, "items");
    if (field->kind == FIELD_QUEUES)
        write_names(json, field->name);
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
        write_names(json, field->name);
    else if (field->kind == FIELD_RECORD || field->kind == FIELD_ACTUAL)
        write_reference(json, field->type);
    else if (field->kind == FIELD_RECORDS || field->kind == FIELD_QUEUE ||
             field->kind == FIELD_QUEUES)
        write_items(json, field);
    else
        json_out_members_of_text(json, forms[field->kind]);
    json_out_close(json, '}');
}

static void
begin_record(struct json_out *json, const char *name)
{
    json_out_object(json, name);
    json_out_set_text(json, "type", "object");
    json_out_object(json, "properties");
}

static void
end_record(struct json_out *json)
{
    json_out_close(json, '}');
    json_out_close(json, '}');
}

static void
write_records(struct json_out *json)
{
    static const struct record_type *const types[] = {
        &report_type,        &mpi_record_type,      &communicator_type,
        &operation_type,     &envelope_record_type, &collective_record_type,
        &thread_record_type, &frame_record_type,    &awaits_record_type,
    };
    for (size_t i = 0; i < COUNT(types); i++) {
        begin_record(json, types[i]->name);
        for (size_t k = 0; k < types[i]->n_fields; k++)
            write_field(json, &types[i]->fields[k]);
        end_record(json);
    }
}

static void
write_openmp(struct json_out *json)
{
    static const struct {
        const char *name;
        const struct omp_type *type;
    } types[] = {{"openmp_thread", &omp_thread_type},
                 {"openmp_region", &omp_region_type},
                 {"openmp_task", &omp_task_type}};
    json_out_object(json, "openmp");
    json_out_members_of_text(json, openmp_form);
    json_out_close(json, '}');
    for (size_t i = 0; i < COUNT(types); i++) {
        begin_record(json, types[i].name);
        for (size_t k = 0; k < types[i].type->n_fields; k++) {
            const struct omp_field *field = &types[i].type->fields[k];
            json_out_key(json, field->key);
            json_out_open(json, '{');
            json_out_set_text(json, "description", field->meaning);
            json_out_members_of_text(json, omp_forms[field->kind]);
            json_out_close(json, '}');
        }
        end_record(json);
    }
}

void
schema_write(FILE *out)
{
    struct json_out json;
    json_out_begin(&json, out, JSON_INDENT(1) | JSON_ENSURE_ASCII);
    json_out_open(&json, '{');
    json_out_members_of_text(&json, document_form);
    json_out_object(&json, "$defs");
    write_records(&json);
    write_openmp(&json);
    json_out_close(&json, '}');
    json_out_close(&json, '}');
    json_out_end(&json);
    fputc('\n', out);
}
