// SPDX-License-Identifier: BSD-3-Clause
/** @file
 * The OpenMP state of a process, in the idiom of mqs.h.
 *
 * For a debugger that has the callbacks of mqs.h and nothing else: the threads of the OpenMP
 * runtime are found by reading memory. A process needs mqs_setup_process() first and nothing
 * further from the message queue side: a program with OpenMP and without MPI is fine. Results are
 * those of mqs.h. Records carry a mask `known`: a member whose bit is not set has no meaning.
 *
 * mqs_omp_setup_thread_iterator() looks at the whole process anew. All other functions tell of that
 * look, and take the first one if there was none. Threads, regions and tasks have numbers from 0
 * on, which hold until the next look, and ids, which stay the same for as long as the thing exists.
 *
 * The functions here reach everything that the OMPD documents of 2014, 2016 and OpenMP 5.x offer;
 * ompd-bridge/NOTES.md maps them one by one. The same library also exports OMPD 5.x itself, for
 * debuggers that have OMPD's callbacks.
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
    char release[32];   /**< "14 or 15"; "" when not known */
    char backend[256];  /**< what answers: "libomp table", "OMPD library /usr/..." */
    int state_tracking; /**< 1: the runtime tracks states (it was started with OMP_DEBUG=enabled) */
    int64_t omp_version; /**< yyyymm of the specification that the runtime names; 0: not known */
} mqs_omp_info;

/** Whether OpenMP state can be read; like mqs_process_has_queues().
 * @param message NULL, or set to NULL or to a text for the user, the library's, with at most one %s
 * for the process's name. Silent (NULL) in a process without an OpenMP runtime.
 * @return mqs_no_information in a process without an OpenMP runtime, and, with a message, in one
 * where it has not started, or has ended
 */
extern int mqs_omp_process_has_openmp(mqs_process *process, char **message);

/** Describes the runtime; after mqs_omp_process_has_openmp(). */
extern int mqs_omp_get_info(mqs_process *process, mqs_omp_info *info);

/** Instead of a number: there is no such region or task. */
#define MQS_OMP_NONE (-1)
/** For the iterators: all there are. */
#define MQS_OMP_ALL (-1)

enum { MQS_OMP_ID = 40, MQS_OMP_NOTE = 64 };

/** Members of the records that are known; those of one record share no bit. */
enum {
    MQS_OMP_TID = 1 << 0,
    MQS_OMP_PTHREAD = 1 << 1,
    MQS_OMP_THREAD_NUM = 1 << 2,
    MQS_OMP_TEAM_SIZE = 1 << 3,
    MQS_OMP_LEVEL = 1 << 4,
    MQS_OMP_ACTIVE_LEVEL = 1 << 5,
    MQS_OMP_STATE = 1 << 6,
    MQS_OMP_WAIT_ID = 1 << 7,
    MQS_OMP_REGION = 1 << 8,     /**< also when it is MQS_OMP_NONE */
    MQS_OMP_TASK = 1 << 9,       /**< likewise */
    MQS_OMP_TOOL_DATA = 1 << 10, /**< tool_value and tool_ptr */
    MQS_OMP_PARENT = 1 << 11,
    MQS_OMP_PRIMARY = 1 << 12,
    MQS_OMP_FUNCTION = 1 << 13,
    MQS_OMP_TASK_COUNTS = 1 << 14, /**< tasks_queued and tasks_running */
    MQS_OMP_GENERATING = 1 << 15,
    MQS_OMP_SCHEDULING = 1 << 16,
    MQS_OMP_THREAD = 1 << 17,
    MQS_OMP_FRAMES = 1 << 18 /**< exit_frame, exit_flags, enter_frame, enter_flags */
};

/** A thread of the OpenMP runtime. Its numbers in teams are those of the innermost region that it
 * executes; a thread that waits between regions has none, its region is MQS_OMP_NONE and its state
 * "idle". */
