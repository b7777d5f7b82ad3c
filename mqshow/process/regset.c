// SPDX-License-Identifier: BSD-3-Clause
// The registers of a thread as the kernel gives them, by their numbers in debug information.
#include "mqshow/process/regset.h"

#include <string.h>

enum { NUMBERS_MAX = 33, NONE = -1 };

struct regset {
    GElf_Half machine;
    int width;            // bytes of a word
    int first, count;     // numbers in debug information that libdwfl wants
    int word;             // of `first`; the others follow it
    const uint8_t *words; // of each instead, where they are not in that order
    int stack_pointer;    // its number
    int pc;               // its word; NONE: it has a number
    int link, link_word;  // number and word of what holds the return address; NONE: it is above
};

static const uint8_t x86_64[] = {10, 12, 11, 5, 13, 14, 4, 19, 9, 8, 7, 6, 3, 2, 1, 0, 16};
static const uint8_t i386[] = {6, 1, 2, 0, 15, 5, 3, 4, 12};

/** As the kernel's <asm/ptrace.h> and the machine's ABI number them. */
static const struct regset regsets[] = {
    {EM_X86_64, 8, 0, 17, NONE, x86_64, 7, NONE, NONE, NONE},
    {EM_386, 4, 0, 9, NONE, i386, 4, NONE, NONE, NONE},
    {EM_AARCH64, 8, 0, 32, 0, NULL, 31, 32, NONE, NONE},
    {EM_ARM, 4, 0, 16, 0, NULL, 13, NONE, NONE, NONE},
    {EM_PPC64, 8, 0, 32, 0, NULL, 1, 32, 65, 36},
    {EM_S390, 8, 0, 16, 2, NULL, 15, 1, NONE, NONE},
    {EM_RISCV, 8, 1, 31, 1, NULL, 2, 0, NONE, NONE},
};

const struct regset *
regset_of(GElf_Half machine)
{
    for (size_t i = 0; i < sizeof regsets / sizeof *regsets; i++)
        if (regsets[i].machine == machine)
            return &regsets[i];
    return NULL;
}

int
regset_stack_pointer(const struct regset *regset)
{
    return regset != NULL ? regset->stack_pointer : NONE;
}

/** A word of them. @return false when they have none of that number */
static bool
take_word(const struct regset *regset, int word, const void *bytes, size_t size, uint64_t *ret)
{
    size_t width = (size_t) regset->width, at = (size_t) word * width;
    uint32_t narrow = 0;
    uint64_t wide = 0;
    if (size < width || at > size - width)
        return false;
    memcpy(width == sizeof wide ? (void *) &wide : &narrow, (const char *) bytes + at, width);
    *ret = width == sizeof wide ? wide : narrow;
    return true;
}

static int
word_of(const struct regset *regset, int number)
{
    int i = number - regset->first;
    return regset->words != NULL ? regset->words[i] : regset->word + i;
}

bool
regset_stack(const struct regset *regset, const void *bytes, size_t size, uint64_t *ret)
{
    return take_word(regset, word_of(regset, regset->stack_pointer), bytes, size, ret);
}

bool
regset_give(const struct regset *regset, const void *bytes, size_t size, Dwfl_Thread *thread)
{
    Dwarf_Word values[NUMBERS_MAX], link, pc;
    for (int i = 0; i < regset->count; i++)
        if (!take_word(regset, word_of(regset, regset->first + i), bytes, size, &values[i]))
            return false;
    if (!dwfl_thread_state_registers(thread, regset->first, (unsigned) regset->count, values))
        return false;
    if (regset->link != NONE && (!take_word(regset, regset->link_word, bytes, size, &link) ||
                                 !dwfl_thread_state_registers(thread, regset->link, 1, &link)))
        return false;
    if (regset->pc == NONE)
        return true;
    if (!take_word(regset, regset->pc, bytes, size, &pc))
        return false;
    dwfl_thread_state_register_pc(thread, pc);
    return true;
}
