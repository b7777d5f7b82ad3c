// SPDX-License-Identifier: BSD-3-Clause
// Asks the library about the MPI handles of a live process, by the functions of mqs_handles.h.
//
// Usage: ask DLL PID, with questions on standard input, of a line each:
//
//   KIND FORM VALUE   what the handle is, in the lines of objects.h; FORM: c, fortran, abi, address
//   head KIND FORM VALUE   its state, name and references only
//   text KIND FORM VALUE   mqs_describe_object() of it
//   list KIND         all objects of a kind: their state and name
//   refresh           what was read is stale
//
// After each answer there is a line ". RESULT READS": the result of the library, and how often it
// has read the process.
#include "mqshow/base/diag.h"
#include "mqshow/mqd/dll.h"
#include "mqshow/mqd/host.h"
#include "mqshow/mqd/stats.h"
#include "mqshow/symbols/image.h"

#include "include/mqs_handles.h"

#include <dlfcn.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HANDLE_FUNCTIONS(FUNCTION)      \
    FUNCTION(mqs_query_handle)          \
    FUNCTION(mqs_setup_object_iterator) \
    FUNCTION(mqs_next_object)           \
    FUNCTION(mqs_setup_member_iterator) \
    FUNCTION(mqs_next_member)           \
    FUNCTION(mqs_describe_object)       \
    FUNCTION(mqs_object_kind_name)      \
    FUNCTION(mqs_member_name)

static struct {
#define FUNCTION(name) __typeof__(name) *name;
    HANDLE_FUNCTIONS(FUNCTION)
#undef FUNCTION
} lib;

static struct dll dll;
static struct mqs_process_ process;

