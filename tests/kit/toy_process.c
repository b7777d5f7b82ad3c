// SPDX-License-Identifier: BSD-3-Clause
// A process of toympi: makes communicators and operations, records what it has made, and parks.
//
// Usage: toy_process FILE; the record is complete when FILE is there. It is written from what this
// program meant to do, not from the structs.
#include "tests/kit/toympi_internals.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

char toympi_version[] = "1.2.0";
struct toy_comm *toympi_world;
struct toy_comm *toympi_comms;
struct toy_request *toympi_posted;
struct toy_request *toympi_sends;
struct toy_message *toympi_unexpected;
struct toy_pool toympi_comm_pool = {.object_size = sizeof(struct toy_comm)};
struct toy_pool toympi_request_pool = {.object_size = sizeof(struct toy_request)};
struct toy_pool toympi_message_pool = {.object_size = sizeof(struct toy_message)};
static struct toy_device shared_memory = {.name = "shm"};
struct toy_device *toympi_device = &shared_memory;

static struct toy_type type_int = {"MPI_INT", sizeof(int)};
static struct toy_type type_double = {"MPI_DOUBLE", sizeof(double)};

// What toympi does.

static void *
allocate(size_t size)
{
    void *memory = calloc(1, size);
    if (memory == NULL)
        abort();
    return memory;
}

static void *
take(struct toy_pool *pool)
{
    pool->used++;
    return allocate(pool->object_size);
}

static struct toy_group *
make_group(int size, const int *world_ranks)
{
    struct toy_group *group = allocate(sizeof(*group));
    group->size = size;
    group->world_ranks = allocate((size_t) size * sizeof(int));
    memcpy(group->world_ranks, world_ranks, (size_t) size * sizeof(int));
    return group;
}

static struct toy_comm *
make_comm(const char *name, unsigned context, int rank, struct toy_group *group)
{
    struct toy_comm *comm = take(&toympi_comm_pool);
    snprintf(comm->name, sizeof(comm->name), "%s", name);
    comm->context = context;
    comm->rank = rank;
    comm->group = group;
    comm->next = toympi_comms;
    toympi_comms = comm;
    return comm;
}

static struct toy_request *
append_request(struct toy_request **list, struct toy_comm *comm, int peer, int tag)
{
    while (*list != NULL)
        list = &(*list)->next;
    *list = take(&toympi_request_pool);
    (*list)->comm = comm;
    (*list)->peer = peer;
    (*list)->tag = tag;
    return *list;
}

static struct toy_request *
receive(struct toy_comm *comm, int source, int tag, size_t count, struct toy_type *type)
{
    struct toy_request *request = append_request(&toympi_posted, comm, source, tag);
    request->type = type;
    request->count = count;
    request->buffer = allocate(count * type->size);
    return request;
}

static void
match(struct toy_request *request, enum toy_state state, int source, int tag, size_t bytes)
{
    request->state = state;
    request->arrived = (struct toy_envelope){source, tag, bytes};
}

static struct toy_request *
start_send(struct toy_comm *comm, enum toy_mode mode, int dest, int tag, size_t count)
{
    struct toy_request *request = append_request(&toympi_sends, comm, dest, tag);
    request->mode = mode;
    request->type = &type_int;
    request->count = count;
    request->buffer = allocate(count * type_int.size);
    return request;
}

static void *
arrive(unsigned context, int source, int tag, size_t bytes, size_t here)
{
    struct toy_message **list = &toympi_unexpected;
    while (*list != NULL)
        list = &(*list)->next;
    *list = take(&toympi_message_pool);
    (*list)->context = context;
    (*list)->envelope = (struct toy_envelope){source, tag, bytes};
    (*list)->data = here > 0 ? allocate(here) : NULL;
    return (*list)->data;
}

// What this program does, and what it says of that.

static FILE *record;

static void
begin_queue(const char *name)
{
    fprintf(record, "\n \"%s\":[", name);
}

static void
end_queue(const char *separator)
{
    fprintf(record, "]%s", separator);
}

static void
write_data(const char *separator, const struct toy_request *request, const char *text)
{
    fprintf(record, "%s\n  {\"buffer\":\"0x%jx\",%s}", separator,
            (uintmax_t) (uintptr_t) request->buffer, text);
}

static void
do_world(struct toy_comm *world)
{
    fputs("{\"name\":\"MPI_COMM_WORLD\",\"id\":0,\"size\":4,\"local_rank\":1,\"inter\":false,"
          "\"group\":[0,1,2,3],",
          record);
    struct toy_request *done = receive(world, 3, 8, 2, &type_double);
    match(done, TOY_COMPLETE, 3, 8, 8);
    begin_queue("receives");
    write_data("", done,
               "\"status\":\"complete\",\"peer\":3,\"world_peer\":3,\"tag\":8,\"bytes\":16,"
               "\"count\":2,\"datatype\":\"MPI_DOUBLE\",\"kind\":\"receive\",\"persistent\":false,"
               "\"actual\":{\"peer\":3,\"world_peer\":3,\"tag\":8,\"bytes\":8}");
    end_queue(",\"unexpected\":[],\"sends\":[]}");
}

