// SPDX-License-Identifier: BSD-3-Clause
// Requests in each state, statuses and messages.
#include "tests/handles/objects.h"

#include <stdlib.h>

enum { BIG = 1 << 20, EAGER = 10 };

/** What a request was made with. */
struct made {
    const char *operation;
    const void *buffer;
    int count;
    MPI_Datatype datatype;
    int size; // bytes of one
    const char *peer_member;
    int peer, tag;
    bool persistent;
};

static MPI_Comm traffic;
static MPI_Request doomed_request;

static void
say_envelope(const struct about *about, const struct made *made)
{
    say(about, "operation", 0, "%s", made->operation);
    say_handle(about, "communicator", 0, BITS(traffic));
    say_address(about, "buffer", made->buffer);
    say_number(about, "count", 0, made->count);
    say_number(about, "bytes", 0, (int64_t) made->count * made->size);
    say_handle(about, "datatype", 0, BITS(made->datatype));
    say_number(about, made->peer_member, 0, made->peer);
    say_number(about, "tag", 0, made->tag);
    say_number(about, "persistent", 0, made->persistent);
}

static void
say_progress(const struct about *about, MPI_Request request)
{
    MPI_Status status;
    int complete, cancelled;

    need(MPI_Request_get_status(request, &complete, &status));
    say_number(about, "active", 0, 1);
    say_number(about, "complete", 0, complete != 0);
    if (!complete)
        return;
    need(MPI_Test_cancelled(&status, &cancelled));
    say_number(about, "cancelled", 0, cancelled != 0);
}

static void
say_request(MPI_Request request, const struct made *made, bool active)
{
    const struct about about = ABOUT("request", request, MPI_Request_c2f(request));

    say_state(&about, "live", NULL);
    say_envelope(&about, made);
    if (active)
        say_progress(&about, request);
    else
        say_number(&about, "active", 0, 0);
}

static void
make_receives(int rank, int size)
{
    static int buffer[6][EAGER];
    const int next = (rank + 1) % size;
    MPI_Request request;
    struct made made = {"receive", buffer[0], 4, MPI_INT, 4, "source", next, 900, false};

    need(MPI_Irecv(buffer[0], 4, MPI_INT, next, 900, traffic, &request));
    say_request(request, &made, true);
    made = (struct made){"receive", buffer[1],      2,           MPI_DOUBLE, 8,
                         "source",  MPI_ANY_SOURCE, MPI_ANY_TAG, false};
    need(MPI_Irecv(buffer[1], 2, MPI_DOUBLE, MPI_ANY_SOURCE, 901, traffic, &request));
    made.tag = 901;
    say_request(request, &made, true);
    made = (struct made){"receive", buffer[2], 3, MPI_INT, 4, "source", next, 902, true};
    need(MPI_Recv_init(buffer[2], 3, MPI_INT, next, 902, traffic, &request));
    say_request(request, &made, false);
    made = (struct made){"receive", buffer[3], 1, MPI_INT, 4, "source", next, 903, true};
    need(MPI_Recv_init(buffer[3], 1, MPI_INT, next, 903, traffic, &request));
    need(MPI_Start(&request));
    say_request(request, &made, true);
    made = (struct made){"receive", buffer[4], 5, MPI_INT, 4, "source", next, 904, false};
    need(MPI_Irecv(buffer[4], 5, MPI_INT, next, 904, traffic, &request));
    need(MPI_Cancel(&request));
    say_request(request, &made, true);
}

static void
make_finished(int rank)
{
    static int sent[EAGER], received[EAGER];
    const struct made made = {"receive", received, 7, MPI_INT, 4, "source", rank, 905, false};
    MPI_Request request, send;
    int done = 0;

    need(MPI_Irecv(received, 7, MPI_INT, rank, 905, traffic, &request));
    need(MPI_Isend(sent, 3, MPI_INT, rank, 905, traffic, &send));
    need(MPI_Wait(&send, MPI_STATUS_IGNORE));
    while (!done)
        need(MPI_Request_get_status(request, &done, MPI_STATUS_IGNORE));
    say_request(request, &made, true);
    const struct about about = ABOUT("request", request, MPI_Request_c2f(request));
    say_number(&about, "actual_source", 0, rank);
    say_number(&about, "actual_tag", 0, 905);
    say_number(&about, "actual_bytes", 0, 12);
}

