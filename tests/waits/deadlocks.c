// SPDX-License-Identifier: BSD-3-Clause
// Three ranks that hang in nonblocking collectives, at windows or in files, or work:
// deadlocks CASE FILE
#include <mpi.h>

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LATE = 1, WORK = 20000, PENDING = 3 };

static int rank, in, out;
static MPI_Comm solver, mesh;
static MPI_Request request;
static int memory[4];
static MPI_Win window, other;

static void
finish(void)
{
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

/** LATE is in the blocking call instead. */
static void
mismatch(void)
{
    if (rank == LATE) {
        MPI_Barrier(solver);
        return;
    }
    MPI_Ibarrier(solver, &request);
    finish();
}

/** LATE has the collectives of two communicators in another order. */
static void
swapped(void)
{
    MPI_Iallreduce(&out, &in, 1, MPI_INT, MPI_SUM, rank == LATE ? mesh : solver, &request);
    finish();
    MPI_Iallreduce(&out, &in, 1, MPI_INT, MPI_SUM, rank == LATE ? solver : mesh, &request);
    finish();
}

/** Each has another root. */
static void
roots(void)
{
    MPI_Ibcast(&in, 1, MPI_INT, (rank + 1) % 3, solver, &request);
    finish();
}

/** LATE receives another tag than was sent, by one that is in MPI_Finalize. */
static void
tag(void)
{
    if (rank == 0)
        MPI_Send(&out, 1, MPI_INT, LATE, 3, solver);
    if (rank == LATE)
        MPI_Recv(&in, 1, MPI_INT, 0, 4, solver, MPI_STATUS_IGNORE);
    MPI_Finalize();
}

/** A ring of persistent requests, of which LATE has another tag. */
static void
persistent(void)
{
    MPI_Request both[2];
    MPI_Recv_init(&in, 1, MPI_INT, (rank + 2) % 3, rank == LATE ? 8 : 7, solver, &both[0]);
    MPI_Send_init(&out, 1, MPI_INT, (rank + 1) % 3, 7, solver, &both[1]);
    for (;;) {
        MPI_Startall(2, both);
        MPI_Waitall(2, both, MPI_STATUSES_IGNORE);
    }
}

/** LATE waits for a message from one that waits in the collective. */
static void
receive(void)
{
    if (rank == LATE)
        MPI_Recv(&in, 1, MPI_INT, 0, 7, solver, MPI_STATUS_IGNORE);
    MPI_Iallreduce(&out, &in, 1, MPI_INT, MPI_SUM, solver, &request);
    finish();
}

/** LATE has begun the collective: that it receives first holds nobody up. */
static void
begun(void)
{
    MPI_Ibarrier(solver, &request);
    if (rank == LATE)
        MPI_Recv(&in, 1, MPI_INT, 0, 7, solver, MPI_STATUS_IGNORE);
    finish();
    if (rank != LATE)
        pause();
}

static void
compute(void)
{
    volatile double sum = 0;
    for (int i = 0; i < WORK * (1 + rank); i++)
        sum += i;
}

/** Several at a time, with work between. */
static void
works(void)
{
    MPI_Request requests[PENDING];
    for (;;) {
        for (int i = 0; i < PENDING; i++) {
            MPI_Iallreduce(&out, &in, 1, MPI_INT, MPI_SUM, i == 1 ? mesh : solver, &requests[i]);
            compute();
        }
        MPI_Waitall(PENDING, requests, MPI_STATUSES_IGNORE);
        MPI_Ibcast(&in, 1, MPI_INT, LATE, solver, &request);
        compute();
        finish();
    }
}

// Windows.

static MPI_Group
group_of(int member)
{
    MPI_Group all, group;
    MPI_Comm_group(solver, &all);
    MPI_Group_incl(all, 1, &member, &group);
    MPI_Group_free(&all);
    return group;
}

static void
put(MPI_Win to, int target)
{
    MPI_Put(&rank, 1, MPI_INT, target, rank, 1, MPI_INT, to);
}

/** Rank 0 and LATE lock the windows of LATE, each in another order. */
static void
locks(void)
{
    MPI_Win first = rank == LATE ? other : window, second = rank == LATE ? window : other;
    if (rank < 2) {
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, LATE, 0, first);
        put(first, LATE);
        MPI_Win_flush(LATE, first);
    }
    MPI_Barrier(solver);
    if (rank < 2)
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, LATE, 0, second);
    else
        MPI_Recv(&in, 1, MPI_INT, 0, 7, solver, MPI_STATUS_IGNORE);
}

