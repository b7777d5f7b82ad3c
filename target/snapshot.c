// SPDX-License-Identifier: BSD-3-Clause
// A cache of the target's pages that is filled in runs, the oldest run making room.
//
// Frames hold a page each. They stand in slabs and are used in a ring, so a run is read straight
// into neighbouring frames. A frame also knows how long the run that continues its own should be:
// thus several sequential streams that take turns all keep their pace.
#include "target/snapshot.h"

#include <limits.h>
#include <string.h>

enum {
    FRAMES = SNAPSHOT_LIMIT / SNAPSHOT_PAGE,
    SLAB = 2 * SNAPSHOT_LAST_RUN, // frames
    SLABS = FRAMES / SLAB,
    BUCKETS = FRAMES / 2,
    NO_FRAME = UINT16_MAX,
    HOLES = 64,
};
_Static_assert(FRAMES % SLAB == 0 && FRAMES < NO_FRAME, "frames fill the slabs, numbers fit");
_Static_assert((BUCKETS & (BUCKETS - 1)) == 0, "a mask gives the bucket");

#define NO_PAGE UINT64_MAX

struct frame {
    uint64_t page; // number of the page, address / SNAPSHOT_PAGE; NO_PAGE: unused
    uint16_t next; // frame in the same bucket
    uint8_t up;    // pages of the run that continues the one this page was read with, upwards
    uint8_t down;  // likewise, downwards
};

struct snapshot {
    struct target target;
    taddr last_addr;
    uint64_t holes[HOLES]; // pages that could not be read, each in the place of its number; NO_PAGE
    uint32_t hand;         // frame that is used next
    uint16_t buckets[BUCKETS];
    struct frame frames[FRAMES];
    uint8_t *slabs[SLABS]; // NULL: not needed yet
};

// Neighbouring pages to be read at once.
struct run {
    uint64_t first;
    uint64_t count;
};

struct snapshot *
snapshot_create(struct target target, unsigned pointer_size)
{
    struct snapshot *snapshot = target.ops->alloc(sizeof(*snapshot));
    if (!snapshot)
        return NULL;
    snapshot->target = target;
    snapshot->last_addr = pointer_size == 4 ? UINT32_MAX : UINT64_MAX;
    memset(snapshot->slabs, 0, sizeof(snapshot->slabs));
    snapshot_forget(snapshot);
    return snapshot;
}

void
snapshot_destroy(struct snapshot *snapshot)
{
    if (!snapshot)
        return;
    void (*release)(void *) = snapshot->target.ops->free;
    for (size_t i = 0; i < SLABS; i++)
        release(snapshot->slabs[i]);
    release(snapshot);
}

void
snapshot_forget(struct snapshot *snapshot)
{
    for (size_t i = 0; i < HOLES; i++)
        snapshot->holes[i] = NO_PAGE;
    snapshot->hand = 0;
    for (size_t i = 0; i < BUCKETS; i++)
        snapshot->buckets[i] = NO_FRAME;
    for (size_t i = 0; i < FRAMES; i++)
        snapshot->frames[i].page = NO_PAGE;
}

static uint64_t *
hole_of(struct snapshot *snapshot, uint64_t page)
{
    return &snapshot->holes[page % HOLES];
}

static uint16_t *
bucket_of(struct snapshot *snapshot, uint64_t page)
{
    return &snapshot->buckets[(page * UINT64_C(0x9e3779b97f4a7c15) >> 32) & (BUCKETS - 1)];
}

static struct frame *
find(struct snapshot *snapshot, uint64_t page)
{
    uint16_t number = *bucket_of(snapshot, page);
    while (number != NO_FRAME && snapshot->frames[number].page != page)
        number = snapshot->frames[number].next;
    return number == NO_FRAME ? NULL : &snapshot->frames[number];
}

static void
evict(struct snapshot *snapshot, struct frame *frame)
{
    if (frame->page == NO_PAGE)
        return;
    uint16_t *link = bucket_of(snapshot, frame->page);
    while (&snapshot->frames[*link] != frame)
        link = &snapshot->frames[*link].next;
    *link = frame->next;
    frame->page = NO_PAGE;
}

static void
insert(struct snapshot *snapshot, struct frame frame)
{
    uint16_t *bucket = bucket_of(snapshot, frame.page);
    frame.next = *bucket;
    *bucket = (uint16_t) snapshot->hand;
    snapshot->frames[snapshot->hand++] = frame;
}

static uint8_t *
frame_bytes(struct snapshot *snapshot, uint32_t number)
{
    return snapshot->slabs[number / SLAB] + (size_t) (number % SLAB) * SNAPSHOT_PAGE;
}

// Makes `count` frames from the hand on usable, in one slab. Without memory for a new slab the ring
// is shorter; without any slab there is none.
static bool
reserve(struct snapshot *snapshot, uint64_t count)
{
    if (snapshot->hand % SLAB + count > SLAB)
        snapshot->hand += SLAB - snapshot->hand % SLAB;
    if (snapshot->hand == FRAMES)
        snapshot->hand = 0;
    uint8_t **slab = &snapshot->slabs[snapshot->hand / SLAB];
    if (!*slab)
        *slab = snapshot->target.ops->alloc((size_t) SLAB * SNAPSHOT_PAGE);
    if (!*slab)
        snapshot->hand = 0;
    if (!snapshot->slabs[0])
        return false;
    for (uint64_t i = 0; i < count; i++)
        evict(snapshot, &snapshot->frames[snapshot->hand + i]);
    return true;
}

