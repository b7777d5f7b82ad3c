// SPDX-License-Identifier: BSD-3-Clause
// What the files of the proxy share: the exported ompd_* functions work on this.
//
// OMPD has no notice that a process ran, so every question reads anew: proxy_enter() forgets all
// that was read before. It has no context either, so the callbacks and the processes hang on the
// one mutable variable that proxy_get() gives. Nothing here is thread-safe: by the documents, the
// tool calls one function at a time.
#ifndef OMPD_BRIDGE_EXPORTS_PROXY_H
#define OMPD_BRIDGE_EXPORTS_PROXY_H

#include "ompd-bridge/exports/handles.h"
#include "ompd-bridge/exports/host_ompd.h"
#include "ompd-bridge/exports/active_reader.h"

#include <stddef.h>

#define EXPORT __attribute__((visibility("default")))

// The exported functions.
#define FUNCTION(name, ...) EXPORT ompd_rc_t ompd_##name(__VA_ARGS__);
#include "ompd-bridge/ompd_functions.def"
#undef FUNCTION

/** A process that the tool has initialised; an address space handle stands for it. */
struct proxy_process {
    struct proxy_process *next;
    uint64_t number; // from 1 on
    struct ompd_host host;
    struct inferior inf;
    struct active_reader active; // nothing is open while the runtime has not started
};

/** A block of memory that the tool holds until it gives it back, or until ompd_finalize(). */
struct proxy_text {
    struct proxy_text *next;
    _Alignas(max_align_t) char bytes[];
};

struct proxy {
    bool ready; // between ompd_initialize() and ompd_finalize()
    ompd_callbacks_t calls;
    struct proxy_process *processes;
    uint64_t last_number;
    char refusal[DIAGNOSTIC_SIZE]; // why the last process that was refused was; "": none was
    struct handle_table handles;
    struct proxy_text *versions; // texts of ompd_get_version_string()
    struct proxy_text *vectors;  // of ompd_get_display_control_vars()
};

/** The variable; all zeros before ompd_initialize() but what counts on. */
struct proxy *proxy_get(void);

/** Finds what a handle stands for and makes its process ready to be read.
 * @param ret where the answer is to go; NULL is bad input
 * @return ompd_rc_stale_handle, ompd_rc_bad_input, and what goes wrong when the process is read
 */
ompd_rc_t proxy_enter(const void *opaque, enum omp_kind kind, const void *ret,
                      const struct handle **ret_handle);

/** As proxy_enter(), for an address space; its runtime can be read.
 * @return also ompd_rc_unavailable when the runtime has not started
 */
ompd_rc_t
proxy_enter_space(const void *opaque, const void *ret, struct proxy_process **ret_process);

/** As proxy_enter_space(), for what does not change while a process runs: reads nothing, unless the
 * runtime had not started before. */
ompd_rc_t proxy_find_space(const void *opaque, const void *ret, struct proxy_process **ret_process);

/** The kind of handle that a scope's questions are about. @return ompd_rc_bad_input when there is
 * no such scope */
ompd_rc_t proxy_kind_of(ompd_scope_t scope, enum omp_kind *ret);

/** Copies a text into memory that the tool frees. */
ompd_rc_t proxy_copy(const char *text, const char **ret);

/** Allocates a block and puts it in front of a list. @return NULL when there is no memory */
struct proxy_text *proxy_text_add(struct proxy_text **list, size_t size);

/** Frees the block whose bytes begin there. @return false when the list has none */
bool proxy_text_remove(struct proxy_text **list, const void *bytes);

#endif
