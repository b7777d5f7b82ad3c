// SPDX-License-Identifier: BSD-3-Clause
// The contract between the mqs entry points and an MPI implementation.
//
// How to add an implementation, in stages:
//
// 1. symbols: recognise the implementation by variables that only it has. Declare the structs you
//    need in needs.def, and resolve() their layout. The tool's --print-layout now works.
// 2. comms() and group(): emit every communicator once. Debuggers now show communicators.
// 3. ops() and describe(): emit a reference for every pending operation in one walk over the
//    process, in the order in which MPI would match them, and turn one reference into a record.
// 4. transport(), the sink's collective(), and traffic(): what cannot be seen, in words; which
//    collectives are in progress; whether messages are on their way.
//
// An adapter keeps nothing between calls but what resolve() put into the layout. It reads through
// target/ only, trusts nothing it reads, and never includes mqs.h.
#ifndef MQS_ADAPTER_H
#define MQS_ADAPTER_H

#include "target/arena.h"
#include "target/inferior.h"
#include "target/layout.h"

enum {
    COMM_NAME = 64,     // bytes with the NUL; longer names are cut
    DATATYPE_NAME = 64, // likewise
    NO_RANK = -1,       // a process outside MPI_COMM_WORLD, or any source
    OP_NOTE = 64,       // likewise
    GROUP_MAX = 1 << 24 // members; a group with more is taken for damaged memory
};

/** An instance of an MPI library in a process: what most functions of an adapter need. */
struct mpi {
    struct inferior *inf;
    const struct layout *layout;
};

/** Ranks in MPI_COMM_WORLD of a group's members. */
struct group {
    uint32_t size;
    const int32_t *ranks; // NO_RANK for a process of another job; NULL: could not be read
};

/** A communicator. Members are known unless said otherwise. */
struct comm {
    taddr addr;           // of the object
    uint64_t id;          // the same number on all members, below 2^63
    char name[COMM_NAME]; // zero filled; "" when it has none
    int64_t rank;         // of this process in the local group
    int64_t size;         // of the local group
    taddr local_group;    // key for group(); 0: not known
    taddr peer_group;     // group that peers of operations count in: the remote one if inter
    int64_t peer_size;    // members of the peer group
    bool inter;
    bool freed; // the user has freed it; operations are still pending
};

enum op_class { OP_SEND, OP_RECEIVE, OP_UNEXPECTED, OP_CLASSES };

enum op_kind {
    OP_KIND_RECEIVE,
    OP_KIND_SEND,
    OP_KIND_SSEND,
    OP_KIND_BSEND,
    OP_KIND_RSEND,
    OP_KIND_PROBE,
    OP_KIND_MESSAGE
};

/** A pending operation, before it is described: small, because there may be a great many.
 *
 * Within a communicator and class, operations are listed by stage, then major, then order, then as
 * they were emitted.
 */
struct op_ref {
    taddr addr;   // of the object that describe() will read
    taddr buffer; // from here to `tag` for the adapter's own use: what it has seen in passing
    taddr datatype;
    uint64_t count;
    int32_t peer;
    int32_t tag;
    uint32_t comm;  // index of its communicator
    uint32_t major; // what separates sequences that have no order between them, such as the peer
    uint32_t order; // place in its sequence
    uint8_t class;  // enum op_class
    uint8_t stage;  // 0: not matched yet; then matched, then complete
    uint8_t flags;  // for the adapter's own use
    uint8_t spare;
};
_Static_assert(sizeof(struct op_ref) == 56, "there may be a great many");

/** Members of struct op that are known. */
enum op_known {
    OP_KNOWS_PEER = 1 << 0,
    OP_KNOWS_TAG = 1 << 1,
    OP_KNOWS_BYTES = 1 << 2,
    OP_KNOWS_COUNT = 1 << 3,
    OP_KNOWS_DATATYPE = 1 << 4,
    OP_KNOWS_BUFFER = 1 << 5,
    OP_KNOWS_PERSISTENT = 1 << 6,
    OP_KNOWS_ACTUAL = 1 << 7,
    OP_KNOWS_FREED = 1 << 8,
    OP_KNOWS_BLOCKED = 1 << 9,
    OP_KNOWS_KIND = 1 << 10,
    OP_KNOWS_UNSEEN = 1 << 11,
};

