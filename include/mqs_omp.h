// SPDX-License-Identifier: BSD-3-Clause
/** @file
 * The OpenMP state of a process, in the idiom of mqs.h.
 *
 * For a debugger that has the callbacks of mqs.h and nothing else: the threads of the OpenMP
 * runtime are found by reading memory. A process needs mqs_setup_process() first and nothing
 * further from the message queue side: a program with OpenMP and without MPI is fine. Records carry
 * a mask `known`: a member whose bit is not set has no meaning. Results are those of mqs.h.
 */
#ifndef MQS_OMP_H
#define MQS_OMP_H

#include "mqs.h"

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The OpenMP runtime of a process. Texts are NUL terminated, and cut when they are longer. */
typedef struct {
    char runtime[64];   /**< "LLVM OpenMP" */
    char backend[256];  /**< what answers: "libomp table", "libompd /usr/lib/..." */
    int state_tracking; /**< 1: the runtime tracks states (it was started with OMP_DEBUG=enabled) */
    int64_t
        omp_version; /**< yyyymm of the specification that the runtime names; 0 when not known */
} mqs_omp_info;

/** Whether OpenMP state can be read; like mqs_process_has_queues().
 * @param message NULL, or set to NULL or to a text for the user, the library's, with at most one %s
 * for the process's name. Silent (NULL) in a process without an OpenMP runtime.
 * @return mqs_no_information in a process without an OpenMP runtime that we can read
 */
extern int mqs_omp_process_has_openmp(mqs_process *process, char **message);

/** Describes the runtime; after mqs_omp_process_has_openmp(). */
extern int mqs_omp_get_info(mqs_process *process, mqs_omp_info *info);

/** Members of mqs_omp_thread that are known. */
enum {
    MQS_OMP_TID = 1 << 0,
    MQS_OMP_PTHREAD = 1 << 1,
    MQS_OMP_THREAD_NUM = 1 << 2,
    MQS_OMP_TEAM_SIZE = 1 << 3,
    MQS_OMP_LEVEL = 1 << 4,
    MQS_OMP_ACTIVE_LEVEL = 1 << 5,
    MQS_OMP_STATE = 1 << 6,
    MQS_OMP_WAIT_ID = 1 << 7
};

/** A thread of the OpenMP runtime. */
typedef struct {
    uint32_t known; /**< MQS_OMP_* */
    int64_t tid;    /**< the operating system's thread id, in the process's own pid namespace */
    mqs_taddr_t pthread;  /**< its pthread_t */
    int64_t thread_num;   /**< as omp_get_thread_num() */
    int64_t team_size;    /**< as omp_get_num_threads() */
    int64_t level;        /**< as omp_get_level() */
    int64_t active_level; /**< as omp_get_active_level() */
    int64_t state;        /**< number of the state in OMPD's numbering */
    uint64_t wait_id;     /**< what the thread waits for; 0: nothing */
    char state_name[48];  /**< "work_parallel", "wait_barrier_implicit_parallel", ... */
    char note[64];        /**< why a member is not known: "needs OMP_DEBUG=enabled"; often "" */
} mqs_omp_thread;

/** Reads the threads anew and sets the iterator to the first one. */
extern int mqs_omp_setup_thread_iterator(mqs_process *process);

/** Gives the next thread, once each; mqs_end_of_list past the last. When a thread could not be
 * read, why comes before that, once.
 */
extern int mqs_omp_next_thread(mqs_process *process, mqs_omp_thread *thread);

/** One thing to tell the user about the OpenMP side: which library was refused and why, what could
 * not be read.
 * @param index from 0
 * @param text  set to a text that the library owns until the next call for this process; it is
 * plain text, not a format
 * @return mqs_end_of_list past the last
 */
extern int mqs_omp_get_message(mqs_process *process, int index, const char **text);

#ifdef __cplusplus
}
#endif

#endif
