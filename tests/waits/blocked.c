// SPDX-License-Identifier: BSD-3-Clause
// Every call of MPI that waits for others, one after the other, in three ranks: rank LATE comes to
// each only when it gets SIGUSR1, so that until then the others wait in it.
//
// Usage: blocked FOLDER [FIRST COUNT | but NAME... | init]. LATE writes number, process and name of
// each wait to FOLDER/now before it sleeps; with "init", before MPI_Init and MPI_Finalize only.
#include "tests/waits/blocked.h"

#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BIG = 1 << 22, TAG = 7 };

int rank;
MPI_Comm comm;
const char *folder;

static volatile sig_atomic_t called;
static MPI_Comm intercomm, ring;
static MPI_Request request;
static int out[RANKS], in[RANKS];
static const int ones[RANKS] = {1, 1, 1}, places[RANKS] = {0, 1, 2};
static const int bytes[RANKS] = {0, sizeof(int), 2 * sizeof(int)};
static const MPI_Aint byte_places[RANKS] = {0, sizeof(int), 2 * sizeof(int)};
static MPI_Datatype types[RANKS];
static char *big;
static const char *program;

static void
take_signal(int signal)
{
    (void) signal;
    called = 1;
}

/** Until the test lets it go on. */
static void
be_late(int number, const char *name)
{
    char path[4096], next[4096];
    snprintf(path, sizeof path, "%s/now", folder);
    snprintf(next, sizeof next, "%s/next", folder);
    FILE *file = fopen(next, "w");
    fprintf(file, "%d %ld %s\n", number, (long) getpid(), name);
    fclose(file);
    rename(next, path);
    while (!called)
        sleep(1);
    called = 0;
}

