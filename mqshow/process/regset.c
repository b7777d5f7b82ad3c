// SPDX-License-Identifier: BSD-3-Clause
// The registers of a thread as the kernel gives them, by their numbers in debug information.
#include "mqshow/process/regset.h"

#include "mqshow/process/bytes.h"

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
    int stub_word;        // of `first` as stubs order them; the others follow it
    const uint8_t *stub_words; // of each instead, where they are not in that order
    size_t stub_pc, stub_link; // bytes before these there; 0: they have numbers
};

static const uint8_t x86_64[] = {10, 12, 11, 5, 13, 14, 4, 19, 9, 8, 7, 6, 3, 2, 1, 0, 16};
static const uint8_t i386[] = {6, 1, 2, 0, 15, 5, 3, 4, 12};
static const uint8_t stub_x86_64[] = {0, 3, 2, 1, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};

/** As the kernel's <asm/ptrace.h> the machine's ABI and GDB's target
 * descriptions number them. */
static const struct regset regsets[] = {
    {EM_X86_64, 8, 0, 17, NONE, x86_64, 7, NONE, NONE, NONE, 0, stub_x86_64, 0, 0},
    {EM_386, 4, 0, 9, NONE, i386, 4, NONE, NONE, NONE, 0, NULL, 0, 0},
    {EM_AARCH64, 8, 0, 32, 0, NULL, 31, 32, NONE, NONE, 0, NULL, 256, 0},
    {EM_ARM, 4, 0, 16, 0, NULL, 13, NONE, NONE, NONE, 0, NULL, 0, 0},
    {EM_PPC64, 8, 0, 32, 0, NULL, 1, 32, 65, 36, 0, NULL, 512, 532},
    {EM_S390, 8, 0, 16, 2, NULL, 15, 1, NONE, NONE, 2, NULL, 8, 0},
    {EM_RISCV, 8, 1, 31, 1, NULL, 2, 0, NONE, NONE, 1, NULL, 256, 0},
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
    if (size < width || at > size - width)
        return false;
    *ret = bytes_uint((const char *) bytes + at, width);
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

// Registers that only the kernel has among these, and their words there.
enum { ORIG_RAX = 15, RAX = 10, FS_BASE = 21 };
static const struct {
    const char *name; // in descriptions of stubs
    int word;
} named[REGSET_NAMED] = {{"orig_rax", ORIG_RAX}, {"fs_base", FS_BASE}};

#ifdef __x86_64__

bool
regset_call(const struct regset *regset, const void *bytes, size_t size, struct made_call *ret)
{
    static const int arguments[] = {5, 4, 1, 10, 8, 9}; // numbers
    // What the kernel has in the place of a result until the call goes on or fails: -EINTR, or one
    // of its own, from -ERESTARTSYS to -ERESTART_RESTARTBLOCK.
    enum { INTERRUPTED = -4, RESTART_FIRST = -512, RESTART_LAST = -516 };
    uint64_t number, result;
    if (regset == NULL || regset->machine != EM_X86_64 ||
        !take_word(regset, ORIG_RAX, bytes, size, &number) ||
        !take_word(regset, RAX, bytes, size, &result))
        return false;
    for (size_t i = 0; i < sizeof arguments / sizeof *arguments; i++)
        if (!take_word(regset, word_of(regset, arguments[i]), bytes, size, &ret->arguments[i]))
            return false;
    int64_t value = (int64_t) result;
    bool waits = value == INTERRUPTED || (value <= RESTART_FIRST && value >= RESTART_LAST);
    ret->number = waits && (int64_t) number >= 0 ? (long) number : -1;
    return true;
}

#else

bool
regset_call(const struct regset *regset, const void *bytes, size_t size, struct made_call *ret)
{
    (void) regset, (void) bytes, (void) size, (void) ret;
    return false;
}

#endif

uint64_t
regset_pthread(const struct regset *regset, const void *bytes, size_t size)
{
    uint64_t pthread;
    return regset != NULL && regset->machine == EM_X86_64 &&
                   take_word(regset, FS_BASE, bytes, size, &pthread)
               ? pthread
               : 0;
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

size_t
regset_from_stub(const struct regset *regset, const void *bytes, size_t size, void *ret)
{
    size_t width = (size_t) regset->width, end = 0;
    const struct {
        int word; // NONE: there is none
        size_t offset;
    } special[] = {{regset->pc, regset->stub_pc}, {regset->link_word, regset->stub_link}};
    memset(ret, 0, REGSET_BYTES);
    for (int i = 0; i < regset->count + 2; i++) {
        bool is_special = i >= regset->count;
        int word =
            is_special ? special[i - regset->count].word : word_of(regset, regset->first + i);
        size_t offset = is_special
                            ? special[i - regset->count].offset
                            : width * (size_t) (regset->stub_words != NULL ? regset->stub_words[i]
                                                                           : regset->stub_word + i);
        if (word == NONE)
            continue;
        if (size < width || offset > size - width)
            return 0;
        size_t at = (size_t) word * width;
        memcpy((char *) ret + at, (const char *) bytes + offset, width);
        end = at + width > end ? at + width : end;
    }
    return end;
}

int
regset_named(const struct regset *regset, const char *name)
{
    for (int i = 0; i < REGSET_NAMED && regset != NULL && regset->machine == EM_X86_64; i++)
        if (strcmp(named[i].name, name) == 0)
            return i;
    return NONE;
}

bool
regset_add_named(const struct regset *regset, const size_t *offsets, const void *bytes, size_t size,
                 void *ret, size_t *ret_size)
{
    size_t width = (size_t) regset->width;
    bool all = true;
    for (int i = 0; i < REGSET_NAMED; i++) {
        size_t at = (size_t) named[i].word * width;
        bool given = offsets[i] != 0 && size >= width && offsets[i] <= size - width;
        if (given)
            memcpy((char *) ret + at, (const char *) bytes + offsets[i], width);
        if (given && at + width > *ret_size)
            *ret_size = at + width;
        all &= given;
    }
    return all;
}
