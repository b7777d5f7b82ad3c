// SPDX-License-Identifier: BSD-3-Clause
// The instructions of x86-64, as Capstone reads them, reduced to steps.
#include "mqshow/stack/keptargs_parts.h"

#include "mqshow/base/alloc.h"
#include "mqshow/symbols/convention.h"

#include <capstone.h>
#include <elf.h>
#include <stdlib.h>

enum { FRAME_POINTER = 6 };

struct decoder {
    const struct function_code *code;
    csh handle;
    cs_insn *insn;
};

/** The names of a register's parts, by the register's number. */
static const x86_reg parts[REGISTERS][5] = {
    {X86_REG_RAX, X86_REG_EAX, X86_REG_AX, X86_REG_AL, X86_REG_AH},
    {X86_REG_RDX, X86_REG_EDX, X86_REG_DX, X86_REG_DL, X86_REG_DH},
    {X86_REG_RCX, X86_REG_ECX, X86_REG_CX, X86_REG_CL, X86_REG_CH},
    {X86_REG_RBX, X86_REG_EBX, X86_REG_BX, X86_REG_BL, X86_REG_BH},
    {X86_REG_RSI, X86_REG_ESI, X86_REG_SI, X86_REG_SIL},
    {X86_REG_RDI, X86_REG_EDI, X86_REG_DI, X86_REG_DIL},
    {X86_REG_RBP, X86_REG_EBP, X86_REG_BP, X86_REG_BPL},
    {X86_REG_RSP, X86_REG_ESP, X86_REG_SP, X86_REG_SPL},
    {X86_REG_R8, X86_REG_R8D, X86_REG_R8W, X86_REG_R8B},
    {X86_REG_R9, X86_REG_R9D, X86_REG_R9W, X86_REG_R9B},
    {X86_REG_R10, X86_REG_R10D, X86_REG_R10W, X86_REG_R10B},
    {X86_REG_R11, X86_REG_R11D, X86_REG_R11W, X86_REG_R11B},
    {X86_REG_R12, X86_REG_R12D, X86_REG_R12W, X86_REG_R12B},
    {X86_REG_R13, X86_REG_R13D, X86_REG_R13W, X86_REG_R13B},
    {X86_REG_R14, X86_REG_R14D, X86_REG_R14W, X86_REG_R14B},
    {X86_REG_R15, X86_REG_R15D, X86_REG_R15W, X86_REG_R15B},
};

static int8_t
number_of(unsigned reg)
{
    for (int8_t i = 0; i < REGISTERS; i++)
        for (size_t k = 0; k < sizeof parts[i] / sizeof *parts[i]; k++)
            if (reg != X86_REG_INVALID && parts[i][k] == reg)
                return i;
    return NO_REGISTER;
}

static bool
is_register(const cs_x86_op *op)
{
    return op->type == X86_OP_REG && op->size >= 4 && number_of(op->reg) != NO_REGISTER;
}

/** Whether an operand is memory at a distance from one register. */
static bool
is_at_register(const cs_x86_op *op)
{
    return op->type == X86_OP_MEM && op->mem.segment == X86_REG_INVALID &&
           op->mem.index == X86_REG_INVALID && number_of(op->mem.base) != NO_REGISTER;
}

static void
set_memory(struct step *step, const cs_x86_op *op)
{
    step->base = number_of(op->mem.base);
    step->offset = (int32_t) op->mem.disp;
}

/** Whether an instruction only reads its first operand. */
static bool
only_reads(unsigned id)
{
    return id == X86_INS_CMP || id == X86_INS_TEST || id == X86_INS_PUSH || id == X86_INS_CALL ||
           id == X86_INS_JMP || id == X86_INS_NOP || id == X86_INS_BT;
}

/** Notes which memory an instruction writes to. */
static void
set_written(struct step *step, const cs_insn *insn)
{
    const cs_x86 *x86 = &insn->detail->x86;
    for (uint8_t i = 0; i < x86->op_count; i++) {
        const cs_x86_op *op = &x86->operands[i];
        bool writes = i == 0 ? !only_reads(insn->id) : (op->access & CS_AC_WRITE) != 0;
        if (op->type != X86_OP_MEM || !writes || insn->id == X86_INS_LEA)
            continue;
        set_memory(step, op);
        step->written = op->size;
        step->anywhere = op->mem.index != X86_REG_INVALID || x86->prefix[0] != 0 || op->size == 0;
    }
}

static void
set_move(struct step *step, const cs_x86_op *to, const cs_x86_op *from)
{
    if (is_register(to) && is_register(from)) {
        *step = (struct step){.kind = STEP_COPY,
                              .to = number_of(to->reg),
                              .from = number_of(from->reg),
                              .base = NO_REGISTER,
                              .width = from->size};
    } else if (is_register(to) && is_at_register(from)) {
        *step = (struct step){
            .kind = STEP_LOAD, .to = number_of(to->reg), .from = NO_REGISTER, .width = from->size};
        set_memory(step, from);
    } else if (is_at_register(to) && is_register(from)) {
        *step = (struct step){.kind = STEP_STORE,
                              .to = NO_REGISTER,
                              .from = number_of(from->reg),
                              .width = from->size,
                              .written = from->size};
        set_memory(step, to);
    }
}

