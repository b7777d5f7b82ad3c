// SPDX-License-Identifier: BSD-3-Clause
// Jobs to be watched: those that work, however slowly, and those that hang.
#include <mpi.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { TAG = 7, BYTES = 1 << 16 };

struct job {
    int rank, size;
    double seconds; // of a step
};

static double
now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double) time.tv_sec + (double) time.tv_nsec / 1e9;
}

static volatile double sum;

static void
compute(double seconds)
{
    for (double end = now() + seconds; now() < end;)
        for (int i = 1; i < 10000000; i++)
            sum += 1.0 / i;
}

static void
rest(double seconds)
{
    struct timespec time = {(time_t) seconds, (long) ((seconds - (double) (time_t) seconds) * 1e9)};
    nanosleep(&time, NULL);
}

// Always the same call.
static void
do_write(double seconds)
{
    static char bytes[BYTES];
    FILE *file = tmpfile();
    for (double end = now() + seconds; now() < end;) {
        if (file == NULL || fwrite(bytes, sizeof bytes, 1, file) != 1 || fsync(fileno(file)) != 0)
            abort();
        rewind(file);
    }
    fclose(file);
}

static void
run_program(double seconds)
{
    char command[64];
    snprintf(command, sizeof command, "timeout %.3g sh -c 'while :; do :; done'", seconds);
    (void) !system(command);
}

// The first rank does something for a while; then there is a message for each other.
static void
step(const struct job *job, void (*work)(double seconds))
{
    int number = 0;
    if (job->rank == 0)
        work(job->seconds);
    for (int i = 1; i < job->size && job->rank == 0; i++)
        MPI_Send(&number, 1, MPI_INT, i, TAG, MPI_COMM_WORLD);
    if (job->rank != 0)
        MPI_Recv(&number, 1, MPI_INT, 0, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void
hang(const struct job *job)
{
    int number = 0;
    MPI_Recv(&number, 1, MPI_INT, (job->rank + 1) % job->size, TAG, MPI_COMM_WORLD,
             MPI_STATUS_IGNORE);
}

// Usage: watched SECONDS-OF-A-STEP WORK...: each work is a step; the last one "hang", or "again",
// which goes on with the first for ever.
int
main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*work)(double seconds);
    } works[] = {
        {"compute", compute}, {"sleep", rest}, {"write", do_write}, {"program", run_program}};
    struct job job = {.seconds = argc > 1 ? atof(argv[1]) : 1};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &job.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &job.size);
    for (int i = 2; i < argc; i++) {
        if (strcmp(argv[i], "hang") == 0)
            hang(&job);
        if (strcmp(argv[i], "again") == 0)
            i = 2;
        for (size_t k = 0; k < sizeof works / sizeof *works; k++)
            if (strcmp(argv[i], works[k].name) == 0)
                step(&job, works[k].work);
    }
    MPI_Finalize();
    return 0;
}
