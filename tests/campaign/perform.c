// SPDX-License-Identifier: BSD-3-Clause
// Performs a script of MPI calls, and records in a shared file how far each thread has come.
//
//   perform SCRIPT PROGRESS
//
// What is written goes to files whose names begin with PROGRESS. README.md documents the script.
// Somebody else has locked its file.
#include "statements.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { BSEND_BYTES = 1 << 23, LIFE_SECONDS = 900 };

pthread_t statement_threads[THREADS];

static struct actor actors[THREADS];
static int n_comms = 1, rank, ranks, team; // team: its size, 0: none

static void
fail(const char *what, const char *name)
{
    fprintf(stderr, "perform: %s %s\n", what, name);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

static int
read_numbers(char *text, int *ret, int room)
{
    int count = 0;
    for (char *end; count < room; text = end) {
        long number = strtol(text, &end, 10);
        if (end == text)
            break;
        ret[count++] = (int) number;
    }
    return count;
}

static void
add_statement(struct actor *actor, const char *name, char *arguments)
{
    const struct operation *operation = statement_find(name);
    if (operation == NULL || actor->count == STATEMENTS)
        fail("cannot perform", name);
    struct statement *statement = &actor->statements[actor->count++];
    statement->operation = operation;
    read_numbers(arguments, statement->a, ARGUMENTS);
}

static void
make_ring(MPI_Comm parent, MPI_Comm *ret)
{
    const int periods[] = {1};
    int dims[1];
    MPI_Comm_size(parent, dims);
    MPI_Cart_create(parent, 1, dims, periods, 0, ret);
}

// comm dup|ring|split PARENT NAME; of split, for each rank of the parent its color, -1: none, and
// key.
static void
add_comm(char *line)
{
    char kind[16], name[64];
    int parent = 0, length = 0, pairs[2 * RANKS], own;
    if (n_comms == COMMS || sscanf(line, "comm %15s %d %63s%n", kind, &parent, name, &length) != 3)
        fail("cannot understand", line);
    MPI_Comm *comm = &statement_comms[n_comms++];
    *comm = MPI_COMM_NULL;
    if (statement_comms[parent] == MPI_COMM_NULL)
        return;
    MPI_Comm_rank(statement_comms[parent], &own);
    if (strcmp(kind, "dup") == 0)
        MPI_Comm_dup(statement_comms[parent], comm);
    else if (strcmp(kind, "ring") == 0)
        make_ring(statement_comms[parent], comm);
    else if (read_numbers(line + length, pairs, 2 * RANKS) > 2 * own + 1)
        MPI_Comm_split(statement_comms[parent], pairs[2 * own] < 0 ? MPI_UNDEFINED : pairs[2 * own],
                       pairs[2 * own + 1], comm);
    if (*comm != MPI_COMM_NULL && strcmp(name, "-") != 0)
        MPI_Comm_set_name(*comm, name);
}

static void
add_line(char *line, const char *files)
{
    char name[32];
    int of, thread, length, comm, size;
    if (strncmp(line, "comm ", 5) == 0)
        add_comm(line);
    else if (sscanf(line, "win %d %31s", &comm, name) == 2) {
        if (!statement_add_window(comm, name))
            fail("cannot make", line);
    } else if (sscanf(line, "team %d %d", &of, &size) == 2) {
        team = of == rank && size <= THREADS ? size : team;
    } else if (sscanf(line, "file %d", &comm) == 1) {
        if (!statement_add_file(comm, files))
            fail("cannot open", files);
    } else if (sscanf(line, "%d %d %31s%n", &of, &thread, name, &length) == 3 && of == rank &&
               thread >= 0 && thread < THREADS)
        add_statement(&actors[thread], name, line + length);
}

static void
load(const char *path, const char *files)
{
    char line[512];
    FILE *file = fopen(path, "r");
    if (file == NULL)
        fail("cannot read", path);
    while (fgets(line, sizeof line, file) != NULL)
        add_line(line, files);
    fclose(file);
}

// The level of threads: what must be known before MPI is there.
static int
wanted_level(const char *path)
{
    static const struct {
        const char *name;
        int level;
    } levels[] = {{"funneled\n", MPI_THREAD_FUNNELED},
                  {"serialized\n", MPI_THREAD_SERIALIZED},
                  {"multiple\n", MPI_THREAD_MULTIPLE}};
    char line[512];
    int ret = MPI_THREAD_SINGLE;
    FILE *file = fopen(path, "r");
    while (file != NULL && fgets(line, sizeof line, file) != NULL)
        for (size_t i = 0; i < sizeof levels / sizeof *levels; i++)
            if (strcmp(line, levels[i].name) == 0)
                ret = levels[i].level;
    if (file != NULL)
        fclose(file);
    return ret;
}

static struct progress *
map_progress(const char *path)
{
    int file = open(path, O_RDWR | O_CLOEXEC);
    void *ret = mmap(NULL, sizeof(struct progress) * THREADS * RANKS, PROT_READ | PROT_WRITE,
                     MAP_SHARED, file, 0);
    if (ret == MAP_FAILED)
        fail("cannot map", path);
    close(file);
    return ret;
}

// Connections exist afterwards, whose making would depend on what the other side does.
static void
meet_all(void)
{
    char in, out = 0;
    for (int i = 0; i < ranks; i++)
        MPI_Sendrecv(&out, 1, MPI_CHAR, (rank + i) % ranks, 1, &in, 1, MPI_CHAR,
                     (rank + ranks - i) % ranks, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);
}

static void *
perform(void *argument)
{
    struct actor *actor = argument;
    actor->progress->tid = (int32_t) syscall(SYS_gettid);
    for (int i = 0; i < actor->count; i++) {
        const struct statement *statement = &actor->statements[i];
        atomic_store(&actor->progress->position, i + 1);
        statement->operation->perform(actor, statement->a);
    }
    atomic_store(&actor->progress->position, actor->count + 1);
    return NULL;
}

static void
prepare(const char *script, const char *progress)
{
    static char attached[BSEND_BYTES];
    struct progress *records = map_progress(progress);
    statement_comms[0] = MPI_COMM_WORLD;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Buffer_attach(attached, BSEND_BYTES);
    if (ranks > RANKS || !statements_prepare(script) || !statements_prepare_waits())
        fail("cannot prepare for", script);
    for (int i = 0; i < THREADS; i++) {
        actors[i].progress = &records[rank * THREADS + i];
        actors[i].progress->pid = (int32_t) getpid();
        actors[i].made = MPI_COMM_NULL;
        for (int k = 0; k < SLOTS; k++)
            actors[i].requests[k] = MPI_REQUEST_NULL;
    }
    load(script, progress);
    meet_all();
}

static void
start_threads(void)
{
    for (int i = team > 0 ? team : 1; i < THREADS; i++)
        if (actors[i].count > 0 &&
            pthread_create(&statement_threads[i], NULL, perform, &actors[i]) != 0)
            fail("cannot create", "a thread");
}

static void
perform_member(int number)
{
    perform(&actors[number]);
}

// The main thread's part, and in its team, if it has one, the others'.
static void
perform_main(void)
{
    if (team == 0)
        perform_member(0);
    else if (!statements_perform_team(team, perform_member))
        fail("cannot make", "a team");
    if (team == 0 && actors[1].count > 0)
        pthread_join(statement_threads[1], NULL);
}

// Where the last statement was: 1 in pthread_join(), or at the end of the team's region, 2 in
// MPI_Finalize(), 3 after it. Threads from 2 on, or that are in no team, are the script's to join,
// or end with the process.
int
main(int argc, char **argv)
{
    int provided;
    if (argc != 3)
        return 2;
    alarm(LIFE_SECONDS);
    prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY);
    MPI_Init_thread(&argc, &argv, wanted_level(argv[1]), &provided);
    prepare(argv[1], argv[2]);
    start_threads();
    perform_main();
    atomic_store(&actors[0].progress->position, actors[0].count + 2);
    MPI_Finalize();
    atomic_store(&actors[0].progress->position, actors[0].count + 3);
    return 0;
}
