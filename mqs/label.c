// SPDX-License-Identifier: BSD-3-Clause
// What communicators are called where people read. Many have no name, both halves of a split have
// the same one, and Open MPI makes up names that nobody has given.
//
// It works on what its caller has gathered and on nothing else: mqshow, which may have another
// library to ask or none, has this file built in.
#include "mqs/entry.h"
#include "include/mqs_ext.h"
#include "target/sort.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    NAME_ROOM = 64,   // bytes with the NUL; what is longer is cut
    PARENT_ROOM = 32, // likewise
    RANKS_ROOM = 24,  // likewise
    SAME_ID_MAX = 64  // communicators with the id of a parent that are looked at
};

/** The communicators of one job. */
struct job {
    mqs_labelled_communicator *comms;
    uint32_t *order; // by_id_less until all have a label, then by_label_less
    uint32_t count;
    int64_t world; // number of processes
};

/** How a communicator was made. */
struct making {
    const char *call;
    int64_t parent;
};

// The words in Open MPI's automatic names. CREATE may be of MPI_Comm_create or, from 5.0 on, of
// MPI_Cart_create and the like.
static const struct {
    const char *word;
    const char *call;
} calls[] = {
    {"CREATE", "MPI_*_create"},
    {"DUP", "MPI_Comm_dup"},
    {"GROUP", "MPI_Comm_create_group"},
    {"SPLIT", "MPI_Comm_split"},
    {"SPLIT_TYPE", "MPI_Comm_split_type"},
};

static bool
take(const char **text, const char *words)
{
    const size_t length = strlen(words);
    const bool same = strncmp(*text, words, length) == 0;

    *text += same ? length : 0;
    return same;
}

// A number, "14" or, of a communicator that was made of a group, "0xfffffffe00000000": its 64 bits
// are the number and 32 that tell nothing.
static bool
take_number(const char **text, int64_t *ret)
{
    const bool wide = strncmp(*text, "0x", 2) == 0;
    char *end;

    if (**text < '0' || **text > '9')
        return false;
    const uint64_t number = strtoull(*text, &end, wide ? 16 : 10) >> (wide ? 32 : 0);
    *text = end;
    *ret = (int64_t) (number & INT64_MAX);
    return number <= INT64_MAX;
}

// "MPI COMMUNICATOR 4 DUP FROM 3", and from Open MPI 5.0 on "MPI COMM 4 DUP FROM 3".
static bool
read_making(const mqs_labelled_communicator *comm, struct making *ret)
{
    const char *text = comm->name;
    int64_t id;

    if (!(take(&text, "MPI COMMUNICATOR ") || take(&text, "MPI COMM ")) ||
        !take_number(&text, &id) || id != comm->id || !take(&text, " "))
        return false;
    for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); ++i) {
        const char *rest = text;
        ret->call = calls[i].call;
        if (take(&rest, calls[i].word) && take(&rest, " FROM ") &&
            take_number(&rest, &ret->parent) && *rest == '\0')
            return true;
    }
    return false;
}

// "MPI_COMMUNICATOR 14" is what Open MPI calls a Cartesian communicator, and from 5.0 on, with any
// number, "MPI_COMMUNICATOR 0x55d0c0a8"; "MPI COMM 0xfffffffe00000000 FROM GROUP" is one that was
// made of a group.
static bool
has_no_name(const mqs_labelled_communicator *comm)
{
    const char *text = comm->name;
    int64_t id;

    if (*text == '\0')
        return true;
    const bool topology = take(&text, "MPI_COMMUNICATOR ");
    if (!topology && !take(&text, "MPI COMM ") && !take(&text, "MPI INTERCOMM "))
        return false;
    const bool any = topology && strncmp(text, "0x", 2) == 0;
    return take_number(&text, &id) && (any || id == comm->id) &&
           strcmp(text, topology ? "" : " FROM GROUP") == 0;
}

static bool
is_known(const mqs_ranks *ranks)
{
    return ranks->count > 0 && ranks->runs[0].first >= 0;
}

