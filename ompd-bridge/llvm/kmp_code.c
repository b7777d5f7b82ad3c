// SPDX-License-Identifier: BSD-3-Clause
// Recognises where code loads a variable of its own library.
//
// Such a function makes sure that the runtime has started, loads the variable and returns. What
// does not look exactly like that is not understood.
#include "ompd-bridge/llvm/kmp_code.h"
#include "target/code.h"
#include "target/machine/machine.h"

enum {
    CODE_MAX = 192,     // bytes of a function that are looked at
    NEAR = 1024 * 1024, // bytes between variables of one library
};

struct code {
    const struct machine *machine;
    uint8_t bytes[CODE_MAX];
    size_t size;
    taddr addr;
};

static bool
next(const struct code *code, size_t *at, struct insn *ret)
{
    return machine_sweep(code->machine, code->bytes, code->size, code->addr, at, ret);
}

// Whether an instruction takes a stack frame down, and leaves a register as it is.
static bool
unwinds(const struct code *code, const struct insn *insn, int8_t reg)
{
    bool moves =
        insn->base == (int8_t) code->machine->stack &&
        (insn->kind == INSN_LOAD || (insn->kind == INSN_ADDRESS && insn->to == insn->base));
    return moves && (insn->clobbers & UINT32_C(1) << reg) == 0;
}

// Whether the value of a register is what the function returns. A text is not returned, but its
// length taken: it becomes the argument of a call.
static bool
is_returned(const struct code *code, size_t at, int8_t reg)
{
    const struct machine *machine = code->machine;
    struct insn insn;
    while (next(code, &at, &insn)) {
        if (insn.kind == INSN_RETURN)
            return reg == (int8_t) machine->result;
        if (insn.kind == INSN_COPY && insn.from == reg && insn.width == 8 &&
            insn.to == (int8_t) machine->arguments[0])
            return next(code, &at, &insn) && insn.kind == INSN_CALL;
        if (!unwinds(code, &insn, reg))
            return false;
    }
    return false;
}

// The end of the code may be the end of a mapping.
enum status
kmp_code_returned(const struct kmp *kmp, const char *function, uint64_t size, taddr *ret)
{
    struct code code = {.size = CODE_MAX};
    const struct target *target = &kmp->inf->target;
    taddr found, addr;
    bool fits = kmp->inf->model.pointer_size == 8 && !kmp->inf->model.big_endian;
    if (!fits || !target->ops->find_function(target->host, function, &addr))
        return trail_begin(&kmp->inf->trail, STATUS_ABSENT, "there is no %s to look into",
                           function);
    code.addr = addr;
    TRY(code_read(kmp->inf, addr, &code.size, code.bytes));
    code.machine = code_machine(code.bytes, code.size, addr);
    struct insn_refs refs = {.addresses = {0}};
    struct insn insn;
    for (size_t at = 0; next(&code, &at, &insn);) {
        found = insn_refs_address(&refs, &insn);
        insn_refs_apply(&refs, &insn);
        if (insn.kind == INSN_LOAD && insn.width == size && insn.second < 0 && found != 0 &&
            found - (kmp->variable - NEAR) <= 2 * NEAR && found % size == 0 && insn.to >= 0 &&
            is_returned(&code, at, insn.to)) {
            *ret = found;
            return STATUS_OK;
        }
    }
    return trail_begin(&kmp->inf->trail, STATUS_ABSENT, "the code of %s is of no known shape",
                       function);
}