/** Rank 0 has the window of LATE locked, or that of all, and waits for a message of rank 2, which
 * waits for the lock; LATE works. */
static void
hold(MPI_Win of, bool all, int type)
{
    if (rank == 0 && all)
        MPI_Win_lock_all(0, of);
    else if (rank == 0)
        MPI_Win_lock(MPI_LOCK_SHARED, LATE, 0, of);
    if (rank == 0) {
        put(of, LATE);
        MPI_Win_flush(LATE, of);
    }
    MPI_Barrier(solver);
    if (rank == 0)
        MPI_Recv(&in, 1, MPI_INT, 2, 7, solver, MPI_STATUS_IGNORE);
    else if (rank == 2)
        MPI_Win_lock(type, LATE, 0, of);
    for (;;)
        compute();
}

static void
held(void)
{
    hold(other, false, MPI_LOCK_EXCLUSIVE);
}

static void
held_all(void)
{
    hold(other, true, MPI_LOCK_EXCLUSIVE);
}

/** Rank 2 gets its lock when LATE looks into MPI. */
static void
shared(void)
{
    hold(other, false, MPI_LOCK_SHARED);
}

/** Rank 0 has the window of LATE locked for itself, and waits for a message of rank 2, which waits
 * for the locks of all; LATE works. */
static void
lock_all(void)
{
    if (rank == 0) {
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, LATE, 0, other);
        put(other, LATE);
        MPI_Win_flush(LATE, other);
    }
    MPI_Barrier(solver);
    if (rank == 0)
        MPI_Recv(&in, 1, MPI_INT, 2, 7, solver, MPI_STATUS_IGNORE);
    else if (rank == 2)
        MPI_Win_lock_all(0, other);
    for (;;)
        compute();
}

static MPI_Win
shared_window(void)
{
    MPI_Win ret;
    int *part;
    MPI_Win_allocate_shared(sizeof memory, sizeof *memory, MPI_INFO_NULL, solver, &part, &ret);
    return ret;
}

static void
held_shared(void)
{
    hold(shared_window(), false, MPI_LOCK_EXCLUSIVE);
}

static void
held_shared_all(void)
{
    hold(shared_window(), true, MPI_LOCK_EXCLUSIVE);
}

/** LATE does not expose its memory, as it waits for a message of rank 0. */
static void
post(void)
{
    if (rank == 0)
        MPI_Win_start(group_of(LATE), 0, window);
    else
        MPI_Recv(&in, 1, MPI_INT, 0, 7, solver, MPI_STATUS_IGNORE);
}

/** LATE does not access what rank 0 exposes to it, as it waits for a message of rank 0; rank 2
 * works. */
static void
complete(void)
{
    if (rank == 0) {
        MPI_Win_post(group_of(LATE), 0, window);
        MPI_Win_wait(window);
    } else if (rank == LATE) {
        MPI_Recv(&in, 1, MPI_INT, 0, 7, solver, MPI_STATUS_IGNORE);
    }
    for (;;)
        compute();
}

static void
epoch(MPI_Group before, MPI_Group after)
{
    MPI_Win_post(before, 0, window);
    MPI_Win_start(after, 0, window);
    put(window, (rank + 1) % 3);
    compute();
    MPI_Win_complete(window);
    MPI_Win_wait(window);
}

