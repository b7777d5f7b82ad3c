// SPDX-License-Identifier: BSD-3-Clause
// Statements on windows and files.
#include "statements.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PART = 16, FILE_BYTES = 4096 };

static MPI_Win windows[WINDOWS];
static MPI_File files[FILES];
static MPI_Comm comms_of[WINDOWS];
static int n_windows, n_files;

// Windows. Ranks are those of the window.

bool
statement_add_window(int comm, const char *kind)
{
    static int memory[WINDOWS][PART];
    void *part;
    if (n_windows == WINDOWS)
        return false;
    MPI_Win *window = &windows[n_windows];
    comms_of[n_windows] = statement_comms[comm];
    *window = MPI_WIN_NULL;
    if (statement_comms[comm] == MPI_COMM_NULL)
        ;
    else if (strcmp(kind, "create") == 0)
        MPI_Win_create(memory[n_windows], sizeof *memory, sizeof **memory, MPI_INFO_NULL,
                       statement_comms[comm], window);
    else if (strcmp(kind, "shared") == 0)
        MPI_Win_allocate_shared(sizeof *memory, sizeof **memory, MPI_INFO_NULL,
                                statement_comms[comm], &part, window);
    else
        MPI_Win_allocate(sizeof *memory, sizeof **memory, MPI_INFO_NULL, statement_comms[comm],
                         &part, window);
    n_windows++;
    return true;
}

// Window, number of ranks, ranks.
static void
open_epoch(const int *a, int (*open)(MPI_Group, int, MPI_Win))
{
    MPI_Group all, group;
    MPI_Comm_group(comms_of[a[0]], &all);
    MPI_Group_incl(all, a[1], a + 2, &group);
    open(group, 0, windows[a[0]]);
    MPI_Group_free(&group);
    MPI_Group_free(&all);
}

static void
do_win_post(struct actor *actor, const int *a)
{
    (void) actor;
    open_epoch(a, MPI_Win_post);
}

static void
do_win_start(struct actor *actor, const int *a)
{
    (void) actor;
    open_epoch(a, MPI_Win_start);
}

// Window.
#define WINDOW(name, call)                                   \
    static void do_##name(struct actor *actor, const int *a) \
    {                                                        \
        (void) actor;                                        \
        call;                                                \
    }
WINDOW(win_complete, MPI_Win_complete(windows[a[0]]))
WINDOW(win_wait, MPI_Win_wait(windows[a[0]]))
WINDOW(win_fence, MPI_Win_fence(0, windows[a[0]]))
// and rank,
WINDOW(win_flush, MPI_Win_flush(a[1], windows[a[0]]))
WINDOW(win_unlock, MPI_Win_unlock(a[1], windows[a[0]]))
// and whether it is exclusive.
WINDOW(win_lock, MPI_Win_lock(a[2] ? MPI_LOCK_EXCLUSIVE : MPI_LOCK_SHARED, a[1], 0, windows[a[0]]))

static void
do_win_put(struct actor *actor, const int *a)
{
    int own;
    (void) actor;
    MPI_Comm_rank(comms_of[a[0]], &own);
    MPI_Put(statement_buffer(sizeof(int)), 1, MPI_INT, a[1], own, 1, MPI_INT, windows[a[0]]);
}

// Files.

bool
statement_add_file(int comm, const char *path)
{
    char name[4096];
    int leader = 0;
    if (n_files == FILES)
        return false;
    MPI_File *file = &files[n_files++];
    if (statement_comms[comm] == MPI_COMM_NULL)
        return true;
    MPI_Comm_rank(MPI_COMM_WORLD, &leader); // each group has a file of its own
    MPI_Bcast(&leader, 1, MPI_INT, 0, statement_comms[comm]);
    snprintf(name, sizeof name, "%s.%d.%d", path, n_files, leader);
    if (MPI_File_open(statement_comms[comm], name, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL,
                      file) != MPI_SUCCESS)
        return false;
    MPI_File_set_size(*file, FILE_BYTES); // Open MPI reads for ever at the end of a file
    return true;
}

// File. Reads and writes are always of the same place. What comes after a call keeps the function
// on the stack: MPICH's MPI_File_write_ordered leaves no trace of itself there.
#define FILE_CALL(name, call)                                \
    static void do_##name(struct actor *actor, const int *a) \
    {                                                        \
        MPI_File file = files[a[0]];                         \
        (void) actor;                                        \
        if ((call) != MPI_SUCCESS)                           \
            abort();                                         \
    }
#define WHOLE statement_buffer(PART), PART, MPI_BYTE, MPI_STATUS_IGNORE
FILE_CALL(file_read_all, MPI_File_seek(file, 0, MPI_SEEK_SET) || MPI_File_read_all(file, WHOLE))
FILE_CALL(file_write_all, MPI_File_seek(file, 0, MPI_SEEK_SET) || MPI_File_write_all(file, WHOLE))
FILE_CALL(file_read_at_all, MPI_File_read_at_all(file, 0, WHOLE))
FILE_CALL(file_write_at_all, MPI_File_write_at_all(file, 0, WHOLE))
FILE_CALL(file_write_ordered, MPI_File_write_ordered(file, WHOLE))
FILE_CALL(file_set_size, MPI_File_set_size(file, FILE_BYTES))

const struct operation sided_operations[] = {
    {"win_post", do_win_post},
    {"win_start", do_win_start},
    {"win_put", do_win_put},
    {"win_complete", do_win_complete},
    {"win_wait", do_win_wait},
    {"win_fence", do_win_fence},
    {"win_lock", do_win_lock},
    {"win_flush", do_win_flush},
    {"win_unlock", do_win_unlock},
    {"file_read_all", do_file_read_all},
    {"file_write_all", do_file_write_all},
    {"file_read_at_all", do_file_read_at_all},
    {"file_write_at_all", do_file_write_at_all},
    {"file_write_ordered", do_file_write_ordered},
    {"file_set_size", do_file_set_size},
    {NULL, NULL},
};
