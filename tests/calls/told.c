// SPDX-License-Identifier: BSD-3-Clause
// An MQD library that tells of each process what the file TOLD says, at the time it is asked:
//
//   mpi NAME                              the implementation; spaces are underscores
//   communicator ADDRESS ID NAME          of six processes
//   receives|sends REQUEST PEER TAG       an operation of the communicator above
//   nonblocking REQUEST PERSISTENT        a collective of the communicator above
//   unknown receives|sends                of the communicator above
#include "mqs_ext.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

enum { MOST = 32, CLASSES = 3, SIZE = 6 };

struct operation {
    int op_class;
    uint64_t request;
    int peer, tag;
};

struct communicator {
    uint64_t address, id;
    char name[64];
    bool unknown[CLASSES];
    struct operation operations[MOST];
    int count;
    mqs_nonblocking_collective nonblocking[MOST];
    int n_nonblocking;
};

static struct {
    char mpi[32];
    struct communicator communicators[MOST];
    int count, current, op_class, next;
    const struct operation *last;
    mqs_fetch_data_ft fetch;
    mqs_taddr_t null_request; // Open MPI's MPI_REQUEST_NULL
} told;

static int
class_of(const char *word)
{
    return strcmp(word, "sends") == 0      ? mqs_pending_sends
           : strcmp(word, "receives") == 0 ? mqs_pending_receives
                                           : mqs_unexpected_messages;
}

static void
take(const char *line)
{
    char word[32], other[64];
    struct communicator *comm = told.count > 0 ? &told.communicators[told.count - 1] : NULL;
    struct operation op;
    if (sscanf(line, "mpi %31s", told.mpi) == 1) {
        for (char *c = told.mpi; *c != '\0'; c++)
            *c = *c == '_' ? ' ' : *c;
    } else if (sscanf(line, "unknown %63s", other) == 1 && comm != NULL) {
        comm->unknown[class_of(other)] = true;
    } else if (strncmp(line, "communicator ", 13) == 0 && told.count < MOST) {
        comm = &told.communicators[told.count++];
        *comm = (struct communicator){.count = 0};
        sscanf(line, "%*s %" SCNx64 " %" SCNu64 " %63s", &comm->address, &comm->id, comm->name);
    } else if (sscanf(line, "nonblocking %" SCNx64 " %d", &op.request, &op.tag) == 2 &&
               comm != NULL && comm->n_nonblocking < MOST) {
        comm->nonblocking[comm->n_nonblocking] =
            (mqs_nonblocking_collective){.known = MQS_NBC_REQUEST | MQS_NBC_SEQUENCE,
                                         .request = op.request,
                                         .sequence = comm->n_nonblocking};
        if (op.tag != 0) {
            comm->nonblocking[comm->n_nonblocking].known |= MQS_NBC_PERSISTENT;
            comm->nonblocking[comm->n_nonblocking].persistent = 1;
        }
        comm->n_nonblocking++;
    } else if (sscanf(line, "%31s %" SCNx64 " %d %d", word, &op.request, &op.peer, &op.tag) == 4 &&
               comm != NULL && comm->count < MOST) {
        op.op_class = class_of(word);
        comm->operations[comm->count++] = op;
    }
}

static int
read_told(void)
{
    const char *path = getenv("TOLD");
    FILE *file = path != NULL ? fopen(path, "re") : NULL;
    char line[256];
    told.count = told.current = 0;
    while (file != NULL && fgets(line, sizeof line, file) != NULL)
        take(line);
    if (file != NULL)
        fclose(file);
    return told.count > 0 ? mqs_ok : mqs_no_information;
}

EXPORT void
mqs_setup_basic_callbacks(const mqs_basic_callbacks *callbacks)
{
    (void) callbacks;
}

EXPORT char *
mqs_dll_error_string(int code)
{
    static char text[] = "told";
    (void) code;
    return text;
}

EXPORT int
mqs_setup_image(mqs_image *image, const mqs_image_callbacks *callbacks)
{
    char name[] = "ompi_request_null";
    callbacks->mqs_find_symbol_fp(image, name, &told.null_request);
    return mqs_ok;
}

EXPORT int
mqs_image_has_queues(mqs_image *image, char **message)
{
    (void) image;
    *message = NULL;
    return mqs_ok;
}

EXPORT int
mqs_setup_process(mqs_process *process, const mqs_process_callbacks *callbacks)
{
    (void) process;
    told.fetch = callbacks->mqs_fetch_data_fp;
    return mqs_ok;
}

EXPORT int
mqs_process_has_queues(mqs_process *process, char **message)
{
    (void) process;
    *message = NULL;
    return read_told();
}

