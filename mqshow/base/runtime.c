// SPDX-License-Identifier: BSD-3-Clause
// Which code belongs to a runtime and not to the user.
#include "mqshow/base/runtime.h"

#include "mqshow/base/escape.h"

#include <fnmatch.h>
#include <stddef.h>
#include <string.h>

/** Names of files; the first match counts. */
static const struct {
    const char *pattern;
    enum runtime runtime;
    bool mpi; // of the MPI library itself: others are used outside of MPI, too
} files[] = {
    {"libomp.*", RUNTIME_OPENMP, false},
    {"libomp-*", RUNTIME_OPENMP, false},
    {"libomp5.*", RUNTIME_OPENMP, false},
    {"libiomp*", RUNTIME_OPENMP, false},
    {"libgomp[.-]*", RUNTIME_OPENMP, false},
    {"libmpi[._-]*", RUNTIME_MPI, true},
    {"libpmpi[._-]*", RUNTIME_MPI, true},
    {"libmpich*", RUNTIME_MPI, true},
    {"libmpifort*", RUNTIME_MPI, true},
    {"libmpicxx*", RUNTIME_MPI, true},
    {"libopen-*", RUNTIME_MPI, true},
    {"libopen_mpi*", RUNTIME_MPI, true},
    {"mca_*.so*", RUNTIME_MPI, true},
    {"libpmi[._-]*", RUNTIME_MPI, false},
    {"libpmi2[._-]*", RUNTIME_MPI, false},
    {"libpmix[._-]*", RUNTIME_MPI, false},
    {"libuc[cmpst][._-]*", RUNTIME_MPI, false},
    {"libfabric[._-]*", RUNTIME_MPI, false},
    {"lib*-fi.so*", RUNTIME_MPI, false}, // providers of libfabric
    {"libpsm*", RUNTIME_MPI, false},
    {"libhcoll*", RUNTIME_MPI, false},
    {"libevent[._-]*", RUNTIME_MPI, false},
    {"libevent_*", RUNTIME_MPI, false},
    {"python3*", RUNTIME_PYTHON, false},
    {"libpython3*", RUNTIME_PYTHON, false},
    {"libc[.-]*", RUNTIME_C, false},
    {"libpthread[.-]*", RUNTIME_C, false},
    {"libm[.-]*", RUNTIME_C, false},
    {"ld-linux*", RUNTIME_C, false},
    {"ld[.-]*", RUNTIME_C, false},
    {"ld64*", RUNTIME_C, false},
    {"linux-vdso*", RUNTIME_C, false},
    {"[[]vdso*", RUNTIME_C, false},
};

enum { FILES = sizeof files / sizeof *files };

/** Functions of OpenMP runtimes, where they are linked into a program. */
static const char *const openmp_functions[] = {
    "__kmp*",    "_Z*kmp_*",   "GOMP_*",      "gomp_*",     "omp_get_*",
    "omp_set_*", "omp_test_*", "omp_unset_*", "omp_init_*", "omp_destroy_*",
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

/** Whether a pattern matches: what it begins with tells soonest that it does not. */
static bool
matches(const char *pattern, const char *text)
{
    size_t plain = strcspn(pattern, "*[");
    return strncmp(pattern, text, plain) == 0 && fnmatch(pattern + plain, text + plain, 0) == 0;
}

/** The number of the first pattern that the name of a file matches; FILES: none. */
static size_t
find_file(const char *path)
{
    const char *name = base_name(path);
    size_t i = 0;
    while (i < FILES && !matches(files[i].pattern, name))
        i++;
    return i;
}

enum runtime
runtime_of_file(const char *path)
{
    size_t i = find_file(path);
    return i < FILES ? files[i].runtime : RUNTIME_NONE;
}

enum runtime
runtime_of_linked(const char *function)
{
    for (size_t i = 0; i < sizeof openmp_functions / sizeof *openmp_functions; i++)
        if (matches(openmp_functions[i], function))
            return RUNTIME_OPENMP;
    return RUNTIME_NONE;
}

bool
runtime_is_mpi_library(const char *path)
{
    size_t i = find_file(path);
    return i < FILES && files[i].mpi;
}

bool
runtime_is_installed(const char *path)
{
    static const char *const patterns[] = {
        "/lib/*",
        "/lib64/*",
        "/usr/lib/*",
        "/usr/lib64/*",
        "/usr/include/*",
        "*/include/c++/*", // of another compiler than the system's
        "*/site-packages/*",
        "*/dist-packages/*",
        "*/lib/python3*",
        "*/lib64/python3*",
        "<frozen *", // Python's own, in the interpreter
    };
    for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++)
        if (matches(patterns[i], path))
            return true;
    return false;
}

const char *
runtime_helpers(const char *path)
{
    static const struct {
        const char *file, *threads;
    } helpers[] = {
        {"libcuda.so*", "cuda*"}, // the one that runs functions has the program's name
        {"libnccl.so*", "*"},        {"librccl.so*", "*"}, {"libopenblas*", "*"},
        {"libscipy_openblas*", "*"}, {"libblis*", "*"},
    };
    for (size_t i = 0; i < sizeof helpers / sizeof *helpers; i++)
        if (matches(helpers[i].file, base_name(path)))
            return helpers[i].threads;
    return NULL;
}

const char *
runtime_name(enum runtime runtime)
{
    static const char *const names[] = {[RUNTIME_NONE] = NULL,
                                        [RUNTIME_MPI] = "MPI",
                                        [RUNTIME_OPENMP] = "OpenMP",
                                        [RUNTIME_C] = "C",
                                        [RUNTIME_PYTHON] = "Python"};
    return names[runtime];
}

const char *
runtime_plain_name(const char *function)
{
    static const char *const starts[] = {"GI_", "libc_", "IO_"};
    function += strspn(function, "_");
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++)
        if (strncmp(function, starts[i], strlen(starts[i])) == 0)
            return runtime_plain_name(function + strlen(starts[i]));
    return function;
}

bool
runtime_is_named(const char *function, const char *name)
{
    function = runtime_plain_name(function);
    size_t length = strcspn(function, "@"); // behind which its version is
    return strncmp(function, name, length) == 0 && name[length] == '\0';
}

bool
runtime_starts(const char *function)
{
    size_t length = strcspn(function, "@"); // behind which its version is
    for (size_t i = 0; i < sizeof starters / sizeof *starters; i++)
        if (strlen(starters[i]) == length && strncmp(function, starters[i], length) == 0)
            return true;
    return false;
}
