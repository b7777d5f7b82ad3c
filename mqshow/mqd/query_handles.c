// SPDX-License-Identifier: BSD-3-Clause
// Asking a library what MPI handles are: of all objects, or of the handles that the user names.
#include "mqshow/mqd/query.h"

#include "mqshow/base/alloc.h"
#include "mqshow/base/escape.h"

#include <stdlib.h>
#include <string.h>

enum { HANDLES_MAX = 100000 }; // of a kind

static const char *
state_of(const mqs_object *object)
{
    static const char *const names[mqs_object_state_count] = {"null", "predefined", "live",
                                                              "freed"};
    return object->state >= 0 && object->state < mqs_object_state_count ? names[object->state]
                                                                        : NULL;
}

static struct handle_record *
add_handle(struct query *query, int kind, uint64_t value)
{
    struct report *report = query->report;
    struct handle_record *handle =
        ALLOC_ADD(report->handles.items, report->handles.count, report->handles.capacity);
    const char *name = query->dll->mqs_object_kind_name(kind);
    record_init(&handle_record_type, handle);
    handle->kind = name != NULL ? report_keep(report, alloc_text(name)) : NULL;
    SET(handle, HANDLE_VALUE, value, value);
    report->has |= 1u << PROCESS_HANDLES;
    return handle;
}

static void
describe(struct query *query, const mqs_object *object, struct handle_record *handle)
{
    char text[MQS_OBJECT_TEXT] = "";
    handle->state = state_of(object);
    if ((object->known & MQS_OBJECT_NAME) != 0 && object->name[0] != '\0')
        handle->name = report_keep(query->report, escape_text(object->name, sizeof object->name));
    if (query->dll->mqs_describe_object(query->process, object, text, sizeof text) == mqs_ok)
        handle->text = report_keep(query->report, escape_text(text, sizeof text));
}

static void
query_kind(struct query *query, int kind)
{
    const struct dll *dll = query->dll;
    mqs_object object = {.known = 0};
    int code = dll->mqs_setup_object_iterator(query->process, kind);
    for (int i = 0; code == mqs_ok && i < HANDLES_MAX; i++) {
        code = dll->mqs_next_object(query->process, &object);
        bool is_own = object.state == mqs_object_live || object.state == mqs_object_freed;
        if (code == mqs_ok && (is_own || query->options->all))
            describe(query, &object, add_handle(query, kind, object.handle));
    }
    if (code != mqs_ok && code != mqs_end_of_list && code != mqs_no_information)
        query_add_failure(query, "handles", code);
}

static int
kind_of(const struct dll *dll, const char *name)
{
    for (int kind = 0; kind < mqs_object_kind_count; kind++) {
        const char *known = dll->mqs_object_kind_name(kind);
        if (known != NULL && strcmp(known, name) == 0)
            return kind;
    }
    return -1;
}

static void
query_asked(struct query *query, const struct asked_handle *asked)
{
    mqs_object object = {.known = 0};
    int kind = kind_of(query->dll, asked->kind);
    if (kind < 0) {
        report_problem(query->report,
                       alloc_format("there is no kind of handle \"%s\": communicator, "
                                    "datatype, request, ...",
                                    asked->kind));
        return;
    }
    int form = kind == mqs_object_status ? mqs_form_address
                                         : (asked->fortran ? mqs_form_fortran : mqs_form_c);
    struct handle_record *handle = add_handle(query, kind, asked->value);
    int code = query->dll->mqs_query_handle(query->process, kind, form, asked->value, &object);
    if (code == mqs_ok)
        describe(query, &object, handle);
    else if (code == mqs_no_information)
        handle->text = "not a handle";
    else
        query_add_failure(query, "handle", code);
}

void
query_handles(struct query *query)
{
    const struct options *options = query->options;
    const struct dll *dll = query->dll;
    if (!options->handles && options->n_asked == 0)
        return;
    if (dll->mqs_query_handle == NULL || dll->mqs_setup_object_iterator == NULL ||
        dll->mqs_next_object == NULL || dll->mqs_describe_object == NULL ||
        dll->mqs_object_kind_name == NULL) {
        report_problem(query->report, alloc_text("handles: the library does not know them"));
        return;
    }
    for (int kind = 0; options->handles && kind < mqs_object_kind_count; kind++)
        if (kind != mqs_object_status)
            query_kind(query, kind);
    for (size_t i = 0; i < options->n_asked; i++)
        query_asked(query, &options->asked[i]);
}
