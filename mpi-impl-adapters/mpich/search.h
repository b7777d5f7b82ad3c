// SPDX-License-Identifier: BSD-3-Clause
// One search for all pending operations of a process.
#ifndef MPICH_SEARCH_H
#define MPICH_SEARCH_H

#include "mpi-impl-adapters/mpich/request.h"
#include "mpi-impl-adapters/ofi/ofi.h"
#include "mpi-impl-adapters/ucp/ucp.h"
#include "target/addrs.h"

/** From addresses to numbers. */
struct map {
    struct addrs key;
    struct addrs value;
    uint32_t *order; // of the keys; NULL before map_seal()
};

/** What the library's support for debuggers notes of a request. */
struct debug_entry {
    int64_t peer;
    int64_t tag;
    uint32_t context; // of a send the one that its communicator sends in, else receives in
    taddr buffer;
    int64_t count;  // -1: not noted
    uint32_t order; // from the oldest on
};

/** Processes of a group, as MPICH numbers them, and their ranks in the order of these numbers. */
struct peers {
    bool loaded;
    uint32_t count;
    int64_t *number;
    uint32_t *order;
};

/** How a word for libfabric is made up, from its lowest bits on. */
struct ofi_form {
    unsigned tag_bits;
    unsigned source_bits; // of the sender's rank; 0: it is beside the word
    unsigned context_bits;
    unsigned own_shift; // of MPICH's own bits
};

struct search {
    const struct mpi *mpi;
    struct arena *arena;
    struct op_sink *sink;
    unsigned release;
    enum device device;        // that is in use
    bool shared_memory;        // ch4_has_shared_memory()
    bool debugger;             // the library has its own support for debuggers
    struct contexts *contexts; // of each communicator of the sink
    struct peers *peers;       // likewise; filled when needed
    uint32_t *by_addr;         // numbers of the communicators, by address
    uint32_t *by_context;      // likewise, by receive context
    struct addrs requests;     // all live ones
    struct addrs seen;         // requests that were found in a list, sorted by addrs_sort()
    bool unseen;               // a list that tells what is posted could not be read
    bool refuted;              // search_refute()
    uint32_t selves;           // operations within one process that are in a list
    uint32_t selves_listed;    // those of them that were found there
    uint32_t messages;         // of Intel MPI that nobody has received
    uint32_t messages_listed;  // those of them that were found in their lists
    struct map persistent;     // from the request that does the work to the persistent one
    struct map noted;          // from a request to its place in `notes`
    struct debug_entry *notes; // of the library's support for debuggers
    struct map processes;      // from how the network's library names one to its number
    bool processes_loaded;
    bool has_ucp;   // `ucp` can be used
    struct ucp ucp; // of device ch4:ucx
    bool has_ofi;   // `ofi` can be used
    struct ofi ofi; // of device ch4:ofi
    struct ofi_form form;
    struct addrs posted;   // receives in libfabric's queues, of each the oldest first
    uint32_t first_posted; // how many are of the first virtual interface
    struct map handed;     // from what libfabric was given for a receive to its place in `posted`
    struct map answers;    // from a send to the receive of the answer that it waits for, likewise
    bool unknown_sends;    // that of some nothing is known
    uint32_t place;      // am_emit()'s: in the network's queue, of the last receive from any source
    uint32_t last_noted; // order of the last send that was noted, in the order of the pools
};

/** What a reference has of the operation (op_ref.flags); op_ref.spare is its enum op_kind. */
enum {
    REF_PEER = 1 << 0, // op_ref.peer is known
    REF_TAG = 1 << 1,
    REF_COUNT = 1 << 2, // op_ref.count elements of the datatype with the handle op_ref.datatype
    REF_BYTES = 1 << 3, // op_ref.count bytes
    REF_KIND = 1 << 4,
    REF_PERSISTENT = 1 << 5,
    REF_TRANSIT = 1 << 5, // of a message: the process has not looked at it yet
    REF_RENDEZVOUS = 1 << 6,
    REF_UCX = 1 << 7, // op_ref.datatype is the address of libucp's request
};