// Whether a run ends before this page: it is there already, or would make the run fail.
static bool
is_barrier(struct snapshot *snapshot, uint64_t page)
{
    return page == *hole_of(snapshot, page) || find(snapshot, page);
}

// Cuts a run at the barriers next to `page`, and at the end of the address space.
static struct run
cut(struct snapshot *snapshot, struct run run, uint64_t page)
{
    uint64_t first = page;
    uint64_t end = page + 1;
    while (first > run.first && !is_barrier(snapshot, first - 1))
        first--;
    while (end < run.first + run.count && end <= snapshot->last_addr / SNAPSHOT_PAGE &&
           !is_barrier(snapshot, end))
        end++;
    return (struct run){first, end - first};
}

static uint64_t
min(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static uint64_t
max(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

// A page that is there and whose next run would have this one in it; NULL: none.
static const struct frame *
find_near(struct snapshot *snapshot, uint64_t page, uint64_t *ret_distance)
{
    for (uint64_t i = 1; i <= SNAPSHOT_LAST_RUN; i++) {
        const struct frame *below = page >= i ? find(snapshot, page - i) : NULL;
        const struct frame *above = find(snapshot, page + i);
        *ret_distance = i;
        if (below && below->up >= i)
            return below;
        if (above && above->down >= i)
            return above;
    }
    return NULL;
}

// The run to read for a page that is not there, of which and of whose successors `wanted` in all
// are asked for.
static struct run
choose(struct snapshot *snapshot, uint64_t page, uint64_t wanted)
{
    uint64_t distance;
    const struct frame *near = find_near(snapshot, page, &distance);
    struct run run = {page, wanted};
    if (near && near->page < page) {
        run.first = near->page + 1;
        run.count = max(distance - 1 + wanted, near->up);
    } else if (near) {
        run.count = min(near->down, near->page);
        run.first = near->page - run.count;
    } else {
        run.first = page - page % SNAPSHOT_FIRST_RUN;
        run.count = max(SNAPSHOT_FIRST_RUN, page - run.first + wanted);
    }
    run.count = min(run.count, SNAPSHOT_LAST_RUN);
    return cut(snapshot, run, page);
}

// A quarter of a run that cannot be read: fewer failures on the way to one page than by halves.
static struct run
quarter(struct run run, uint64_t page)
{
    uint64_t count = max(run.count / 4, 1);
    uint64_t first = page - (page - run.first) % count;
    return (struct run){first, min(count, run.first + run.count - first)};
}

static bool
read_run(struct snapshot *snapshot, struct run run)
{
    return snapshot->target.ops->read(snapshot->target.host, run.first * SNAPSHOT_PAGE,
                                      (size_t) run.count * SNAPSHOT_PAGE,
                                      frame_bytes(snapshot, snapshot->hand));
}

// Length of the run that continues one of this length. When this one was cut back on that side, an
// edge is near: half of it.
static uint8_t
continuation(uint64_t count, bool cut_back)
{
    return (uint8_t) (cut_back ? max(count / 2, 1) : min(2 * count, SNAPSHOT_LAST_RUN));
}

// Reads a run around `page`, as much of it as can be read, into the reserved frames.
static bool
load(struct snapshot *snapshot, const struct run wanted, uint64_t page)
{
    struct run run = wanted;
    while (!read_run(snapshot, run)) {
        if (run.count == 1) {
            *hole_of(snapshot, page) = page;
            return false;
        }
        run = quarter(run, page);
    }
    struct frame frame = {
        .up = continuation(run.count, run.first + run.count < wanted.first + wanted.count),
        .down = continuation(run.count, run.first > wanted.first),
    };
    for (uint64_t i = 0; i < run.count; i++) {
        frame.page = run.first + i;
        insert(snapshot, frame);
    }
    return true;
}

// Copies bytes of one page.
static bool
copy_piece(struct snapshot *snapshot, taddr addr, size_t size, uint8_t *ret)
{
    const struct frame *frame = find(snapshot, addr / SNAPSHOT_PAGE);
    if (!frame)
        return false;
    uint32_t number = (uint32_t) (frame - snapshot->frames);
    memcpy(ret, frame_bytes(snapshot, number) + addr % SNAPSHOT_PAGE, size);
    return true;
}

// Reads some of the bytes, at least one. @return how many; 0 when they cannot be read
static size_t
read_some(struct snapshot *snapshot, taddr addr, size_t size, uint8_t *ret)
{
    uint64_t page = addr / SNAPSHOT_PAGE;
    size_t piece = (size_t) min(size, SNAPSHOT_PAGE - addr % SNAPSHOT_PAGE);
    if (copy_piece(snapshot, addr, piece, ret))
        return piece;
    if (page != *hole_of(snapshot, page)) {
        struct run run = choose(snapshot, page, (addr + (size - 1)) / SNAPSHOT_PAGE - page + 1);
        if (!reserve(snapshot, run.count))
            piece = size;
        else if (load(snapshot, run, page) && copy_piece(snapshot, addr, piece, ret))
            return piece;
    }
    return snapshot->target.ops->read(snapshot->target.host, addr, piece, ret) ? piece : 0;
}

enum status
snapshot_read(struct snapshot *snapshot, taddr addr, size_t size, void *ret)
{
    if (size == 0)
        return STATUS_OK;
    if (size > INT_MAX || addr > snapshot->last_addr || size - 1 > snapshot->last_addr - addr)
        return STATUS_UNREADABLE;
    for (uint8_t *to = ret; size > 0;) {
        size_t piece = read_some(snapshot, addr, size, to);
        if (piece == 0)
            return STATUS_UNREADABLE;
        addr += piece;
        to += piece;
        size -= piece;
    }
    return STATUS_OK;
}
