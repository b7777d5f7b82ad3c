// SPDX-License-Identifier: BSD-3-Clause
// The reader of libfabric, for adapters of MPI libraries that hand it their messages: the receives
// that one of its providers has not matched yet, and the messages that nobody has received.
//
// Only providers that match in software, in the process, can be read. They match words of 64 bits
// and addresses; what these mean is the adapter's business.
#ifndef OFI_H
#define OFI_H

#include "target/inferior.h"
#include "target/layout.h"

/** Where libfabric's structs are among an adapter's needs: its needs.def includes the one of this
 * folder, in one piece. */
struct ofi_place {
    unsigned first_struct;
    unsigned first_field;
};

/** For a file that has the adapter's needs. */
#define OFI_PLACE ((struct ofi_place){S(ofi_endpoint), F(ofi_endpoint, class)})

enum { OFI_PROVIDER = 64 }; // bytes of a provider's name, with the NUL

/** What a receive from any source has instead of an address. */
#define OFI_ANY_ADDRESS UINT64_MAX

/** An endpoint of libfabric in one process. */
struct ofi {
    struct inferior *inf;
    struct layout layout;        // of libfabric's structs alone
    const struct ofi_kind *kind; // of the queues
    taddr endpoint;
    taddr queue;
};

/** Prepares to read an endpoint: finds the layout of its provider that what is in it confirms.
 * @param layout   the adapter's
 * @param provider name as libfabric has it, "tcp;ofi_rxm"
 * @return STATUS_MISMATCH when there is none: the provider cannot be read; STATUS_CORRUPT
 */
CHECKED enum status
ofi_open(struct inferior *inf, const struct layout *layout, struct ofi_place place,
         const char *provider, taddr endpoint, struct ofi *ret);

/** A receive that is in the queue. */
struct ofi_receive {
    taddr addr;
    uint64_t address; // of the sender; OFI_ANY_ADDRESS: any
    uint64_t tag;     // what was asked for
    uint64_t ignore;  // bits of it that do not count
    taddr context;    // the MPI library's
    taddr buffer;     // of the first piece
    uint64_t bytes;
    uint64_t number; // of all that were posted; 0: the queue is in the order of matching
    bool matched;    // a message is being received
};

/** Its place in the order of matching. @param place in the order of ofi_each_receive() */
static inline uint32_t
ofi_order(const struct ofi_receive *receive, uint32_t place)
{
    return receive->number == 0 ? place : (uint32_t) receive->number;
}

/** Reads a receive. */
CHECKED enum status ofi_receive_load(const struct ofi *ofi, taddr addr, struct ofi_receive *ret);

/** Calls `visit` for each receive, oldest first, which is the order of matching, unless they have
 * numbers: then these are the order. Stops with the first status other than STATUS_OK that `visit`
 * gives. */
CHECKED enum status
ofi_each_receive(const struct ofi *ofi,
                 enum status (*visit)(void *context, const struct ofi_receive *receive),
                 void *context);

/** A message that nobody has received. */
struct ofi_message {
    taddr addr;
    uint64_t tag;
    uint64_t data; // what the sender has sent beside it
    uint64_t bytes;
    bool rendezvous; // only the envelope is here
};

/** As ofi_each_receive(), of messages; with numbers, those of one source are in order.
 * @return STATUS_UNSUPPORTED when there may be more that the provider has not read yet, for want of
 * room: ofi_unread() says so
 */
CHECKED enum status
ofi_each_message(const struct ofi *ofi,
                 enum status (*visit)(void *context, const struct ofi_message *message),
                 void *context);

/** What the provider may have not read of its messages, to follow "it does not show ..."; "" for
 * one that reads all. */
const char *ofi_unread(const struct ofi *ofi);

#endif