static void
make_sends(int rank, int size)
{
    static char big[4][BIG];
    static int small[EAGER];
    const int next = (rank + 1) % size;
    MPI_Request request;
    struct made made = {"send", big[0], BIG, MPI_CHAR, 1, "destination", next, 910, false};

    need(MPI_Isend(big[0], BIG, MPI_CHAR, next, 910, traffic, &request));
    say_request(request, &made, true);
    made = (struct made){"ssend", small, 2, MPI_INT, 4, "destination", next, 911, false};
    need(MPI_Issend(small, 2, MPI_INT, next, 911, traffic, &request));
    say_request(request, &made, true);
    made = (struct made){"send", small, 3, MPI_INT, 4, "destination", next, 912, true};
    need(MPI_Send_init(small, 3, MPI_INT, next, 912, traffic, &request));
    say_request(request, &made, false);
    made = (struct made){"ssend", big[1], BIG, MPI_CHAR, 1, "destination", next, 913, true};
    need(MPI_Ssend_init(big[1], BIG, MPI_CHAR, next, 913, traffic, &request));
    need(MPI_Start(&request));
    say_request(request, &made, true);
    made = (struct made){"rsend|send", small, 1, MPI_INT, 4, "destination", next, 914, true};
    need(MPI_Rsend_init(small, 1, MPI_INT, next, 914, traffic, &request));
    say_request(request, &made, false);
    made = (struct made){"bsend", small, 4, MPI_INT, 4, "destination", next, 915, true};
    need(MPI_Bsend_init(small, 4, MPI_INT, next, 915, traffic, &request));
    say_request(request, &made, false);
}

static int
query_nothing(void *state, MPI_Status *status)
{
    (void) state;
    return MPI_Status_set_cancelled(status, 0);
}

static int
free_nothing(void *state)
{
    (void) state;
    return MPI_SUCCESS;
}

static int
cancel_nothing(void *state, int complete)
{
    (void) state;
    (void) complete;
    return MPI_SUCCESS;
}

static void
make_generalized(bool complete)
{
    MPI_Request request;

    need(MPI_Grequest_start(query_nothing, free_nothing, cancel_nothing, NULL, &request));
    if (complete)
        need(MPI_Grequest_complete(request));
    const struct about about = ABOUT("request", request, MPI_Request_c2f(request));
    say_state(&about, "live", NULL);
    say(&about, "operation", 0, "generalized");
    say_number(&about, "complete", 0, complete);
    say_number(&about, "persistent", 0, 0);
}

// The program may run with a library of MPI 3.1.
#if MPI_VERSION >= 4
#pragma weak MPI_Psend_init
#pragma weak MPI_Precv_init
#pragma weak MPI_Pready

static void
say_partitioned(MPI_Request request, const char *operation, const char *peer, int rank, bool active)
{
    const struct about about = ABOUT("request", request, MPI_Request_c2f(request));

    say_state(&about, "live", NULL);
    say_number(&about, "persistent", 0, 1);
    say_number(&about, "active", 0, active);
    say_number(&about, "partitions", 0, 4);
    say_handle(&about, "communicator", 0, BITS(traffic));
    if (!active)
        return;
    say(&about, "operation", 0, "%s", operation);
    say_number(&about, peer, 0, rank);
}

static void
make_partitioned(int rank, int size)
{
    static double out[4][2], in[4][2];
    const int next = (rank + 1) % size, last = (rank + size - 1) % size;
    MPI_Request request;

    if (MPI_Psend_init == NULL)
        return;
    need(MPI_Psend_init(out, 4, 2, MPI_DOUBLE, next, 950, traffic, MPI_INFO_NULL, &request));
    need(MPI_Start(&request));
    need(MPI_Pready(1, request));
    say_partitioned(request, "send", "destination", next, true);
    need(MPI_Precv_init(in, 4, 2, MPI_DOUBLE, last, 950, traffic, MPI_INFO_NULL, &request));
    need(MPI_Start(&request));
    say_partitioned(request, "receive", "source", last, true);
    need(MPI_Precv_init(in, 4, 2, MPI_DOUBLE, last, 951, traffic, MPI_INFO_NULL, &request));
    say_partitioned(request, "receive", "source", last, false);
}
#else
static void
make_partitioned(int rank, int size)
{
    (void) rank;
    (void) size;
}
#endif

