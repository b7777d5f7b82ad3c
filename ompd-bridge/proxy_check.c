// SPDX-License-Identifier: BSD-3-Clause
// Looks at each thread that a tool asks for with both readers.
//
// The readers of a process are compared when they are opened, and a tool may have a process
// initialised when there is next to nothing to compare. But threads are where every tool begins.
#include "ompd-bridge/proxy.h"

/** A thread as a reader sees it. */
struct sighting {
    ompd_rc_t rc; // anything but ompd_rc_ok: it does not see it
    struct omp_object thread;
    ompd_rc_t in_region;   // why it is in none
    ompd_word_t num, size; // its number, and its team's size; -1: the reader does not say
};

static void
release(const struct reader *reader, enum omp_kind kind, struct omp_object *object)
{
    if (reader->backend->release)
        reader->backend->release(reader->state, kind, object);
}

static ompd_word_t
value_of(const struct reader *reader, const struct omp_object *object, ompd_scope_t scope,
         const char *name)
{
    ompd_word_t ret;
    return reader_icv(reader, object, scope, name, &ret) == ompd_rc_ok ? ret : -1;
}

static struct sighting
sight(const struct reader *reader, ompd_thread_id_t kind, uint64_t id)
{
    struct sighting ret = {.in_region = ompd_rc_unsupported, .num = -1, .size = -1};
    struct omp_object region;
    ret.rc = proxy_find_thread(reader, kind, id, &ret.thread);
    if (ret.rc != ompd_rc_ok || !reader->backend->curr_parallel)
        return ret;
    ret.in_region = reader->backend->curr_parallel(reader->state, &ret.thread, &region);
    if (ret.in_region != ompd_rc_ok)
        return ret;
    ret.num = value_of(reader, &ret.thread, ompd_scope_thread, "thread-num-var");
    ret.size = value_of(reader, &region, ompd_scope_parallel, "team-size-var");
    release(reader, OMP_PARALLEL, &region);
    return ret;
}

static bool
is_same_value(ompd_word_t a, ompd_word_t b)
{
    return a == b || a == -1 || b == -1;
}

static bool
is_same(const struct sighting *a, const struct sighting *b)
{
    return a->rc == b->rc &&
           (a->rc != ompd_rc_ok || (a->in_region == b->in_region && is_same_value(a->num, b->num) &&
                                    is_same_value(a->size, b->size)));
}

// Gives what one reader saw, and lets go of what the other did.
static ompd_rc_t
choose(const struct reader *reader, const struct sighting *seen, const struct reader *other,
       struct sighting *others, const struct reader **ret_reader, struct omp_object *ret)
{
    if (others->rc == ompd_rc_ok)
        release(other, OMP_THREAD, &others->thread);
    *ret_reader = reader;
    if (seen->rc == ompd_rc_ok)
        *ret = seen->thread;
    return seen->rc;
}

ompd_rc_t
proxy_find_checked(struct readers *readers, ompd_thread_id_t kind, uint64_t id,
                   const struct reader **ret_reader, struct omp_object *ret)
{
    const struct reader *native = &readers->native, *speaker = readers_speaker(readers);
    *ret_reader = speaker;
    if (speaker == native)
        return proxy_find_thread(native, kind, id, ret);
    OMPD_TRY(proxy_code(native->backend->refresh(native->state)));
    struct sighting here = sight(speaker, kind, id), there = sight(native, kind, id);
    if (is_same(&here, &there))
        return choose(speaker, &here, native, &there, ret_reader, ret);
    notes_add(&readers->notes, "the OMPD library contradicts the runtime's memory and is not used");
    readers->agreed = false;
    return choose(native, &there, speaker, &here, ret_reader, ret);
}
