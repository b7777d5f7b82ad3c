// SPDX-License-Identifier: BSD-3-Clause
// What hybrid.c and its sister files share.
#ifndef OMPD_BRIDGE_EXPORTS_SESSION_STATE_H
#define OMPD_BRIDGE_EXPORTS_SESSION_STATE_H

#include "ompd-bridge/exports/omp_session.h"
#include "ompd-bridge/exports/active_reader.h"
#include "ompd-bridge/exports/omp_snapshot.h"

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

struct omp_session {
    struct inferior *inf;
    struct active_reader active;
    struct omp_snapshot snapshot;
    bool searched;        // for a runtime, at least once
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
    char message[DIAGNOSTIC_SIZE];
};

/** Looks for the runtime, unless it has been found. */
CHECKED enum status omp_session_ensure_open(struct omp_session *omp);

/** Forgets the iterators: the numbers that they hold are out of date. */
void omp_session_forget_lists(struct omp_session *omp);

CHECKED enum status
omp_record_thread(const struct omp_snapshot *snapshot, uint32_t number, mqs_omp_thread *ret);
CHECKED enum status
omp_record_region(const struct omp_snapshot *snapshot, uint32_t number, mqs_omp_region *ret);
CHECKED enum status
omp_record_task(const struct omp_snapshot *snapshot, uint32_t number, mqs_omp_task *ret);

/** Why a question was not answered, below MQS_OMP_NOTE bytes; a literal, "" for a plain no. */
const char *omp_record_note(ompd_rc_t rc);

#endif
