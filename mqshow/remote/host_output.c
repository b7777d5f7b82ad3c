// SPDX-License-Identifier: BSD-3-Clause
// The output of this program on another machine: a document, line by line, or complaints.
#include "mqshow/remote/host_output.h"

#include "mqshow/base/escape.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum {
    COMPLAINT_MAX = 300,
    VALUE_BYTES = 128, // of memory for a value, beside its text: an empty array takes most
};

/** Memory for the values that begin in a line, its text included. */
static uint64_t
memory_of(const char *line)
{
    uint64_t ret = 0;
    for (; *line != '\0'; line++)
        ret +=
            strchr(",[{", *line) != NULL ? VALUE_BYTES : 2; // of text: as it came and as it is read
    return ret;
}

static void
forget(struct host_output *output)
{
    free(output->text);
    output->text = NULL;
    output->length = output->capacity = 0;
}

static void
append(struct host_output *output, const char *line, uint64_t *memory)
{
    uint64_t needed = memory_of(line);
    if (output->too_long)
        return;
    if (needed > *memory || output->memory + needed > HOST_OUTPUT_MEMORY_MAX) {
        output->too_long = true;
        forget(output);
        *memory += output->memory;
        return;
    }
    *memory -= needed;
    output->memory += needed;
    output->text =
        alloc_append(output->text, &output->length, &output->capacity, line, strlen(line));
    output->text = alloc_append(output->text, &output->length, &output->capacity, "\n", 1);
}

bool
host_output_add(struct host_output *output, const char *line, uint64_t *memory)
{
    if (output->complete)
        return false;
    output->inside = output->inside || strcmp(line, "{") == 0;
    if (!output->inside)
        return false;
    append(output, line, memory);
    output->complete = strcmp(line, "}") == 0;
    return output->complete;
}

void
host_output_complain(struct host_output *output, const char *line)
{
    size_t length = output->complaint.length;
    if (length >= COMPLAINT_MAX || *line == '\0')
        return;
    char *escaped = escape_text(line, COMPLAINT_MAX - length);
    strbuf_add(&output->complaint, "%s%s", length > 0 ? "; " : "", escaped);
    free(escaped);
}

json_t *
host_output_document(struct host_output *output, bool jobs)
{
    json_t *read = output->complete && !output->too_long
                       ? json_loadb(output->text, output->length, 0, NULL)
                       : NULL;
    forget(output);
    const char *schema = json_string_value(json_object_get(read, "schema"));
    if (schema == NULL || strcmp(schema, jobs ? "mqs-ompd-jobs/1" : "mqs-ompd/1") != 0 ||
        !json_is_array(json_object_get(read, jobs ? "jobs" : "processes"))) {
        json_decref(read);
        return NULL;
    }
    return read;
}

void
host_output_deinit(struct host_output *output)
{
    free(output->text);
    free(output->complaint.text);
    *output = (struct host_output){.text = NULL};
}
