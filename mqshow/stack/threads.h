// SPDX-License-Identifier: BSD-3-Clause
// The threads of a process as they were seen: plain data.
#ifndef MQSHOW_STACK_THREADS_H
#define MQSHOW_STACK_THREADS_H

#include "mqshow/python/python.h"
#include "mqshow/process/system_call.h"
#include "mqshow/symbols/srcloc.h"
#include "mqshow/symbols/expression.h"
#include "mqshow/symbols/image.h"
#include "mqshow/base/runtime.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct frame_record;
struct report;
struct thread_record;

/** A frame of a stack. */
struct frame {
    uint64_t address; // where it goes on
    uint64_t pc; // an address of the instruction that is executed: a call, but in the innermost
    uint64_t sp; // the stack pointer; 0: not known
    const char *module;          // path of the file, escaped, the image's; NULL: in none
    uint64_t bias;               // of the module: what its addresses are beyond those of its file
    const struct srcloc *srcloc; // NULL: in no file
    enum runtime runtime;
    struct registers *registers; // NULL: not kept, of the C library's
};

/** A request that a thread may wait for. */
struct candidate {
    uint64_t request; // address of the object
    uint64_t slot;    // where on the stack it was found; 0: in a register
    int op_class;     // mqs_op_class of its queue
    bool certain;     // the request itself names the waiting thread, or lies in its call
};

struct thread_wait {
    struct candidate *items;
    size_t count, capacity;
    const char *evidence; // the call whose arguments name them; NULL: found on the stack
    bool others;          // the arguments name other ones, too, or may
    bool needs_any;       // any one of them will do
    bool certain;         // no other ones, and none too many
};

enum { THREAD_REGISTERS = 32 };

struct thread {
    pid_t tid;
    char *name;           // escaped; NULL: none
    struct frame *frames; // innermost first
    size_t n_frames, capacity;
    uint64_t registers[THREAD_REGISTERS]; // by their numbers in debug information; 0: not known
    uint64_t mpi_start, mpi_end;          // part of the stack that is MPI's; 0: none
    size_t caller;                        // the frame that called MPI; 0: none known
    struct thread_wait wait;
    uint64_t communicator; // address of the one that its call was given; 0: not known
    struct call_arguments {
        bool has_peer, has_tag, has_buffer, has_count;
        int32_t peer, tag; // REPORT_ANY: any
        int32_t count;
        uint64_t buffer;
        uint64_t communicator; // address; 0: not known
    } arguments;               // of a call that is one operation
    char *file;                // name of the one that its call was given; NULL: not known
    char *port;                // likewise
    struct partners {
        int32_t *items;
        size_t count, capacity;
    } partners; // ranks in MPI_COMM_WORLD, of which one must act before its call ends
    struct asked_lock {
        bool known, exclusive;  // not exclusive: shared, or not known
        int64_t window;         // the library's number for it
        int32_t target;         // rank in MPI_COMM_WORLD; -1: of all of the window
    } lock;                     // that its call gets
    bool complete;              // the stack was followed to its end
    struct system_state system; // that it sleeps in
    char *call;                 // the outermost MPI call; NULL: in none
    const struct frame *user; // innermost of the user's, the one that called MPI; NULL: none known
    enum runtime owner;       // whose code all of it is
};

struct threads {
    bool partial; // not all requests are known, of which any may be awaited
    struct thread *items;
    size_t count, capacity;
    struct python python;
};

/** Room for one more thread. */
struct thread *threads_add(struct threads *threads, pid_t tid);

/** Sorts them by their ids, which threads_find() needs. */
void threads_sort(struct threads *threads);

/** The thread of that id; NULL: there is none. */
const struct thread *threads_find(const struct threads *threads, pid_t tid);

/** Follows the stack of each thread of a core, or of a process as far as image->copy has it.
 * @return false when the threads could not be listed
 */
bool stacks_unwind(struct threads *threads, struct image *image);

/** Finds out what the frames are: functions and lines, the MPI call, the user's frame. The process
 * may run; the image must live as long as the threads.
 */
void symbolize_threads(struct threads *threads, const struct image *image);

/** @param slot where the word lies; 0: in a register */
typedef void (*stack_scan_ft)(void *context, uint64_t slot, uint64_t word);

/** Scans the words of what is MPI's of a stack, and of the registers. */
void stack_scan(const struct thread *thread, const struct image *image, stack_scan_ft take,
                void *context);

/** Likewise, of the part between two addresses. */
void stack_scan_range(const struct thread *thread, const struct image *image, uint64_t start,
                      uint64_t end, stack_scan_ft take, void *context);

/** Adds the threads to a report, with what was found out about them and its OpenMP threads. */
void
thread_records_add(struct report *report, const struct threads *threads, const struct image *image);

/** Adds the frames of a thread to its record, of Python's functions too.
 * @param python NULL: it runs none */
void stack_record_add(struct report *report, struct thread_record *record,
                      const struct thread *thread, const struct python_thread *python);

/** Sets the function, the file and the line of a frame. */
void frame_record_set_line(struct report *report, struct frame_record *record,
                           const struct srcloc_line *line);

/** Sets a frame to a function of Python. */
void frame_record_set_python(struct report *report, struct frame_record *record,
                             const struct python_frame *frame);

/** Sets what lies at an address that a call returns to: the function of the source, its line. */
void frame_record_set(struct report *report, struct frame_record *record, const struct image *image,
                      uint64_t after);

/** Frees all of it. */
void threads_deinit(struct threads *threads);

#endif
