// SPDX-License-Identifier: BSD-3-Clause
// What the sources of toympi declare: a made-up MPI library for which there is an adapter.
#ifndef TOYMPI_INTERNALS_H
#define TOYMPI_INTERNALS_H

#include <stdbool.h>
#include <stddef.h>

enum { TOY_ANY_SOURCE = -2, TOY_ANY_TAG = -1 };
enum toy_state { TOY_PENDING, TOY_MATCHED, TOY_COMPLETE };
enum toy_mode { TOY_STANDARD, TOY_SYNCHRONOUS, TOY_BUFFERED, TOY_READY };
enum toy_collective { TOY_NO_COLLECTIVE, TOY_BARRIER, TOY_BCAST, TOY_ALLREDUCE };

struct toy_pool {
    size_t object_size;
    size_t used;
};

struct toy_group {
    int size;
    int *world_ranks; // -1 for a process of another job
};

struct toy_comm {
    struct toy_comm *next;
    char name[64];
    unsigned context; // the same on all members
    int rank;
    struct toy_group *group;
    struct toy_group *remote_group; // NULL unless it is an intercommunicator
    enum toy_collective collective; // that this process is in
};

struct toy_type {
    char name[32];
    size_t size;
};

struct toy_envelope {
    int source;
    int tag;
    size_t bytes;
};

struct toy_request {
    struct toy_request *next;
    struct toy_comm *comm;
    struct toy_type *type;
    void *buffer;
    size_t count;
    int peer;
    int tag;
    enum toy_state state;
    enum toy_mode mode;          // of a send
    struct toy_envelope arrived; // of a receive that is not pending
    bool persistent;             // since toympi 1.2
};

struct toy_message {
    struct toy_message *next;
    unsigned context;
    struct toy_envelope envelope;
    void *data; // NULL: only the envelope is here
};

struct toy_device {
    char name[16];
    bool offloads; // matches in the network card
};

extern char toympi_version[];
extern struct toy_comm *toympi_world; // NULL before MPI_Init
extern struct toy_comm *toympi_comms;
extern struct toy_request *toympi_posted; // oldest first, and so are the next two
extern struct toy_request *toympi_sends;
extern struct toy_message *toympi_unexpected;
extern struct toy_pool toympi_comm_pool, toympi_request_pool, toympi_message_pool;
extern struct toy_device *toympi_device;

#endif
