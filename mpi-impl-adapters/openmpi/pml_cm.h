// SPDX-License-Identifier: BSD-3-Clause
// PML cm: requests of Open MPI's own, at whose end is the part of the module that hands messages
// on. Of these modules (MTLs) ofi is read: what one of libfabric's providers has of them.
//
// MTL ofi makes one word of a message's tag, two bits of its own, the sender's rank unless it is
// sent beside the word, and the number of the communicator.
#ifndef OPENMPI_PML_CM_H
#define OPENMPI_PML_CM_H

#include "mpi-impl-adapters/ofi/ofi.h"
#include "mpi-impl-adapters/openmpi/handed.h"

/** How the word is made up, from its lowest bits on. */
struct cm_form {
    unsigned tag_bits;
    unsigned source_bits; // above the module's own two; 0: the rank is beside the word
};

/** MTL ofi's own bits of the word. */
enum cm_protocol { CM_SYNCHRONOUS = 1, CM_ANSWER = 2, CM_PROTOCOL_BITS = 2 };

/** The parts of the word. */
struct cm_word {
    uint32_t context;
    uint32_t rank;
    unsigned protocol; // enum cm_protocol
    int32_t tag;
};

struct cm_word cm_split(struct cm_form form, uint64_t word);

/** The module that hands messages on. */
struct cm_module {
    char name[OFI_PROVIDER];     // "ofi"; "" not known
    char provider[OFI_PROVIDER]; // libfabric's, "tcp;ofi_rxm"; "" not known, or another module
    bool is_ofi;
    struct cm_form form;  // of MTL ofi's words
    uint64_t any_address; // of MTL ofi: what it gives libfabric for any source
    taddr endpoint;       // of libfabric that receives; 0: none yet, or more than one
};

/** Reads which module it is. */
CHECKED enum status cm_module_load(const struct mpi *mpi, struct cm_module *ret);

/** Prepares to read what libfabric has. @return STATUS_ABSENT before MPI_Init is that far;
 * STATUS_MISMATCH when it cannot be read */
CHECKED enum status cm_open(const struct mpi *mpi, const struct cm_module *module, struct ofi *ret);

/** A request, decoded as far as Open MPI itself has kept it. */
struct cm_request {
    taddr addr;
    taddr comm;
    taddr datatype;
    taddr buffer;
    taddr mtl;      // the module's part
    uint64_t count; // elements of the datatype
    int64_t mode;   // of a send: enum pml_send_mode
    int32_t peer;   // when it is enveloped
    int32_t tag;    // likewise; of a send always
    bool sends;
    bool enveloped;
    bool active;
    bool complete;
    bool pml_complete;
    bool blocked;
    bool freed;
    bool persistent;
};

/** Reads a request of the free lists. */
CHECKED enum status cm_request_load(const struct mpi *mpi, taddr addr, struct cm_request *ret);

/** MTL ofi's part of a request. */
struct cm_part {
    taddr request;   // of Open MPI's; on the stack of a blocking call
    taddr context;   // what libfabric is given
    taddr convertor; // of a receive
    taddr parent;    // of the receive of an answer: the part of the send
    uint64_t word;
    uint64_t address;
    uint64_t bytes;
};

/** Reads MTL ofi's part of a request. */
CHECKED enum status cm_part_load(const struct mpi *mpi, taddr addr, struct cm_part *ret);

/** Address of MTL ofi's part of the request that libfabric was given a context of. */
taddr cm_part_of(const struct mpi *mpi, taddr context);

/** Address of a process for libfabric, of what MTL ofi keeps of it. @param word a process object's
 * pointer to that, or another one's @return STATUS_ABSENT when it is another one's */
CHECKED enum status cm_peer_address(const struct mpi *mpi, taddr word, uint64_t *ret);

/** adapter.ops() of this PML. */
CHECKED enum status cm_ops(const struct mpi *mpi, struct arena *arena, struct op_sink *sink);

/** What of this PML's queues cannot be seen, for adapter.transport().
 * @param what is added to the name of the PML: ", mtl ofi, tcp;ofi_rxm" */
void cm_limit(const struct mpi *mpi, unsigned *ret_hidden, char *what, size_t what_size, char *ret,
              size_t size);

#endif
