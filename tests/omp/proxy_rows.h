// SPDX-License-Identifier: BSD-3-Clause
// Every function of the OMPD interface that takes a handle, callable in one way.
#ifndef TESTS_OMP_PROXY_ROWS_H
#define TESTS_OMP_PROXY_ROWS_H

#include "ompd-bridge/backend.h"

/** The library under test. */
extern struct ompd_functions api;

/** A question about a handle. */
struct proxy_row {
    const char *name;
    enum omp_kind kind; // of the handle that it wants
    unsigned n_outs;    // pointers that must not be NULL
    /** Asks, gives back what came out, and fails the test when a result was changed by a question
     * that failed. @param null number of the pointer that is NULL, from 1 on; 0: none */
    ompd_rc_t (*ask)(void *handle, unsigned null);
};

enum { PROXY_ROWS = 27 };
extern const struct proxy_row proxy_rows[PROXY_ROWS];

/** A handle of each kind, and how many of the four there are. */
struct proxy_handles {
    void *of[4]; // by enum omp_kind; NULL: none
};

/** Where rows look up the ids of variables; the functions below set it. */
extern ompd_address_space_handle_t *asked_space;

#define PROXY_ALLOW(rc) (1U << (rc))

/** Asks every row as it should be; fails the test when a code is neither ompd_rc_ok nor allowed.
 * @param allowed bits PROXY_ALLOW; ~0U: all
 */
void proxy_ask_rightly(const struct proxy_handles *handles, unsigned allowed);

/** Asks every row with handles that are NULL, foreign and of other kinds, and with results that are
 * NULL; fails the test when a code is not the one of the documents. */
void proxy_ask_wrongly(const struct proxy_handles *handles);

/** Asks every row with handles that were good once. */
void proxy_ask_stale(const struct proxy_handles *handles);

/** Releases all handles but the address space's. */
void proxy_release(struct proxy_handles *handles);

#endif
