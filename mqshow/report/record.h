// SPDX-License-Identifier: BSD-3-Clause
// Records whose members are listed in report.def: the descriptions of their types, by which they
// are written, read, compared and freed.
#ifndef MQSHOW_REPORT_RECORD_H
#define MQSHOW_REPORT_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct json_out;
struct json_t;
struct intern;
struct operations;

/** The value of a rank or tag that may be any: MPI_ANY_SOURCE, MPI_ANY_TAG. */
#define REPORT_ANY INT32_MIN

/** Numbers of words that have names are below. */
enum { NAMES_MAX = 128 };

/** What a member is in C and in JSON. A member that is not known is absent in JSON. */
enum field_kind {
    FIELD_INTEGER,      // int64_t: an integer
    FIELD_INT32,        // int32_t: an integer
    FIELD_RANK,         // int32_t, -1: not known, whatever `has` says: an integer
    FIELD_RANK_OR_ANY,  // int32_t: from 0 on, or REPORT_ANY, "any"
    FIELD_INT32_OR_ANY, // int32_t: likewise, of all integers
    FIELD_HEX,          // uint64_t: "0x4711"
    FIELD_FLAG,         // bool: true, false
    FIELD_MILLISECONDS, // int64_t, microseconds: a real number, milliseconds
    FIELD_WORD,         // uint8_t, a number that has a name: the name
    FIELD_TEXT,         // const char *, escaped, NULL: not known, whatever `has` says: a text
    FIELD_KEPT,         // uint32_t, place in the queue's texts: a text
    FIELD_KEPT_LINES,   // in struct operation_more, lines with a '\n' each: an array of texts
    FIELD_ACTUAL,       // likewise, struct envelope_record: a record
    FIELD_INTEGERS,     // LIST(int32_t): an array of integers
    FIELD_ADDRESSES,    // LIST(uint64_t): an array of "0x4711"
    FIELD_TEXTS,        // LIST(const char *), each escaped: an array of texts
    FIELD_RANKS,        // struct ranks: an array of integers and, for runs, of "first-last"
    FIELD_TRAFFIC,      // LIST(struct peer_traffic): an array of arrays of three integers
    FIELD_RECORD,       // a struct
    FIELD_RECORDS,      // LIST(of it): an array
    FIELD_QUEUE,        // struct operations: an array
    FIELD_QUEUES,       // uint8_t, 1 << mqs_op_class: an array of their names
    FIELD_OPENMP,       // struct openmp
    // Of OpenMP's records, see report/openmp_json.h.
    FIELD_CHARS,       // char[], not escaped, empty: not known: a text
    FIELD_NONZERO,     // int64_t, 0: not known: an integer
    FIELD_ADDRESS,     // uint64_t, 0: not known: "0x4711"
    FIELD_BIT,         // a bit of uint32_t: true, false
    FIELD_ID,          // int32_t, number of a record: its id; null: MQS_OMP_NONE
    FIELD_IDS,         // LIST(int32_t): an array of ids
    FIELD_FUNCTION,    // uint64_t, an address: what is there
    FIELD_AWAITED,     // likewise, of a variable
    FIELD_STATE_FROM,  // int32_t, number of a thread: where its state is from
    FIELD_WAIT,        // likewise: a record
    FIELD_TASKS,       // int32_t, number of a task: an array of it and those that were interrupted
    FIELD_OTHER_TASKS, // mqs_omp_task *: an array of those that no thread has
    FIELD_TOOL_DATA,   // uint64_t and the address behind it: both
    FIELD_ICVS,        // struct icv *: an object
};

/** An array that grows, see alloc_grow(). */
#define LIST(type)              \
    struct {                    \
        type *items;            \
        size_t count, capacity; \
    }

/** A member of a record. */
struct field {
    const char *key, *meaning;
    enum field_kind kind;
    uint32_t known; // its bit of `has`
    uint16_t offset, size;
    const struct record_type *type; // of a word, of a record or of the items of an array of these
};

/** What records begin with, but for operations. */
struct record_head {
    uint32_t has;       // 1 << number of the members that are known
    const char *others; // members that this version does not know, the text of an object; or NULL
};

/** A sort of records, or of words. */
struct record_type {
    const char *name;
    size_t size;
    const struct field *fields;
    size_t n_fields;
    const char *(*word)(int); // of a number; NULL: it has none
};

#define HAS(record, number) (((record)->has >> (number) &1) != 0)

/** Sets a member that is known. */
#define SET(record, number, member, value) \
    do {                                   \
        (record)->member = (value);        \
        (record)->has |= 1u << (number);   \
    } while (0)

/** Where a record is read from or written to. */
struct record_place {
    struct intern *texts;          // keeps the texts that are read
    struct operations *operations; // the queue of an operation
    bool narrow;                   // communicators that were not asked for are not written
    bool outline;                  // operations are not written: a queue that is known is empty
    struct omp_place *omp;         // what a record of OpenMP belongs to
};

/** Makes a record in which nothing is known. */
void record_init(const struct record_type *type, void *record);

/** Frees what is in a record. */
void record_deinit(const struct record_type *type, void *record);

/** Frees what is in a member, which is not known any more. */
void record_forget(const struct field *field, void *record);

/** The member with this key; NULL: there is none. */
const struct field *record_field(const struct record_type *type, const char *key);

/** Bytes of an item of a list; 0: the member is none. */
size_t record_item_size(const struct field *field);

/** Writes a record as an object, or its members only. */
void record_write(struct json_out *json, const struct record_type *type, const void *record,
                  const struct record_place *place);
void record_write_members(struct json_out *json, const struct record_type *type, const void *record,
                          const struct record_place *place);

/** The value of a member. */
struct value {
    enum value_type {
        VALUE_NONE, // it is not known
        VALUE_INTEGER,
        VALUE_HEX,
        VALUE_REAL,
        VALUE_BOOL,
        VALUE_TEXT,
        VALUE_OTHER, // an array or a record
    } type;
    union {
        int64_t integer;
        uint64_t hex;
        double real;
        bool boolean;
        const char *text;
    };
};

struct value
record_value(const struct field *field, const void *record, const struct record_place *place);

/** Orders two records by a member; one that does not have it comes first. The places are of the one
 * and of the other. */
int record_compare(const struct field *field, const void *left, const struct record_place *of_left,
                   const void *right, const struct record_place *of_right);

/** Keeps members that this version does not know, an object; NULL: there are none. */
void record_keep_others(const struct record_type *type, void *record, const struct json_t *others,
                        const struct record_place *place);

/** Reads an object, which may hold anything, into a record that was initialized. Texts are escaped
 * again, which changes nothing in one that is escaped. What is not as this version writes it is
 * kept in `others`.
 * @return false: it is no object */
bool record_read(const struct record_type *type, void *record, const struct json_t *object,
                 const struct record_place *place);

#endif