/** Places in the life of an operation (op_ref.stage). */
enum { STAGE_POSTED, STAGE_MATCHED, STAGE_COMPLETE };

/** Notes that what a request in a list says of itself is contradictory, as it is where the layout
 * of requests is another one: what no list has of requests is not shown then.
 * @param why "has no datatype" @return STATUS_CORRUPT */
CHECKED enum status search_refute(struct search *search, taddr request, const char *why);

/** Whether a request in a list of posted receives, with a communicator, is of another context than
 * this communicator receives in. */
bool search_is_elsewhere(const struct search *search, taddr comm, uint32_t context);

/** Prepares the tables of a search. */
CHECKED enum status search_init(struct search *search);

/** Fills in the requests in use, and what the persistent ones stand for. */
CHECKED enum status search_collect(struct search *search);

/** Most items that a list of requests can have. */
uint32_t chain_limit(const struct search *search);

/** Collects the addresses of a chain that ends with NULL, at most chain_limit(), each once.
 * @param link bytes from an item to its pointer to the next one
 * @return STATUS_NOMEM; otherwise what ended it early, after what was there before
 */
CHECKED enum status
chain_collect(struct search *search, taddr head, uint32_t link, struct addrs *ret);

/** Emits the request at an address. @param order its place in the list */
typedef enum status (*chain_item_ft)(struct search *search, enum op_class class, taddr item,
                                     uint32_t order);

enum { NO_LINK = -1, HIDDEN_LINK = -2 };

/** Emits the items of a chain, and reports what ended it early. Receives behind that are unseen.
 * @param back bytes from an item to its pointer to the one before, of the first one to the last
 * one; NO_LINK: it has none, HIDDEN_LINK: its place is not known */
CHECKED enum status chain_emit(struct search *search, enum op_class class, taddr head,
                               uint32_t link, int32_t back, chain_item_ft emit_item);

/** Number of the communicator at an address. @return whether there is one */
bool search_by_addr(const struct search *search, taddr addr, uint32_t *ret);

/** What is set in an address of libfabric's, from 5.0 on, that is to another virtual interface than
 * the first one of this process: these have other addresses for the same process. */
#define PROCESSES_TO_OTHERS (UINT64_C(1) << 63)

/** Number of the process that the network's library has a name for: an endpoint of libucp's, an
 * address of libfabric's. @param ret NO_RANK when it is not known, or if several have that name */
CHECKED enum status processes_find(struct search *search, uint64_t name, int64_t *ret);

/** Number of the user's communicator that receives in a context, whatever its parts. */
bool search_by_context(const struct search *search, uint32_t context, uint32_t *ret);

/** An operation that was found. */
struct found {
    struct op_ref ref; // `comm` is not filled in yet
    bool has_context;
    uint32_t context; // with all its parts: of the receiver
    taddr comm;       // its communicator; 0: only the context tells
    bool pending;     // not complete: if of a collective, that is in progress
    taddr extension;  // of an active message's request; 0: none, or not read
};

/** Notes bytes of data: as many elements of the datatype with the handle found.ref.datatype as have
 * them, where there is one. */
void search_count_elements(const struct mpi *mpi, uint64_t bytes, struct found *ret);

/** Decodes a request of MPI_Send, MPI_Recv and their relatives.
 * @param order where it stands in its list; 0 when it is in none
 * @return STATUS_ABSENT when nothing can be told
 */
CHECKED enum status search_decode(struct search *search, const struct request *request,
                                  uint32_t order, struct found *ret);

/** Emits an operation, or, when it is of the library's own traffic, notes which collective that is
 * of. What cannot be assigned to a communicator is left out. */
CHECKED enum status search_emit(struct search *search, struct found *found);

/** Whether a number is the rank of a peer of a communicator. */
bool search_is_peer(const struct search *search, uint32_t comm, int64_t rank);

/** Rank of a process among the peers of a communicator; NO_RANK. */
CHECKED enum status
search_peer(struct search *search, uint32_t comm, int64_t process, int32_t *ret);