typedef struct {
    uint32_t known;
    int32_t number;
    char id[MQS_OMP_ID];
    int64_t tid; /**< the operating system's thread id, in the process's own pid namespace */
    mqs_taddr_t pthread;  /**< its pthread_t */
    int32_t region;       /**< number of the innermost region */
    int32_t task;         /**< number of the task that it executes */
    int64_t thread_num;   /**< as omp_get_thread_num() */
    int64_t team_size;    /**< as omp_get_num_threads() */
    int64_t level;        /**< as omp_get_level() */
    int64_t active_level; /**< as omp_get_active_level() */
    int64_t state;        /**< number of the state in OMPD's numbering */
    uint64_t wait_id;     /**< what the thread waits for; 0: nothing */
    char state_name[48];  /**< "work_parallel", "wait_barrier_implicit_parallel", ... */
    uint64_t tool_value;  /**< what an OMPT tool in the process attached to the thread */
    mqs_taddr_t tool_ptr;
    char note[MQS_OMP_NOTE]; /**< why a member is not known: "needs OMP_DEBUG=enabled"; often "" */
} mqs_omp_thread;

/** A parallel region that threads execute, also a serialised one; level 0 is the region around the
 * whole program. */
typedef struct {
    uint32_t known;
    int32_t number;
    char id[MQS_OMP_ID];
    int32_t parent;        /**< the enclosing region */
    int32_t primary;       /**< number of the thread with thread number 0 */
    int64_t team_size;     /**< threads */
    int64_t level;         /**< regions around it */
    int64_t active_level;  /**< of these and itself, those with more than one thread */
    mqs_taddr_t function;  /**< entry point of the code that its implicit tasks execute */
    int64_t tasks_queued;  /**< explicit tasks that no thread has started */
    int64_t tasks_running; /**< explicit tasks that are started and not complete */
    uint64_t tool_value;   /**< what an OMPT tool in the process attached to the region */
    mqs_taddr_t tool_ptr;
    char note[MQS_OMP_NOTE];
} mqs_omp_region;

/** What a task is. */
enum {
    MQS_OMP_TASK_IMPLICIT = 1 << 0,
    MQS_OMP_TASK_UNTIED = 1 << 1,
    MQS_OMP_TASK_FINAL = 1 << 2,
    MQS_OMP_TASK_UNDEFERRED = 1 << 3, /**< the generating task waits until it is complete */
    MQS_OMP_TASK_STARTED = 1 << 4,
    MQS_OMP_TASK_COMPLETE = 1 << 5,
    MQS_OMP_TASK_IN_TASKWAIT = 1 << 6,
    MQS_OMP_TASK_IN_TASKGROUP_END = 1 << 7,
    MQS_OMP_TASK_CURRENT = 1 << 8 /**< `thread` executes it right now */
};

/** A task that a thread executes or has interrupted, or that has generated such a task. */
typedef struct {
    uint32_t known;
    int32_t number;
    char id[MQS_OMP_ID];
    int32_t region;
    int32_t thread;     /**< number of the thread that executes it or will go on with it */
    int32_t generating; /**< number of the task that created it */
    int32_t scheduling; /**< number of the task that its thread has interrupted for it */
    int64_t thread_num; /**< of an implicit task: in the team */
    uint32_t flags;     /**< MQS_OMP_TASK_* */
    uint32_t flags_known;
    mqs_taddr_t function;   /**< entry point of its code */
    mqs_taddr_t exit_frame; /**< canonical frame address where it left the runtime; 0: it has not */
    mqs_taddr_t enter_frame; /**< where it entered the runtime again; 0: it has not */
    int64_t exit_flags;      /**< OMPT's flags of these; 0: the runtime does not say */
    int64_t enter_flags;
    uint64_t tool_value; /**< what an OMPT tool in the process attached to the task */
    mqs_taddr_t tool_ptr;
    char note[MQS_OMP_NOTE];
} mqs_omp_task;