static void
make_collective(int rank, int size)
{
    MPI_Comm comm;
    MPI_Request request;

    need(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
    if (rank == 0 || size == 1)
        return;
    need(MPI_Ibarrier(comm, &request));
    const struct about about = ABOUT("request", request, MPI_Request_c2f(request));
    say_state(&about, "live", NULL);
    say(&about, "operation", 0, "ibarrier|collective");
    say_handle(&about, "communicator", 0, BITS(comm));
    say_number(&about, "persistent", 0, 0);
    say_progress(&about, request);
}

void
make_requests(void)
{
    static int unread;
    static char attached[65536];
    const MPI_Request none = MPI_REQUEST_NULL;
    const struct about about = ABOUT("request", none, MPI_Request_c2f(none));
    MPI_Request request;
    int rank, size;

    need(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
    need(MPI_Comm_size(MPI_COMM_WORLD, &size));
    need(MPI_Buffer_attach(attached, sizeof(attached)));
    say_state(&about, "null", "MPI_REQUEST_NULL");
    make_receives(rank, size);
    make_finished(rank);
    make_sends(rank, size);
    make_generalized(false);
    make_generalized(true);
    make_collective(rank, size);
    make_partitioned(rank, size);
    need(MPI_Irecv(&unread, 1, MPI_INT, MPI_ANY_SOURCE, 999, traffic, &request));
    const struct about freed = ABOUT_C("request", request);
    need(MPI_Request_free(&request));
    say_state(&freed, "freed", NULL);
    say(&freed, "operation", 0, "receive");
    need(MPI_Recv_init(&unread, 1, MPI_INT, 0, 998, traffic, &doomed_request));
}

static void
say_status(MPI_Status *status)
{
    const struct about about = {"status", (uintptr_t) status, false, 0};
    int number;

    say_state(&about, "live", NULL);
    say_number(&about, "source", 0, status->MPI_SOURCE);
    say_number(&about, "tag", 0, status->MPI_TAG);
    say_number(&about, "error", 0, status->MPI_ERROR);
    need(MPI_Test_cancelled(status, &number));
    say_number(&about, "cancelled", 0, number != 0);
    need(MPI_Get_count(status, MPI_BYTE, &number));
    say_number(&about, "bytes", 0, number);
}

void
make_messages(void)
{
    static int data[EAGER];
    static MPI_Status of_message, of_receive;
    const MPI_Message none = MPI_MESSAGE_NULL, nobody = MPI_MESSAGE_NO_PROC;
    const struct about null = ABOUT("message", none, MPI_Message_c2f(none));
    const struct about proc = ABOUT("message", nobody, MPI_Message_c2f(nobody));
    MPI_Message message;
    MPI_Request send;
    int rank;

    need(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
    need(MPI_Comm_dup(MPI_COMM_WORLD, &traffic));
    say_state(&null, "null", "MPI_MESSAGE_NULL");
    say_state(&proc, "predefined", "MPI_MESSAGE_NO_PROC");
    need(MPI_Isend(data, 4, MPI_INT, rank, 77, traffic, &send));
    need(MPI_Mprobe(rank, 77, traffic, &message, &of_message));
    const struct about about = ABOUT("message", message, MPI_Message_c2f(message));
    say_state(&about, "live", NULL);
    say_number(&about, "source", 0, rank);
    say_number(&about, "tag", 0, 77);
    say_number(&about, "bytes", 0, 16);
    say_handle(&about, "communicator", 0, BITS(traffic));
    say_status(&of_message);
    need(MPI_Sendrecv(data, 2, MPI_INT, rank, 78, data + 5, 3, MPI_INT, MPI_ANY_SOURCE, 78, traffic,
                      &of_receive));
    say_status(&of_receive);
}

void
free_objects(void)
{
    const struct about comm = ABOUT_C("communicator", doomed_comm);
    const struct about request = ABOUT_C("request", doomed_request);
    MPI_Datatype type;
    MPI_Info info;

    need(MPI_Type_contiguous(3, MPI_INT, &type));
    need(MPI_Info_create(&info));
    const struct about about_type = ABOUT_C("datatype", type);
    const struct about about_info = ABOUT_C("info", info);
    need(MPI_Request_free(&doomed_request));
    need(MPI_Comm_free(&doomed_comm));
    need(MPI_Type_free(&type));
    need(MPI_Info_free(&info));
    say_state(&comm, "none", NULL);
    say_state(&request, "none", NULL);
    say_state(&about_type, "none", NULL);
    say_state(&about_info, "none", NULL);
}
