// SPDX-License-Identifier: BSD-3-Clause
// Two ranks that wait for each other by MPI and by a file.
//
//   held flock FILE    Rank 0 holds a lock of the file and receives; rank 1 waits for that lock and
//                      would send.
//   held lockf FILE    The same with a lock of fcntl().
//   held fifo FILE     Rank 0 has a named pipe open for writing and receives; rank 1 reads from it.
//   held other FILE    Rank 0 receives; rank 1 waits for a lock that another program holds.
//   held turns FILE    They take turns with the lock and with messages, for ever.
#include <fcntl.h>
#include <mpi.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum { TAG = 7 };

static int rank;

static int
open_file(const char *path, int flags)
{
    int fd = open(path, flags | O_CREAT, S_IRUSR | S_IWUSR);
    if (fd < 0)
        MPI_Abort(MPI_COMM_WORLD, 1);
    return fd;
}

static void
take_flock(int fd)
{
    if (flock(fd, LOCK_EX) != 0)
        MPI_Abort(MPI_COMM_WORLD, 1);
}

static void
take_lockf(int fd)
{
    if (lockf(fd, F_LOCK, 0) != 0)
        MPI_Abort(MPI_COMM_WORLD, 1);
}

static void
read_byte(int fd)
{
    char byte;
    (void) !read(fd, &byte, sizeof byte);
}

static void
receive(void)
{
    MPI_Recv(&(int){0}, 1, MPI_INT, 1 - rank, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void
send(void)
{
    MPI_Send(&rank, 1, MPI_INT, 1 - rank, TAG, MPI_COMM_WORLD);
}

static void
hold(int fd, void (*take)(int fd), bool rank_0_takes)
{
    if (rank == 0 && rank_0_takes)
        take(fd);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        receive();
    take(fd);
    send();
}

static void
take_turns(int fd)
{
    for (;;) {
        take_flock(fd);
        usleep(1000);
        flock(fd, LOCK_UN);
        if (rank == 0)
            receive();
        send();
        if (rank == 1)
            receive();
    }
}

int
main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    const char *how = argc == 3 ? argv[1] : "";
    if (strcmp(how, "fifo") == 0)
        hold(open_file(argv[2], rank == 0 ? O_WRONLY : O_RDONLY), read_byte, false);
    int fd = open_file(argv[2], O_RDWR);
    if (strcmp(how, "turns") == 0)
        take_turns(fd);
    hold(fd, strcmp(how, "lockf") == 0 ? take_lockf : take_flock, strcmp(how, "other") != 0);
    return EXIT_FAILURE;
}
