// SPDX-License-Identifier: BSD-3-Clause
// A process that a debugger holds, behind its stub: gdbserver, a debugger that runs this program,
// an emulator.
//
// The process stands still while it is read. Neither the stub nor the process is trusted: lists are
// limited, and a file that they name is used only when it is of the build that is in memory.
#ifndef MQSHOW_PROCESS_STUB_H
#define MQSHOW_PROCESS_STUB_H

#include "mqshow/base/named_file.h"
#include "mqshow/process/copy.h"
#include "mqshow/process/rsp.h"

#include <elfutils/libdwfl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct stub_thread {
    pid_t tid;
    char *name; // NULL: not known
};

/** A program or library. */
struct stub_module {
    char *path;
    uint64_t bias; // of its addresses in the process
    int fd;
};

struct page; // of memory that was read

struct stub {
    char *address; // as the user gave it
    const struct named_places *places;
    char *unusable; // why nothing of it can be read; NULL: that is not so
    struct rsp rsp;
    pid_t pid;                           // 0: not known
    bool names_pids;                     // its ids of threads have that of the process before them
    int pointer_size;                    // bytes
    char *program;                       // path; "" when it is not known
    uint64_t headers, vdso, strings_end; // as in struct core
    size_t n_headers;                    // of the program
    struct stub_thread *threads;
    size_t n_threads, threads_capacity;
    struct stub_module *modules;
    size_t n_modules, modules_capacity;
    char **problems; // files that cannot be used, and why
    size_t n_problems, problems_capacity;
    struct page **pages; // by their addresses, modulo
};

/** Connects, and asks what the process is; it may turn out to be unusable.
 * @param address as of rsp_init()
 * @param places  stays in use
 */
struct stub *stub_create(const char *address, const struct named_places *places);

/** Lets the process go, and closes the connection: nothing can be read any more. */
void stub_release(struct stub *stub);

/** The same, and frees all of it. */
void stub_destroy(struct stub *stub);

/** Reads exactly `size` bytes of the process's memory. */
bool stub_read(struct stub *stub, uint64_t addr, size_t size, void *ret);

/** Tells a session the files of the process. @return false when it takes none */
bool stub_report(struct stub *stub, Dwfl *session);

/** Takes the registers of all threads. copy_deinit() frees them. */
void stub_copy(struct stub *stub, GElf_Half machine, struct copy *copy);

/** Whether all threads that the stub lists are in this machine's /proc, as with gdb itself. */
bool stub_is_local(const struct stub *stub);

/** Name of a thread; NULL: not known. */
const char *stub_thread_name(const struct stub *stub, pid_t tid);

// Parts of it.

/** Reads as much as can be read of the memory from an address on. */
size_t stub_read_some(struct stub *stub, uint64_t addr, size_t size, void *ret);

/** Takes an element of a document: its name, then names and values of attributes, and NULL. */
typedef void stub_element(void *arg, const char *name, const char **attributes);

/** Reads an object that is an XML document. @param annex the part of it; "": all */
void stub_parse(struct stub *stub, const char *object, const char *annex, stub_element *start,
                void *arg);

/** Lists the threads. */
void stub_list_threads(struct stub *stub);

/** Lists the files that are loaded, and opens them. */
void stub_open_files(struct stub *stub);

#endif
