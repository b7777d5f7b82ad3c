// SPDX-License-Identifier: BSD-3-Clause
// Where the lists of device ch3 begin, in a library without symbols for its static variables.
//
// Two calls below PMPI_Iprobe is the function that looks through the unexpected messages, and two
// calls below PMPI_Irecv the one that does so and then posts the receive. Both begin with the head
// of the unexpected messages: the first variable that either accesses. The second one accesses the
// head and the tail of the posted receives, too, and the tail of the messages. What these point at
// tells them apart as far as it matters: the tail of the messages is at one of them, and the head
// of the receives is what leads to the tail. So they are found anew at each search.
#include "mpi-impl-adapters/mpich/search.h"

#include "target/code.h"

enum {
    CALLER_BYTES = 3072, // of code that is looked at for calls
    START_BYTES = 128,   // and for the first variable
    POST_BYTES = 1024,   // and for those of the function that posts
    FUNCTIONS = 256
};

/** Functions two calls below another one, and the first variable that each accesses. */
struct callees {
    unsigned count;
    taddr function[FUNCTIONS];
    taddr variable[FUNCTIONS];
};

static taddr
first_variable(struct inferior *inf, taddr function)
{
    struct code_references references;

    if (code_references_at(inf, function, START_BYTES, &references) != STATUS_OK)
        return 0;
    for (unsigned i = 0; i < references.count; ++i)
        if (references.at[i].loads)
            return references.at[i].addr;
    return 0;
}

static void
add_callee(struct inferior *inf, taddr function, struct callees *ret)
{
    for (unsigned i = 0; i < ret->count; ++i)
        if (ret->function[i] == function)
            return;
    const taddr variable = ret->count < FUNCTIONS ? first_variable(inf, function) : 0;
    if (variable == 0)
        return;
    ret->function[ret->count] = function;
    ret->variable[ret->count++] = variable;
}

static enum status
find_callees(struct inferior *inf, const char *function, struct callees *ret)
{
    struct code_calls calls, below;

    ret->count = 0;
    TRY(code_calls(inf, function, CALLER_BYTES, &calls));
    for (unsigned i = 0; i < calls.count; ++i) {
        if (code_calls_at(inf, calls.at[i], CALLER_BYTES, &below) != STATUS_OK)
            continue;
        for (unsigned k = 0; k < below.count; ++k)
            add_callee(inf, below.at[k], ret);
    }
    return STATUS_OK;
}

static bool
has(const struct addrs *addrs, taddr addr)
{
    for (uint32_t i = 0; i < addrs->count; ++i)
        if (addrs->at[i] == addr)
            return true;
    return false;
}

// What a head points at: nothing, or a request in use.
static bool
can_be_first(const struct search *search, taddr item)
{
    return item == 0 || has(&search->requests, item);
}

static bool
accesses(const struct callees *callees, taddr variable, taddr but_function)
{
    for (unsigned i = 0; i < callees->count; ++i)
        if (callees->variable[i] == variable && callees->function[i] != but_function)
            return true;
    return false;
}

static enum status
find_unexpected(const struct search *search, const struct callees *receive, taddr *ret)
{
    struct inferior *inf = search->mpi->inf;
    struct callees probe;
    unsigned found = 0;
    taddr item;

    TRY(find_callees(inf, "PMPI_Iprobe", &probe));
    for (unsigned i = 0; i < probe.count; ++i) {
        const taddr variable = probe.variable[i];
        if ((found > 0 && variable == *ret) || !accesses(receive, variable, probe.function[i]) ||
            inferior_read_pointer(inf, variable, &item) != STATUS_OK || !can_be_first(search, item))
            continue;
        *ret = variable;
        ++found;
    }
    return found == 1 ? STATUS_OK
                      : trail_begin(&inf->trail, STATUS_MISMATCH,
                                    "%u candidates for the head of the unexpected messages", found);
}

/** What can be the ends of the list of posted receives. */
struct ends {
    struct addrs items; // that variables lead to, each once
    unsigned variables; // that lead to them
    bool failed;        // something could not be read
};

// A posted receive has a communicator, a message has none.
static enum status
add_if_posted(const struct search *search, taddr item, struct ends *ret)
{
    struct request request;

    if (!has(&search->requests, item))
        return STATUS_OK;
    TRY(mpich_request_load(search->mpi, search->release, item, &request));
    if (request.kind != REQUEST_RECEIVE || request.complete || request.comm == 0)
        return STATUS_OK;
    ++ret->variables;
    return has(&ret->items, item) ? STATUS_OK : addrs_add(search->arena, &ret->items, item);
}

// What the variables of the function that posts point at, if it can be a posted receive: head and
// tail, the same one if there is only one.
static enum status
collect_posted(const struct search *search, taddr function, struct ends *ret)
{
    struct inferior *inf = search->mpi->inf;
    struct code_references references;
    taddr item;

    TRY(code_references_at(inf, function, POST_BYTES, &references));
    for (unsigned i = 0; i < references.count; ++i) {
        if (!references.at[i].loads)
            continue;
        enum status status = inferior_read_pointer(inf, references.at[i].addr, &item);
        if (status == STATUS_OK)
            status = add_if_posted(search, item, ret);
        if (status == STATUS_NOMEM)
            return status;
        ret->failed |= status != STATUS_OK;
    }
    return STATUS_OK;
}

// Whether a chain from one item ends at another one.
static bool
leads_to(struct search *search, taddr first, taddr last, uint32_t link)
{
    struct addrs items = {0};

    return chain_collect(search, first, link, &items) == STATUS_OK && items.count > 1 &&
           items.at[items.count - 1] == last;
}

// The one of two ends that leads to the other one. An end that alone could be read may be the tail
// of a list.
static enum status
choose_first(struct search *search, const struct ends *ends, uint32_t link, taddr *ret)
{
    const struct addrs *items = &ends->items;

    *ret = items->count > 0 ? items->at[0] : 0;
    if (ends->failed && ends->variables < 2)
        return trail_begin(&search->mpi->inf->trail, STATUS_CORRUPT,
                           "the head of the posted receives cannot be read");
    if (items->count < 2 ||
        (items->count == 2 && leads_to(search, items->at[0], items->at[1], link)))
        return STATUS_OK;
    if (items->count == 2 && leads_to(search, items->at[1], items->at[0], link)) {
        *ret = items->at[1];
        return STATUS_OK;
    }
    return trail_begin(&search->mpi->inf->trail, STATUS_MISMATCH,
                       "%u candidates for the head of the posted receives", items->count);
}

enum status
ch3_find_heads(struct search *search, uint32_t link, struct ch3_heads *ret)
{
    struct inferior *inf = search->mpi->inf;
    struct ends ends = {.failed = false};
    struct callees receive;
    taddr unexpected = 0;

    TRY(find_callees(inf, "PMPI_Irecv", &receive));
    TRY(find_unexpected(search, &receive, &unexpected));
    TRY(inferior_read_pointer(inf, unexpected, &ret->unexpected));
    for (unsigned i = 0; i < receive.count; ++i)
        if (receive.variable[i] == unexpected)
            TRY(collect_posted(search, receive.function[i], &ends));
    return choose_first(search, &ends, link, &ret->posted);
}
