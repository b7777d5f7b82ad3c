// SPDX-License-Identifier: BSD-3-Clause
// Functions of the made-up reader, as backend.h wants them.
#ifndef TESTS_OMP_MADE_UP_VALUES_H
#define TESTS_OMP_MADE_UP_VALUES_H

#include "ompd-bridge/backend.h"

ompd_rc_t
made_up_task_function(struct backend_state *state, const struct omp_object *task, taddr *ret);
ompd_rc_t made_up_task_frame(struct backend_state *state, const struct omp_object *task,
                             ompd_frame_info_t *ret_exit, ompd_frame_info_t *ret_enter);
ompd_rc_t made_up_thread_state(struct backend_state *state, const struct omp_object *thread,
                               ompd_word_t *ret_state, ompd_wait_id_t *ret_wait_id);
const struct omp_icv *made_up_icv(struct backend_state *state, unsigned number);
ompd_rc_t made_up_control_vars(struct backend_state *state, struct text_sink *sink);
ompd_rc_t
made_up_tool_data(struct backend_state *state, enum omp_kind kind, const struct omp_object *object,
                  ompd_word_t *ret_value, taddr *ret_ptr);

#endif