EXPORT int
mqs_get_mpi_info(mqs_process *process, mqs_mpi_info *info)
{
    (void) process;
    *info = (mqs_mpi_info){.version = "1", .layout = "built-in 1"};
    strcpy(info->implementation, told.mpi);
    return mqs_ok;
}

/** Whether handles are numbers, which MPICH's objects begin with, and not their addresses. */
static bool
has_numbers(void)
{
    return strcmp(told.mpi, "MPICH") == 0;
}

EXPORT int
mqs_get_conventions(mqs_process *process, mqs_conventions *conventions)
{
    (void) process;
    *conventions = (mqs_conventions){.handle_size = has_numbers() ? 4 : 8,
                                     .distinct = has_numbers(),
                                     .any_source = has_numbers() ? -2 : -1,
                                     .any_tag = -1,
                                     .hides_probes = has_numbers()};
    return mqs_ok;
}

EXPORT int
mqs_get_handle(mqs_process *process, mqs_taddr_t object, uint64_t *handle)
{
    uint32_t number = 0;
    *handle = object;
    if (!has_numbers())
        return mqs_ok;
    int code = told.fetch(process, object, sizeof number, &number);
    *handle = number;
    return code;
}

EXPORT int
mqs_check_request_handle(mqs_process *process, uint64_t handle, int *waits)
{
    enum { REQUEST = 0x2c000000, KIND = 0x3c000000 }; // of MPICH's numbers
    (void) process;
    *waits = has_numbers() ? handle >> 31 != 0 : handle != told.null_request;
    return has_numbers() && (handle & KIND) != REQUEST ? mqs_no_information : mqs_ok;
}

EXPORT int
mqs_update_communicator_list(mqs_process *process)
{
    (void) process;
    return mqs_ok;
}

EXPORT int
mqs_setup_communicator_iterator(mqs_process *process)
{
    (void) process;
    told.current = 0;
    return told.count > 0 ? mqs_ok : mqs_end_of_list;
}

EXPORT int
mqs_get_communicator(mqs_process *process, mqs_communicator *comm)
{
    const struct communicator *from = &told.communicators[told.current];
    (void) process;
    *comm = (mqs_communicator){.unique_id = from->id, .local_rank = 0, .size = SIZE};
    strcpy(comm->name, from->name);
    return mqs_ok;
}

EXPORT int
mqs_get_comm_group(mqs_process *process, int *ranks)
{
    (void) process;
    for (int i = 0; i < SIZE; i++)
        ranks[i] = i;
    return mqs_ok;
}

EXPORT int
mqs_get_communicator_details(mqs_process *process, mqs_communicator_details *details)
{
    (void) process;
    *details = (mqs_communicator_details){.known = MQS_COMM_ADDRESS,
                                          .address = told.communicators[told.current].address};
    return mqs_ok;
}

EXPORT int
mqs_get_comm_nonblocking(mqs_process *process, int index, mqs_nonblocking_collective *collective)
{
    const struct communicator *comm = &told.communicators[told.current];
    (void) process;
    if (index >= comm->n_nonblocking)
        return mqs_end_of_list;
    *collective = comm->nonblocking[index];
    return mqs_ok;
}

EXPORT int
mqs_next_communicator(mqs_process *process)
{
    (void) process;
    return ++told.current < told.count ? mqs_ok : mqs_end_of_list;
}

EXPORT int
mqs_setup_operation_iterator(mqs_process *process, int op_class)
{
    (void) process;
    told.op_class = op_class;
    told.next = 0;
    return told.communicators[told.current].unknown[op_class] ? mqs_no_information : mqs_ok;
}

EXPORT int
mqs_next_operation(mqs_process *process, mqs_pending_operation *op)
{
    const struct communicator *comm = &told.communicators[told.current];
    (void) process;
    while (told.next < comm->count && comm->operations[told.next].op_class != told.op_class)
        told.next++;
    if (told.next >= comm->count)
        return mqs_end_of_list;
    told.last = &comm->operations[told.next++];
    *op = (mqs_pending_operation){.status = mqs_st_pending,
                                  .desired_local_rank = told.last->peer,
                                  .desired_global_rank = told.last->peer,
                                  .desired_tag = told.last->tag,
                                  .desired_length = 4};
    return mqs_ok;
}

EXPORT int
mqs_get_operation_details(mqs_process *process, mqs_operation_details *details)
{
    (void) process;
    *details = (mqs_operation_details){
        .known =
            MQS_OP_REQUEST | MQS_OP_PEER | MQS_OP_TAG | MQS_OP_LENGTH | MQS_OP_WORLD | MQS_OP_KIND,
        .kind = told.op_class == mqs_pending_sends ? mqs_kind_send : mqs_kind_receive,
        .request = told.last->request};
    return mqs_ok;
}