/** Whether all peers of a communicator are known to be processes of MPI_COMM_WORLD. */
bool search_in_world(struct search *search, uint32_t comm);

/** Whether processes of a communicator may exchange messages through the network module: not when
 * all processes of MPI_COMM_WORLD are on this node, and it has no others. */
bool search_may_use_network(struct search *search, uint32_t comm);

/** Adds to a map. @return STATUS_NOMEM */
CHECKED enum status map_add(struct search *search, struct map *map, taddr key, taddr value);

/** Sorts a map, for map_find(). */
CHECKED enum status map_seal(struct search *search, struct map *map);

/** Finds what was added under a key. @return whether there is one thing and no other */
bool map_find(const struct map *map, taddr key, taddr *ret);

/** Reports what broke for all communicators. @return STATUS_OK, or STATUS_NOMEM, after which
 * nothing is worth trying */
CHECKED enum status
search_report(const struct search *search, enum op_class class, enum status status);

/** First items of ch3's lists; 0: the list is empty. */
struct ch3_heads {
    taddr posted;
    taddr unexpected;
};

/** Finds the first items where the library has no symbols for its variables. The requests in use
 * are collected before. @param link bytes from an item to its pointer to the next one */
CHECKED enum status ch3_find_heads(struct search *search, uint32_t link, struct ch3_heads *ret);

/** Emits what ch3 has in its lists: posted receives and unexpected messages. */
CHECKED enum status ch3_lists(struct search *search);

/** Decodes a request of ch3. */
CHECKED enum status
ch3_decode(struct search *search, const struct request *request, struct found *ret);

/** Whether the data of a send of ch3 is on its way through shared memory. */
bool ch3_is_moving(const struct mpi *mpi, const struct request *request);

/** Decodes a message of ch3 that nobody has received, in a list or taken by MPI_Mprobe. */
CHECKED enum status
ch3_decode_message(struct search *search, const struct request *request, struct found *ret);

/** Emits what ch4 keeps itself in lists: receives and messages that no network matches. */
CHECKED enum status am_lists(struct search *search);

/** Decodes source, context and tag of what is posted or has come as an active message.
 * @param u address of the part of the request that has them */
CHECKED enum status am_decode_envelope(const struct search *search, const struct request *request,
                                       taddr u, struct found *ret);

/** Whether a request is within a communicator of one process, where ch4 itself matches. */
bool am_is_self(const struct search *search, const struct request *request);

/** Decodes such a request. */
CHECKED enum status
am_decode_self(struct search *search, const struct request *request, struct found *ret);

/** Decodes a persistent request of ch4 into what is known of the one that does its work. */
CHECKED enum status
am_decode_persistent(const struct search *search, taddr addr, struct found *ret);

/** Decodes a partitioned request of ch4. */
CHECKED enum status
am_decode_part(const struct search *search, const struct request *request, struct found *ret);

/** Prepares to decode requests of libucp's. */
CHECKED enum status ucx_prepare(struct search *search);

/** Emits what libucp has of messages that nobody has received. */
CHECKED enum status ucx_messages(struct search *search);

/** The place of a receive in the order of matching of what libucp has; from 1 on. @return whether
 * it is there */
bool ucx_find_place(struct search *search, const struct request *request, uint32_t *ret);

/** Decodes a request that libucp works on. @return STATUS_ABSENT when nothing can be told */
CHECKED enum status
ucx_decode(struct search *search, const struct request *request, struct found *ret);

/** Decodes a message that was taken from libucp by MPI_Mprobe. @return STATUS_ABSENT likewise */
CHECKED enum status
ucx_decode_message(const struct search *search, const struct request *request, struct found *ret);

/** Reads what the library's support for debuggers has noted. */
CHECKED enum status debug_load(struct search *search);

/** Communicator of what was noted. @return whether there is one */
bool debug_comm(const struct search *search, const struct debug_entry *entry, enum op_class class,
                taddr *ret);

/** What was noted of a request; NULL: nothing. */
const struct debug_entry *debug_find(const struct search *search, taddr request);

#endif
