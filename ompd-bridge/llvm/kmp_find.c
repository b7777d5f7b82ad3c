// SPDX-License-Identifier: BSD-3-Clause
// Finds the array of threads of LLVM's OpenMP runtime, by name or by checking what lies near.
#include "ompd-bridge/llvm/builtin.h"

enum {
    USUAL_DISTANCE = 0x48, // bytes from __kmp_threads to __kmp_thread_pool in clang's builds
    NEAR = 1024,           // bytes around __kmp_thread_pool in which else it is looked for
    PLACES_CHECKED =
        64, // places of an array that are looked at before it is taken for that of threads
    PLACES_SAMPLED = 4,    // ... where bytes count
    PLACES_GUESSED = 4096, // places that an array of unknown capacity can have
};

static const char landmark_name[] = "__kmp_thread_pool";

enum status
kmp_detect(struct inferior *inf)
{
    taddr landmark;
    return inferior_symbol(inf, landmark_name, &landmark);
}

static bool
capacity_fits(uint64_t capacity)
{
    return capacity >= 1 && capacity <= KMP_THREADS_MAX;
}

static enum status
named_capacity(struct kmp *kmp)
{
    uint64_t capacity;
    if (kmp->named_capacity == 0)
        return STATUS_ABSENT;
    TRY(inferior_read_uint(kmp->inf, kmp->named_capacity, 4, &capacity));
    if (!capacity_fits(capacity))
        return STATUS_CORRUPT;
    kmp->capacity = (uint32_t) capacity;
    return STATUS_OK;
}

// The runtime allocates its array of roots as one with that of the threads, right behind it, and
// keeps the two pointers side by side; so their difference is the capacity.
static enum status
roots_capacity(struct kmp *kmp, taddr roots_variable)
{
    uint64_t width = kmp->inf->model.pointer_size;
    taddr roots;
    TRY(inferior_read_pointer(kmp->inf, roots_variable, &roots));
    uint64_t bytes = roots - kmp->threads;
    if (roots <= kmp->threads || bytes % width != 0 || !capacity_fits(bytes / width))
        return STATUS_CORRUPT;
    kmp->capacity = (uint32_t) (bytes / width);
    return STATUS_OK;
}

// Up to the first entry that is no thread.
static uint32_t
count_places(const struct kmp *kmp)
{
    struct kmp_thread thread;
    for (uint32_t i = 0; i < PLACES_GUESSED; i++) {
        enum status status = kmp_read_thread(kmp, i, &thread);
        if (status != STATUS_OK && status != STATUS_ABSENT)
            return i;
    }
    return PLACES_GUESSED;
}

static void
find_capacity(struct kmp *kmp)
{
    taddr width = kmp->inf->model.pointer_size;
    // In this order: the pointer to the roots is on a page that is read anyway.
    if (roots_capacity(kmp, kmp->variable + width) != STATUS_OK &&
        roots_capacity(kmp, kmp->variable - width) != STATUS_OK && named_capacity(kmp) != STATUS_OK)
        kmp->capacity = count_places(kmp);
}

static enum status
read_array(struct kmp *kmp)
{
    inferior_fetch(kmp->inf, kmp->variable, 2 * kmp->inf->model.pointer_size); // and the roots
    TRY(inferior_read_pointer(kmp->inf, kmp->variable, &kmp->threads));
    if (kmp->threads == 0 || kmp->threads % kmp->inf->model.pointer_size != 0)
        return STATUS_CORRUPT;
    find_capacity(kmp);
    return STATUS_OK;
}

// Whether the C library knows the thread; when that cannot be asked, nothing speaks against it.
static bool
is_real(const struct kmp *kmp, const struct kmp_thread *thread)
{
    int64_t tid;
    return thread->pthread == 0 || !kmp->has_nptl ||
           nptl_tid(&kmp->nptl, kmp->inf, thread->pthread, &tid) != STATUS_CORRUPT;
}

static bool
is_listed(const struct kmp *kmp, const struct kmp_thread *thread)
{
    struct kmp_team team;
    taddr self;
    return thread->team != 0 && kmp_read_team(kmp, thread->team, &team) == STATUS_OK &&
           kmp_team_member(kmp, &team, thread->num, &self) == STATUS_OK && self == thread->addr;
}