static void
wait_for_it(void)
{
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

// Messages: the others wait for one of LATE, or LATE for one to be received.

static void
recv_late(void)
{
    if (rank == LATE)
        for (int i = 0; i < RANKS; i++)
            MPI_Send(out, 1, MPI_INT, i == LATE ? MPI_PROC_NULL : i, TAG, comm);
    else
        MPI_Recv(in, 1, MPI_INT, LATE, TAG, comm, MPI_STATUS_IGNORE);
}

static void
receive_all(void)
{
    for (int i = 0; i < RANKS; i++)
        MPI_Recv(big, BIG, MPI_CHAR, i == LATE ? MPI_PROC_NULL : i, TAG, comm, MPI_STATUS_IGNORE);
}

#define SENDS(name, call)   \
    static void name(void)  \
    {                       \
        if (rank == LATE) { \
            receive_all();  \
            return;         \
        }                   \
        call;               \
    }
SENDS(send_late, MPI_Send(big, BIG, MPI_CHAR, LATE, TAG, comm))
SENDS(ssend_late, MPI_Ssend(big, 1, MPI_CHAR, LATE, TAG, comm))

static void
rsend_late(void)
{
    // The receive is there before LATE sleeps; its data is not taken until it comes back to MPI.
    if (rank == LATE)
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    else if (rank == 0)
        MPI_Rsend(big, BIG, MPI_CHAR, LATE, TAG, comm);
}

static void
rsend_before(void)
{
    if (rank == LATE)
        MPI_Irecv(big, BIG, MPI_CHAR, 0, TAG, comm, &request);
}

static void
sendrecv_late(void)
{
    if (rank == LATE)
        for (int i = 0; i < RANKS; i++)
            MPI_Sendrecv(out, 1, MPI_INT, i == LATE ? MPI_PROC_NULL : i, TAG, in, 1, MPI_INT,
                         i == LATE ? MPI_PROC_NULL : i, TAG, comm, MPI_STATUS_IGNORE);
    else
        MPI_Sendrecv(out, 1, MPI_INT, LATE, TAG, in, 1, MPI_INT, LATE, TAG, comm,
                     MPI_STATUS_IGNORE);
}

static void
sendrecv_replace_late(void)
{
    if (rank == LATE)
        sendrecv_late();
    else
        MPI_Sendrecv_replace(out, 1, MPI_INT, LATE, TAG, LATE, TAG, comm, MPI_STATUS_IGNORE);
}

static void
probe_late(void)
{
    if (rank != LATE)
        MPI_Probe(LATE, TAG, comm, MPI_STATUS_IGNORE);
    recv_late();
}

static void
mprobe_late(void)
{
    MPI_Message message;
    if (rank == LATE) {
        recv_late();
        return;
    }
    MPI_Mprobe(LATE, TAG, comm, &message, MPI_STATUS_IGNORE);
    MPI_Mrecv(in, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
}

static void
mrecv_before(void)
{
    if (rank == LATE)
        MPI_Isend(big, BIG, MPI_CHAR, 0, TAG, comm, &request);
}

static void
mrecv_late(void)
{
    MPI_Message message;
    if (rank == LATE)
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (rank != 0)
        return;
    MPI_Mprobe(LATE, TAG, comm, &message, MPI_STATUS_IGNORE);
    MPI_Mrecv(big, BIG, MPI_CHAR, &message, MPI_STATUS_IGNORE);
}

static void
irecv_late(void)
{
    if (rank == LATE) {
        recv_late();
        return;
    }
    MPI_Irecv(in, 1, MPI_INT, LATE, TAG, comm, &request);
    wait_for_it();
}

SENDS(issend_late, MPI_Issend(big, 1, MPI_CHAR, LATE, TAG, comm, &request); wait_for_it())

static void
start_recv_late(void)
{
    if (rank == LATE) {
        recv_late();
        return;
    }
    MPI_Recv_init(in, 1, MPI_INT, LATE, TAG, comm, &request);
    MPI_Start(&request);
    wait_for_it();
    MPI_Request_free(&request);
}

SENDS(start_send_late, MPI_Send_init(big, BIG, MPI_CHAR, LATE, TAG, comm, &request);
      MPI_Start(&request); wait_for_it(); MPI_Request_free(&request))

static void
buffer_detach_late(void)
{
    int size = BIG + MPI_BSEND_OVERHEAD;
    void *buffer = malloc((size_t) size);
    if (rank == LATE) {
        receive_all();
    } else {
        MPI_Buffer_attach(buffer, size);
        MPI_Bsend(big, BIG, MPI_CHAR, LATE, TAG, comm);
        MPI_Buffer_detach(&buffer, &size);
    }
    free(buffer);
}

static void
waitall_late(void)
{
    MPI_Request requests[2];
    if (rank == LATE) {
        recv_late();
        recv_late();
        return;
    }
    for (int i = 0; i < 2; i++)
        MPI_Irecv(&in[i], 1, MPI_INT, LATE, TAG, comm, &requests[i]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
}

static void
waitany_late(void)
{
    MPI_Request requests[2];
    int which, count = 0, indices[2];
    if (rank == LATE) {
        recv_late();
        recv_late();
        return;
    }
    for (int i = 0; i < 2; i++)
        MPI_Irecv(&in[i], 1, MPI_INT, LATE, TAG, comm, &requests[i]);
    MPI_Waitany(2, requests, &which, MPI_STATUS_IGNORE);
    MPI_Waitsome(2, requests, &count, indices, MPI_STATUSES_IGNORE);
}

static void
waitsome_late(void)
{
    MPI_Request requests[2];
    int count = 0, indices[2];
    if (rank == LATE) {
        recv_late();
        recv_late();
        return;
    }
    for (int i = 0; i < 2; i++)
        MPI_Irecv(&in[i], 1, MPI_INT, LATE, TAG, comm, &requests[i]);
    for (int left = 2; left > 0; left -= count)
        MPI_Waitsome(2, requests, &count, indices, MPI_STATUSES_IGNORE);
}

// Nonblocking collectives, by the calls that complete them.

static void
ibarrier_waitall(void)
{
    MPI_Request requests[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    MPI_Ibarrier(comm, &requests[0]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
}

static void
ibarrier_waitany(void)
{
    int which;
    MPI_Ibarrier(comm, &request);
    MPI_Waitany(1, &request, &which, MPI_STATUS_IGNORE);
}

static void
ibarrier_waitsome(void)
{
    int count, which;
    MPI_Ibarrier(comm, &request);
    MPI_Waitsome(1, &request, &count, &which, MPI_STATUSES_IGNORE);
}

static void
ibarrier_test(void)
{
    int done = 0;
    MPI_Ibarrier(comm, &request);
    while (!done)
        MPI_Test(&request, &done, MPI_STATUS_IGNORE);
}

// What makes and frees communicators.

static MPI_Comm made;

static void
drop(void)
{
    if (made != MPI_COMM_NULL)
        MPI_Comm_free(&made);
}

static void
create(void)
{
    MPI_Group group;
    MPI_Comm_group(comm, &group);
    MPI_Comm_create(comm, group, &made);
    MPI_Group_free(&group);
}

static void
create_group(void)
{
    MPI_Group group;
    MPI_Comm_group(comm, &group);
    MPI_Comm_create_group(comm, group, TAG, &made);
    MPI_Group_free(&group);
}

static void
cart_create(void)
{
    const int dims[] = {RANKS}, periods[] = {1};
    MPI_Cart_create(comm, 1, dims, periods, 0, &made);
}

static void
cart_sub(void)
{
    const int remain[] = {1};
    MPI_Cart_sub(ring, remain, &made);
}

static void
graph_create(void)
{
    const int index[] = {1, 2, 3}, edges[] = {1, 2, 0};
    MPI_Graph_create(comm, RANKS, index, edges, 0, &made);
}

static void
dist_graph_create(void)
{
    const int degree = 1, next = (rank + 1) % RANKS;
    MPI_Dist_graph_create(comm, 1, &rank, &degree, &next, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &made);
}

static void
dist_graph_create_adjacent(void)
{
    const int before = (rank + RANKS - 1) % RANKS, next = (rank + 1) % RANKS;
    MPI_Dist_graph_create_adjacent(comm, 1, &before, MPI_UNWEIGHTED, 1, &next, MPI_UNWEIGHTED,
                                   MPI_INFO_NULL, 0, &made);
}

static MPI_Comm half;
static void
intercomm_create(void)
{
    MPI_Intercomm_create(half, 0, comm, rank == LATE ? 0 : LATE, TAG, &made);
}

static void
disconnect_before(void)
{
    MPI_Comm_dup(comm, &made);
}

static void
spawn(void)
{
    char *arguments[] = {"-", NULL};
    MPI_Comm_spawn(program, arguments, 1, MPI_INFO_NULL, 0, comm, &made, MPI_ERRCODES_IGNORE);
    MPI_Comm_disconnect(&made);
}

static char port[MPI_MAX_PORT_NAME];

static void
open_port(void)
{
    if (rank == 0)
        MPI_Open_port(MPI_INFO_NULL, port);
    MPI_Bcast(port, sizeof port, MPI_CHAR, 0, comm);
}

static void
accept_late(void)
{
    if (rank == 0)
        MPI_Comm_accept(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &made);
    else if (rank == LATE)
        MPI_Comm_connect(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &made);
    if (rank < 2)
        MPI_Comm_disconnect(&made);
}

static void
connect_late(void)
{
    if (rank == LATE)
        MPI_Comm_accept(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &made);
    else if (rank == 0)
        MPI_Comm_connect(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &made);
    if (rank < 2)
        MPI_Comm_disconnect(&made);
}

static void
open_late_port(void)
{
    if (rank == LATE)
        MPI_Open_port(MPI_INFO_NULL, port);
    MPI_Bcast(port, sizeof port, MPI_CHAR, LATE, comm);
}

#define COLLECTIVE(name, ...)    \
    static void run_##name(void) \
    {                            \
        MPI_##name(__VA_ARGS__); \
    }
#define NONBLOCKING(name, ...)             \
    static void run_##name(void)           \
    {                                      \
        MPI_##name(__VA_ARGS__, &request); \
        wait_for_it();                     \
    }
#include "tests/waits/collectives.def"
COLLECTIVE(Comm_dup, comm, &made)
COLLECTIVE(Comm_dup_with_info, comm, MPI_INFO_NULL, &made)
COLLECTIVE(Comm_split, comm, 0, rank, &made)
COLLECTIVE(Comm_split_type, comm, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &made)
COLLECTIVE(Intercomm_merge, intercomm, rank == LATE, &made)
COLLECTIVE(Comm_disconnect, &made)
NONBLOCKING(Comm_idup, comm, &made)
#undef COLLECTIVE
#undef NONBLOCKING

static void
ibarrier_inter(void)
{
    MPI_Ibarrier(intercomm, &request);
    wait_for_it();
}

static void
barrier_inter(void)
{
    MPI_Barrier(intercomm);
}

static void
allreduce_inter(void)
{
    MPI_Allreduce(out, in, 1, MPI_INT, MPI_SUM, intercomm);
}

static void
bcast_inter(void)
{
    MPI_Bcast(in, 1, MPI_INT, rank == LATE ? MPI_ROOT : 0, intercomm);
}

static void
iallreduce_inter(void)
{
    MPI_Iallreduce(out, in, 1, MPI_INT, MPI_SUM, intercomm, &request);
    wait_for_it();
}

static const struct wait waits[] = {
    {"MPI_Recv", NULL, recv_late, NULL},
    {"MPI_Send", NULL, send_late, NULL},
    {"MPI_Ssend", NULL, ssend_late, NULL},
    {"MPI_Rsend", rsend_before, rsend_late, NULL},
    {"MPI_Sendrecv", NULL, sendrecv_late, NULL},
    {"MPI_Sendrecv_replace", NULL, sendrecv_replace_late, NULL},
    {"MPI_Probe", NULL, probe_late, NULL},
    {"MPI_Mprobe", NULL, mprobe_late, NULL},
    {"MPI_Mrecv", mrecv_before, mrecv_late, NULL},
    {"MPI_Buffer_detach", NULL, buffer_detach_late, NULL},
    {"MPI_Wait MPI_Irecv", NULL, irecv_late, NULL},
    {"MPI_Wait MPI_Issend", NULL, issend_late, NULL},
    {"MPI_Wait MPI_Recv_init", NULL, start_recv_late, NULL},
    {"MPI_Wait MPI_Send_init", NULL, start_send_late, NULL},
    {"MPI_Waitall MPI_Irecv", NULL, waitall_late, NULL},
    {"MPI_Waitany MPI_Irecv", NULL, waitany_late, NULL},
    {"MPI_Waitsome MPI_Irecv", NULL, waitsome_late, NULL},
    {"MPI_Waitall MPI_Ibarrier", NULL, ibarrier_waitall, NULL},
    {"MPI_Waitany MPI_Ibarrier", NULL, ibarrier_waitany, NULL},
    {"MPI_Waitsome MPI_Ibarrier", NULL, ibarrier_waitsome, NULL},
    {"MPI_Test MPI_Ibarrier", NULL, ibarrier_test, NULL},
#define COLLECTIVE(name, ...)  {"MPI_" #name, NULL, run_##name, NULL},
#define NONBLOCKING(name, ...) {"MPI_Wait MPI_" #name, NULL, run_##name, NULL},
#include "tests/waits/collectives.def"
    {"MPI_Barrier intercommunicator", NULL, barrier_inter, NULL},
    {"MPI_Bcast intercommunicator", NULL, bcast_inter, NULL},
    {"MPI_Allreduce intercommunicator", NULL, allreduce_inter, NULL},
    {"MPI_Wait MPI_Ibarrier intercommunicator", NULL, ibarrier_inter, NULL},
    {"MPI_Wait MPI_Iallreduce intercommunicator", NULL, iallreduce_inter, NULL},
    {"MPI_Comm_dup", NULL, run_Comm_dup, drop},
    {"MPI_Comm_dup_with_info", NULL, run_Comm_dup_with_info, drop},
    {"MPI_Wait MPI_Comm_idup", NULL, run_Comm_idup, drop},
    {"MPI_Comm_split", NULL, run_Comm_split, drop},
    {"MPI_Comm_split_type", NULL, run_Comm_split_type, drop},
    {"MPI_Comm_create", NULL, create, drop},
    {"MPI_Comm_create_group", NULL, create_group, drop},
    {"MPI_Cart_create", NULL, cart_create, drop},
    {"MPI_Cart_sub", NULL, cart_sub, drop},
    {"MPI_Graph_create", NULL, graph_create, drop},
    {"MPI_Dist_graph_create", NULL, dist_graph_create, drop},
    {"MPI_Dist_graph_create_adjacent", NULL, dist_graph_create_adjacent, drop},
    {"MPI_Intercomm_create", NULL, intercomm_create, drop},
    {"MPI_Intercomm_merge", NULL, run_Intercomm_merge, drop},
    {"MPI_Comm_free", disconnect_before, drop, NULL},
    {"MPI_Comm_disconnect", disconnect_before, run_Comm_disconnect, NULL},
    {"MPI_Comm_spawn", NULL, spawn, NULL},
    {"MPI_Comm_accept", open_port, accept_late, NULL},
    {"MPI_Comm_connect", open_late_port, connect_late, NULL},
};

enum { WAITS = sizeof waits / sizeof *waits };

static const struct wait *
wait_of(int number)
{
    return number < WAITS ? &waits[number] : &sided_waits[number - WAITS];
}

static void
prepare(void)
{
    const int dims[] = {RANKS}, periods[] = {1};
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_name(comm, "solver");
    MPI_Comm_split(comm, rank == LATE, rank, &half);
    MPI_Intercomm_create(half, 0, comm, rank == LATE ? 0 : LATE, TAG, &intercomm);
    MPI_Cart_create(comm, 1, dims, periods, 0, &ring);
    big = calloc(BIG, 1);
    for (int i = 0; i < RANKS; i++)
        types[i] = MPI_INT;
}

/** Whether the arguments leave a wait out: "FOLDER but NAME...", or take others: "FOLDER FIRST
 * COUNT". */
static bool
is_wanted(int argc, char **argv, int number)
{
    if (argc > 2 && strcmp(argv[2], "init") == 0)
        return false;
    if (argc > 2 && strcmp(argv[2], "but") == 0) {
        for (int i = 3; i < argc; i++)
            if (strcmp(argv[i], wait_of(number)->name) == 0)
                return false;
        return true;
    }
    int first = argc > 2 ? atoi(argv[2]) : 0,
        count = argc > 3 ? atoi(argv[3]) : WAITS + sided_count;
    return number >= first && number - first < count;
}

static void
perform(int number)
{
    const struct wait *wait = wait_of(number);
    if (wait->before)
        wait->before();
    MPI_Barrier(comm);
    if (rank == LATE)
        be_late(number, wait->name);
    wait->run();
    if (wait->after)
        wait->after();
}

/** Of "FOLDER init", LATE has not called MPI_Init. */
static void
be_late_for_init(int argc, char **argv)
{
    static const char *const names[] = {"PMI_RANK", "OMPI_COMM_WORLD_RANK"};
    for (int i = 0; i < 2 && argc > 2 && strcmp(argv[2], "init") == 0; i++)
        if (getenv(names[i]) && atoi(getenv(names[i])) == LATE)
            be_late(-1, "MPI_Init");
}

int
main(int argc, char **argv)
{
    MPI_Comm parent;
    struct sigaction action = {.sa_handler = take_signal};
    sigaction(SIGUSR1, &action, NULL);
    folder = argc > 1 ? argv[1] : ".";
    program = argv[0];
    be_late_for_init(argc, argv);
    MPI_Init(NULL, NULL);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_get_parent(&parent);
    if (parent != MPI_COMM_NULL) {
        MPI_Comm_disconnect(&parent);
    } else {
        prepare();
        for (int i = 0; i < WAITS + sided_count; i++)
            if (is_wanted(argc, argv, i))
                perform(i);
        if (rank == LATE)
            be_late(WAITS + sided_count, "MPI_Finalize");
    }
    MPI_Finalize();
    return 0;
}
