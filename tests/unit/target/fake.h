// SPDX-License-Identifier: BSD-3-Clause
// A target in arrays, which counts what is asked of it and fails when told to.
#ifndef TESTS_UNIT_TARGET_FAKE_H
#define TESTS_UNIT_TARGET_FAKE_H

#include "target/inferior.h"
#include "target/layout.h"

#include <check.h>

enum { FAKE_SEGMENTS = 4, FAKE_SYMBOLS = 100, FAKE_TYPES = 8, FAKE_FIELDS = 32 };

/** Memory that is there; all else is a hole. */
struct fake_segment {
    taddr addr;
    uint64_t size;
    uint8_t *bytes; // NULL: each byte is fake_byte() of its address
};

struct fake_type {
    const char *name; // NULL: unused
    int64_t size;
    struct {
        const char *name;
        int64_t offset;
    } fields[FAKE_FIELDS];
};

struct fake {
    struct datamodel model;
    bool has_model;
    struct fake_segment segments[FAKE_SEGMENTS];
    const char *symbols[FAKE_SYMBOLS]; // number i is at 0x1000 + 16 * i
    const char *function;              // NULL: none
    taddr function_addr;
    struct fake_type types[FAKE_TYPES];
    unsigned fail_read;  // number of the read that fails, from 1 on; 0: none
    bool fail_all_reads; // from that one on
    bool whole_pages;    // a read that is not of whole pages fails
    unsigned reads;      // asked for
    uint64_t bytes;      // of reads that succeeded
    taddr lowest;        // address asked for
    taddr highest;
    unsigned symbol_lookups;
    unsigned type_lookups;
};

/** Allocations, which know no host. */
struct fake_memory {
    unsigned allocations; // asked for
    unsigned fail;        // number of the one that fails, from 1 on; 0: none
    bool fail_all;        // from that one on
    size_t bytes;         // asked for
    int live;
};
extern struct fake_memory fake_memory;

enum { FAKE_MODELS = 4 };

/** The data models that loop tests go through: LE64, BE64, LE32, BE32. */
extern const struct datamodel fake_models[FAKE_MODELS];

/** An empty process with this data model; forgets about earlier allocations. */
void fake_init(struct fake *fake, const struct datamodel *model);

struct target fake_target(struct fake *fake);

/** What is at an address of a segment without bytes. */
uint8_t fake_byte(taddr addr);

/** Whether bytes are what is there. */
bool fake_is(taddr addr, size_t size, const uint8_t *bytes);

/** Stores an integer as the target would. */
void fake_put(const struct fake *fake, void *bytes, size_t width, uint64_t value);

/** Stores a pointer in the first segment. */
void fake_put_pointer(const struct fake *fake, taddr addr, taddr value);

/** A fixture that fails a test which has not freed all it allocated. */
void fake_setup(void);
void fake_teardown(void);

#define ck_ok(call)              ck_assert_int_eq((call), STATUS_OK)
#define ck_status(call, status_) ck_assert_int_eq((call), STATUS_##status_)

Suite *suite_basics(void);
Suite *suite_block(void);
Suite *suite_code(void);
Suite *suite_machine(void);
Suite *suite_edges(void);
Suite *suite_inferior(void);
Suite *suite_layout(void);
Suite *suite_snapshot(void);
Suite *suite_pieces(void);
Suite *suite_view(void);
Suite *suite_walk(void);

#endif
