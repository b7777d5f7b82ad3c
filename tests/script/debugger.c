// SPDX-License-Identifier: BSD-3-Clause
// Calls the DLL in the order in which a debugger does, and prints what it would see.
#include "tests/script/debugger.h"

#include "tests/script/heap.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { LIST_LIMIT = 1 << 20 };

void
check_zero_filled(const char *what, const char *text, size_t size)
{
    size_t length = strnlen(text, size);

    if (length == size)
        host_violation("%s has no NUL", what);
    for (size_t i = length; i < size; i++) {
        if (text[i]) {
            host_violation("%s has garbage behind its NUL", what);
            return;
        }
    }
}

// Prints the number that a text starts with, as a label if it is an address in an object. Another
// address ("at 0x...") stands for its page: how far into a struct a member is depends on the data
// model. @return what follows it
static const char *
show_number(struct debugger *debugger, const char *text, bool at)
{
    char label[256];
    char *end = NULL;
    uint64_t value = strtoull(text, &end, 16);

    script_show(debugger->fake->image.script, value, label, sizeof(label));
    if (*label == '&' || !at)
        fputs(label, debugger->out);
    else
        fprintf(debugger->out, "0x%" PRIx64 "...", value - value % MEMORY_PAGE);
    return end;
}

// Length of a number of bytes, "48" in "48 bytes", at the start of a text; 0 if there is none.
static size_t
byte_count(const char *text)
{
    size_t length = strspn(text, "0123456789");
    return length && !strncmp(text + length, " bytes", 6) ? length : 0;
}

void
debugger_text(struct debugger *debugger, const char *text)
{
    const char *start = text;

    fputc('"', debugger->out);
    while (*text) {
        size_t digits = byte_count(text);
        if (text[0] == '0' && text[1] == 'x' && isxdigit((unsigned char) text[2])) {
            text = show_number(debugger, text, text - start >= 3 && !strncmp(text - 3, "at ", 3));
            continue;
        }
        if (digits)
            fputc('N', debugger->out);
        else if (isprint((unsigned char) *text) && *text != '"' && *text != '\\')
            fputc(*text, debugger->out);
        else
            fprintf(debugger->out, "\\x%02x", (unsigned char) *text);
        text += digits ? digits : 1;
    }
    fputc('"', debugger->out);
}

void
debugger_result(struct debugger *debugger, int result)
{
    if (result == mqs_no_information) {
        fputs("no information", debugger->out);
        return;
    }
    if (result == mqs_end_of_list) {
        fputs("end of list", debugger->out);
        return;
    }
    if (result < mqs_first_user_code)
        host_violation("result %d", result);
    const char *text = debugger->dll->mqs_dll_error_string(result);
    if (!text || !*text) {
        host_violation("no text for result %d", result);
        return;
    }
    fputs("failed: ", debugger->out);
    debugger_text(debugger, text);
}

bool
debugger_succeeded(struct debugger *debugger, const char *what, int result, const char *message)
{
    if (result != mqs_ok) {
        fprintf(debugger->out, "%s: ", what);
        debugger_result(debugger, result);
        fputc('\n', debugger->out);
    }
    if (message) {
        fprintf(debugger->out, "%s: ", what);
        debugger_text(debugger, message);
        fputc('\n', debugger->out);
    }
    return result == mqs_ok;
}

static bool
start_image(struct debugger *debugger)
{
    const struct dll *dll = debugger->dll;
    struct fake *fake = debugger->fake;
    int origins = fake->image.script->origins;
    char *message = NULL;

    dll->mqs_setup_basic_callbacks(&fake->basic);
    int result = dll->mqs_setup_image(&fake->image, &fake->image_callbacks);
    if (!debugger_succeeded(debugger, "image", result, NULL))
        return false;
    if (origins && dll->mqs_set_layout_origins)
        debugger_succeeded(debugger, "origins", dll->mqs_set_layout_origins(&fake->image, origins),
                           NULL);
    result = dll->mqs_image_has_queues(&fake->image, &message);
    return debugger_succeeded(debugger, "image has queues", result, message);
}

