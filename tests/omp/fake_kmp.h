// SPDX-License-Identifier: BSD-3-Clause
// A made-up process with an OpenMP runtime in arrays, for hostile tests.
#ifndef TESTS_OMP_FAKE_KMP_H
#define TESTS_OMP_FAKE_KMP_H

#include "ompd-bridge/llvm/published.h"
#include "target/target.h"

enum {
    FAKE_BASE = 0x100000,     // address of the memory
    FAKE_SIZE = 256 * 1024,   // bytes
    FAKE_DESCRIPTORS = 0x400, // offset of what the C library says of itself
    FAKE_TEXTS = 0x800,
    FAKE_ENVIRON = 0x2000,   // of the pointer to the environment, its list and its texts
    FAKE_VARIABLES = 0x3000, // of the settings, FAKE_VARIABLE bytes each
    FAKE_VARIABLE = 0x20,
    FAKE_POOL = 0x8048,  // of the one variable that always has a name
    FAKE_TABLE = 0xc000, // of the table, if not moved
    FAKE_OBJECTS = 0x20000,
    FAKE_OBJECT = 0x400, // bytes of each of the runtime's objects
    FAKE_CAPACITY = 32,  // places for threads
    FAKE_WORKERS = 3,    // besides the master
    FAKE_FIRST_PLACE = 9 // of a worker, because helpers have the places before
};

enum fake_order { FAKE_FORWARD, FAKE_BACKWARD, FAKE_NAMED, FAKE_SCATTERED, FAKE_ORDERS };

struct fake_kmp {
    struct datamodel model;
    uint8_t memory[FAKE_SIZE];
    taddr entries[PUBLISHED_ENTRIES];
    const uint64_t *builtin; // the layout of a runtime that publishes none; NULL: as published
    bool named;              // all variables have names
    bool loaded;             // any variable has a name
    bool foreign;            // functions of OpenMP have names
    unsigned fail_read;      // number of the read that fails, from 1 on; 0: none
    bool fail_all_reads;     // from that one on
    unsigned fail_alloc;     // as fail_read
    unsigned reads;
    taddr root_team;                 // of the master alone
    taddr team;                      // of the master and the workers
    taddr threads[FAKE_WORKERS + 1]; // the master first
    taddr pthreads[FAKE_WORKERS + 1];
    taddr root_task; // implicit, as are those of the team
    taddr tasks[FAKE_WORKERS + 1];
    taddr next_object; // behind all of them
    unsigned n_settings;
};

/** Allocations that have been asked for, and the ones not yet freed. */
extern unsigned fake_allocs;
extern int fake_live;

/** A process whose master and workers are in one parallel region.
 * @param table offset of the table in the memory
 */
void fake_kmp_init(struct fake_kmp *fake, const struct datamodel *model, enum fake_order order,
                   uint64_t table);

/** The same, whose runtime has a layout that is built in, and publishes no table.
 * @param layout lives as long as the process */
void fake_kmp_init_builtin(struct fake_kmp *fake, const struct datamodel *model,
                           const struct published *layout);

struct target fake_kmp_target(struct fake_kmp *fake);

/** Stores an integer as the process would. */
void fake_kmp_put(struct fake_kmp *fake, taddr addr, size_t width, uint64_t value);

/** Changes an entry of the table. */
void fake_kmp_set_entry(struct fake_kmp *fake, enum published_entry entry, uint64_t value);

/** Address of a field of kmp_base_info_t, or of kmp_base_team_t, in the process that was made last.
 * @param field an OFFSET_* */
taddr fake_kmp_field(taddr object, enum published_entry field);

/** Stores a pointer. */
void fake_kmp_put_pointer(struct fake_kmp *fake, taddr addr, taddr value);

/** Room for another object. */
taddr fake_kmp_new_object(struct fake_kmp *fake);

/** Gives each thread of both teams its implicit task; part of fake_kmp_init(). */
void fake_kmp_make_tasks(struct fake_kmp *fake);

/** Lets a thread execute an explicit task that the one it executes has generated.
 * @param executing the task's, so far @return address of the new one */
taddr fake_kmp_add_task(struct fake_kmp *fake, unsigned thread, taddr executing);

/** Sets a thread into a serialised region with `nested` others around it, within the team.
 * @param ret_team its team @return the implicit task */
taddr fake_kmp_serialise(struct fake_kmp *fake, unsigned thread, unsigned nested, taddr *ret_team);

/** Address of a lightweight team, counted from the inside, from 1 on. */
taddr fake_kmp_lwt(struct fake_kmp *fake, taddr team, unsigned number);

/** Address of a field of the control variables of a task, or of its record of OMPT's. */
taddr fake_kmp_icv_field(taddr task, enum published_entry field);
taddr fake_kmp_task_info_field(taddr task, enum published_entry field);

/** Adds "NAME=VALUE" to the environment. */
void fake_kmp_set_environ(struct fake_kmp *fake, const char *setting);

/** Address of a setting of the runtime. @param name "__kmp_stksize" @return 0: there is none */
taddr fake_kmp_variable(const char *name);

/** Address of a thread's number in its team. */
taddr fake_kmp_tid_field(taddr thread);

/** Address of the place number `place` in the array of threads. */
taddr fake_kmp_place(const struct fake_kmp *fake, unsigned place);

#endif
