// SPDX-License-Identifier: BSD-3-Clause
// What all machines have in common.
#include "target/machine/machine.h"

#include <elf.h>

const struct machine *
machine_of(uint16_t elf)
{
    static const struct machine *const machines[] = {&machine_x86_64, &machine_aarch64};
    for (size_t i = 0; i < sizeof machines / sizeof *machines; i++)
        if (machines[i]->elf == elf)
            return machines[i];
    return NULL;
}

static uint32_t
bit_of(int8_t reg)
{
    return reg >= 0 ? UINT32_C(1) << reg : 0;
}

bool
machine_decode(const struct machine *machine, const uint8_t *code, size_t size, uint64_t addr,
               struct insn *ret)
{
    *ret = (struct insn){.to = INSN_NO_REGISTER,
                         .from = INSN_NO_REGISTER,
                         .second = INSN_NO_REGISTER,
                         .base = INSN_NO_REGISTER};
    if (!machine->decode(code, size, addr, ret))
        return false;
    ret->falls = ret->kind != INSN_JUMP && ret->kind != INSN_RETURN && ret->kind != INSN_STOP;
    ret->clobbers |= bit_of(ret->to);
    if (ret->kind == INSN_LOAD)
        ret->clobbers |= bit_of(ret->second);
    if (ret->kind == INSN_CALL)
        ret->clobbers |= ~machine->kept;
    if (ret->kind == INSN_LEAVE)
        ret->clobbers |= bit_of((int8_t) machine->stack);
    return true;
}

bool
machine_sweep(const struct machine *machine, const uint8_t *code, size_t size, uint64_t addr,
              size_t *at, struct insn *ret)
{
    while (*at < size) {
        size_t here = *at;
        bool good = machine_decode(machine, code + here, size - here, addr + here, ret);
        *at += good ? ret->length : machine->alignment;
        if (good)
            return true;
    }
    return false;
}

uint64_t
insn_refs_address(const struct insn_refs *refs, const struct insn *insn)
{
    bool computes = insn->kind == INSN_ADDRESS || insn->kind == INSN_PAGE;
    if ((!computes && !insn->memory) || insn->thread || insn->inexact)
        return 0;
    uint64_t base = insn->base >= 0 ? refs->addresses[insn->base] : 0;
    return base != 0 || insn->base == INSN_ABSOLUTE ? base + (uint64_t) insn->offset : 0;
}

void
insn_refs_apply(struct insn_refs *refs, const struct insn *insn)
{
    uint64_t at = insn_refs_address(refs, insn), address = 0, slot = 0;
    if (insn->kind == INSN_ADDRESS || insn->kind == INSN_PAGE) {
        address = insn->width == sizeof at ? at : 0;
    } else if (insn->kind == INSN_LOAD) {
        slot = insn->width == sizeof at ? at : 0;
    } else if (insn->kind == INSN_COPY && insn->width == sizeof at) {
        address = refs->addresses[insn->from];
        slot = refs->slots[insn->from];
    }
    for (unsigned i = 0; i < MACHINE_REGISTERS; i++)
        if ((insn->clobbers & UINT32_C(1) << i) != 0)
            refs->addresses[i] = refs->slots[i] = 0;
    if (insn->change != 0 && insn->base >= 0)
        refs->addresses[insn->base] = refs->slots[insn->base] = 0;
    if (insn->to >= 0) {
        refs->addresses[insn->to] = address;
        refs->slots[insn->to] = slot;
    }
}
