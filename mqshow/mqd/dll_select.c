// SPDX-License-Identifier: BSD-3-Clause
// Which MQD library answers.
#include "mqshow/mqd/dll_select.h"

#include "mqshow/base/alloc.h"
#include "mqshow/base/escape.h"
#include "mqshow/process/memory.h"
#include "mqshow/mqd/trust.h"

#include <glob.h>
#include <stdlib.h>
#include <string.h>

static const char environment_variable[] = "MQS_OMPD_DLL";
static const char our_name[] = "libmqs_ompd.so";
enum { NAME_MAX_BYTES = 1024 };

/** Where a library is looked for that is named without a folder. */
static const char *const folders[] = {
    "/usr/local/lib",          "/usr/lib/*-linux-gnu*", "/usr/lib64",          "/usr/lib",
    "/usr/local/lib/mqs-ompd", "/usr/lib/*/mqs-ompd",   "/usr/lib64/mqs-ompd",
};

/** Whether bytes are the name of a library rather than a pointer to one. */
static bool
is_library_name(const char *bytes)
{
    return *bytes == '/' || strstr(bytes, ".so") != NULL;
}

char *
dll_select_named_by(const struct image *image)
{
    uint64_t addr, target;
    char name[NAME_MAX_BYTES];
    if (!image_symbol(image, "MPIR_dll_name", SYMBOL_VARIABLE, &addr))
        return NULL;
    if (memory_read_text(&image->debuggee, addr, sizeof name, name) && is_library_name(name))
        return alloc_text(name);
    // Some implementations have a pointer instead of the array.
    if (memory_read_uint(&image->debuggee, addr, (size_t) image->debuggee.pointer_size, &target) &&
        memory_read_text(&image->debuggee, target, sizeof name, name) && *name != '\0')
        return alloc_text(name);
    return NULL;
}

static char *
first_match(char *pattern)
{
    glob_t found;
    char *path = NULL;
    if (glob(pattern, GLOB_NOSORT, NULL, &found) == 0) {
        path = alloc_text(found.gl_pathv[0]);
        globfree(&found);
    }
    free(pattern);
    return path;
}

/** Makes a path of what MPIR_dll_name says; NULL when there is no such file. */
static char *
resolve(const char *name)
{
    if (*name == '/')
        return alloc_text(name);
    if (strchr(name, '/') != NULL || strpbrk(name, "*?[\\") != NULL)
        return NULL;
    char *path = NULL;
    for (size_t i = 0; path == NULL && i < sizeof folders / sizeof *folders; i++)
        path = first_match(alloc_format("%s/%s", folders[i], name));
    return path;
}

/** What the process names, if it can be trusted. @param ret_problem else why not */
static char *
trusted_path(const char *name, char **ret_problem)
{
    char *path = resolve(name);
    if (path == NULL) {
        *ret_problem = alloc_format("%s not found", name);
        return NULL;
    }
    char *real = trust_check(path, ret_problem);
    free(path);
    return real;
}

static void
take(struct dll_select *selected, const char *path, char *reason)
{
    selected->path = alloc_text(path);
    selected->reason = reason;
}

static char *
select_wanted(struct dll_select *selected, const char *wanted, const char *source)
{
    // The loader looks names without a slash up by itself; a file can be checked first.
    char *problem = strchr(wanted, '/') != NULL ? trust_check_elf(wanted) : NULL;
    if (problem != NULL)
        return problem;
    take(selected, wanted, alloc_format("library %s: named by %s", wanted, source));
    return NULL;
}

static char *
select_named(struct dll_select *selected, const char *named)
{
    char *refusal = NULL, *problem = NULL;
    char *path = trusted_path(named, &refusal);
    char *ours = own_dll_path();
    if (path != NULL && (ours == NULL || strcmp(base_name(path), our_name) == 0))
        take(selected, path,
             alloc_format("library %s: named by MPIR_dll_name of the process", path));
    else if (ours != NULL)
        take(selected, ours,
             alloc_format("library %s; the process names %s (to use that one, give it with --dll)",
                          ours, named));
    else
        problem = alloc_format("no MQD library to use: %s; give one with --dll", refusal);
    free(refusal);
    free(path);
    free(ours);
    return problem;
}

char *
dll_select_init(struct dll_select *selected, const char *wanted, const struct image *image)
{
    *selected = (struct dll_select){.path = NULL};
    if (wanted != NULL)
        return select_wanted(selected, wanted, "--dll");
    wanted = getenv(environment_variable);
    if (wanted != NULL && *wanted != '\0')
        return select_wanted(selected, wanted, environment_variable);
    char *named = image != NULL ? dll_select_named_by(image) : NULL;
    if (named != NULL) {
        char *problem = select_named(selected, named);
        free(named);
        return problem;
    }
    char *ours = own_dll_path();
    if (ours == NULL)
        return alloc_text(
            "no MQD library to use: libmqs_ompd.so is not installed; give one with --dll");
    take(selected, ours, alloc_format("library %s: the process names none", ours));
    free(ours);
    return NULL;
}

void
dll_select_deinit(struct dll_select *selected)
{
    free(selected->path);
    free(selected->reason);
    *selected = (struct dll_select){.path = NULL};
}