enum op_status { OP_PENDING, OP_MATCHED, OP_COMPLETE };

/** Whether a process can have anything at an address: no system gives it the first page, and all
 * keep what is above 57 bits for themselves. */
static inline bool
op_address(taddr addr)
{
    return addr >= 0x1000 && addr < UINT64_C(1) << 57;
}

/** A described operation. Ranks count in the communicator's peer group. */
struct op {
    unsigned known; // enum op_known
    enum op_status status;
    enum op_kind kind;
    bool any_peer;
    bool any_tag;
    bool persistent;
    bool system_buffer; // the data is in MPI's own memory
    bool rendezvous;    // unexpected: only the envelope is here
    bool unseen;        // unexpected: MPI has not looked at it yet
    bool freed;         // MPI_Request_free was called on it
    bool blocked;       // a thread waits for it
    bool cancelled;     // MPI_Cancel has taken it back
    int64_t peer;
    int64_t tag;
    int64_t bytes;
    int64_t count;
    char datatype[DATATYPE_NAME]; // zero filled; "" when it has none
    taddr buffer;                 // the user's; of an unexpected message, MPI's
    taddr copy;                   // where MPI keeps the data of a buffered send; 0: nowhere
    taddr request;                // 0: it has none
    int64_t actual_peer;
    int64_t actual_tag;
    int64_t actual_bytes;
    char note[OP_NOTE]; // "" or what is odd about it
};

/** Messages between this process and a peer on one communicator, in the order of matching, modulo
 * some number that is the same on both sides. */
struct traffic {
    uint32_t sent;
    uint32_t received; // not more than what matching has seen
};

/** Kinds of MPI object, numbered like mqs_object_kind. */
enum object_kind {
    OBJECT_COMMUNICATOR,
    OBJECT_GROUP,
    OBJECT_DATATYPE,
    OBJECT_REQUEST,
    OBJECT_STATUS,
    OBJECT_WINDOW,
    OBJECT_FILE,
    OBJECT_OP,
    OBJECT_ERRHANDLER,
    OBJECT_INFO,
    OBJECT_MESSAGE,
    OBJECT_SESSION,
    OBJECT_COMM_KEYVAL,
    OBJECT_TYPE_KEYVAL,
    OBJECT_WIN_KEYVAL,
    OBJECT_KINDS
};

/** How a value names an object, numbered like mqs_handle_form. */
enum handle_form { FORM_C, FORM_FORTRAN, FORM_ABI, FORM_ADDRESS, FORMS };

/** Numbered like mqs_object_state. */
enum object_state { OBJECT_NULL, OBJECT_PREDEFINED, OBJECT_LIVE, OBJECT_FREED };

enum { OBJECT_NAME = 128, MEMBER_TEXT = 256 }; // bytes with the NUL; longer ones are cut

/** An object that has a handle. */
struct object {
    enum object_kind kind;
    enum object_state state;
    taddr addr;      // of the library's object; 0: it has none
    uint64_t handle; // in C
    int32_t fortran; // INTEGER
    bool has_fortran;
    bool has_name;          // it is known, "" too
    char name[OBJECT_NAME]; // zero filled
    int64_t references;     // -1: not known
};

/** What can be known of an object, numbered like mqs_member_number. */
enum member_id {
#define MEMBER(enumerator, name, type) MEMBER_##enumerator,
#include "include/mqs_members.def"
#undef MEMBER
    MEMBERS
};

/** One thing that is known of an object. */
struct member {
    enum member_id id;
    uint32_t index;        // of those that the object has several of; else 0
    enum object_kind kind; // of a handle
    int64_t value;         // a number, 0 or 1, an address, a handle in C
    const char *text;      // of a text
};

/** What was found of a nonblocking or persistent collective: its request, or a message in it that
 * this process waits for. */
struct nonblocking {
    uint32_t comm;    // index of its communicator
    int64_t sequence; // rises from one to the next, the same in all members; NO_SEQUENCE: not known
    taddr request;    // 0: not known
    int64_t peer;     // rank in the peer group that it waits for; NO_PEER: that is not told here
    bool persistent;
    bool unmatched; // of a message: it is a receive for which none has come
};

enum { NO_SEQUENCE = -1 };

