// SPDX-License-Identifier: BSD-3-Clause
// The calls that have begun nonblocking collectives, as the code of their callers proves.
#include "mqshow/stack/begun.h"

#include "mqshow/base/alloc.h"
#include "mqshow/base/mpi_calls.h"
#include "mqshow/stack/callsite.h"
#include "mqshow/stack/frame_flow.h"
#include "mqshow/stack/threads.h"
#include "mqshow/symbols/image.h"

#include <stdlib.h>

enum {
    SITES_MAX = 1000, // calls in the functions that are looked into
    ARGUMENT_BYTES = 8,
};

/** A call in the code of a function. */
struct begun_site {
    uint64_t after; // address to return to
    char *name;     // of the call; NULL: it begins no collective
    struct mpi_begin begin;
    bool may; // it is another one, and leads to one that may begin a collective
};

/** The name of a function that begins a collective, for free(); NULL: it is none. */
static char *
beginning(const struct image *image, uint64_t function, struct mpi_begin *ret)
{
    const char *symbol = callsite_symbol_at(image, function);
    char *name = symbol != NULL ? mpi_call_name(symbol) : NULL;
    if (name != NULL && mpi_call_begins(name, ret))
        return name;
    free(name);
    return NULL;
}

/** A parallel region or a task is code of the program, too. */
static bool
is_beginning(const struct image *image, enum runtime runtime, uint64_t function)
{
    struct mpi_begin begin;
    char *name = beginning(image, function, &begin);
    free(name);
    return name != NULL || runtime == RUNTIME_OPENMP;
}

void
begun_init(struct begun *begun, const struct image *image)
{
    *begun = (struct begun){image, {.image = image, .is_meant = is_beginning}, NULL, 0, 0};
}

/** What the call is that returns to an address. @return its number; SITES_MAX: not known */
static size_t
site_at(struct begun *begun, uint64_t after)
{
    uint64_t function;
    for (size_t i = 0; i < begun->count; i++)
        if (begun->sites[i].after == after)
            return i;
    if (begun->count == SITES_MAX)
        return SITES_MAX;
    struct begun_site site = {.after = after, .may = true};
    if (callsite_entry(begun->image, after, &function)) {
        site.name = beginning(begun->image, function, &site.begin);
        site.may = site.name == NULL && leads_may(&begun->begins, function);
    }
    *ALLOC_ADD(begun->sites, begun->count, begun->capacity) = site;
    return begun->count - 1;
}

/** What a call passes as a parameter. @param number from 1 */
static struct flow_value
argument(const struct machine *machine, const struct flow_state *state, unsigned number)
{
    const struct flow_value *top = &state->registers[machine->stack];
    if (number <= machine->n_arguments)
        return state->registers[machine->arguments[number - 1]];
    int64_t place = top->offset + (int64_t) (number - 1 - machine->n_arguments) * ARGUMENT_BYTES;
    for (uint8_t i = 0; i < state->n_slots && top->base == FLOW_FRAME; i++)
        if (state->slots[i].offset == place)
            return state->slots[i].value;
    return (struct flow_value){FLOW_OTHER, 0};
}

static void
note_call(void *context, struct flow_state *state, const struct insn *insn, uint64_t after)
{
    struct begun *begun = context;
    if (callsite_is_unbound(begun->image, insn->target))
        return;
    size_t number = site_at(begun, after);
    const struct begun_site *site = number < SITES_MAX ? &begun->sites[number] : NULL;
    if (site != NULL && site->name == NULL && !site->may)
        return;
    struct flow_value request = {FLOW_OTHER, 0};
    if (site != NULL && site->name != NULL)
        request = argument(machine_of(image_machine(begun->image)), state, site->begin.request_at);
    flow_forget_marks(state, FLOW_ANY_KIND, request);
    flow_mark(state, (int) number, request);
}

/** Whether the call that a frame makes may have begun another collective meanwhile. */
static bool
may_have_begun(struct begun *begun, const struct thread *thread, size_t number)
{
    size_t site = number > 0 ? site_at(begun, thread->frames[number].address) : SITES_MAX;
    return site == SITES_MAX || begun->sites[site].name != NULL || begun->sites[site].may;
}

size_t
begun_find(struct begun *begun, const struct thread *thread, size_t number,
           struct begun_call ret[FLOW_MARKS])
{
    struct frame_flow frame;
    size_t count = 0;
    if (may_have_begun(begun, thread, number) ||
        !frame_flow_init(&frame, begun->image, thread, number, note_call, begun))
        return 0;
    for (uint8_t i = 0; i < frame.state.n_marks; i++) {
        const struct flow_mark *mark = &frame.state.marks[i];
        const struct begun_site *site = &begun->sites[mark->kind];
        ret[count] =
            (struct begun_call){site->name, site->begin.persistent, 0, .after = site->after};
        count += frame_flow_value(&frame, mark->value, &ret[count].address);
    }
    frame_flow_deinit(&frame);
    return count;
}

void
begun_deinit(struct begun *begun)
{
    for (size_t i = 0; i < begun->count; i++)
        free(begun->sites[i].name);
    free(begun->sites);
    leads_deinit(&begun->begins);
}