/** Reads the threads anew and sets the iterator to the first one. */
extern int mqs_omp_setup_thread_iterator(mqs_process *process);

/** Gives the next thread, once each; mqs_end_of_list past the last. When a thread could not be
 * read, why comes before that, once.
 */
extern int mqs_omp_next_thread(mqs_process *process, mqs_omp_thread *thread);

/** Sets the iterator to the innermost region of a thread, from where it goes outwards; or, with
 * MQS_OMP_ALL, to the first of all regions, each enclosing one before those nested in it.
 * @param thread a thread's number or MQS_OMP_ALL
 * @return mqs_no_information when there is no thread of that number
 */
extern int mqs_omp_setup_region_iterator(mqs_process *process, int thread);

/** Gives the next region; mqs_end_of_list past the last. */
extern int mqs_omp_next_region(mqs_process *process, mqs_omp_region *region);

/** What mqs_omp_setup_task_iterator() goes through. */
enum mqs_omp_tasks {
    MQS_OMP_ALL_TASKS,      /**< all that were found; the number is not used */
    MQS_OMP_GENERATING_OF,  /**< the current task of thread `number`, and what generated it */
    MQS_OMP_SCHEDULING_OF,  /**< that task, and those that the thread has interrupted */
    MQS_OMP_TASKS_OF_REGION /**< the tasks of region `number`, implicit ones first */
};

/** Sets the iterator to the first of these tasks. */
extern int mqs_omp_setup_task_iterator(mqs_process *process, int which, int number);

/** Gives the next task; mqs_end_of_list past the last. */
extern int mqs_omp_next_task(mqs_process *process, mqs_omp_task *task);

/** What a control variable belongs to; OMPD's numbering of scopes. */
enum mqs_omp_scope {
    MQS_OMP_OF_PROCESS = 2,
    MQS_OMP_OF_THREAD = 3,
    MQS_OMP_OF_REGION = 4,
    MQS_OMP_OF_TASK = 6
};

enum { MQS_OMP_VALUE = 1 << 0, MQS_OMP_TEXT = 1 << 1 };

/** An internal control variable (ICV). */
typedef struct {
    uint32_t known; /**< MQS_OMP_VALUE, MQS_OMP_TEXT; 0: it cannot be read, and `note` says why */
    int32_t scope;  /**< enum mqs_omp_scope */
    char name[48];  /**< as OpenMP 5.2 names it, "nthreads-var" */
    int64_t value;  /**< of a list: its first element */
    char text[512]; /**< of a list or text: all of it */
    char note[MQS_OMP_NOTE];
} mqs_omp_icv;

/** Sets the iterator to the first control variable of a scope.
 * @param number of the thread, region or task; not used for the process
 */
extern int mqs_omp_setup_icv_iterator(mqs_process *process, int scope, int number);

/** Gives the next control variable; mqs_end_of_list past the last. */
extern int mqs_omp_next_icv(mqs_process *process, mqs_omp_icv *icv);

/** One display control variable: what the runtime was started with.
 * @param index from 0
 * @param text set to "NAME=VALUE", which the library owns until the next look at this process
 * @return mqs_end_of_list past the last
 */
extern int mqs_omp_get_control_var(mqs_process *process, int index, const char **text);

/** One state that threads can be in.
 * @param index from 0
 * @param state set to its number
 * @param name set to its name, a constant
 * @return mqs_end_of_list past the last
 */
extern int mqs_omp_get_state(int index, int64_t *state, const char **name);

/** One of the functions that the runtime calls so that debuggers can stop there (only when it was
 * started with OMP_DEBUG=enabled).
 * @param index from 0
 * @param name set to its name, "ompd_bp_parallel_begin", a constant
 * @param addr set to its address; 0 when the process has no symbol for it
 * @return mqs_end_of_list past the last
 */
extern int
mqs_omp_get_breakpoint(mqs_process *process, int index, const char **name, mqs_taddr_t *addr);

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
