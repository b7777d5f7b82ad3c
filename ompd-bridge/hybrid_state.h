// SPDX-License-Identifier: BSD-3-Clause
// What hybrid.c and its sister files share.
#ifndef OMPD_BRIDGE_HYBRID_STATE_H
#define OMPD_BRIDGE_HYBRID_STATE_H

#include "ompd-bridge/hybrid.h"
#include "ompd-bridge/readers.h"

/** Numbers of regions or tasks to give, in their order. */
struct number_list {
    int32_t *numbers;
    uint32_t count, room;
    uint32_t next;
    bool set_up;
};

struct control_vars {
    char *texts; // NUL terminated, one behind the other
    size_t size, room;
    bool read;
};

struct omp_process {
    struct inferior *inf;
    struct readers readers;
    bool looked;          // for a runtime, at least once
    bool listed;          // `next_thread` means something
    uint32_t next_thread; // to give
    enum status tail;     // to give after the last one, once: what hid a thread
    struct number_list regions, tasks;
    struct {
        bool set_up;
        ompd_scope_t scope;
        struct omp_object object;
        unsigned next;
    } icvs;
    struct control_vars control_vars;
    char message[NOTE_SIZE];
};

/** Looks for the runtime, unless it has been found. */
CHECKED enum status omp_process_ensure_open(struct omp_process *omp);

/** Forgets the iterators: the numbers that they hold are out of date. */
void omp_process_forget_lists(struct omp_process *omp);

CHECKED enum status
omp_record_thread(const struct readers *readers, uint32_t number, mqs_omp_thread *ret);
CHECKED enum status
omp_record_region(const struct readers *readers, uint32_t number, mqs_omp_region *ret);
CHECKED enum status
omp_record_task(const struct readers *readers, uint32_t number, mqs_omp_task *ret);

/** Why a question was not answered, below MQS_OMP_NOTE bytes; a literal, "" for a plain no. */
const char *omp_record_note(ompd_rc_t rc);

#endif
