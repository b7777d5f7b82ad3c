// SPDX-License-Identifier: BSD-3-Clause
// Which function a call instruction calls.
#include "mqshow/stack/callsite.h"

#include "mqshow/symbols/srcloc.h"
#include "mqshow/symbols/image.h"
#include "mqshow/process/memory.h"
#include "mqshow/base/mpi_calls.h"
#include "target/machine/machine.h"

#include <stddef.h>
#include <string.h>

enum {
    INSN_MIN = 4 /* bytes */,
    JUMPS_MAX = 4,
    STUB_INSNS = 5,
    PAGE_MIN = 4096,
    FUNCTION_MAX = 1 << 14
};

/** Reads the instruction at an address, in so many bytes. */
static bool
read_insn(const struct image *image, uint64_t addr, size_t size, struct insn *ret)
{
    const struct machine *machine = machine_of(image_machine(image));
    unsigned char bytes[INSN_BYTES];
    return machine != NULL && memory_read(&image->debuggee, addr, size, bytes) &&
           machine_decode(machine, bytes, size, addr, ret);
}

/** Reads the instruction at an address, which may be the last one before memory that is not there.
 */
static bool
read_insn_at(const struct image *image, uint64_t addr, struct insn *ret)
{
    const size_t left = PAGE_MIN - addr % PAGE_MIN;
    return read_insn(image, addr, INSN_BYTES, ret) ||
           (left < INSN_BYTES && read_insn(image, addr, left, ret));
}

static bool
read_slot(const struct image *image, uint64_t slot, uint64_t *ret)
{
    return memory_read_uint(&image->debuggee, slot, sizeof(uint64_t), ret);
}

/** The slot that a stub of a procedure linkage table jumps through; 0: it is no stub. */
static uint64_t
slot_of_stub(const struct image *image, uint64_t addr)
{
    struct insn_refs refs = {.addresses = {0}};
    struct insn insn;
    for (int i = 0; i < STUB_INSNS && read_insn_at(image, addr, &insn); i++) {
        if (insn.kind == INSN_JUMP && insn.memory)
            return insn_refs_address(&refs, &insn);
        if (insn.kind == INSN_JUMP)
            return insn.from >= 0 ? refs.slots[insn.from] : 0;
        bool prepares = insn.kind == INSN_PAGE || insn.kind == INSN_ADDRESS ||
                        insn.kind == INSN_LOAD || (insn.kind == INSN_OTHER && insn.clobbers == 0);
        if (!prepares || insn.written != 0 || insn.change != 0)
            return 0;
        insn_refs_apply(&refs, &insn);
        addr += insn.length;
    }
    return 0;
}

void
callsite_follow(const struct image *image, uint64_t *addr)
{
    uint64_t slot = slot_of_stub(image, *addr);
    if (slot != 0)
        (void) read_slot(image, slot, addr);
}

/** Finds the function that the call before an address calls. */
static bool
find_target(const struct image *image, uint64_t after, uint64_t *ret)
{
    const struct machine *machine = machine_of(image_machine(image));
    const struct insn_refs none = {.addresses = {0}};
    struct insn insn;
    for (uint8_t size = machine != NULL ? machine->call_bytes : 0; size >= INSN_MIN; size--) {
        if (!read_insn(image, after - size, size, &insn) || insn.kind != INSN_CALL ||
            insn.length != size)
            continue;
        const uint64_t slot = insn_refs_address(&none, &insn);
        if (slot != 0)
            return read_slot(image, slot, ret);
        if (insn.target == 0)
            continue;
        *ret = insn.target;
        callsite_follow(image, ret);
        return true;
    }
    return false;
}

bool
callsite_entry(const struct image *image, uint64_t after, uint64_t *ret)
{
    struct insn insn;
    if (!find_target(image, after, ret))
        return false;
    for (int i = 0; i < JUMPS_MAX; i++) {
        if (!read_insn_at(image, *ret, &insn))
            return false;
        if (insn.kind != INSN_JUMP || insn.target == 0)
            break;
        *ret = insn.target;
    }
    return true;
}

bool
callsite_returns(const struct image *image, uint64_t function)
{
    static const char *const ends[] = {
        "abort",      "exit",  "_exit",   "__assert_fail", "__stack_chk_fail",
        "__chk_fail", "_Exit", "longjmp", "__longjmp_chk", "pthread_exit",
    };
    uint64_t slot = slot_of_stub(image, function);
    const struct module *module = slot != 0 ? image_module_at(image, slot) : NULL;
    const char *name =
        module != NULL ? objfile_slot_symbol(module->file, slot - module->bias) : NULL;
    for (size_t i = 0; name != NULL && i < sizeof ends / sizeof *ends; i++)
        if (strcmp(name, ends[i]) == 0)
            return false;
    return true;
}

bool
callsite_may_return(const void *image, uint64_t function)
{
    return callsite_returns(image, function);
}

bool
callsite_is_unbound(const struct image *image, uint64_t stub)
{
    uint64_t slot = stub != 0 ? slot_of_stub(image, stub) : 0, value, offset;
    const struct module *module = slot != 0 ? image_module_at(image, slot) : NULL;
    return module != NULL && read_slot(image, slot, &value) &&
           image_module_at(image, value) == module &&
           !(objfile_function_offset(module->file, value - module->bias, &offset) && offset == 0);
}

const char *
callsite_symbol_at(const struct image *image, uint64_t function)
{
    const struct module *module = image_module_at(image, function);
    const struct srcloc *srcloc =
        module != NULL ? srcloc_at(module->file, function - module->bias) : NULL;
    return srcloc != NULL ? srcloc->symbol : NULL;
}

const char *
callsite_symbol(const struct image *image, uint64_t after)
{
    uint64_t target;
    return find_target(image, after, &target) ? callsite_symbol_at(image, target) : NULL;
}

const char *
callsite_jump_symbol(const struct image *image, uint64_t function, enum runtime runtime)
{
    const struct module *module = image_module_at(image, function);
    uint64_t left =
        module != NULL ? objfile_function_room(module->file, function - module->bias) : 0;
    uint64_t found = 0, end = function + (left < FUNCTION_MAX ? left : FUNCTION_MAX);
    struct insn insn;
    for (uint64_t at = function; at < end && read_insn_at(image, at, &insn); at += insn.length) {
        uint64_t target = insn.target;
        if (insn.kind != INSN_JUMP || target - function < end - function)
            continue;
        callsite_follow(image, &target);
        module = image_module_at(image, target);
        bool fits = module != NULL && module->file->runtime == runtime;
        if (!fits || (found != 0 && target != found))
            return NULL;
        found = target;
    }
    return found != 0 ? callsite_symbol_at(image, found) : NULL;
}

char *
callsite_mpi_call(const struct image *image, uint64_t after)
{
    const char *symbol = callsite_symbol(image, after);
    return symbol != NULL ? mpi_call_name(symbol) : NULL;
}
