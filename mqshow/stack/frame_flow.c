// SPDX-License-Identifier: BSD-3-Clause
// The values that a frame of a stack has, by the flow of its function's code.
#include "mqshow/stack/frame_flow.h"

#include "mqshow/base/alloc.h"
#include "mqshow/process/memory.h"
#include "mqshow/stack/callsite.h"
#include "mqshow/stack/threads.h"
#include "mqshow/symbols/image.h"

#include <stdlib.h>
#include <string.h>

enum { CODE_MAX = 1 << 15 }; // bytes of a function

bool
function_code_read(const struct image *image, uint64_t start, struct function_code *ret)
{
    const struct module *module = image_module_at(image, start);
    if (module == NULL || machine_of(image_machine(image)) == NULL)
        return false;
    uint64_t size = objfile_function_room(module->file, start - module->bias);
    size = size < module->end - start ? size : module->end - start;
    size = size < CODE_MAX ? size : CODE_MAX;
    unsigned char *bytes = alloc_zeroed(size + 1, 1);
    *ret = (struct function_code){
        machine_of(image_machine(image)), bytes, size, start, image, callsite_may_return};
    if (size > 0 && memory_read(&image->debuggee, start, size, bytes))
        return true;
    free(bytes);
    return false;
}

/** Whether a function's code begins at an address, not a part that the compiler moved elsewhere. */
static bool
is_whole(const struct image *image, uint64_t start)
{
    const char *symbol = callsite_symbol_at(image, start);
    return symbol == NULL || strstr(symbol, ".cold") == NULL;
}

/** Where the function of a frame begins, by its symbol, or else by the call that led there. */
static bool
find_start(const struct image *image, const struct thread *thread, size_t number, uint64_t *ret)
{
    uint64_t pc = thread->frames[number].pc, offset;
    const struct module *module = image_module_at(image, pc);
    if (module != NULL && objfile_function_offset(module->file, pc - module->bias, &offset)) {
        *ret = pc - offset;
        return is_whole(image, *ret);
    }
    return number + 1 < thread->n_frames &&
           callsite_entry(image, thread->frames[number + 1].address, ret);
}

/** The instruction that a frame executes; NULL: the flow does not lead there. */
static const struct flow_insn *
find_insn(const struct flow *flow, uint64_t address, bool in_call)
{
    for (size_t i = 0; i < flow->count; i++) {
        const struct flow_insn *at = &flow->insns[i];
        if (in_call ? at->insn.kind == INSN_CALL && at->address + at->insn.length == address
                    : at->address == address)
            return at;
    }
    return NULL;
}

bool
frame_flow_init(struct frame_flow *frame, const struct image *image, const struct thread *thread,
                size_t number,
                void (*note_call)(void *context, struct flow_state *state, const struct insn *call,
                                  uint64_t after),
                void *context)
{
    const struct frame *at = &thread->frames[number];
    uint64_t start;
    *frame = (struct frame_flow){.image = image, .thread = thread, .number = number};
    if (!find_start(image, thread, number, &start) ||
        !function_code_read(image, start, &frame->code))
        return false;
    const struct flow_question question = {
        .code = &frame->code, .all = true, .note_call = note_call, .context = context};
    const struct flow_insn *insn = flow_init(&frame->flow, &question)
                                       ? find_insn(&frame->flow, at->address, number > 0)
                                       : NULL;
    if (insn == NULL) {
        frame_flow_deinit(frame);
        return false;
    }
    frame->insn = insn->insn;
    frame->state = insn->state;
    return true;
}

void
frame_flow_deinit(struct frame_flow *frame)
{
    flow_deinit(&frame->flow);
    free((void *) frame->code.bytes);
}

/** Finds a value in a register that has it, or something at a distance from it. */
static bool
find_in_registers(const struct frame_flow *frame, struct flow_value value, uint64_t *ret)
{
    const struct registers *registers = frame->thread->frames[frame->number].registers;
    uint32_t known = registers != NULL ? registers->known : 0;
    if (frame->number > 0)
        known &= frame->code.machine->kept;
    for (unsigned i = 0; i < MACHINE_REGISTERS; i++) {
        const struct flow_value *held = &frame->state.registers[i];
        if ((known & UINT32_C(1) << i) == 0 || held->base != value.base)
            continue;
        *ret = registers->values[i] + (uint64_t) value.offset - (uint64_t) held->offset;
        return true;
    }
    return false;
}

static bool
find_in_slots(const struct frame_flow *frame, uint64_t cfa, struct flow_value value, uint64_t *ret)
{
    for (uint8_t i = 0; i < frame->state.n_slots; i++) {
        const struct flow_slot *slot = &frame->state.slots[i];
        if (slot->value.base != value.base || !flow_keeps(&frame->flow, slot->offset) ||
            !memory_read_uint(&frame->image->debuggee, cfa + (uint64_t) (int64_t) slot->offset,
                              sizeof *ret, ret))
            continue;
        *ret += (uint64_t) value.offset - (uint64_t) slot->value.offset;
        return true;
    }
    return false;
}

bool
frame_flow_value(const struct frame_flow *frame, struct flow_value value, uint64_t *ret)
{
    const struct thread *thread = frame->thread;
    uint64_t cfa = frame->number + 1 < thread->n_frames ? thread->frames[frame->number + 1].sp : 0;
    bool is_number = value.base == FLOW_NUMBER, is_frame = value.base == FLOW_FRAME && cfa != 0;
    if (is_number || is_frame) {
        *ret = (is_frame ? cfa : 0) + (uint64_t) value.offset;
        return true;
    }
    return value.base >= FLOW_ENTRY && (find_in_registers(frame, value, ret) ||
                                        (cfa != 0 && find_in_slots(frame, cfa, value, ret)));
}