static void
open_dll(const char *path)
{
    char *problem = dll_open(&dll, path);
    if (problem != NULL)
        die("%s", problem);
#define FUNCTION(name)                               \
    *(void **) &lib.name = dlsym(dll.handle, #name); \
    if (lib.name == NULL)                            \
        die("no function %s", #name);
    HANDLE_FUNCTIONS(FUNCTION)
#undef FUNCTION
    dll.mqs_setup_basic_callbacks(&host_basic);
}

static void
open_process(struct objfiles *files, pid_t pid)
{
    char *message = NULL;
    char *problem = image_init(&process.image.image, files, pid);
    if (problem != NULL)
        die("%s", problem);
    process.pid = pid;
    process.rank = MQS_INVALID_PROCESS;
    process.wide_sizes = host_wants_wide_sizes(&dll, &process.image.image);
    if (dll.mqs_setup_image(&process.image, &host_image) != mqs_ok ||
        dll.mqs_image_has_queues(&process.image, &message) != mqs_ok ||
        dll.mqs_setup_process(&process, &host_process) != mqs_ok ||
        dll.mqs_process_has_queues(&process, &message) != mqs_ok)
        die("no MPI: %s", message != NULL ? message : "");
}

/** A name of several words in one. */
static const char *
joined(const char *name, char *buffer, size_t size)
{
    snprintf(buffer, size, "%s", name != NULL ? name : "?");
    for (char *p = buffer; *p != '\0'; p++)
        if (*p == ' ')
            *p = '_';
    return buffer;
}

static int
kind_of(const char *name)
{
    char buffer[64];
    for (int kind = 0; kind < mqs_object_kind_count; kind++)
        if (strcmp(joined(lib.mqs_object_kind_name(kind), buffer, sizeof buffer), name) == 0)
            return kind;
    return -1;
}

static int
form_of(const char *name)
{
    static const char *const forms[] = {"c", "fortran", "abi", "address"};
    for (int form = 0; form < mqs_form_count; form++)
        if (strcmp(forms[form], name) == 0)
            return form;
    return -1;
}

static void
print_head(const mqs_object *object, const char *member, int index)
{
    char buffer[64];
    bool has_handle = object->known & MQS_OBJECT_HANDLE;
    printf("%s %#" PRIx64 " ",
           joined(lib.mqs_object_kind_name(object->kind), buffer, sizeof buffer),
           has_handle ? object->handle : object->address);
    if (object->known & MQS_OBJECT_FORTRAN)
        printf("%d", object->fortran);
    else
        putchar('-');
    printf(" %s %d ", joined(member, buffer, sizeof buffer), index);
}

static void
print_object(const mqs_object *object)
{
    static const char *const states[] = {"null", "predefined", "live", "freed"};
    print_head(object, "state", 0);
    printf("%s\n", states[object->state]);
    if (object->known & MQS_OBJECT_NAME) {
        print_head(object, "name", 0);
        printf("%s\n", object->name);
    }
    if (object->known & MQS_OBJECT_REFERENCES) {
        print_head(object, "references", 0);
        printf("%" PRId64 "\n", object->references);
    }
}

static void
print_member(const mqs_object *object, const mqs_object_member *member)
{
    print_head(object, lib.mqs_member_name(member->member), member->index);
    if (member->type == mqs_value_text)
        printf("%s\n", member->text);
    else if (member->type == mqs_value_address || member->type == mqs_value_handle)
        printf("%#" PRIx64 "\n", (uint64_t) member->value);
    else
        printf("%" PRId64 "\n", member->value);
}

static int
answer_head(int kind, int form, uint64_t value)
{
    mqs_object object;
    int result = lib.mqs_query_handle(&process, kind, form, value, &object);
    if (result == mqs_ok)
        print_object(&object);
    return result;
}

static int
answer_handle(int kind, int form, uint64_t value)
{
    mqs_object object;
    mqs_object_member member;
    int result = lib.mqs_query_handle(&process, kind, form, value, &object);
    if (result != mqs_ok)
        return result;
    print_object(&object);
    result = lib.mqs_setup_member_iterator(&process, &object);
    while (result == mqs_ok && (result = lib.mqs_next_member(&process, &member)) == mqs_ok)
        print_member(&object, &member);
    return result == mqs_end_of_list ? mqs_ok : result;
}

static int
answer_text(int kind, int form, uint64_t value)
{
    mqs_object object;
    char text[MQS_OBJECT_TEXT];
    int result = lib.mqs_query_handle(&process, kind, form, value, &object);
    if (result == mqs_ok)
        result = lib.mqs_describe_object(&process, &object, text, sizeof text);
    if (result == mqs_ok)
        printf("%s\n", text);
    return result;
}

static int
answer_list(int kind)
{
    mqs_object object;
    int result = lib.mqs_setup_object_iterator(&process, kind);
    while (result == mqs_ok && (result = lib.mqs_next_object(&process, &object)) == mqs_ok)
        print_object(&object);
    return result == mqs_end_of_list ? mqs_ok : result;
}

static int
answer_sweep(int kind, int form, unsigned shift)
{
    mqs_object object;
    unsigned found = 0;
    for (uint64_t value = 0; value <= UINT16_MAX; value++)
        found +=
            lib.mqs_query_handle(&process, kind, form, value << (shift & 63), &object) == mqs_ok;
    printf("%u\n", found);
    return mqs_ok;
}

static int
answer(const char *line)
{
    char kind[64], form[16];
    uint64_t value;
    unsigned shift;
    char *message;
    if (sscanf(line, "list %63s", kind) == 1)
        return answer_list(kind_of(kind));
    if (sscanf(line, "text %63s %15s %" SCNx64, kind, form, &value) == 3)
        return answer_text(kind_of(kind), form_of(form), value);
    if (sscanf(line, "head %63s %15s %" SCNx64, kind, form, &value) == 3)
        return answer_head(kind_of(kind), form_of(form), value);
    if (sscanf(line, "sweep %63s %15s %u", kind, form, &shift) == 3)
        return answer_sweep(kind_of(kind), form_of(form), shift);
    if (strncmp(line, "refresh", 7) == 0)
        return dll.mqs_process_has_queues(&process, &message);
    if (sscanf(line, "%63s %15s %" SCNx64, kind, form, &value) == 3)
        return answer_handle(kind_of(kind), form_of(form), value);
    die("what is \"%s\"?", line);
}

int
main(int argc, char **argv)
{
    static struct objfiles files;
    char line[256];
    if (argc != 3)
        die("usage: ask DLL PID");
    open_dll(argv[1]);
    open_process(&files, (pid_t) atol(argv[2]));
    while (fgets(line, sizeof line, stdin) != NULL) {
        uint64_t before = host_stats.reads;
        int result = answer(line);
        char *text = result == mqs_ok ? NULL : dll_error(&dll, result);
        printf(". %d %" PRIu64 " %s\n", result, host_stats.reads - before,
               text != NULL ? text : "");
        fflush(stdout);
        free(text);
    }
    return EXIT_SUCCESS;
}