static void
do_ring_receives(struct toy_comm *ring)
{
    struct toy_request *matched = receive(ring, TOY_ANY_SOURCE, 4, 9, &type_int);
    struct toy_request *first = receive(ring, 0, 7, 4, &type_int);
    struct toy_request *second = receive(ring, TOY_ANY_SOURCE, TOY_ANY_TAG, 1, &type_double);
    match(matched, TOY_MATCHED, 2, 4, 20);
    first->persistent = true;
    begin_queue("receives");
    write_data("", first,
               "\"status\":\"pending\",\"peer\":0,\"world_peer\":3,\"tag\":7,\"bytes\":16,"
               "\"count\":4,\"datatype\":\"MPI_INT\",\"kind\":\"receive\",\"persistent\":true");
    write_data(",", second,
               "\"status\":\"pending\",\"peer\":\"any\",\"tag\":\"any\",\"bytes\":8,"
               "\"count\":1,\"datatype\":\"MPI_DOUBLE\",\"kind\":\"receive\",\"persistent\":false");
    write_data(",", matched,
               "\"status\":\"matched\",\"peer\":\"any\",\"tag\":4,\"bytes\":36,"
               "\"count\":9,\"datatype\":\"MPI_INT\",\"kind\":\"receive\",\"persistent\":false,"
               "\"actual\":{\"peer\":2,\"world_peer\":0,\"tag\":4,\"bytes\":20}");
    end_queue(",");
}

static void
do_ring(struct toy_comm *ring)
{
    fputs(",\n{\"name\":\"ring\",\"id\":5,\"size\":3,\"local_rank\":1,\"inter\":false,"
          "\"group\":[3,1,0],",
          record);
    do_ring_receives(ring);
    begin_queue("unexpected");
    fprintf(record,
            "{\"status\":\"pending\",\"peer\":2,\"world_peer\":0,\"tag\":9,\"bytes\":100,"
            "\"kind\":\"message\",\"buffer\":\"0x%jx\",\"system_buffer\":true}",
            (uintmax_t) (uintptr_t) arrive(5, 2, 9, 100, 100));
    arrive(5, 2, 10, 65536, 0);
    fputs(",{\"status\":\"pending\",\"peer\":2,\"world_peer\":0,\"tag\":10,\"bytes\":65536,"
          "\"kind\":\"message\"}",
          record);
    end_queue(",");
    begin_queue("sends");
    write_data("", start_send(ring, TOY_SYNCHRONOUS, 2, 3, 10),
               "\"status\":\"pending\",\"peer\":2,\"world_peer\":0,\"tag\":3,\"bytes\":40,"
               "\"count\":10,\"datatype\":\"MPI_INT\",\"kind\":\"ssend\",\"persistent\":false");
    write_data(",", start_send(ring, TOY_STANDARD, 0, 6, 20),
               "\"status\":\"pending\",\"peer\":0,\"world_peer\":3,\"tag\":6,\"bytes\":80,"
               "\"count\":20,\"datatype\":\"MPI_INT\",\"kind\":\"send\",\"persistent\":false");
    end_queue("}");
}

static void
do_bridge(struct toy_comm *bridge)
{
    fputs(",\n{\"name\":\"bridge\",\"id\":6,\"size\":2,\"local_rank\":0,\"inter\":true,"
          "\"group\":[1,0],",
          record);
    begin_queue("receives");
    write_data("", receive(bridge, 1, 1, 1, &type_int),
               "\"status\":\"pending\",\"peer\":1,\"world_peer\":-1,\"tag\":1,\"bytes\":4,"
               "\"count\":1,\"datatype\":\"MPI_INT\",\"kind\":\"receive\",\"persistent\":false");
    end_queue(",\"unexpected\":[],\"sends\":[],");
    bridge->collective = TOY_BARRIER;
    fputs("\"collectives\":[{\"name\":\"barrier\",\"active\":true}]}", record);
}

static void
do_all(void)
{
    struct toy_group *all = make_group(4, (const int[]){0, 1, 2, 3});
    toympi_world = make_comm("MPI_COMM_WORLD", 0, 1, all);
    struct toy_comm *ring = make_comm("ring", 5, 1, make_group(3, (const int[]){3, 1, 0}));
    struct toy_comm *bridge = make_comm("bridge", 6, 0, make_group(2, (const int[]){1, 0}));
    bridge->remote_group = make_group(2, (const int[]){2, -1});
    // What belongs to no communicator of the user's is not shown.
    arrive(99, 0, 1, 8, 8);
    fprintf(record,
            "{\"pid\":%ld,\"rank\":1,\"communicator_count\":3,"
            "\"mpi\":{\"implementation\":\"toympi\",\"version\":\"1.2.0\"},\n\"communicators\":[",
            (long) getpid());
    do_world(toympi_world);
    do_ring(ring);
    do_bridge(bridge);
    fputs("]}\n", record);
}

int
main(int argc, char **argv)
{
    char temporary[4096];

    if (argc != 2)
        return 2;
    snprintf(temporary, sizeof(temporary), "%s.new", argv[1]);
    record = fopen(temporary, "w");
    if (record == NULL)
        return 1;
    do_all();
    if (fclose(record) != 0 || rename(temporary, argv[1]) != 0)
        return 1;
    for (;;)
        pause();
}