/** Epochs of all kinds, with work between. */
static void
accesses(void)
{
    MPI_Group before = group_of((rank + 2) % 3), after = group_of((rank + 1) % 3);
    for (;;) {
        epoch(before, after);
        for (int i = 0; i < PENDING; i++) {
            MPI_Win_lock(MPI_LOCK_EXCLUSIVE, LATE, 0, other);
            put(other, LATE);
            compute();
            MPI_Win_unlock(LATE, other);
        }
        MPI_Win_lock_all(0, other);
        put(other, (rank + 1) % 3);
        MPI_Win_unlock_all(other);
        MPI_Win_fence(0, window);
        compute();
        MPI_Win_fence(0, window);
    }
}

// Files.

static const char *path;

static MPI_File
open_file(void)
{
    MPI_File file = MPI_FILE_NULL;
    MPI_File_open(solver, path, MPI_MODE_RDWR | MPI_MODE_CREATE, MPI_INFO_NULL, &file);
    MPI_File_set_size(file, 4096); // Open MPI reads for ever at the end of a file
    return file;
}

/** LATE waits for a message from one that waits in the collective. */
static void
file(void)
{
    MPI_File opened = open_file();
    if (rank == LATE)
        MPI_Recv(&in, 1, MPI_INT, 0, 7, solver, MPI_STATUS_IGNORE);
    MPI_File_read_all(opened, memory, 4, MPI_INT, MPI_STATUS_IGNORE);
}

/** Likewise, where the ranks act one after the other. */
static void
ordered(void)
{
    MPI_File opened = open_file();
    if (rank == LATE)
        MPI_Recv(&in, 1, MPI_INT, 0, 7, solver, MPI_STATUS_IGNORE);
    MPI_File_write_ordered(opened, memory, 4, MPI_INT, MPI_STATUS_IGNORE);
}

/** Collective reads and writes, with work between. */
static void
files(void)
{
    MPI_File opened = open_file();
    MPI_File_set_view(opened, rank * (MPI_Offset) sizeof memory, MPI_INT, MPI_INT, "native",
                      MPI_INFO_NULL);
    for (;;) {
        MPI_File_write_at_all(opened, 0, memory, 4, MPI_INT, MPI_STATUS_IGNORE);
        compute();
        MPI_File_read_at_all(opened, 0, memory, 4, MPI_INT, MPI_STATUS_IGNORE);
        compute();
        MPI_File_seek_shared(opened, 0, MPI_SEEK_SET);
        MPI_File_write_ordered(opened, memory, 1, MPI_INT, MPI_STATUS_IGNORE);
        compute();
    }
}

/** All wait for a process of another job, which does not connect; only the root knows the port. */
static void
port(void)
{
    char name[MPI_MAX_PORT_NAME] = "of no meaning";
    MPI_Comm made;
    if (rank == LATE)
        MPI_Open_port(MPI_INFO_NULL, name);
    MPI_Comm_accept(name, MPI_INFO_NULL, LATE, solver, &made);
}

static const struct {
    const char *name;
    void (*run)(void);
} cases[] = {
    {"mismatch", mismatch},
    {"swapped", swapped},
    {"roots", roots},
    {"tag", tag},
    {"persistent", persistent},
    {"receive", receive},
    {"begun", begun},
    {"works", works},
    {"locks", locks},
    {"post", post},
    {"complete", complete},
    {"shared", shared},
    {"held", held},
    {"held-all", held_all},
    {"lock-all", lock_all},
    {"held-shared", held_shared},
    {"held-shared-all", held_shared_all},
    {"accesses", accesses},
    {"file", file},
    {"ordered", ordered},
    {"files", files},
    {"port", port},
};

int
main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    path = argc > 2 ? argv[2] : "file";
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_dup(MPI_COMM_WORLD, &solver);
    MPI_Comm_set_name(solver, "solver");
    MPI_Comm_dup(MPI_COMM_WORLD, &mesh);
    MPI_Comm_set_name(mesh, "mesh");
    MPI_Win_create(memory, sizeof memory, sizeof *memory, MPI_INFO_NULL, solver, &window);
    MPI_Win_create(memory, sizeof memory, sizeof *memory, MPI_INFO_NULL, solver, &other);
    puts("ready");
    fflush(stdout);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (argc > 1 && strcmp(argv[1], cases[i].name) == 0)
            cases[i].run();
    MPI_Finalize();
    return 0;
}
