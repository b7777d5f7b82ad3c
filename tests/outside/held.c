// SPDX-License-Identifier: BSD-3-Clause
// Two ranks that wait for each other by MPI and by a file.
//
//   held flock FILE    Rank 0 holds a lock of the file and receives; rank 1 waits for that lock and
//                      would send.
//   held lockf FILE    The same with a lock of fcntl().
//   held fifo FILE     Rank 0 has a named pipe open for writing and receives; rank 1 reads from it.
//   held other FILE    Rank 0 receives; rank 1 waits for a lock that another program holds.
//   held io FILE       Rank 0 holds a lock of the file and receives; rank 1 writes to it by MPI-IO
//                      in atomic mode, and would send.
//   held io-other FILE Rank 0 receives; rank 1 writes likewise, another program holds a lock.
//   held tcp FILE      Rank 0 has a connection with rank 1 and receives; rank 1 reads from that.
//   held unix FILE     The same with a UNIX socket of that path.
//   held poll FILE     The same, but rank 1 waits in poll().
//   held mutex FILE    Rank 0 holds a mutex in memory of the file and receives; rank 1 waits for
//                      that.
//   held connect PORT  Rank 0 receives; rank 1 reads from a connection with that port.
//   held read FILE     Rank 0 receives; rank 1 reads from the file, which does not answer.
//   held stat FILE     Rank 0 receives; rank 1 asks for the state of such a file.
//   held ioctl FILE    Rank 0 receives; rank 1 is in ioctl() on such a file.
//   held full FILE     Rank 0 receives; rank 1 writes to the file, again and again when no space is
//                      left.
//   held memory FILE   Rank 0 receives; rank 1 takes memory without end once the file is there.
//   held unread FILE   Rank 0 sleeps, out of MPI; rank 1 has sent it messages since, of 1000 bytes
//                      in all.
//   held turns FILE    They take turns with the lock and with messages, for ever.
#include <arpa/inet.h>
#include <fcntl.h>
#include <mpi.h>
#include <poll.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
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
send_number(void)
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
    send_number();
}

static void
check(bool good)
{
    if (!good)
        MPI_Abort(MPI_COMM_WORLD, 1);
}

/** A connection of the two ranks, by any free port, or by a path. */
static int
connect_ranks(const char *path)
{
    struct sockaddr_in tcp = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    struct sockaddr_un local = {.sun_family = AF_UNIX};
    strncpy(local.sun_path, path ? path : "", sizeof local.sun_path - 1);
    struct sockaddr *address = path ? (struct sockaddr *) &local : (struct sockaddr *) &tcp;
    socklen_t size = path ? sizeof local : sizeof tcp;
    int fd = socket(path ? AF_UNIX : AF_INET, SOCK_STREAM, 0), other = -1;
    if (rank == 0)
        check(bind(fd, address, size) == 0 && listen(fd, 1) == 0 &&
              getsockname(fd, address, &size) == 0);
    MPI_Bcast(&tcp, sizeof tcp, MPI_BYTE, 0, MPI_COMM_WORLD);
    if (rank == 1)
        check(connect(fd, address, size) == 0);
    else
        check((other = accept(fd, NULL, NULL)) >= 0);
    return rank == 1 ? fd : other;
}

