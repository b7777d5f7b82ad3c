// SPDX-License-Identifier: BSD-3-Clause
// An MQD library that has been opened, known by its exported names only.
#include "mqshow/mqd/dll.h"

#include "mqshow/base/alloc.h"
#include "mqshow/base/escape.h"

#include <dlfcn.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT_MAX = 1024, COMPATIBILITY_MIN = 1, COMPATIBILITY_MAX = MQS_INTERFACE_COMPATIBILITY };

static const struct {
    const char *name;
    bool required;
    size_t offset; // of its pointer in struct dll
} functions[] = {
#define DLL_FUNCTION(name, required) {#name, required, offsetof(struct dll, name)},
    DLL_FUNCTIONS(DLL_FUNCTION)
#undef DLL_FUNCTION
};

enum { N_FUNCTIONS = sizeof functions / sizeof *functions };

const char *
dll_required(unsigned n)
{
    for (size_t i = 0; i < N_FUNCTIONS; i++)
        if (functions[i].required && n-- == 0)
            return functions[i].name;
    return NULL;
}

/** Looks all names up. @return the first required one that is missing, or NULL */
static const char *
resolve_functions(struct dll *dll)
{
    const char *missing = NULL;
    for (size_t i = 0; i < N_FUNCTIONS; i++) {
        void *address = dlsym(dll->handle, functions[i].name);
        memcpy((char *) dll + functions[i].offset, &address, sizeof address);
        if (address == NULL && functions[i].required && missing == NULL)
            missing = functions[i].name;
    }
    return missing;
}

static char *
check_version(const struct dll *dll)
{
    // A library too old to know the question answers like version 1.
    int version = dll->mqs_version_compatibility != NULL ? dll->mqs_version_compatibility() : 1;
    if (version < COMPATIBILITY_MIN || version > COMPATIBILITY_MAX)
        return alloc_format("%s has version %d of the MQD interface; mqshow supports %d to %d",
                            dll->path, version, COMPATIBILITY_MIN, COMPATIBILITY_MAX);
    int width =
        dll->mqs_dll_taddr_width != NULL ? dll->mqs_dll_taddr_width() : (int) sizeof(mqs_taddr_t);
    if (width != (int) sizeof(mqs_taddr_t))
        return alloc_format("%s uses addresses of %d bytes, mqshow of %zu", dll->path, width,
                            sizeof(mqs_taddr_t));
    return NULL;
}

/** Whether the library expects the longer of the two mqs_target_type_sizes that are in use.
 *
 * Open MPI's own library reads 7 ints and exports the helper named here; MPICH's library has room
 * for 5 and names MPICH in its version; the library with mqs_get_mpi_info() hands over a larger
 * buffer.
 */
static void
judge_type_sizes(struct dll *dll)
{
    const char *version = dll->mqs_version_string != NULL ? dll->mqs_version_string() : NULL;
    dll->narrow_type_sizes = version != NULL && memmem(version, strnlen(version, TEXT_MAX), "MPICH",
                                                       strlen("MPICH")) != NULL;
    dll->wide_type_sizes =
        dll->mqs_get_mpi_info != NULL || dlsym(dll->handle, "ompi_fill_in_type_info") != NULL;
}

char *
dll_open(struct dll *dll, const char *path)
{
    *dll = (struct dll){.handle = dlopen(path, RTLD_NOW | RTLD_LOCAL)};
    if (dll->handle == NULL) {
        const char *why = dlerror();
        return alloc_format("cannot open %s: %s", path, why != NULL ? why : "unknown error");
    }
    dll->path = alloc_text(path);
    const char *missing = resolve_functions(dll);
    char *problem = missing != NULL ? alloc_format("%s is not a message queue library: it lacks %s",
                                                   path, missing)
                                    : check_version(dll);
    if (problem == NULL) {
        judge_type_sizes(dll);
        return NULL;
    }
    dlclose(dll->handle);
    free(dll->path);
    *dll = (struct dll){.handle = NULL};
    return problem;
}

char *
dll_error(const struct dll *dll, int code)
{
    const char *text = dll->mqs_dll_error_string(code);
    char *escaped = escape_text(text != NULL ? text : "", TEXT_MAX);
    char *message = *escaped != '\0' ? alloc_format("%s (code %d)", escaped, code)
                                     : alloc_format("code %d", code);
    free(escaped);
    return message;
}
