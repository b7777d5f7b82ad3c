// SPDX-License-Identifier: BSD-3-Clause
// Makes MPI objects of every kind, writes what MPI says of them (objects.h), and waits.
//
// Usage: objects FOLDER: rank N writes FOLDER/N, whose first line is "pid PID".
#include "tests/handles/objects.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static FILE *out;

void
need(int result)
{
    if (result != MPI_SUCCESS)
        MPI_Abort(MPI_COMM_WORLD, 1);
}

void
say(const struct about *about, const char *member, int index, const char *format, ...)
{
    va_list args;

    fprintf(out, "%s ", about->kind);
    fprintf(out, "%#" PRIx64 " ", about->handle);
    if (about->has_fortran)
        fprintf(out, "%d", about->fortran);
    else
        fputc('-', out);
    fprintf(out, " %s %d ", member, index);
    va_start(args, format);
    vfprintf(out, format, args);
    va_end(args);
    fputc('\n', out);
}

void
say_number(const struct about *about, const char *member, int index, int64_t value)
{
    say(about, member, index, "%" PRId64, value);
}

void
say_address(const struct about *about, const char *member, const void *value)
{
    say_handle(about, member, 0, (uintptr_t) value);
}

void
say_handle(const struct about *about, const char *member, int index, uint64_t value)
{
    say(about, member, index, "%#" PRIx64, value);
}

void
say_state(const struct about *about, const char *state, const char *name)
{
    say(about, "state", 0, "%s", state);
    if (name != NULL)
        say(about, "name", 0, "%s", name);
}

void
say_errhandler(const struct about *about, MPI_Errhandler handler)
{
    say_handle(about, "error_handler", 0, BITS(handler));
}

int
main(int argc, char **argv)
{
    char path[4096], whole[4096];
    int rank;

    if (argc != 2)
        return 2;
    need(MPI_Init(&argc, &argv));
    need(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
    snprintf(path, sizeof(path), "%s/%d.new", argv[1], rank);
    snprintf(whole, sizeof(whole), "%s/%d", argv[1], rank);
    out = fopen(path, "w");
    if (out == NULL)
        MPI_Abort(MPI_COMM_WORLD, 1);
    fprintf(out, "pid %ld\n", (long) getpid());
    make_communicators();
    make_groups();
    make_datatypes();
    make_ops();
    make_errhandlers();
    make_infos();
    make_keyvals();
    make_sessions();
    make_windows();
    snprintf(path, sizeof(path), "%s/data", argv[1]);
    make_files(path);
    make_messages();
    make_requests();
    free_objects();
    snprintf(path, sizeof(path), "%s/%d.new", argv[1], rank);
    if (fclose(out) != 0 || rename(path, whole) != 0)
        MPI_Abort(MPI_COMM_WORLD, 1);
    for (;;)
        pause();
}