static int
connect_port(const char *port)
{
    struct sockaddr_in to = {.sin_family = AF_INET,
                             .sin_port = htons((uint16_t) atoi(port)),
                             .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    check(rank == 0 || connect(fd, (struct sockaddr *) &to, sizeof to) == 0);
    return fd;
}

/** A mutex in memory that the ranks share. */
static pthread_mutex_t *mutex;

static void
make_mutex(int fd)
{
    pthread_mutexattr_t kind;
    check(ftruncate(fd, sizeof *mutex) == 0);
    mutex = mmap(NULL, sizeof *mutex, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    check(mutex != MAP_FAILED);
    pthread_mutexattr_init(&kind);
    pthread_mutexattr_setpshared(&kind, PTHREAD_PROCESS_SHARED);
    if (rank == 0)
        pthread_mutex_init(mutex, &kind);
}

static void
take_mutex(int fd)
{
    (void) fd;
    pthread_mutex_lock(mutex);
}

static void
hold_mutex(int fd)
{
    make_mutex(fd);
    hold(fd, take_mutex, true);
}

static void
poll_byte(int fd)
{
    poll(&(struct pollfd){.fd = fd, .events = POLLIN}, 1, -1);
}

static void
control(int fd)
{
    ioctl(fd, TCGETS, &(char[256]){0});
}

static void
fill(int fd)
{
    static char block[4096];
    for (;;)
        if (write(fd, block, sizeof block) < 0)
            usleep(10000);
}

static void
take_memory(const char *path)
{
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        receive();
    while (access(path, F_OK) != 0)
        usleep(10000);
    for (size_t size = (size_t) 1 << 20;;)
        memset(malloc(size), 1, size);
}

/** Rank 0 receives; rank 1 does something with a file that it alone opens. */
static void
use_file(const char *path, int flags, void (*use)(int fd))
{
    int fd = rank == 1 ? open_file(path, flags) : -1;
    hold(fd, use, false);
}

static void
ask_state(const char *path)
{
    struct stat status;
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        receive();
    stat(path, &status);
    send_number();
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
        send_number();
        if (rank == 1)
            receive();
    }
}

static void
write_atomically(const char *path, bool held)
{
    MPI_File file;
    int number = 1;
    MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
    MPI_File_set_atomicity(file, true);
    if (rank == 0 && held)
        take_lockf(open_file(path, O_RDWR));
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 1)
        MPI_File_write_at(file, 0, &number, 1, MPI_INT, MPI_STATUS_IGNORE);
    receive();
}

/** Rank 0 says by the file that it is past its last look for messages. */
static void
send_unread(int fd)
{
    const char data[100] = {0};
    struct stat status = {.st_size = 0};
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        check(write(fd, data, 1) == 1);
    while (rank == 1 && fstat(fd, &status) == 0 && status.st_size == 0)
        usleep(1000);
    for (int i = 0; rank == 1 && i < 10; i++)
        MPI_Send(data, sizeof data, MPI_BYTE, 0, TAG, MPI_COMM_WORLD);
    for (;;)
        pause();
}

int
main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    puts("ready");
    fflush(stdout);
    const char *how = argc == 3 ? argv[1] : "";
    if (strcmp(how, "fifo") == 0)
        hold(open_file(argv[2], rank == 0 ? O_WRONLY : O_RDONLY), read_byte, false);
    else if (strcmp(how, "tcp") == 0)
        hold(connect_ranks(NULL), read_byte, false);
    else if (strcmp(how, "unix") == 0)
        hold(connect_ranks(argv[2]), read_byte, false);
    else if (strcmp(how, "poll") == 0)
        hold(connect_ranks(NULL), poll_byte, false);
    else if (strcmp(how, "connect") == 0)
        hold(connect_port(argv[2]), read_byte, false);
    else if (strcmp(how, "read") == 0)
        use_file(argv[2], O_RDONLY, read_byte);
    else if (strcmp(how, "ioctl") == 0)
        use_file(argv[2], O_RDONLY, control);
    else if (strcmp(how, "full") == 0)
        use_file(argv[2], O_WRONLY, fill);
    else if (strcmp(how, "io") == 0 || strcmp(how, "io-other") == 0)
        write_atomically(argv[2], strcmp(how, "io") == 0);
    else if (strcmp(how, "unread") == 0)
        send_unread(open_file(argv[2], O_RDWR));
    else if (strcmp(how, "memory") == 0)
        take_memory(argv[2]);
    else if (strcmp(how, "stat") == 0)
        ask_state(argv[2]);
    int fd = open_file(argv[2], O_RDWR);
    if (strcmp(how, "mutex") == 0)
        hold_mutex(fd);
    if (strcmp(how, "turns") == 0)
        take_turns(fd);
    hold(fd, strcmp(how, "lockf") == 0 ? take_lockf : take_flock, strcmp(how, "other") != 0);
    return EXIT_FAILURE;
}
