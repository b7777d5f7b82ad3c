// SPDX-License-Identifier: BSD-3-Clause
// Loads an OMPD library into the debugger, after its checks, apart from everything else there.
#include "ompd-bridge/library/library_load.h"

#include "ompd-bridge/library/trust.h"

#include <dlfcn.h>
#include <string.h>

enum { LOCATIONS_MAX = 8 }; // names that are read of a process

// Sanitizers end the process when a library is opened with a scope of its own.
static const char *const sanitizers[] = {"__asan_init", "__tsan_init", "__msan_init"};

static bool
read_name(struct inferior *inf, taddr locations, unsigned index, char *ret)
{
    taddr name;
    taddr place = locations + (taddr) index * inf->model.pointer_size;
    return inferior_read_pointer(inf, place, &name) == STATUS_OK && name != 0 &&
           inferior_read_string(inf, name, PATH_MAX, ret) == STATUS_OK;
}

// The runtime's first name is a bare one, for the loader's search path: never used as it is.
static bool
find_library(struct inferior *inf, taddr locations, struct diagnostics *diagnostics, char *ret)
{
    char path[PATH_MAX];
    if (trust_users_choice(ret, diagnostics))
        return true;
    for (unsigned i = 0; i < LOCATIONS_MAX && read_name(inf, locations, i, path); i++)
        if (trust_debuggees_choice(path, ret, diagnostics))
            return true;
    return false;
}

static bool
is_sanitized(void)
{
    for (size_t i = 0; i < sizeof(sanitizers) / sizeof(sanitizers[0]); i++)
        if (dlsym(RTLD_DEFAULT, sanitizers[i]))
            return true;
    return false;
}

// Sets one member of the table of functions; they are all of the same size.
static bool
find_function(void *handle, const char *name, void *ret)
{
    void *function = dlsym(handle, name);
    memcpy(ret, &function, sizeof(function));
    return function != NULL;
}

static bool
find_functions(struct ompd_library *library)
{
#define FUNCTION(name, ...)                                                  \
    if (!find_function(library->handle, "ompd_" #name, &library->call.name)) \
        return false;
#include "ompd-bridge/ompd_functions.def"
#undef FUNCTION
    return true;
}

// Its own symbols come first: libompd exports data that an OpenMP runtime in the debugger, or this
// very program, may have too.
static void *
open_library(const char *path)
{
    return dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND);
}

// Intel's is C++ and does not say that it needs libstdc++.
static void *
open_after_libstdcxx(const char *path)
{
    return dlopen("libstdc++.so.6", RTLD_NOW | RTLD_GLOBAL) ? open_library(path) : NULL;
}

static enum status
load(struct inferior *inf, struct ompd_library *library)
{
    library->handle = open_library(library->path);
    if (!library->handle) {
        const char *why = dlerror();
        (void) trail_begin(&inf->trail, STATUS_ABSENT, "%s", why ? why : "it cannot be loaded");
        library->handle = open_after_libstdcxx(library->path);
        if (!library->handle)
            return STATUS_ABSENT;
        trail_reset(&inf->trail);
    }
    if (find_functions(library))
        return STATUS_OK;
    ompd_library_close(library);
    return trail_begin(&inf->trail, STATUS_ABSENT, "%s lacks functions", library->path);
}

// The runtime fills the list when it starts.
static enum status
read_locations(struct inferior *inf, taddr *ret)
{
    taddr variable;
    TRY(inferior_symbol(inf, "ompd_dll_locations", &variable));
    TRY(inferior_read_pointer(inf, variable, ret));
    return *ret != 0 ? STATUS_OK : trail_begin(&inf->trail, STATUS_UNUSED, "OpenMP not started");
}

enum status
ompd_library_open(struct inferior *inf, struct diagnostics *diagnostics, struct ompd_library *ret)
{
    taddr locations;
    TRY(read_locations(inf, &locations));
    if (!find_library(inf, locations, diagnostics, ret->path)) {
        trail_reset(&inf->trail);
        return STATUS_ABSENT;
    }
    if (is_sanitized())
        return trail_begin(&inf->trail, STATUS_ABSENT,
                           "%s cannot be loaded into a debugger with sanitizers", ret->path);
    return load(inf, ret);
}

void
ompd_library_close(struct ompd_library *library)
{
    if (library->handle)
        dlclose(library->handle);
    library->handle = NULL;
}
