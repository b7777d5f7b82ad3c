// SPDX-License-Identifier: BSD-3-Clause
// Four ranks with many communicators: permuted, halved, duplicated, cartesian, of some ranks only,
// with a name as long as possible, without a name, with a strange name. Each has a pending receive
// and an unexpected message; MPI_COMM_SELF has a message to itself.
#include "live.h"

#include <string.h>

enum { SENT_TAG = 21, AWAITED_TAG = 22 };

// A message to the next member that it does not receive, and a receive that nobody sends to.
static void
use(struct truth_comm *comm)
{
    int rank, size;
    MPI_Comm_rank(truth_handle(comm), &rank);
    MPI_Comm_size(truth_handle(comm), &size);
    int next = (rank + 1) % size, previous = (rank + size - 1) % size;
    send_unexpected(comm, next, SENT_TAG, 8 + rank);
    gate_open(comm, next);
    gate_pass(comm, previous);
    truth_unexpected(comm, previous, SENT_TAG, 8 + previous);
    post_receive(comm, next, AWAITED_TAG, 1 + rank, MPI_SHORT);
}

static void
split(const struct live *live)
{
    static const int place[] = {2, 0, 3, 1};
    MPI_Comm comm;
    MPI_Comm_split(MPI_COMM_WORLD, 0, place[live->rank], &comm);
    use(live_name(comm, "permuted"));
    MPI_Comm_split(MPI_COMM_WORLD, live->rank % 2, -live->rank, &comm);
    use(live_name(comm, live->rank % 2 == 0 ? "even" : "odd"));
    MPI_Comm_split(MPI_COMM_WORLD, live->rank == 2 ? MPI_UNDEFINED : 0, 0, &comm);
    if (comm != MPI_COMM_NULL)
        use(live_name(comm, "all but rank 2"));
}

static void
duplicate(void)
{
    char name[MPI_MAX_OBJECT_NAME];
    MPI_Comm comm;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    use(live_name(comm, "copy"));
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    use(truth_comm(comm));
    memset(name, 'x', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    name[0] = '<';
    name[sizeof name - 2] = '>';
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    use(live_name(comm, name));
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    use(live_name(comm, "\"odd\" \\ \033[31m\t<b> \xc3\xa9"));
}

static void
arrange(void)
{
    static const int sides[] = {2, 2}, periods[] = {1, 0}, some[] = {3, 1};
    MPI_Comm comm, row;
    MPI_Group world, pair;
    MPI_Cart_create(MPI_COMM_WORLD, 2, sides, periods, 0, &comm);
    use(live_name(comm, "torus"));
    MPI_Cart_sub(comm, (int[]){0, 1}, &row);
    use(live_name(row, "row"));
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, 2, some, &pair);
    MPI_Comm_create(MPI_COMM_WORLD, pair, &comm);
    if (comm != MPI_COMM_NULL)
        use(live_name(comm, "three and one"));
}

// Some MPI libraries let no send to oneself finish before its receive, however short it is, and
// some have the message only after more calls: a process connects with itself like with any other.
static void
talk_to_self(const struct live *live)
{
    post_send(live->self, STANDARD, 0, 31, RENDEZVOUS_BYTES, MPI_BYTE);
    struct post eager = post_send(live->self, STANDARD, 0, 32, 7, MPI_BYTE);
    MPI_Probe(0, 32, MPI_COMM_SELF, MPI_STATUS_IGNORE);
    post_settle(&eager, 1);
    truth_unexpected(live->self, 0, 31, RENDEZVOUS_BYTES);
    truth_unexpected(live->self, 0, 32, 7);
    post_receive(live->self, 0, 33, 2, MPI_INT);
    post_receive(live->self, MPI_ANY_SOURCE, 34, 3, MPI_INT);
}

int
main(int argc, char **argv)
{
    struct live live = live_start(&argc, &argv, MPI_THREAD_SINGLE, 4);
    split(&live);
    duplicate();
    arrange();
    talk_to_self(&live);
    live_park();
}