bool
debugger_start(struct debugger *debugger)
{
    const struct dll *dll = debugger->dll;
    struct fake *fake = debugger->fake;
    char *message = NULL;

    if (!start_image(debugger))
        return false;
    int result = dll->mqs_setup_process(&fake->process, &fake->process_callbacks);
    if (!debugger_succeeded(debugger, "process", result, NULL))
        return false;
    result = dll->mqs_process_has_queues(&fake->process, &message);
    return debugger_succeeded(debugger, "process has queues", result, message);
}

static void
show_mpi(struct debugger *debugger)
{
    const struct dll *dll = debugger->dll;
    mqs_mpi_info info;

    if (!dll->mqs_get_mpi_info)
        return;
    memset(&info, 0xee, sizeof(info));
    if (!debugger_succeeded(debugger, "mpi", dll->mqs_get_mpi_info(&debugger->fake->process, &info),
                            NULL))
        return;
    check_zero_filled("implementation", info.implementation, sizeof(info.implementation));
    check_zero_filled("version", info.version, sizeof(info.version));
    check_zero_filled("layout", info.layout, sizeof(info.layout));
    check_zero_filled("transport", info.transport, sizeof(info.transport));
    fprintf(debugger->out, "%s version \"%s\" transport \"%s\" layout \"%s\"\n",
            info.implementation, info.version, info.transport, info.layout);
}

static void
show_rank(struct debugger *debugger)
{
    const struct dll *dll = debugger->dll;
    if (dll->mqs_get_global_rank)
        fprintf(debugger->out, "rank %d\n", dll->mqs_get_global_rank(&debugger->fake->process));
}

static void
show_messages(struct debugger *debugger)
{
    const char *text = NULL;

    for (int i = 0; debugger->dll->mqs_get_process_message; i++) {
        int result = debugger->dll->mqs_get_process_message(&debugger->fake->process, i, &text);
        if (result == mqs_end_of_list || i == LIST_LIMIT ||
            !debugger_succeeded(debugger, "message", result, NULL))
            break;
        fputs("message ", debugger->out);
        debugger_text(debugger, text);
        fputc('\n', debugger->out);
    }
}

static void
show_layout(struct debugger *debugger)
{
    mqs_layout_row row;

    for (int i = 0; debugger->dll->mqs_get_layout_row; i++) {
        int result = debugger->dll->mqs_get_layout_row(&debugger->fake->process, i, &row);
        if (result == mqs_end_of_list || i == LIST_LIMIT ||
            !debugger_succeeded(debugger, "layout", result, NULL))
            break;
        fprintf(debugger->out, "layout %s %s %ld %ld %s\n", row.struct_name,
                row.field_name ? row.field_name : "-", row.offset, row.size, row.origin);
    }
}

static void
show_communicators(struct debugger *debugger)
{
    const struct dll *dll = debugger->dll;
    mqs_process *process = &debugger->fake->process;

    int result = dll->mqs_setup_communicator_iterator(process);
    if (result == mqs_end_of_list || !debugger_succeeded(debugger, "communicators", result, NULL))
        return;
    for (int i = 0; i < LIST_LIMIT && debugger_communicator(debugger); i++) {
        result = dll->mqs_next_communicator(process);
        if (result == mqs_end_of_list ||
            !debugger_succeeded(debugger, "next communicator", result, NULL))
            return;
    }
}

void
debugger_show(struct debugger *debugger)
{
    int result = debugger->dll->mqs_update_communicator_list(&debugger->fake->process);
    bool updated = debugger_succeeded(debugger, "update", result, NULL);

    show_mpi(debugger);
    show_rank(debugger);
    if (updated)
        show_communicators(debugger);
    show_messages(debugger);
    if (debugger->fake->image.script->show_layout)
        show_layout(debugger);
    if (debugger->fake->image.script->show_handles)
        debugger_handles(debugger);
}

void
debugger_stop(struct debugger *debugger)
{
    struct fake *fake = debugger->fake;

    if (fake->process.info)
        debugger->dll->mqs_destroy_process_info(fake->process.info);
    if (fake->image.info)
        debugger->dll->mqs_destroy_image_info(fake->image.info);
    fake->process.info = NULL;
    fake->image.info = NULL;
    if (heap_blocks())
        host_violation("%zu blocks, %zu bytes are not freed", heap_blocks(), heap_bytes());
}