static int64_t
first_rank(const mqs_labelled_communicator *comm)
{
    return comm->ranks.count > 0 ? comm->ranks.runs[0].first : -1;
}

__attribute__((format(printf, 2, 3))) static void
append(mqs_labelled_communicator *comm, const char *format, ...)
{
    const size_t length = strlen(comm->label);
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(comm->label + length, sizeof(comm->label) - length, format, arguments);
    va_end(arguments);
}

// Cuts between characters of UTF-8.
static void
append_name(mqs_labelled_communicator *comm, const char *name, size_t room)
{
    static const char dots[] = "...";
    size_t length = strlen(name);

    if (length < room) {
        append(comm, "%s", name);
        return;
    }
    length = room - sizeof(dots);
    while (length > 0 && ((unsigned char) name[length] & 0xc0) == 0x80)
        --length;
    append(comm, "%.*s%s", (int) length, name, dots);
}

// "[0,2,4-7]". Returns whether all ranks are in it.
static bool
append_ranks(mqs_labelled_communicator *comm, const mqs_ranks *ranks)
{
    size_t length = 0;

    for (int i = 0; i < ranks->count; ++i) {
        const mqs_rank_run *run = &ranks->runs[i];
        char text[RANKS_ROOM];
        const char *between = run->last - run->first > 1 ? "-" : ",";
        const int size = run->first == run->last ? snprintf(text, sizeof(text), "%d", run->first)
                                                 : snprintf(text, sizeof(text), "%d%s%d",
                                                            run->first, between, run->last);
        length += (size_t) size + 1;
        if (length > RANKS_ROOM) {
            append(comm, ",...]");
            return false;
        }
        append(comm, "%c%s", i == 0 ? '[' : ',', text);
    }
    append(comm, "]");
    return true;
}

// The members, unless they are not known, or are all processes of the job and it goes without
// saying. Returns whether that tells all of them.
static bool
append_members(const struct job *job, mqs_labelled_communicator *comm)
{
    const mqs_ranks *first = &comm->ranks, *second = &comm->remote_ranks;

    if (!is_known(first) || (comm->inter && !is_known(second)))
        return first->count == 0;
    if (!comm->inter && first->runs[0].last + 1 == job->world && first->runs[0].first == 0 &&
        !has_no_name(comm))
        return true;
    append(comm, " ");
    if (!comm->inter)
        return append_ranks(comm, first);
    // Both sides give the same.
    if (second->runs[0].first < first->runs[0].first) {
        first = &comm->remote_ranks;
        second = &comm->ranks;
    }
    const bool whole = append_ranks(comm, first);
    append(comm, "-");
    return append_ranks(comm, second) && whole;
}

static bool
contains(const mqs_ranks *all, const mqs_ranks *some)
{
    int at = 0;

    for (int i = 0; i < some->count; ++i) {
        while (at < all->count && all->runs[at].last < some->runs[i].last)
            ++at;
        if (at == all->count || all->runs[at].first > some->runs[i].first)
            return false;
    }
    return is_known(some);
}

