// SPDX-License-Identifier: BSD-3-Clause
// Which code belongs to a runtime and not to the user.
#include "tools/runtime.h"

#include "tools/alloc.h"

#include <ctype.h>
#include <fnmatch.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/** Names of files; the first match counts. */
static const struct {
    const char *pattern;
    enum runtime runtime;
} files[] = {
    {"libomp.*", RUNTIME_OPENMP},
    {"libomp-*", RUNTIME_OPENMP},
    {"libomp5.*", RUNTIME_OPENMP},
    {"libiomp*", RUNTIME_OPENMP},
    {"libgomp[.-]*", RUNTIME_OPENMP},
    {"libmpi[._-]*", RUNTIME_MPI},
    {"libpmpi[._-]*", RUNTIME_MPI},
    {"libmpich*", RUNTIME_MPI},
    {"libmpifort*", RUNTIME_MPI},
    {"libmpicxx*", RUNTIME_MPI},
    {"libopen-*", RUNTIME_MPI},
    {"libopen_mpi*", RUNTIME_MPI},
    {"mca_*.so*", RUNTIME_MPI},
    {"libpmi[._-]*", RUNTIME_MPI},
    {"libpmi2[._-]*", RUNTIME_MPI},
    {"libpmix[._-]*", RUNTIME_MPI},
    {"libuc[cmpst][._-]*", RUNTIME_MPI},
    {"libfabric[._-]*", RUNTIME_MPI},
    {"libpsm*", RUNTIME_MPI},
    {"libhcoll*", RUNTIME_MPI},
    {"libevent[._-]*", RUNTIME_MPI},
    {"libevent_*", RUNTIME_MPI},
    {"libc[.-]*", RUNTIME_C},
    {"libpthread[.-]*", RUNTIME_C},
    {"libm[.-]*", RUNTIME_C},
    {"ld-linux*", RUNTIME_C},
    {"ld[.-]*", RUNTIME_C},
    {"ld64*", RUNTIME_C},
    {"linux-vdso*", RUNTIME_C},
    {"[[]vdso*", RUNTIME_C},
};

static const char *const starters[] = {
    "start_thread",
    "clone",
    "clone3",
    "__clone",
    "_start",
    "__clone3",
    "thread_start",
    "__libc_start_main",
    "__libc_start_call_main",
    "__libc_start_main_impl",
};

static const char *const any_calls[] = {"MPI_Waitany", "MPI_Waitsome", "MPI_Testany",
                                        "MPI_Testsome"};

enum runtime
runtime_of_file(const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *name = slash != NULL ? slash + 1 : path;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        if (fnmatch(files[i].pattern, name, 0) == 0)
            return files[i].runtime;
    return RUNTIME_NONE;
}

const char *
runtime_name(enum runtime runtime)
{
    static const char *const names[] = {[RUNTIME_NONE] = NULL,
                                        [RUNTIME_MPI] = "MPI",
                                        [RUNTIME_OPENMP] = "OpenMP",
                                        [RUNTIME_C] = "C"};
    return names[runtime];
}

static bool
is_in(const char *text, const char *const *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(text, list[i]) == 0)
            return true;
    return false;
}

bool
runtime_starts(const char *function)
{
    return is_in(function, starters, sizeof starters / sizeof *starters);
}

bool
runtime_call_needs_any(const char *call)
{
    return is_in(call, any_calls, sizeof any_calls / sizeof *any_calls);
}

/** Length of the prefix "MPI_" or "MPIX_" in any case; 0: there is none. */
static size_t
prefix_length(const char *name)
{
    return strncasecmp(name, "mpi_", 4) == 0 ? 4 : strncasecmp(name, "mpix_", 5) == 0 ? 5 : 0;
}

bool
runtime_is_call(const char *function, const char *call)
{
    const char *public = function + (*function == 'P');
    size_t length = strlen(call);
    return strncmp(public, call, length) == 0 &&
           (public[length] == '\0' || strcmp(public + length, "_c") == 0);
}

static bool
is_word(const char *text)
{
    for (; *text != '\0'; text++)
        if (!isalnum((unsigned char) *text) && *text != '_')
            return false;
    return true;
}

static void
cut_suffix(char *text, const char *suffix)
{
    size_t length = strlen(text), cut = strlen(suffix);
    if (length > cut && strcmp(text + length - cut, suffix) == 0)
        text[length - cut] = '\0';
}

/** Fortran compilers write names in one case, with underscores behind them. */
static void
make_c_name(char *name, size_t prefix)
{
    static const char *const suffixes[] = {"_", "_", "_f08ts", "_f08", "_f"};
    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++)
        cut_suffix(name + prefix, suffixes[i]);
    for (size_t i = 0; name[i] != '\0'; i++)
        name[i] = (char) (i <= prefix ? toupper((unsigned char) name[i])
                                      : tolower((unsigned char) name[i]));
}

char *
runtime_mpi_call(const char *function)
{
    const char *public = *function == 'P' || *function == 'p' ? function + 1 : function;
    size_t prefix = prefix_length(public);
    if (prefix == 0 || public[prefix] == '\0' || public[prefix] == '_' || !is_word(public))
        return NULL;
    char *name = alloc_text(public);
    bool is_c = strncmp(name, "MPI", 3) == 0 && isupper((unsigned char) name[prefix]) &&
                !isupper((unsigned char) name[prefix + 1]);
    if (!is_c)
        make_c_name(name, prefix);
    cut_suffix(name + prefix, "_c");
    return name;
}
