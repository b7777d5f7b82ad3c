// SPDX-License-Identifier: BSD-3-Clause
// The operations of a queue as compact records.
//
// A record holds the members of an operation that are known, as they are shown. In a document a
// queue is either an array of objects, as it is written, or the same packed: a text of JSON whose
// bytes are records. What is read is packed when it is first asked for; a text that came from
// outside is never taken for one, since jansson reads no text with a NUL in it.
#ifndef TOOLS_OPERATIONS_H
#define TOOLS_OPERATIONS_H

#include "mqs_ext.h"
#include "tools/verdict/intern.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { QUEUES = mqs_unexpected_messages + 1 };

/** Members, in the order in which they are written. */
enum op_member {
    OP_STATUS,
    OP_PEER,
    OP_WORLD_PEER,
    OP_TAG,
    OP_BYTES,
    OP_COUNT,
    OP_DATATYPE,
    OP_BUFFER,
    OP_SYSTEM_BUFFER,
    OP_KIND,
    OP_PERSISTENT,
    OP_REQUEST,
    OP_RENDEZVOUS,
    OP_FREED,
    OP_BLOCKED, // a thread waits for it: there, or not known
    OP_ACTUAL,
    OP_TEXT,
    OP_MOVED, // since another look
    OP_MEMBERS
};

#define OP_HAS(member) (1u << (member))

/** What was matched. */
struct actual {
    int64_t bytes;
    int32_t peer, world_peer, tag;
    uint32_t has; // OP_PEER, OP_WORLD_PEER, OP_TAG, OP_BYTES; what is not known is -1
};

struct operation {
    uint64_t request; // address of the object
    uint64_t buffer;
    int64_t count, bytes;
    int32_t peer;       // in the communicator
    int32_t world_peer; // in MPI_COMM_WORLD
    int32_t tag;
    uint32_t actual;         // number + 1; 0: none
    uint32_t datatype, text; // places of texts; 0: none. The text is lines, each with its '\n'
    uint32_t others;         // likewise of the members that the format does not know, an object
    uint32_t has : OP_MEMBERS, status : 2, kind : 3;
    uint32_t any_peer : 1, any_tag : 1, system_buffer : 1, persistent : 1, rendezvous : 1,
        freed : 1, moved : 1;
};

/** The operations of a queue. */
struct operations {
    struct operation *items;
    struct actual *actuals;
    char *texts; // each with its NUL, the first one empty
    size_t count, n_actuals, texts_size;
    size_t capacity, actuals_capacity, texts_capacity; // 0: they are another's
    struct intern known;                               // texts, while records are added
    size_t *places;                                    // theirs
    size_t n_places, places_capacity;
};

/** Adds a record in which nothing is known; valid until the next one is added. */
struct operation *operations_add(struct operations *operations);

/** Sets a text of a record, which is kept once. @return its place */
uint32_t operations_keep(struct operations *operations, const char *text);

/** Sets what a record has matched. */
void operations_set_actual(struct operations *operations, struct operation *op,
                           const struct actual *actual);

/** The text at a place. */
const char *operations_text(const struct operations *operations, uint32_t place);

/** What a record has matched; NULL: nothing, or not known. */
const struct actual *
operations_actual(const struct operations *operations, const struct operation *op);

/** Adds an object of a document: members that make no sense are kept beside the record. */
void operations_read(struct operations *operations, const json_t *object);

void operations_deinit(struct operations *operations);

/** Begins the bytes of a packed queue: the arrays follow. */
struct packed_head {
    char magic[8];
    uint32_t count, n_actuals;
    uint64_t texts_size;
};

struct packed_head operations_head(const struct operations *operations);

/** The queue packed. */
json_t *operations_pack(const struct operations *operations);

/** Whether a text that nobody vouches for is a packed queue that makes sense. */
bool operations_check(const json_t *text);

/** Whether a value is a packed queue. @param ret NULL, or what is in it; it lives as long */
bool operations_unpack(const json_t *value, struct operations *ret);

/** The operations of a communicator in a document, which live as long.
 * @return false: the queue is not known, there are none */
bool operations_of(const json_t *communicator, int op_class, struct operations *ret);

/** Value of a member. */
struct op_value {
    enum op_type { OP_NONE, OP_INTEGER, OP_HEX, OP_BOOLEAN, OP_WORD, OP_LINES, OP_ENVELOPE } type;
    union {
        int64_t integer;
        uint64_t hex;
        bool boolean;
        const char *word; // or lines
        const struct actual *envelope;
    };
};

struct op_value operations_value(const struct operations *operations, const struct operation *op,
                                 enum op_member member);

/** Value of one of those that an envelope has. */
struct op_value operations_actual_value(const struct actual *actual, enum op_member member);

/** "status", ...; OP_MEMBERS: there is no such name. */
const char *op_member_name(enum op_member member);
enum op_member op_member_find(const char *name);

/** An operation as an object, to json_decref(). */
json_t *operations_json(const struct operations *operations, const struct operation *op);

/** The name of a number in a table of these; NULL: it has none. */
#define NAME_OF(names, number) \
    ((number) >= 0 && (size_t) (number) < sizeof(names) / sizeof *(names) ? (names)[number] : NULL)

/** Name of a kind of operation, of a status, of a queue in JSON. */
const char *kind_name(int kind);
const char *status_name(int status);
const char *queue_key(int op_class);

#endif
