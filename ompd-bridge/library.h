// SPDX-License-Identifier: BSD-3-Clause
// The state of the backend that asks an OMPD library; shared by its sources only.
#ifndef OMPD_BRIDGE_LIBRARY_H
#define OMPD_BRIDGE_LIBRARY_H

#include "ompd-bridge/backend.h"
#include "ompd-bridge/callbacks.h"
#include "ompd-bridge/library_load.h"

/** The internal control variables that are asked for. */
enum icv { ICV_THREAD_NUM, ICV_TEAM_SIZE, ICV_LEVELS, ICV_ACTIVE_LEVELS, ICVS };

struct backend_state {
    struct kmp kmp;
    struct notes *notes;
    struct ompd_library library;
    struct ompd_context context;
    ompd_icv_id_t icvs[ICVS];
    ompd_word_t version; // of OpenMP
};

/** The trail says that a function of the library failed. @return STATUS_UNSUPPORTED */
enum status library_failed(struct backend_state *state, const char *function, ompd_rc_t rc);

/** Leaves the calling function when a function of the library does not say ok. */
#define CALL_LIBRARY(state, function, ...)                           \
    do {                                                             \
        ompd_rc_t rc_ = (state)->library.call.function(__VA_ARGS__); \
        if (rc_ != ompd_rc_ok)                                       \
            return library_failed(state, #function, rc_);            \
    } while (0)

/** Describes one thread by the library's answers; within ompd_context_enter() and _leave(). */
CHECKED enum status
library_ask_thread(struct backend_state *state, ompd_address_space_handle_t *space,
                   const struct kmp_thread *thread, struct omp_thread *ret);

#endif
