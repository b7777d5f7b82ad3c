// SPDX-License-Identifier: BSD-3-Clause
// The lists of texts that a tool asks for: states, and the variables that a runtime was started
// with.
#include "ompd-bridge/exports/proxy.h"

#include "ompd-bridge/states.h"

#include <stdio.h>
#include <string.h>

// The place of the state after this one, in the order in which they are listed. The last one is
// also where the tool begins.
static bool
find_next(ompd_word_t current, unsigned *ret)
{
    int64_t state;
    const char *name;
    *ret = 0;
    if (current == OMP_STATE_undefined)
        return true;
    while (omp_state_at((*ret)++, &state, &name))
        if (state == current)
            return true;
    return false;
}

EXPORT ompd_rc_t
ompd_enumerate_states(ompd_address_space_handle_t *space, ompd_word_t current,
                      ompd_word_t *ret_state, const char **ret_name, ompd_word_t *ret_more)
{
    struct handle *handle;
    unsigned place;
    char name[64];
    const char *own;
    int64_t state;
    RC_TRY(handles_find(&proxy_get()->handles, space, OMP_SPACE, &handle));
    if (!ret_state || !ret_name || !ret_more || !find_next(current, &place) ||
        !omp_state_at(place, &state, &own))
        return ompd_rc_bad_input;
    snprintf(name, sizeof(name), "ompt_state_%s", own);
    RC_TRY(proxy_copy(name, ret_name));
    *ret_state = state;
    *ret_more = state != OMP_STATE_undefined;
    return ompd_rc_ok;
}

/** Counts texts, and copies them into a block when there is one. */
struct collector {
    struct text_sink sink;
    size_t count, size;      // of the texts so far; bytes with their NULs
    size_t room_count, room; // of the block
    const char **vector;     // NULL: only counts
    char *texts;
};

static enum status
collect(struct text_sink *sink, const char *text)
{
    struct collector *collector = (struct collector *) sink;
    size_t size = strlen(text) + 1;
    if (collector->vector) {
        if (collector->count == collector->room_count || size > collector->room - collector->size)
            return STATUS_NOMEM;
        memcpy(collector->texts + collector->size, text, size);
        collector->vector[collector->count] = collector->texts + collector->size;
    }
    collector->count++;
    collector->size += size;
    return STATUS_OK;
}

// A vector that ends with NULL, and behind it the texts.
static bool
make_room(struct collector *collector)
{
    size_t vector_size = (collector->count + 1) * sizeof(*collector->vector);
    struct proxy_text *block = proxy_text_add(&proxy_get()->vectors, vector_size + collector->size);
    if (!block)
        return false;
    memset(block->bytes, 0, vector_size);
    *collector = (struct collector){.sink = collector->sink,
                                    .room_count = collector->count,
                                    .room = collector->size,
                                    .vector = (const char **) (void *) block->bytes,
                                    .texts = block->bytes + vector_size};
    return true;
}

EXPORT ompd_rc_t
ompd_get_display_control_vars(ompd_address_space_handle_t *space, const char *const **ret)
{
    struct collector collector = {.sink = {collect}};
    struct proxy_process *process;
    const struct reader *reader;
    RC_TRY(proxy_enter_space(space, ret, &process, &reader));
    RC_TRY(READER_ASK(reader, control_vars, &collector.sink));
    if (!make_room(&collector))
        return ompd_rc_nomem;
    ompd_rc_t rc = READER_ASK(reader, control_vars, &collector.sink);
    if (rc == ompd_rc_ok)
        *ret = collector.vector;
    else
        proxy_text_remove(&proxy_get()->vectors, collector.vector);
    return rc;
}

// Takes the vector, or the place where the tool keeps it: the documents leave open which.
EXPORT ompd_rc_t
ompd_rel_display_control_vars(const char *const **vector)
{
    struct proxy *proxy = proxy_get();
    if (!vector)
        return ompd_rc_bad_input;
    return proxy_text_remove(&proxy->vectors, vector) || proxy_text_remove(&proxy->vectors, *vector)
               ? ompd_rc_ok
               : ompd_rc_bad_input;
}
