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

// Intel's from 2026 on exports its own table only.
enum status
kmp_detect(struct inferior *inf)
{
    taddr landmark;
    if (inferior_symbol(inf, landmark_name, &landmark) == STATUS_OK)
        return STATUS_OK;
    return intel_detect(inf, &landmark);
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

// What is known before the layout is.
struct signs {
    taddr landmark; // near what is sought
    taddr threads;  // the pointer to the array, or where it is in clang's builds
};

// Another runtime's name is only sought where something is missing: tools of OMPD may not survive a
// look-up of what is absent, but have all names of LLVM's.
static enum status
find_signs(struct kmp *kmp, struct signs *ret)
{
    bool exported = inferior_symbol(kmp->inf, landmark_name, &ret->landmark) == STATUS_OK;
    bool named = inferior_symbol(kmp->inf, "__kmp_threads", &ret->threads) == STATUS_OK;
    if (exported && named)
        return STATUS_OK;
    enum status status = intel_find(kmp->inf, &kmp->intel);
    if (status == STATUS_OK)
        ret->threads = kmp->intel.threads;
    else if (!exported)
        return status;
    else if (!named)
        ret->threads = ret->landmark - USUAL_DISTANCE;
    if (!exported)
        ret->landmark = ret->threads;
    return STATUS_OK;
}

static bool
is_null(struct inferior *inf, taddr variable)
{
    taddr value;
    return inferior_read_pointer(inf, variable, &value) == STATUS_OK && value == 0;
}

static enum status
find_array(struct kmp *kmp, const struct signs *signs)
{
    taddr width = kmp->inf->model.pointer_size, landmark = signs->landmark;
    if (try_variable(kmp, signs->threads))
        return STATUS_OK;
    for (taddr distance = width; distance <= NEAR; distance += width)
        if (try_variable(kmp, landmark - distance) || try_variable(kmp, landmark + distance))
            return STATUS_OK;
    if (is_null(kmp->inf, signs->threads))
        return trail_begin(&kmp->inf->trail, STATUS_UNUSED, "OpenMP has ended");
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

// Only Intel's says which it is.
static void
find_maker(struct kmp *kmp)
{
    if (kmp->table.maker != MAKER_LLVM && kmp->intel.release[0] == '\0' &&
        intel_find(kmp->inf, &kmp->intel) != STATUS_OK)
        kmp->intel.release[0] = '\0';
}

// With the layout of a release that publishes none and that the process confirms. Which release of
// LLVM's it is, is not known: others can have the same.
static enum status
find_builtin(struct kmp *kmp, const struct signs *signs)
{
    char known[64];
    find_maker(kmp);
    const enum published_maker maker = kmp->intel.release[0] != '\0' ? MAKER_INTEL : MAKER_LLVM;
    for (unsigned i = 0; kmp->has_nptl && builtin_layout(kmp->inf, i, &kmp->table); i++) {
        if (kmp->table.maker == maker && find_array(kmp, signs) == STATUS_OK &&
            builtin_confirm(kmp) == STATUS_OK)
            return STATUS_OK;
    }
    builtin_list(maker, sizeof(known), known);
    return trail_begin(&kmp->inf->trail, STATUS_ABSENT,
                       "%s%s publishes no table of its structs, as releases from %s on "
                       "do, and they are not confirmed to be those of %s",
                       maker == MAKER_INTEL ? "Intel's OpenMP runtime " : "the OpenMP runtime",
                       kmp->intel.release, maker == MAKER_INTEL ? "2024.1" : "13", known);
}

static void
find_helpers(struct kmp *kmp)
{
    if (inferior_symbol(kmp->inf, "__kmp_threads_capacity", &kmp->named_capacity) != STATUS_OK)
        kmp->named_capacity = kmp->intel.release[0] != '\0' ? kmp->intel.capacity : 0;
    kmp->has_nptl = nptl_find(kmp->inf, &kmp->nptl) == STATUS_OK;
}

enum status
kmp_find(struct inferior *inf, struct kmp *ret)
{
    struct kmp kmp = {.inf = inf, .release = ""};
    struct signs signs;
    TRY(find_signs(&kmp, &signs));
    enum status status = published_find(inf, signs.landmark, &kmp.table);
    if ((status == STATUS_ABSENT || status == STATUS_CORRUPT) && is_null(inf, signs.threads))
        return trail_begin(&inf->trail, STATUS_UNUSED, "OpenMP not started");
    if (status != STATUS_OK && status != STATUS_ABSENT)
        return trail_prepend(&inf->trail, status, "the table of the OpenMP runtime");
    find_helpers(&kmp);
    if (status == STATUS_ABSENT) {
        TRY(find_builtin(&kmp, &signs));
    } else {
        TRY(published_release(&kmp.table, inf, &kmp.release));
        TRY(find_array(&kmp, &signs));
        find_maker(&kmp);
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
