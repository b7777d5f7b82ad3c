// SPDX-License-Identifier: BSD-3-Clause
// What the code of GNU's runtime tells about its structs and variables.
#ifndef OMPD_BRIDGE_GNU_GOMP_DECODE_H
#define OMPD_BRIDGE_GNU_GOMP_DECODE_H

#include "ompd-bridge/gnu/gomp_code.h"

#define NEEDS_FILE   "ompd-bridge/gnu/gomp_needs.def"
#define NEEDS_PREFIX gomp
#include "target/layout_decl.h"

/** The offset of a field, as a fact. */
#define FACT(type, field) (1 + F(type, field))

/** What can be known: FACT (type, field) for each field of gomp_needs.def, and others. */
enum gomp_fact {
    FACT_NONE,
    FACT_SLOT = 1 + NEEDS_FIELDS, // address of the variable that holds the thread-local variable's
                                  // offset
    FACT_OFFSET,                  // that offset, where the code has it
    FACT_TEAM,                    // offsets in struct gomp_thread
    FACT_TEAM_ID,
    FACT_LEVEL,
    FACT_ACTIVE_LEVEL,
    FACT_PLACE,
    FACT_NUM_TEAMS,
    FACT_TEAM_BARRIER, // in struct gomp_team
    FACT_TEAM_QUEUE,   // of tasks
    FACT_TASK_SIZE,    // bytes of struct gomp_task
    FACT_GLOBAL_ICV,   // addresses of variables
    FACT_GLOBAL_CANCEL,
    FACT_GLOBAL_PRIORITY,
    FACT_GLOBAL_PROCS,
    FACT_GLOBAL_ACTIVE_LEVELS,
    GOMP_FACTS
};

struct gomp_facts {
    const struct machine *machine;
    bool known[GOMP_FACTS];
    taddr values[GOMP_FACTS];
};

/** Reads the code of the runtime's functions. What it does not tell stays unknown.
 * @return STATUS_UNSUPPORTED when not even the thread-local variable can be found, STATUS_CORRUPT
 * when two functions contradict each other; the trail names a function
 */
CHECKED enum status gomp_decode(struct inferior *inf, struct gomp_facts *ret);

/** Notes a fact. @return false when something else is known already */
bool gomp_facts_set(struct gomp_facts *facts, enum gomp_fact fact, taddr value);

/** Adds facts of which traces in longer functions are the proof. */
CHECKED enum status gomp_decode_traces(struct inferior *inf, struct gomp_facts *facts);

/** Reads the code of a function, `size` bytes at most.
 * @param ret_size bytes that could be read, to the end of a page at least
 * @return STATUS_ABSENT when there is no such function; STATUS_UNREADABLE
 */
CHECKED enum status gomp_read_code(struct inferior *inf, const char *name, size_t size,
                                   uint8_t *ret, taddr *ret_addr, size_t *ret_size);

#endif