// Whether the array holds threads: more of its entries are real ones that their teams know than
// cannot be threads at all.
static bool
holds_threads(const struct kmp *kmp)
{
    const uint32_t most = kmp->inf->pieces ? PLACES_SAMPLED : PLACES_CHECKED;
    uint32_t places = kmp->capacity < most ? kmp->capacity : most;
    unsigned good = 0, bad = 0;
    for (uint32_t i = 0; i < places; i++) {
        struct kmp_thread thread;
        enum status status = kmp_read_thread(kmp, i, &thread);
        if (status == STATUS_OK)
            good += is_listed(kmp, &thread) && is_real(kmp, &thread);
        else if (status != STATUS_ABSENT)
            bad++;
    }
    return good > bad;
}

static bool
try_variable(struct kmp *kmp, taddr variable)
{
    kmp->variable = variable;
    return read_array(kmp) == STATUS_OK && holds_threads(kmp);
}

// The pointer to the array, or where it is in clang's builds.
static taddr
likely_variable(struct inferior *inf, taddr landmark)
{
    taddr named;
    bool found = inferior_symbol(inf, "__kmp_threads", &named) == STATUS_OK;
    return found ? named : landmark - USUAL_DISTANCE;
}

static bool
is_null(struct inferior *inf, taddr variable)
{
    taddr value;
    return inferior_read_pointer(inf, variable, &value) == STATUS_OK && value == 0;
}

static enum status
find_array(struct kmp *kmp, taddr landmark)
{
    taddr likely = likely_variable(kmp->inf, landmark), width = kmp->inf->model.pointer_size;
    if (try_variable(kmp, likely))
        return STATUS_OK;
    for (taddr distance = width; distance <= NEAR; distance += width)
        if (try_variable(kmp, landmark - distance) || try_variable(kmp, landmark + distance))
            return STATUS_OK;
    if (is_null(kmp->inf, likely))
        return trail_begin(&kmp->inf->trail, STATUS_ABSENT, "OpenMP has ended");
    return trail_begin(&kmp->inf->trail, STATUS_CORRUPT,
                       "the threads of the OpenMP runtime were not found");
}

enum status
kmp_read_tracking(const struct kmp *kmp, bool *ret)
{
    uint64_t state;
    taddr addr = kmp->table.addresses[WORD_ompd_state];
    TRY(inferior_read_uint(kmp->inf, addr, PUBLISHED_ENTRY, &state));
    *ret = state != 0;
    return STATUS_OK;
}

// With the layout of a release that publishes none and that the process confirms. Which release it
// is, is not known: others can have the same.
static enum status
find_builtin(struct kmp *kmp, taddr landmark)
{
    char known[64];
    for (unsigned i = 0; kmp->has_nptl && builtin_layout(kmp->inf, i, &kmp->table); i++) {
        if (find_array(kmp, landmark) == STATUS_OK && builtin_confirm(kmp) == STATUS_OK)
            return STATUS_OK;
    }
    builtin_list(sizeof(known), known);
    return trail_begin(
        &kmp->inf->trail, STATUS_ABSENT,
        "the OpenMP runtime publishes no table of its structs, as releases from 13 on "
        "do, and they are not confirmed to be those of %s",
        known);
}

enum status
kmp_find(struct inferior *inf, struct kmp *ret)
{
    struct kmp kmp = {.inf = inf, .release = ""};
    taddr landmark;
    TRY(inferior_symbol(inf, landmark_name, &landmark));
    enum status status = published_find(inf, landmark, &kmp.table);
    if ((status == STATUS_ABSENT || status == STATUS_CORRUPT) &&
        is_null(inf, likely_variable(inf, landmark)))
        return trail_begin(&inf->trail, STATUS_ABSENT, "OpenMP not started");
    if (status != STATUS_OK && status != STATUS_ABSENT)
        return trail_prepend(&inf->trail, status, "the table of the OpenMP runtime");
    if (inferior_symbol(inf, "__kmp_threads_capacity", &kmp.named_capacity) != STATUS_OK)
        kmp.named_capacity = 0;
    kmp.has_nptl = nptl_find(inf, &kmp.nptl) == STATUS_OK;
    if (status == STATUS_ABSENT) {
        TRY(find_builtin(&kmp, landmark));
    } else {
        TRY(published_release(&kmp.table, inf, &kmp.release));
        TRY(find_array(&kmp, landmark));
    }
    *ret = kmp;
    return STATUS_OK;
}

enum status
kmp_refresh(struct kmp *kmp)
{
    enum status status = read_array(kmp);
    if (status == STATUS_CORRUPT)
        return trail_begin(&kmp->inf->trail, STATUS_CORRUPT,
                           "the threads of the OpenMP runtime were not found");
    return status;
}
