// SPDX-License-Identifier: BSD-3-Clause
// Asks the DLL for the MPI objects of a process, by both interfaces, and prints what is known of
// them.
#include "tests/script/debugger.h"

#include "mpidbg.h"
#include "mqs_handles.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { LIST_LIMIT = 1 << 20 };

// A text in which addresses of the script's objects are labels.
__attribute__((format(printf, 2, 3))) static void
print_text(struct debugger *debugger, const char *format, ...)
{
    va_list arguments;
    char *text = NULL;

    va_start(arguments, format);
    if (vasprintf(&text, format, arguments) < 0)
        abort();
    va_end(arguments);
    fputc(' ', debugger->out);
    debugger_text(debugger, text);
    free(text);
}

// What is known of another process's rank, or of a send whose mode cannot be read.
static bool
says_nothing(const mqs_object_member *member)
{
    return ((member->member == mqs_member_member || member->member == mqs_member_remote_member) &&
            member->value == MQS_INVALID_PROCESS) ||
           (member->member == mqs_member_operation && !strcmp(member->text, "send"));
}

static void
show_member(struct debugger *debugger, const mqs_object_member *member)
{
    const char *name = debugger->dll->mqs_member_name(member->member);

    if (!name)
        host_violation("member %d has no name", member->member);
    check_zero_filled("member", member->text, sizeof(member->text));
    if (says_nothing(member))
        return;
    fprintf(debugger->out, "    %s[%d]", name, member->index);
    if (member->type == mqs_value_text)
        print_text(debugger, "%s", member->text);
    else if (member->type == mqs_value_address || member->type == mqs_value_handle)
        print_text(debugger, "%#" PRIx64, (uint64_t) member->value);
    else
        print_text(debugger, "%" PRId64, member->value);
    fputc('\n', debugger->out);
}

static void
show_members(struct debugger *debugger, const mqs_object *object)
{
    const struct dll *dll = debugger->dll;
    mqs_process *process = &debugger->fake->process;
    mqs_object_member member;

    int result = dll->mqs_setup_member_iterator(process, object);
    if (!debugger_succeeded(debugger, "members", result, NULL))
        return;
    for (int i = 0; i < LIST_LIMIT; i++) {
        memset(&member, 0xee, sizeof(member));
        result = dll->mqs_next_member(process, &member);
        if (result == mqs_end_of_list || !debugger_succeeded(debugger, "member", result, NULL))
            return;
        show_member(debugger, &member);
    }
    host_violation("members without end");
}

static void
show_object(struct debugger *debugger, const mqs_object *object)
{
    static const char *const states[] = {"null", "predefined", "live", "freed"};
    char text[MQS_OBJECT_TEXT] = "";

    if (object->state < 0 || object->state >= mqs_object_state_count)
        host_violation("state %d of an object", object->state);
    else
        fprintf(debugger->out, "  %s", states[object->state]);
    check_zero_filled("name", object->name, sizeof(object->name));
    print_text(debugger, "%#" PRIx64, object->handle);
    fputc('\n', debugger->out);
    if (object->known & MQS_OBJECT_NAME) {
        fputs("    name", debugger->out);
        print_text(debugger, "%s", object->name);
        fputc('\n', debugger->out);
    }
    // Not printed: it is made of the members, of fewer where one cannot be read.
    int result =
        debugger->dll->mqs_describe_object(&debugger->fake->process, object, text, sizeof(text));
    debugger_succeeded(debugger, "text", result, NULL);
    if (!memchr(text, '\0', sizeof(text)))
        host_violation("a text of an object has no NUL");
    show_members(debugger, object);
}

static void
free_all(void *const *memory, size_t n, const mqs_basic_callbacks *basic)
{
    for (size_t i = 0; i < n; i++) {
        if (memory[i])
            basic->mqs_free_fp(memory[i]);
    }
}

// The same object by version 1, for what may go wrong there: nothing is printed.
static void
ask_version_1(struct debugger *debugger, const mqs_object *object)
{
    const struct dll *dll = debugger->dll;
    const mqs_basic_callbacks *basic = &debugger->fake->basic;
    struct fake *fake = debugger->fake;
    struct mpidbg_comm_info_t *comm = NULL;
    struct mpidbg_errhandler_info_t *handler = NULL;

    if (object->kind == mqs_object_communicator &&
        dll->mpidbg_comm_query(&fake->image, NULL, &fake->process, NULL, object->handle, &comm) ==
            MPIDBG_SUCCESS) {
        for (int i = 0; i < comm->comm_num_attrs; i++)
            free_all((void *[]){comm->comm_attrs[i].value, comm->comm_attrs[i].keyval_name}, 2,
                     basic);
        free_all((void *[]){comm->comm_local_procs, comm->comm_remote_procs, comm->comm_cart_dims,
                            comm->comm_cart_periods, comm->comm_attrs, comm},
                 6, basic);
    }
    if (object->kind == mqs_object_errhandler &&
        dll->mpidbg_errhandler_query(&fake->image, NULL, &fake->process, NULL, object->handle,
                                     &handler) == MPIDBG_SUCCESS)
        basic->mqs_free_fp(handler);
}

static void
show_kind(struct debugger *debugger, int kind)
{
    const struct dll *dll = debugger->dll;
    mqs_process *process = &debugger->fake->process;
    mqs_object object;

    int result = dll->mqs_setup_object_iterator(process, kind);
    for (int i = 0; result == mqs_ok && i < LIST_LIMIT; i++) {
        memset(&object, 0xee, sizeof(object));
        result = dll->mqs_next_object(process, &object);
        if (result == mqs_end_of_list)
            return;
        if (result == mqs_ok) {
            show_object(debugger, &object);
            ask_version_1(debugger, &object);
        }
    }
    debugger_succeeded(debugger, "objects", result, NULL);
}

void
debugger_handles(struct debugger *debugger)
{
    const struct dll *dll = debugger->dll;
    struct fake *fake = debugger->fake;
    struct mpidbg_handle_info_t types;

    if (!dll->mqs_query_handle || !dll->mpidbg_init_once)
        return;
    int result = dll->mpidbg_init_once(&fake->basic);
    if (result == MPIDBG_SUCCESS)
        result = dll->mpidbg_init_per_image(&fake->image, &fake->image_callbacks, &types);
    if (result == MPIDBG_SUCCESS)
        dll->mpidbg_init_per_process(&fake->process, &fake->process_callbacks, &types);
    for (int kind = 0; kind < mqs_object_kind_count; kind++) {
        fprintf(debugger->out, "%ss\n", dll->mqs_object_kind_name(kind));
        show_kind(debugger, kind);
    }
    if (fake->process.info)
        dll->mpidbg_finalize_per_process(&fake->process, fake->process.info);
    if (fake->image.info)
        dll->mpidbg_finalize_per_image(&fake->image, fake->image.info);
}