/** Where an adapter puts what it finds; the session implements these. */
struct comm_sink {
    /** Takes a copy. @return STATUS_NOMEM */
    enum status (*emit)(struct comm_sink *sink, const struct comm *comm);
    /** A communicator cannot be read: what is in the inferior's trail becomes a message. */
    void (*broken)(struct comm_sink *sink, enum status status);
};

struct op_sink {
    /** Takes a copy. @return STATUS_NOMEM */
    enum status (*emit)(struct op_sink *sink, const struct op_ref *ref);
    /** Something cannot be read: what is in the inferior's trail becomes a message for the
     * user, and the operations of `comm` and `class` are known to be incomplete. With
     * STATUS_UNSUPPORTED they always are, and what transport() gave is the message. */
    void (*broken)(struct op_sink *sink, uint32_t comm, enum op_class class, enum status status);
    /** This process is inside a collective of that kind (COLLECTIVE_*) on communicator `comm`.
     * @param peer rank in the peer group that it waits for in there; NO_PEER: not known */
    void (*collective)(struct op_sink *sink, uint32_t comm, unsigned kind, int64_t peer);
    /** This process has begun a nonblocking collective that is not complete in it. What is found of
     * one in several places is put together by its sequence number. */
    void (*nonblocking)(struct op_sink *sink, const struct nonblocking *collective);
    /** The sequence number that the next nonblocking collective on `comm` will have here. */
    void (*next_nonblocking)(struct op_sink *sink, uint32_t comm, int64_t sequence);
    const struct comm *comms;
    uint32_t n_comms;
};

/** Takes objects. */
struct object_sink {
    /** Takes a copy. @return STATUS_NOMEM */
    enum status (*emit)(struct object_sink *sink, const struct object *object);
    /** One cannot be read: what is in the inferior's trail becomes a message. */
    void (*broken)(struct object_sink *sink, enum status status);
};

/** Takes members. */
struct member_sink {
    /** Takes a copy. @return STATUS_NOMEM, STATUS_CORRUPT when there are too many */
    enum status (*emit)(struct member_sink *sink, const struct member *member);
};

enum { NO_PEER = -1 };

/** Kinds of collective operation, numbered like mqs_comm_class. */
enum {
    COLLECTIVE_BARRIER,
    COLLECTIVE_BCAST,
    COLLECTIVE_ALLGATHER,
    COLLECTIVE_ALLGATHERV,
    COLLECTIVE_ALLREDUCE,
    COLLECTIVE_ALLTOALL,
    COLLECTIVE_ALLTOALLV,
    COLLECTIVE_REDUCE_SCATTER,
    COLLECTIVE_REDUCE,
    COLLECTIVE_GATHER,
    COLLECTIVE_GATHERV,
    COLLECTIVE_SCAN,
    COLLECTIVE_SCATTER,
    COLLECTIVE_SCATTERV,
    COLLECTIVES
};

/** How far a process is with MPI, numbered like mqs_mpi_phase. */
enum phase {
    PHASE_UNKNOWN,
    PHASE_BEFORE_INIT,
    PHASE_IN_INIT,
    PHASE_IN_USE,
    PHASE_IN_FINALIZE,
    PHASE_FINALIZED,
    PHASE_NOT_IN_USE, // before MPI_Init, or after MPI_Finalize
    PHASES
};

enum { THREAD_LEVEL_LAST = 3 };

/** Which threads may call MPI. */
struct thread_level {
    uint64_t level; // as MPI_Init_thread gave it: 0, MPI_THREAD_SINGLE, to 3, MPI_THREAD_MULTIPLE
    taddr main;     // pthread_t of the thread that initialized MPI; 0: not known
};

/** What users pass to the library. */
struct conventions {
    int any_source, any_tag; // in C
    bool hides_probes;       // a blocked MPI_Probe is in no queue
    bool hides_sends;        // a blocked MPI_Send or MPI_Rsend is in no queue
    bool numbers;            // a handle is the number of 4 bytes that its object begins with; else
                             // the address of the object
};

/** An MPI implementation. A function that is NULL is a capability that it lacks. */
struct adapter {
    const char *name; // "Open MPI"
    const struct needs *needs;

    /** Variables by which a program that uses this implementation is recognised; NULL ends them. */
    const char *const *symbols;

