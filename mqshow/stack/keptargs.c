// SPDX-License-Identifier: BSD-3-Clause
// Where the code of a function keeps an argument: a place counts when it holds the argument on
// every path to an instruction.
#include "mqshow/stack/keptargs.h"

#include "mqshow/base/alloc.h"

#include <stdlib.h>

static bool
follow_argument(struct flow *flow, const struct function_code *code,
                const struct kept_argument *wanted)
{
    const struct flow_question question = {
        .code = code, .argument = wanted->number, .width = (uint8_t) wanted->width};
    return flow_init(flow, &question);
}

static bool
list_places(const struct flow *flow, const struct flow_state *state, struct kept_places *ret)
{
    *ret = (struct kept_places){.offsets = alloc_zeroed(FLOW_SLOTS, sizeof *ret->offsets)};
    for (unsigned i = 0; i < MACHINE_REGISTERS; i++)
        if (state->registers[i].base == FLOW_ARGUMENT)
            ret->registers |= UINT32_C(1) << i;
    for (uint8_t i = 0; i < state->n_slots; i++)
        if (state->slots[i].value.base == FLOW_ARGUMENT && flow_keeps(flow, state->slots[i].offset))
            ret->offsets[ret->n_offsets++] = state->slots[i].offset;
    if (ret->registers != 0 || ret->n_offsets > 0)
        return true;
    free(ret->offsets);
    ret->offsets = NULL;
    return false;
}

bool
keptargs_find(const struct function_code *code, const struct kept_argument *wanted, uint64_t pc,
              struct kept_places *ret)
{
    struct flow flow;
    bool fine = follow_argument(&flow, code, wanted);
    const struct flow_state *state = fine ? flow_at(&flow, pc) : NULL;
    bool found = state != NULL && list_places(&flow, state, ret);
    flow_deinit(&flow);
    return found;
}

/** Whether an instruction passes control on to another function, as passed_on has it. */
static bool
passes_control(const struct flow *flow, const struct flow_insn *at, uint64_t pc)
{
    const struct insn *insn = &at->insn;
    if (insn->kind == INSN_CALL)
        return at->address + insn->length == pc;
    return (insn->kind == INSN_JUMP || insn->kind == INSN_BRANCH) &&
           insn->target - flow->question.code->start >= flow->question.code->size &&
           flow_is_as_entered(flow, &at->state);
}

size_t
keptargs_passed_on(const struct function_code *code, const struct kept_argument *wanted,
                   uint64_t pc, struct passed_on ret[PASSED_ON_MAX])
{
    const struct machine *machine = code->machine;
    struct flow flow;
    size_t count = 0;
    bool fine = follow_argument(&flow, code, wanted);
    for (size_t i = 0; i < flow.count && fine; i++) {
        const struct flow_insn *at = &flow.insns[i];
        for (unsigned k = 0; k < machine->n_arguments && passes_control(&flow, at, pc); k++) {
            if (at->state.registers[machine->arguments[k]].base != FLOW_ARGUMENT)
                continue;
            fine = count < PASSED_ON_MAX;
            if (fine)
                ret[count++] = (struct passed_on){at->insn.target, k, at->insn.kind == INSN_CALL};
        }
    }
    flow_deinit(&flow);
    return fine ? count : 0;
}
