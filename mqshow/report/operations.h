// SPDX-License-Identifier: BSD-3-Clause
// The operations of a queue as compact records.
#ifndef MQSHOW_REPORT_OPERATIONS_H
#define MQSHOW_REPORT_OPERATIONS_H

#include "mqs_ext.h"
#include "mqshow/base/intern.h"
#include "mqshow/report/fields.h"
#include "mqshow/report/record.h"

enum { QUEUES = mqs_unexpected_messages + 1 };

/** What was matched. */
enum { ENVELOPE_FIELDS(FIELD_NUMBER, ) };

struct envelope_record {
    uint32_t has, others; // place of a text
    ENVELOPE_FIELDS(FIELD_MEMBER, )
};

enum op_field { OPERATION_FIELDS(FIELD_NUMBER, FIELD_NUMBER, FIELD_NUMBER, FIELD_NUMBER, ) };

struct operation {
    uint32_t has, more; // number of what else is known of it, from 1; 0: nothing
    OPERATION_FIELDS(FIELD_MEMBER, FIELD_NOTHING, FIELD_NOTHING, FIELD_NOTHING, )
    OPERATION_FIELDS(FIELD_NOTHING, FIELD_MEMBER, FIELD_NOTHING, FIELD_NOTHING, )
    OPERATION_FIELDS(FIELD_NOTHING, FIELD_NOTHING, FIELD_MEMBER, FIELD_NOTHING, )
};

/** Of operations: what few have, or many share. */
struct operation_more {
    uint32_t others, text; // places of texts; 0: none
    struct envelope_record actual;
};

/** The operations of a queue. */
struct operations {
    struct operation *items;
    struct operation_more *mores;
    char *texts; // each with its NUL, the first one empty
    size_t count, n_mores, texts_size;
    size_t capacity, mores_capacity, texts_capacity;
    struct json_t *owner; // of the arrays; NULL: they are its own
    struct intern known;  // texts, while records are added
    size_t *places;       // theirs
    size_t n_places, places_capacity;
};

/** Adds a record in which nothing is known; valid until the next one is added. */
struct operation *operations_add(struct operations *operations);

/** Adds an object of a document, which may hold anything. */
void operations_read(struct operations *operations, const struct json_t *object);

/** Sets a text of a record, which is kept once. @return its place */
uint32_t operations_keep(struct operations *operations, const char *text);

/** What else is known of a record, to be set; valid until the next one is made. */
struct operation_more *operations_more(struct operations *operations, struct operation *op);

/** To be called when a record is complete: what is equal to that of the one before is kept once. */
void operations_complete(struct operations *operations, struct operation *op);

/** To be called when no more records are added: frees what only that needs. */
void operations_end(struct operations *operations);

/** What else is known of a record; NULL: nothing. */
const struct operation_more *
operations_rest(const struct operations *operations, const struct operation *op);

/** The text at a place. */
const char *operations_text(const struct operations *operations, uint32_t place);

/** What a record has matched; NULL: nothing, or not known. */
const struct envelope_record *
operations_actual(const struct operations *operations, const struct operation *op);

void operations_deinit(struct operations *operations);

/** Begins the bytes of a queue as one process sends it to another: the arrays follow. */
struct packed_head {
    char magic[8];
    uint32_t count, n_mores;
    uint64_t texts_size;
};

struct packed_head operations_head(const struct operations *operations);

/** Takes a queue as it came from another process, of which it keeps the bytes and nobody vouches
 * for them. @return false, and it is empty, when they make no sense */
bool operations_take(struct operations *operations, struct json_t *text);

extern const struct record_type operation_type, envelope_record_type;

/** The name of a number in a table of these; NULL: it has none. */
#define NAME_OF(names, number) \
    ((number) >= 0 && (size_t) (number) < sizeof(names) / sizeof *(names) ? (names)[number] : NULL)

/** Name of a kind of operation, of a status, of a queue in JSON; NULL: it has none. */
const char *kind_name(int kind);
const char *status_name(int status);
const char *queue_key(int op_class);

#endif
