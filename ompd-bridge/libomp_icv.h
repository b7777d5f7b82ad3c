// SPDX-License-Identifier: BSD-3-Clause
// One question for a control variable of LLVM's runtime, and who can answer it.
#ifndef OMPD_BRIDGE_LIBOMP_ICV_H
#define OMPD_BRIDGE_LIBOMP_ICV_H

#include "ompd-bridge/libomp.h"

struct icv_question {
    struct backend_state *state;
    const struct omp_object *object; // of the variable's scope
    int what;                        // the last column of libomp_icvs.def
};

typedef ompd_rc_t icv_number_fn(const struct icv_question *question, ompd_word_t *ret);
typedef ompd_rc_t icv_text_fn(const struct icv_question *question, size_t size, char *ret);

/** What the lists are. */
enum { LIBOMP_NTHREADS, LIBOMP_BIND };

/** Lists, of which a task has the first element and the runtime the others, one for each level. */
icv_number_fn libomp_threads_list_number, libomp_tasks_list_number;
icv_text_fn libomp_threads_list_text, libomp_tasks_list_text;

/** The schedule of a task's loops: "dynamic,4". */
icv_text_fn libomp_schedule_text;

/** Signed number in the control variables that a task carries.
 * @param field of kmp_internal_control_t
 */
ompd_rc_t libomp_task_number(struct backend_state *state, taddr task, enum published_entry field,
                             ompd_word_t *ret);

#endif
