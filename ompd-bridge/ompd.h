// SPDX-License-Identifier: BSD-3-Clause
// The OMPD interface of OpenMP 5.x, as OMPD libraries are built with it: types, callbacks.
#ifndef OMPD_BRIDGE_OMPD_H
#define OMPD_BRIDGE_OMPD_H

#include <stdint.h>

typedef uint64_t ompd_size_t;
typedef uint64_t ompd_wait_id_t;
typedef uint64_t ompd_addr_t;
typedef uint64_t ompd_seg_t;
typedef uint64_t ompd_device_t;
typedef uint64_t ompd_thread_id_t;
typedef uint64_t ompd_icv_id_t;
typedef int64_t ompd_word_t;

/** yyyymm of the specification that libraries implement: OpenMP 5.0. */
enum { OMPD_API_VERSION = 201811 };

typedef enum ompd_scope_t {
    ompd_scope_global = 1,
    ompd_scope_address_space,
    ompd_scope_thread,
    ompd_scope_parallel,
    ompd_scope_implicit_task,
    ompd_scope_task
} ompd_scope_t;

typedef enum ompd_rc_t {
    ompd_rc_ok,
    ompd_rc_unavailable,
    ompd_rc_stale_handle,
    ompd_rc_bad_input,
    ompd_rc_error,
    ompd_rc_unsupported,
    ompd_rc_needs_state_tracking,
    ompd_rc_incompatible,
    ompd_rc_device_read_error,
    ompd_rc_device_write_error,
    ompd_rc_nomem,
    ompd_rc_incomplete,
    ompd_rc_callback_error
} ompd_rc_t;

/** Kinds of thread id. */
enum { OMPD_THREAD_ID_PTHREAD = 0, OMPD_THREAD_ID_LWP = 1 };

typedef struct ompd_address_t {
    ompd_seg_t segment;
    ompd_addr_t address;
} ompd_address_t;

typedef struct ompd_frame_info_t {
    ompd_address_t frame_address;
    ompd_word_t frame_flag;
} ompd_frame_info_t;

typedef struct ompd_device_type_sizes_t {
    uint8_t sizeof_char;
    uint8_t sizeof_short;
    uint8_t sizeof_int;
    uint8_t sizeof_long;
    uint8_t sizeof_long_long;
    uint8_t sizeof_pointer;
} ompd_device_type_sizes_t;

// Handles are the library's, contexts are ours; both are opaque to the other side.
typedef struct ompd_address_space_handle ompd_address_space_handle_t;
typedef struct ompd_thread_handle ompd_thread_handle_t;
typedef struct ompd_parallel_handle ompd_parallel_handle_t;
typedef struct ompd_task_handle ompd_task_handle_t;
typedef struct ompd_address_space_context ompd_address_space_context_t;
typedef struct ompd_thread_context ompd_thread_context_t;

typedef ompd_rc_t (*ompd_device_host_fn_t)(ompd_address_space_context_t *context, const void *input,
                                           ompd_size_t unit_size, ompd_size_t count, void *output);
typedef ompd_rc_t (*ompd_read_fn_t)(ompd_address_space_context_t *context,
                                    ompd_thread_context_t *thread, const ompd_address_t *addr,
                                    ompd_size_t size, void *buffer);

/** What the tool provides; the order is the ABI. */
typedef struct ompd_callbacks_t {
    ompd_rc_t (*alloc_memory)(ompd_size_t size, void **ptr);
    ompd_rc_t (*free_memory)(void *ptr);
    ompd_rc_t (*print_string)(const char *string, int category);
    ompd_rc_t (*sizeof_type)(ompd_address_space_context_t *context,
                             ompd_device_type_sizes_t *sizes);
    ompd_rc_t (*symbol_addr_lookup)(ompd_address_space_context_t *context,
                                    ompd_thread_context_t *thread, const char *name,
                                    ompd_address_t *addr, const char *file_name);
    ompd_read_fn_t read_memory;
    ompd_rc_t (*write_memory)(ompd_address_space_context_t *context, ompd_thread_context_t *thread,
                              const ompd_address_t *addr, ompd_size_t size, const void *buffer);
    ompd_read_fn_t read_string;
    ompd_device_host_fn_t device_to_host;
    ompd_device_host_fn_t host_to_device;
    ompd_rc_t (*get_thread_context_for_thread_id)(ompd_address_space_context_t *context,
                                                  ompd_thread_id_t kind, ompd_size_t size,
                                                  const void *id, ompd_thread_context_t **thread);
} ompd_callbacks_t;

/** Entry points of an OMPD library, one member each, named without "ompd_". */
struct ompd_functions {
#define FUNCTION(name, ...) ompd_rc_t (*name)(__VA_ARGS__);
#include "ompd-bridge/ompd_functions.def"
#undef FUNCTION
};

#endif
