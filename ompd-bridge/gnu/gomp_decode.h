// SPDX-License-Identifier: BSD-3-Clause
// What the code of GNU's runtime tells about its structs and variables.
#ifndef OMPD_BRIDGE_GNU_GOMP_DECODE_H
#define OMPD_BRIDGE_GNU_GOMP_DECODE_H

#include "ompd-bridge/gnu/gomp_code.h"

/** What can be known. Offsets are bytes in struct gomp_thread, unless a name tells another. */
enum gomp_fact {
    FACT_NONE,
    FACT_SLOT, // address of the variable that holds the thread-local variable's offset
    FACT_TEAM,
    FACT_TEAM_ID,
    FACT_LEVEL,
    FACT_ACTIVE_LEVEL,
    FACT_TS,
    FACT_TASK,
    FACT_PLACE,
    FACT_POOL,
    FACT_NUM_TEAMS,
    FACT_TS_TEAM, // in the state of a team
    FACT_TS_TEAM_ID,
    FACT_TEAM_NTHREADS,
    FACT_TEAM_PREV_TS,
    FACT_TEAM_BARRIER,
    FACT_TEAM_QUEUE, // of tasks
    FACT_TEAM_COUNT,
    FACT_TEAM_QUEUED,
    FACT_TEAM_RUNNING,
    FACT_TASK_PARENT,
    FACT_TASK_TASKGROUP,
    FACT_TASK_TASKWAIT,
    FACT_TASK_ICV,
    FACT_TASK_FN,
    FACT_TASK_KIND,
    FACT_TASK_FINAL,
    FACT_TASK_SIZE,    // bytes of the struct
    FACT_IN_TASKGROUP, // in struct gomp_taskgroup
    FACT_IN_TASKWAIT,  // in struct gomp_taskwait
    FACT_ICV_NTHREADS, // in struct gomp_task_icv
    FACT_ICV_SCHEDULE,
    FACT_ICV_CHUNK,
    FACT_ICV_DEVICE,
    FACT_ICV_LIMIT,
    FACT_ICV_DYNAMIC,
    FACT_ICV_ACTIVE_LEVELS,
    FACT_ICV_BIND,
    FACT_GLOBAL_ICV, // addresses of variables
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
