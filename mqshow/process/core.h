// SPDX-License-Identifier: BSD-3-Clause
// The core of a process: its memory, the files that it had mapped, and what it says of itself.
//
// A core leaves out what can be read in the files. That is done only with files that are known to
// be those that the process had, by their build-ids.
#ifndef MQSHOW_PROCESS_CORE_H
#define MQSHOW_PROCESS_CORE_H

#include "mqshow/base/named_file.h"
#include "mqshow/process/system_call.h"

#include <elfutils/libdwfl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/** A piece of the process's memory. */
struct core_segment {
    uint64_t start, size; // in the process
    uint64_t offset;      // in the core
    uint64_t held;        // bytes that are in the core; the rest is in files or nowhere
    bool writable, executable;
};

/** A piece of a file that was mapped. */
struct core_mapping {
    uint64_t start, end; // in the process
    uint64_t offset;     // in the file
    char *path;
    int fd;         // -1: the file cannot be read, or must not
    bool is_module; // the first piece of a program or library
};

/** A thread, and the call to the system that it was in. */
struct core_thread {
    pid_t tid;
    struct system_state call;
};

enum { VDSO_MAX = 1 << 16 }; // bytes that are read of the kernel's library

struct core {
    char *path;
    char *unusable; // why nothing of it can be read; NULL: that is not so
    int fd;
    Elf *elf;
    pid_t pid;
    unsigned long flags;           // the kernel's, of the process; 0: not known
    char *program;                 // path of it; "" when it is not known
    uint64_t headers;              // address of the program's headers; 0: not known
    uint64_t vdso;                 // address of the kernel's library; 0: none
    uint64_t strings_end;          // behind arguments and environment; 0: not known
    struct core_segment *segments; // in ascending order
    size_t n_segments, segments_capacity;
    struct core_mapping *mappings; // likewise
    size_t n_mappings, mappings_capacity;
    struct core_thread *threads; // rising by id; of a core of this machine only
    size_t n_threads, threads_capacity;
    bool has_unknown; // files that are not read, as the core does not say what they were
    char **problems;  // files that cannot be used, and why
    size_t n_problems, problems_capacity;
};

/** Opens a core, which may turn out to be unusable. */
struct core *core_create(const char *path, const struct named_places *places);

/** Closes it. */
void core_destroy(struct core *core);

/** Reads exactly `size` bytes of the process's memory. */
bool core_read(const struct core *core, uint64_t addr, size_t size, void *ret);

/** Tells a session a file of the process, which stays open.
 * @param at where it begins, or, if that is so, the bias of its addresses
 */
void core_report_file(Dwfl *session, const char *name, int fd, uint64_t at, bool is_bias);

/** Tells it the kernel's library, which is in no file, and that this was all.
 * @return false when it takes none
 */
bool core_report_end(Dwfl *session, uint64_t vdso, const void *bytes, size_t size);

/** Tells a session the files of the process. @return false when it takes none */
bool core_report(const struct core *core, Dwfl *session);

/** The call that a thread was in; NULL: not known. */
const struct system_state *core_call(const struct core *core, pid_t tid);

// Parts of it.

/** Reads what the core itself holds. @return number of bytes, from the first on */
size_t core_read_held(const struct core *core, uint64_t addr, size_t size, void *ret);

/** Whether there are instructions at an address. */
bool core_is_code(const struct core *core, uint64_t addr);

/** Opens the files of the mappings and drops those that are not what the process had. */
void core_open_files(struct core *core, const struct named_places *places);

#endif