    /** Resolves the struct layouts, from debug information and built-in tables as `origins` allows
     * (bits 1 << ORIGIN_DEBUG, 1 << ORIGIN_BUILTIN).
     * @return STATUS_MISMATCH, and the trail says what to install */
    enum status (*resolve)(struct inferior *inf, unsigned origins, struct layout *ret);

    /** Whether a layout has all that modules bring, which may be loaded after resolve(): until then
     * it is called again. NULL: modules bring nothing. */
    bool (*has_modules)(struct inferior *inf, const struct layout *layout);

    /** The library's own version text, "4.1.4". */
    enum status (*version)(struct inferior *inf, char *ret, size_t size);

    /** What does the matching, "pml ob1", and what of its queues cannot be seen.
     * @param ret_hidden set of op_class bits (1 << class) that cannot be seen at all
     * @param ret_limit  "" or a sentence for the user: what is not seen, and what to do; a remark
     * when nothing is hidden */
    enum status (*transport)(const struct mpi *mpi, char *ret, size_t size, unsigned *ret_hidden,
                             char *ret_limit, size_t limit_size);

    /** Rank of this process in MPI_COMM_WORLD. @return STATUS_ABSENT before MPI_Init */
    enum status (*rank)(const struct mpi *mpi, int64_t *ret);

    /** Emits every live communicator once, and reports those that cannot be read.
     * @return STATUS_ABSENT before MPI_Init */
    enum status (*comms)(const struct mpi *mpi, struct comm_sink *sink);

    /** Translates a group, `size` members, into `ret`, room for `size` ranks. A member that cannot
     * be read is NO_RANK, and the trail says so: it is empty when there is none. */
    enum status (*group)(const struct mpi *mpi, taddr group, uint32_t size, int32_t *ret);

    /** Emits every pending operation of the process once. `arena` is for the walk's own tables. */
    enum status (*ops)(const struct mpi *mpi, struct arena *arena, struct op_sink *sink);

    /** Describes one reference. What is invalid is not known; a failure means that the object
     * itself cannot be read. */
    enum status (*describe)(const struct mpi *mpi, const struct comm *comm,
                            const struct op_ref *ref, struct op *ret);

    /** What users pass to the library, and what it keeps no record of. */
    enum status (*conventions)(const struct mpi *mpi, struct conventions *ret);

    /** Whether a call may wait for the request of a handle: not for MPI_REQUEST_NULL, for instance.
     * @return STATUS_ABSENT when the value is no handle of a request */
    enum status (*waits)(const struct mpi *mpi, uint64_t handle, bool *ret);

    /** Which threads may call MPI, from the end of MPI_Init on; the level as it is read, unchecked.
     * @return STATUS_ABSENT before */
    enum status (*threads)(const struct mpi *mpi, struct thread_level *ret);

    /** How far the process is with MPI: PHASE_*. */
    enum status (*phase)(const struct mpi *mpi, enum phase *ret);

    /** A number that changes when the process begins or ends to wait for a message, and not
     * otherwise. */
    enum status (*progress)(const struct mpi *mpi, uint64_t *ret);

    /** Counts the messages to and from a member of the communicator's peer group. */
    enum status (*traffic)(const struct mpi *mpi, const struct comm *comm, uint32_t peer,
                           struct traffic *ret);

    /** What a handle is, which may have any value at all. The object is validated, so that
     * members() can trust its kind and address.
     * @return STATUS_ABSENT when it is no handle of that kind; STATUS_UNSUPPORTED when the kind or
     * the form is not known */
    enum status (*object)(const struct mpi *mpi, enum object_kind kind, enum handle_form form,
                          uint64_t value, struct object *ret);

    /** Emits the objects of a kind that exist, predefined ones too.
     * @return STATUS_UNSUPPORTED when the library keeps no list of them */
    enum status (*objects)(const struct mpi *mpi, enum object_kind kind, struct object_sink *sink);

    /** Emits what is known of an object, those with an index in its order. Members of a
     * communicator or group are ranks in MPI_COMM_WORLD. What cannot be read is left out; a failure
     * comes after the others. */
    enum status (*members)(const struct mpi *mpi, const struct object *object,
                           struct member_sink *sink);
};

/** All adapters, NULL terminated. */
extern const struct adapter *const adapters[];

#endif
