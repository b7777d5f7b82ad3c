// SPDX-License-Identifier: BSD-3-Clause
// The calls of MPI: what a thread in one waits for, and where its arguments are.
#include "mqshow/base/mpi_calls.h"

#include "mqshow/base/alloc.h"
#include "mqshow/base/escape.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static const struct mpi_call calls[] = {
#define CALL(call, ...) {.name = "MPI_" #call, __VA_ARGS__},
#include "mqshow/base/mpi_calls.def"
#undef CALL
};

enum { CALLS = sizeof calls / sizeof *calls };

/** Beginnings of the names of calls that return whatever other processes do. */
static const char *const polling[] = {"MPI_Test",     "MPI_Iprobe", "MPI_Improbe", "MPI_Isend",
                                      "MPI_Irecv",    "MPI_Issend", "MPI_Ibsend",  "MPI_Irsend",
                                      "MPI_Imrecv",   "MPI_Start",  "MPI_Get_",    "MPI_Wtime",
                                      "MPI_Comm_get", "MPI_Type_",  "MPI_Pack",    "MPI_Unpack",
                                      "MPI_Ibcast",   "MPI_Iall",   "MPI_Ibarrier"};

/** Length of the prefix "MPI_" or "MPIX_" in any case; 0: there is none. */
static size_t
prefix_length(const char *name)
{
    return strncasecmp(name, "mpi_", 4) == 0 ? 4 : strncasecmp(name, "mpix_", 5) == 0 ? 5 : 0;
}

bool
mpi_call_is(const char *function, const char *call)
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

/** Length of a text without a suffix; its own where it has none, or nothing before it. */
static size_t
length_before(const char *text, const char *suffix)
{
    size_t length = strlen(text), cut = strlen(suffix);
    return length > cut && strcmp(text + length - cut, suffix) == 0 ? length - cut : length;
}

static void
cut_suffix(char *text, const char *suffix)
{
    text[length_before(text, suffix)] = '\0';
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
mpi_call_name(const char *function)
{
    // By which a call that ends in a jump is known, where no instruction says what was called: an
    // interpreter's exit calls MPI_Finalize by a pointer.
    static const char *const inner[][2] = {{"ompi_mpi_finalize", "MPI_Finalize"},
                                           {"ompi_mpi_init", "MPI_Init"},
                                           {"ompi_mpi_abort", "MPI_Abort"}};
    for (size_t i = 0; i < sizeof inner / sizeof *inner; i++)
        if (strcmp(function, inner[i][0]) == 0)
            return alloc_text(inner[i][1]);
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

const struct mpi_call *
mpi_call_find(const char *function)
{
    for (size_t i = 0; i < CALLS; i++)
        if (mpi_call_is(function, calls[i].name))
            return &calls[i];
    return NULL;
}

bool
mpi_call_is_one_sided(const char *collective)
{
    for (size_t i = 0; i < CALLS; i++)
        if (text_equals(calls[i].collective, collective))
            return calls[i].one_side;
    return true;
}

/** The collective whose name is a part of another call's, in any case. */
static const struct mpi_call *
find_collective(const char *name, size_t length)
{
    const size_t prefix = strlen("MPI_");
    for (size_t i = 0; i < CALLS; i++)
        if (calls[i].collective != NULL && strlen(calls[i].name) == prefix + length &&
            strncasecmp(calls[i].name + prefix, name, length) == 0)
            return &calls[i];
    return NULL;
}

bool
mpi_call_begins(const char *call, struct mpi_begin *ret)
{
    const char *name = call + prefix_length(call);
    size_t length = length_before(name, "_init");
    ret->persistent = name[length] != '\0';
    if (!ret->persistent && *name != 'I')
        return false;
    const struct mpi_call *of =
        ret->persistent ? find_collective(name, length) : find_collective(name + 1, length - 1);
    if (of == NULL || of->comm_at == 0)
        return false;
    // Behind the communicator, and of a persistent one behind the hints.
    ret->request_at = of->comm_at + 1 + ret->persistent;
    return true;
}

bool
mpi_call_is_large(const char *function)
{
    return function[length_before(function, "_c")] != '\0';
}

bool
mpi_call_is_io(const char *call)
{
    return strncmp(call, "MPI_File_", strlen("MPI_File_")) == 0;
}

bool
mpi_call_polls(const char *call)
{
    for (size_t i = 0; i < sizeof polling / sizeof *polling; i++)
        if (strncmp(call, polling[i], strlen(polling[i])) == 0)
            return true;
    return false;
}
