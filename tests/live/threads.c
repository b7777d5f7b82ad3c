// SPDX-License-Identifier: BSD-3-Clause
// Two ranks under MPI_THREAD_MULTIPLE with several threads blocked on one communicator, in MPI_Recv
// and MPI_Send, and the main thread in MPI_Recv on another.
#include "live.h"

#include <pthread.h>

enum { RECEIVERS = 3, SENDERS = 2 };

static struct truth_comm *shared;
static int peer;

static void *
receive(void *turn)
{
    int number = *(int *) turn;
    // The wild one stands between the others.
    int source = number == 1 ? MPI_ANY_SOURCE : peer;
    live_await_turn(number);
    void *buffer = live_buffer(8, MPI_INT);
    truth_receive(shared, source, 171 + number, 8, MPI_INT, buffer);
    TRUTH_CALL("MPI_Recv", 2, "all", &(int){171 + number}, 1);
    live_end_turn();
    MPI_Recv(buffer, 8, MPI_INT, source, 171 + number, truth_handle(shared), MPI_STATUS_IGNORE);
    return NULL;
}

static void *
send(void *turn)
{
    int number = *(int *) turn;
    live_await_turn(number);
    void *buffer = live_buffer(RENDEZVOUS_BYTES, MPI_BYTE);
    truth_send(shared, "send", peer, 181 + number, RENDEZVOUS_BYTES, MPI_BYTE, buffer);
    truth_unexpected(shared, peer, 181 + number, RENDEZVOUS_BYTES);
    TRUTH_CALL("MPI_Send", 2, "all", &(int){181 + number}, 1);
    live_end_turn();
    MPI_Send(buffer, RENDEZVOUS_BYTES, MPI_BYTE, peer, 181 + number, truth_handle(shared));
    return NULL;
}

int
main(int argc, char **argv)
{
    static int turns[RECEIVERS + SENDERS];
    pthread_t thread;
    MPI_Comm comm;
    struct live live = live_start(&argc, &argv, MPI_THREAD_MULTIPLE, 2);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    shared = live_name(comm, "shared by threads");
    peer = 1 - live.rank;
    for (int i = 0; i < RECEIVERS + SENDERS; i++) {
        turns[i] = i;
        pthread_create(&thread, NULL, i < RECEIVERS ? receive : send, &turns[i]);
    }
    live_await_turn(RECEIVERS + SENDERS);
    block_in_receive(live.world, peer, 179, 1, MPI_INT);
    return 1;
}