// The number in `order` behind all that have a smaller id, or this id and no greater first rank.
static uint32_t
find_behind(const struct job *job, int64_t id, int64_t rank)
{
    uint32_t low = 0, high = job->count;

    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        const mqs_labelled_communicator *comm = &job->comms[job->order[middle]];
        if (comm->id < id || (comm->id == id && first_rank(comm) <= rank))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

// The communicator that another one was made of has all its members. NULL: it is not among these.
static const mqs_labelled_communicator *
find_parent(const struct job *job, const mqs_labelled_communicator *comm, int64_t id)
{
    uint32_t at = find_behind(job, id, first_rank(comm));

    for (int i = 0; at > 0 && i < SAME_ID_MAX; ++i) {
        const mqs_labelled_communicator *found = &job->comms[job->order[--at]];
        if (found->id != id)
            return NULL;
        if (contains(&found->ranks, &comm->ranks))
            return found;
    }
    return NULL;
}

static void
append_parent(const struct job *job, mqs_labelled_communicator *comm, int64_t id)
{
    const mqs_labelled_communicator *parent = find_parent(job, comm, id);
    struct making making;

    if (parent == NULL || has_no_name(parent) || read_making(parent, &making))
        append(comm, "%s %" PRId64, parent != NULL && parent->inter ? "intercomm" : "comm", id);
    else
        append_name(comm, parent->name, PARENT_ROOM);
}

// Returns whether it says all that is known.
static bool
write_label(const struct job *job, mqs_labelled_communicator *comm, bool with_id)
{
    struct making making;

    comm->label[0] = '\0';
    if (read_making(comm, &making)) {
        append(comm, "%s of ", making.call);
        append_parent(job, comm, making.parent);
        with_id = true;
    } else if (has_no_name(comm)) {
        append(comm, "%s %" PRId64, comm->inter ? "intercomm" : "comm", comm->id);
        append_members(job, comm);
        return true;
    } else {
        append_name(comm, comm->name, NAME_ROOM);
    }
    if (with_id)
        append(comm, " #%" PRId64, comm->id);
    return append_members(job, comm) || with_id;
}

static int
by_id_less(void *context, uint32_t a, uint32_t b)
{
    const mqs_labelled_communicator *comms = context, *one = &comms[a], *other = &comms[b];

    if (one->job != other->job)
        return one->job < other->job;
    if (one->id != other->id)
        return one->id < other->id;
    return first_rank(one) < first_rank(other);
}

static int
by_label_less(void *context, uint32_t a, uint32_t b)
{
    const mqs_labelled_communicator *comms = context, *one = &comms[a], *other = &comms[b];

    if (one->job != other->job)
        return one->job < other->job;
    const int order = strcmp(one->label, other->label);
    return order != 0 ? order < 0 : one->id < other->id;
}

// MPI_COMM_WORLD is among the communicators of every process.
static int64_t
world_size(const struct job *job)
{
    int64_t size = 0;

    for (uint32_t i = 0; i < job->count; ++i) {
        const mqs_ranks *ranks = &job->comms[job->order[i]].ranks;
        const int64_t last = ranks->count > 0 ? ranks->runs[ranks->count - 1].last : -1;
        size = last >= size ? last + 1 : size;
    }
    return size;
}

static void
label_job(struct job *job)
{
    job->world = world_size(job);
    for (uint32_t i = 0; i < job->count; ++i) {
        mqs_labelled_communicator *comm = &job->comms[job->order[i]];
        if (!write_label(job, comm, false))
            write_label(job, comm, true);
    }
}

// Communicators with one label and several ids get these.
static void
tell_apart(struct job *job)
{
    sort_numbers(job->order, job->count, by_label_less, job->comms);
    for (uint32_t first = 0, end; first < job->count; first = end) {
        const mqs_labelled_communicator *one = &job->comms[job->order[first]];
        for (end = first + 1; end < job->count; ++end)
            if (strcmp(job->comms[job->order[end]].label, one->label) != 0)
                break;
        const bool differ = one->id != job->comms[job->order[end - 1]].id;
        for (uint32_t i = first; differ && i < end; ++i)
            write_label(job, &job->comms[job->order[i]], true);
    }
}

EXPORT int
mqs_label_communicators(mqs_labelled_communicator *comms, uint32_t *order, int count)
{
    if (count < 0 || (count > 0 && (comms == NULL || order == NULL)))
        return mqs_first_user_code + STATUS_MISUSE;
    for (int i = 0; i < count; ++i)
        order[i] = (uint32_t) i;
    sort_numbers(order, (size_t) count, by_id_less, comms);
    for (int first = 0, end; first < count; first = end) {
        for (end = first + 1; end < count; ++end)
            if (comms[order[end]].job != comms[order[first]].job)
                break;
        struct job job = {
            .comms = comms, .order = order + first, .count = (uint32_t) (end - first)};
        label_job(&job);
        tell_apart(&job);
    }
    return mqs_ok;
}
