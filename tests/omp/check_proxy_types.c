// SPDX-License-Identifier: BSD-3-Clause
// Compiled with LLVM's own header and with ours: types and functions are the same in both.
#ifdef WITH_OMP_TOOLS
#include <omp-tools.h>
#else
#include "ompd-bridge/ompd.h"
#endif

#include <stddef.h>

// A second declaration of a function that differs from that of the header does not compile.
#define FUNCTION(name, ...) extern ompd_rc_t ompd_##name(__VA_ARGS__);
#include "ompd-bridge/ompd_functions.def"
#undef FUNCTION

#define PIN_SIZE(type, size)            _Static_assert(sizeof(type) == (size), #type)
#define PIN_OFFSET(type, member, place) _Static_assert(offsetof(type, member) == (place), #member)
#define PIN_VALUE(name, value)          _Static_assert((name) == (value), #name)
#define PIN_UNSIGNED(type)              _Static_assert((type) -1 > 0, #type)

PIN_SIZE(ompd_size_t, 8);
PIN_SIZE(ompd_wait_id_t, 8);
PIN_SIZE(ompd_addr_t, 8);
PIN_SIZE(ompd_seg_t, 8);
PIN_SIZE(ompd_device_t, 8);
PIN_SIZE(ompd_thread_id_t, 8);
PIN_SIZE(ompd_icv_id_t, 8);
PIN_SIZE(ompd_word_t, 8);
PIN_SIZE(ompd_scope_t, 4);
PIN_SIZE(ompd_rc_t, 4);
PIN_UNSIGNED(ompd_size_t);
PIN_UNSIGNED(ompd_wait_id_t);
PIN_UNSIGNED(ompd_icv_id_t);
_Static_assert((ompd_word_t) -1 < 0, "ompd_word_t is signed");

PIN_VALUE(ompd_scope_global, 1);
PIN_VALUE(ompd_scope_address_space, 2);
PIN_VALUE(ompd_scope_thread, 3);
PIN_VALUE(ompd_scope_parallel, 4);
PIN_VALUE(ompd_scope_implicit_task, 5);
PIN_VALUE(ompd_scope_task, 6);

PIN_VALUE(ompd_rc_ok, 0);
PIN_VALUE(ompd_rc_unavailable, 1);
PIN_VALUE(ompd_rc_stale_handle, 2);
PIN_VALUE(ompd_rc_bad_input, 3);
PIN_VALUE(ompd_rc_error, 4);
PIN_VALUE(ompd_rc_unsupported, 5);
PIN_VALUE(ompd_rc_needs_state_tracking, 6);
PIN_VALUE(ompd_rc_incompatible, 7);
PIN_VALUE(ompd_rc_device_read_error, 8);
PIN_VALUE(ompd_rc_device_write_error, 9);
PIN_VALUE(ompd_rc_nomem, 10);
PIN_VALUE(ompd_rc_incomplete, 11);
PIN_VALUE(ompd_rc_callback_error, 12);

PIN_SIZE(ompd_address_t, 16);
PIN_OFFSET(ompd_address_t, segment, 0);
PIN_OFFSET(ompd_address_t, address, 8);
PIN_SIZE(ompd_frame_info_t, 24);
PIN_OFFSET(ompd_frame_info_t, frame_address, 0);
PIN_OFFSET(ompd_frame_info_t, frame_flag, 16);
PIN_SIZE(ompd_device_type_sizes_t, 6);
PIN_OFFSET(ompd_device_type_sizes_t, sizeof_char, 0);
PIN_OFFSET(ompd_device_type_sizes_t, sizeof_short, 1);
PIN_OFFSET(ompd_device_type_sizes_t, sizeof_int, 2);
PIN_OFFSET(ompd_device_type_sizes_t, sizeof_long, 3);
PIN_OFFSET(ompd_device_type_sizes_t, sizeof_long_long, 4);
PIN_OFFSET(ompd_device_type_sizes_t, sizeof_pointer, 5);

PIN_SIZE(ompd_callbacks_t, 88);
PIN_OFFSET(ompd_callbacks_t, alloc_memory, 0);
PIN_OFFSET(ompd_callbacks_t, free_memory, 8);
PIN_OFFSET(ompd_callbacks_t, print_string, 16);
PIN_OFFSET(ompd_callbacks_t, sizeof_type, 24);
PIN_OFFSET(ompd_callbacks_t, symbol_addr_lookup, 32);
PIN_OFFSET(ompd_callbacks_t, read_memory, 40);
PIN_OFFSET(ompd_callbacks_t, write_memory, 48);
PIN_OFFSET(ompd_callbacks_t, read_string, 56);
PIN_OFFSET(ompd_callbacks_t, device_to_host, 64);
PIN_OFFSET(ompd_callbacks_t, host_to_device, 72);
PIN_OFFSET(ompd_callbacks_t, get_thread_context_for_thread_id, 80);

#define PIN_CALLBACK(name, ...)                                                             \
    _Static_assert(__builtin_types_compatible_p(__typeof__(((ompd_callbacks_t *) 0)->name), \
                                                ompd_rc_t(*)(__VA_ARGS__)),                 \
                   #name)

PIN_CALLBACK(alloc_memory, ompd_size_t, void **);
PIN_CALLBACK(free_memory, void *);
PIN_CALLBACK(print_string, const char *, int);
PIN_CALLBACK(sizeof_type, ompd_address_space_context_t *, ompd_device_type_sizes_t *);
PIN_CALLBACK(symbol_addr_lookup, ompd_address_space_context_t *, ompd_thread_context_t *,
             const char *, ompd_address_t *, const char *);
PIN_CALLBACK(read_memory, ompd_address_space_context_t *, ompd_thread_context_t *,
             const ompd_address_t *, ompd_size_t, void *);
PIN_CALLBACK(write_memory, ompd_address_space_context_t *, ompd_thread_context_t *,
             const ompd_address_t *, ompd_size_t, const void *);
PIN_CALLBACK(read_string, ompd_address_space_context_t *, ompd_thread_context_t *,
             const ompd_address_t *, ompd_size_t, void *);
PIN_CALLBACK(device_to_host, ompd_address_space_context_t *, const void *, ompd_size_t, ompd_size_t,
             void *);
PIN_CALLBACK(host_to_device, ompd_address_space_context_t *, const void *, ompd_size_t, ompd_size_t,
             void *);
PIN_CALLBACK(get_thread_context_for_thread_id, ompd_address_space_context_t *, ompd_thread_id_t,
             ompd_size_t, const void *, ompd_thread_context_t **);
