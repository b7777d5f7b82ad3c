// SPDX-License-Identifier: BSD-3-Clause
// Calls on windows and files that wait for LATE.
#include "tests/waits/blocked.h"

#include <stdio.h>

enum { COUNT = 16 };

static int memory[COUNT], *shared;
static MPI_Win window;
static MPI_File file;
static MPI_Group others, late;

// Windows.

#define CREATES(name, ...)           \
    static void run_##name(void)     \
    {                                \
        MPI_Win_##name(__VA_ARGS__); \
    }
CREATES(create, memory, sizeof memory, sizeof *memory, MPI_INFO_NULL, comm, &window)
CREATES(create_dynamic, MPI_INFO_NULL, comm, &window)
CREATES(allocate, sizeof memory, sizeof *memory, MPI_INFO_NULL, comm, &shared, &window)
CREATES(allocate_shared, sizeof memory, sizeof *memory, MPI_INFO_NULL, comm, &shared, &window)
CREATES(free, &window)
CREATES(fence, 0, window)

static void
make_groups(void)
{
    const int late_rank = LATE;
    MPI_Group all;
    MPI_Comm_group(comm, &all);
    MPI_Group_incl(all, 1, &late_rank, &late);
    MPI_Group_excl(all, 1, &late_rank, &others);
    MPI_Group_free(&all);
}

static void
make_window(void)
{
    run_create();
    make_groups();
}

static void
make_shared(void)
{
    run_allocate_shared();
    make_groups();
}

static void
free_groups(void)
{
    MPI_Group_free(&late);
    MPI_Group_free(&others);
    run_free();
}

/** From one of the others to LATE, or the other way. */
static void
put(int target)
{
    MPI_Put(&rank, 1, MPI_INT, target, rank, 1, MPI_INT, window);
}

static void
access_late(void)
{
    MPI_Win_start(late, 0, window);
    put(LATE);
    MPI_Win_complete(window);
}

static void
expose_to(MPI_Group group)
{
    MPI_Win_post(group, 0, window);
    MPI_Win_wait(window);
}

static void
access_others(void)
{
    MPI_Win_start(others, 0, window);
    put(0);
    MPI_Win_complete(window);
}

/** LATE exposes its memory late. */
static void
start_late(void)
{
    if (rank == LATE)
        expose_to(others);
    else
        access_late();
}

/** LATE accesses the memory of the others late. */
static void
wait_late(void)
{
    if (rank == LATE)
        access_others();
    else
        expose_to(late);
}

static void
lock_in_late(void)
{
    make_window();
    if (rank == LATE) {
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, LATE, 0, window);
        put(LATE);
        MPI_Win_flush(LATE, window);
    }
}

static void
lock_late(void)
{
    if (rank != LATE) {
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, LATE, 0, window);
        put(LATE);
    }
    MPI_Win_unlock(LATE, window);
}

static void
lock_all_late(void)
{
    if (rank == LATE) {
        MPI_Win_unlock(LATE, window);
        return;
    }
    MPI_Win_lock_all(0, window);
    put(LATE);
    MPI_Win_unlock_all(window);
}

// Files.

static void
run_open(void)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/data", folder);
    MPI_File_open(comm, path, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
    MPI_File_set_size(file, 4096); // Open MPI reads for ever at the end of a file
}

static void
run_close(void)
{
    MPI_File_close(&file);
}

#define FILES(name, ...)                    \
    static void run_##name(void)            \
    {                                       \
        MPI_File_##name(file, __VA_ARGS__); \
    }
#define WHOLE memory, COUNT, MPI_INT, MPI_STATUS_IGNORE
FILES(set_view, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL)
FILES(set_size, 4096)
FILES(preallocate, 4096)
FILES(set_atomicity, 0)
FILES(seek_shared, 0, MPI_SEEK_SET)
FILES(read_all, WHOLE)
FILES(read_at_all, 0, WHOLE)
FILES(read_ordered, WHOLE)
FILES(write_all, WHOLE)
FILES(write_at_all, 64 * rank, WHOLE)
FILES(write_ordered, WHOLE)

static void
run_sync(void)
{
    MPI_File_sync(file);
}

#define SPLIT(name, ...)                                        \
    static void run_##name##_end(void)                          \
    {                                                           \
        MPI_File_##name##_begin(file, __VA_ARGS__);             \
        MPI_File_##name##_end(file, memory, MPI_STATUS_IGNORE); \
    }
SPLIT(read_all, memory, COUNT, MPI_INT)
SPLIT(write_all, memory, COUNT, MPI_INT)

#define FILE_WAIT(name)                           \
    {                                             \
        "MPI_File_" #name, NULL, run_##name, NULL \
    }

const struct wait sided_waits[] = {
    {"MPI_Win_create", NULL, run_create, run_free},
    {"MPI_Win_create_dynamic", NULL, run_create_dynamic, run_free},
    {"MPI_Win_allocate", NULL, run_allocate, run_free},
    {"MPI_Win_allocate_shared", NULL, run_allocate_shared, run_free},
    {"MPI_Win_free", run_create, run_free, NULL},
    {"MPI_Win_fence", run_create, run_fence, run_free},
    {"MPI_Win_fence shared", run_allocate_shared, run_fence, run_free},
    {"MPI_Win_start", make_window, start_late, free_groups},
    {"MPI_Win_start shared", make_shared, start_late, free_groups},
    {"MPI_Win_wait", make_window, wait_late, free_groups},
    {"MPI_Win_wait shared", make_shared, wait_late, free_groups},
    {"MPI_Win_lock", lock_in_late, lock_late, free_groups},
    {"MPI_Win_lock_all", lock_in_late, lock_all_late, free_groups},
    // One file: Open MPI now and then fails to open what it has just closed, in some ranks only.
    {"MPI_File_open", NULL, run_open, NULL},
    FILE_WAIT(set_view),
    FILE_WAIT(set_size),
    FILE_WAIT(preallocate),
    FILE_WAIT(set_atomicity),
    FILE_WAIT(seek_shared),
    FILE_WAIT(sync),
    FILE_WAIT(read_all),
    FILE_WAIT(read_at_all),
    FILE_WAIT(read_ordered),
    FILE_WAIT(write_all),
    FILE_WAIT(write_at_all),
    FILE_WAIT(write_ordered),
    FILE_WAIT(read_all_end),
    FILE_WAIT(write_all_end),
    {"MPI_File_close", NULL, run_close, NULL},
};
const int sided_count = sizeof sided_waits / sizeof *sided_waits;
