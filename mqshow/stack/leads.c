// SPDX-License-Identifier: BSD-3-Clause
// Whether functions of the program may lead to calls of some kind, as their code tells.
#include "mqshow/stack/leads.h"

#include "mqshow/base/alloc.h"
#include "mqshow/stack/callsite.h"
#include "mqshow/stack/frame_flow.h"
#include "mqshow/symbols/image.h"

#include <stdlib.h>

enum {
    FUNCTIONS_MAX = 1000, // that are looked into
    DEPTH_MAX = 50,       // of calls
};

static bool may(struct leads *leads, uint64_t function, int depth);

/** Whether the function that an instruction calls, or jumps to at the end, may lead there. */
static bool
insn_may(struct leads *leads, const struct function_code *code, uint64_t next,
         const struct insn *insn, int depth)
{
    uint64_t target = insn->target;
    if (callsite_is_unbound(leads->image, target))
        return false;
    if (insn->kind == INSN_CALL)
        return !callsite_entry(leads->image, next, &target) || may(leads, target, depth + 1);
    if (insn->kind != INSN_JUMP && insn->kind != INSN_BRANCH)
        return false;
    if (target - code->start < code->size)
        return false;
    callsite_follow(leads->image, &target);
    return insn->target == 0 || may(leads, target, depth + 1);
}

static bool
code_may(struct leads *leads, const struct function_code *code, int depth)
{
    struct insn insn;
    bool found = false;
    for (size_t at = 0;
         !found && machine_sweep(code->machine, code->bytes, code->size, code->start, &at, &insn);)
        found = insn_may(leads, code, code->start + at, &insn, depth);
    return found;
}

static bool
may(struct leads *leads, uint64_t function, int depth)
{
    struct function_code code;
    enum runtime runtime = image_runtime_at(leads->image, function);
    if (leads->is_meant(leads->image, runtime, function))
        return true;
    if (runtime != RUNTIME_NONE)
        return false;
    for (size_t i = 0; i < leads->count; i++)
        if (leads->items[i].function == function)
            return leads->items[i].may;
    if (leads->count >= FUNCTIONS_MAX || depth >= DEPTH_MAX)
        return true;
    // One that calls itself does what it does otherwise.
    size_t place = leads->count;
    *ALLOC_ADD(leads->items, leads->count, leads->capacity) = (struct led){function, false};
    bool found = true;
    if (function_code_read(leads->image, function, &code)) {
        found = code_may(leads, &code, depth);
        free((void *) code.bytes);
    }
    leads->items[place].may = found;
    return found;
}

bool
leads_may(struct leads *leads, uint64_t function)
{
    return may(leads, function, 0);
}

void
leads_deinit(struct leads *leads)
{
    free(leads->items);
}