/** A sum of a register and a number. */
static void
set_address(struct step *step, const cs_x86_op *to, int64_t distance)
{
    if (to->type == X86_OP_REG && to->size == sizeof(uint64_t) && distance == (int32_t) distance) {
        step->kind = STEP_ADDRESS;
        step->to = number_of(to->reg);
        step->offset = (int32_t) distance;
    }
}

static void
set_kind(struct step *step, const cs_insn *insn)
{
    const cs_x86_op *ops = insn->detail->x86.operands;
    switch (insn->id) {
    case X86_INS_MOV:
    case X86_INS_MOVSXD:
        set_move(step, &ops[0], &ops[1]);
        break;
    case X86_INS_LEA:
        if (is_at_register(&ops[1])) {
            set_address(step, &ops[0], ops[1].mem.disp);
            step->base = number_of(ops[1].mem.base);
        }
        break;
    case X86_INS_ADD:
    case X86_INS_SUB:
        if (ops[1].type == X86_OP_IMM && is_register(&ops[0])) {
            set_address(step, &ops[0], insn->id == X86_INS_ADD ? ops[1].imm : -ops[1].imm);
            step->base = number_of(ops[0].reg);
        }
        break;
    case X86_INS_PUSH:
        step->kind = STEP_PUSH;
        step->from = is_register(&ops[0]) ? number_of(ops[0].reg) : NO_REGISTER;
        break;
    case X86_INS_POP:
        step->kind = STEP_POP;
        step->to = is_register(&ops[0]) ? number_of(ops[0].reg) : NO_REGISTER;
        break;
    case X86_INS_CALL:
        step->kind = STEP_CALL;
        break;
    case X86_INS_LEAVE:
        step->kind = STEP_LEAVE;
        step->to = FRAME_POINTER;
        break;
    default:
        break;
    }
}

static void
set_clobbers(struct step *step, csh handle, const cs_insn *insn)
{
    cs_regs reads, writes;
    uint8_t n_reads, n_writes;
    if (cs_regs_access(handle, insn, reads, &n_reads, writes, &n_writes) != CS_ERR_OK)
        n_writes = 0;
    for (uint8_t i = 0; i < n_writes; i++) {
        int8_t number = number_of(writes[i]);
        if (number != NO_REGISTER)
            step->clobbers |= UINT32_C(1) << number;
    }
    bool moves_stack = step->kind == STEP_PUSH || step->kind == STEP_POP ||
                       step->kind == STEP_LEAVE || step->kind == STEP_CALL;
    if (moves_stack)
        step->clobbers &= ~(UINT32_C(1) << STACK_POINTER);
    if (step->kind == STEP_CALL)
        step->clobbers |= ~convention_of(EM_X86_64)->kept & ((UINT32_C(1) << REGISTERS) - 1);
}

static bool
falls_through(const struct function_code *code, const cs_insn *insn)
{
    const cs_x86_op *op = &insn->detail->x86.operands[0];
    if (insn->id == X86_INS_CALL && op->type == X86_OP_IMM && code->returns != NULL)
        return code->returns(code->context, (uint64_t) op->imm);
    return insn->id != X86_INS_JMP && insn->id != X86_INS_RET && insn->id != X86_INS_UD2 &&
           insn->id != X86_INS_HLT && insn->id != X86_INS_INT3;
}

static struct step
step_of(const struct function_code *code, csh handle, const cs_insn *insn)
{
    struct step step = {.to = NO_REGISTER, .from = NO_REGISTER, .base = NO_REGISTER};
    const cs_x86_op *ops = insn->detail->x86.operands;
    bool jumps = cs_insn_group(handle, insn, CS_GRP_JUMP);
    set_written(&step, insn);
    set_kind(&step, insn);
    set_clobbers(&step, handle, insn);
    step.falls = falls_through(code, insn);
    step.leaves = jumps && ops[0].type != X86_OP_IMM;
    step.next = insn->address + insn->size;
    step.jump = jumps && !step.leaves ? (uint64_t) ops[0].imm : 0;
    return step;
}

bool
decoder_step(struct decoder *decoder, uint64_t address, struct step *ret)
{
    const struct function_code *code = decoder->code;
    if (address < code->start || address - code->start >= code->size)
        return false;
    const uint8_t *bytes = code->bytes + (address - code->start);
    size_t left = code->size - (address - code->start);
    if (!cs_disasm_iter(decoder->handle, &bytes, &left, &address, decoder->insn))
        return false;
    *ret = step_of(code, decoder->handle, decoder->insn);
    return true;
}

struct decoder *
decoder_open(const struct function_code *code)
{
    struct decoder *decoder = alloc_zeroed(1, sizeof *decoder);
    decoder->code = code;
    if (cs_open(CS_ARCH_X86, CS_MODE_64, &decoder->handle) == CS_ERR_OK) {
        if (cs_option(decoder->handle, CS_OPT_DETAIL, CS_OPT_ON) == CS_ERR_OK)
            decoder->insn = cs_malloc(decoder->handle);
        if (decoder->insn != NULL)
            return decoder;
        cs_close(&decoder->handle);
    }
    free(decoder);
    return NULL;
}

void
decoder_close(struct decoder *decoder)
{
    cs_free(decoder->insn, 1);
    cs_close(&decoder->handle);
    free(decoder);
}
