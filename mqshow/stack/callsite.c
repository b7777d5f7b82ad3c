// SPDX-License-Identifier: BSD-3-Clause
// Which function a call instruction calls, on x86-64.
#include "mqshow/stack/callsite.h"

#include "mqshow/symbols/code.h"
#include "mqshow/symbols/image.h"
#include "mqshow/process/memory.h"
#include "mqshow/base/mpi_calls.h"

#include <elf.h>
#include <stddef.h>
#include <string.h>

enum { CALL_BYTES = 6, JUMP_BYTES = 5, JUMPS_MAX = 4, STUB_BYTES = 16 };

/** The beginnings of instructions; 4 bytes of a distance follow, counted from their end. */
static const unsigned char call_direct[] = {0xe8}, call_slot[] = {0xff, 0x15}, jump[] = {0xe9};

/** Those of a procedure linkage table, behind which the distance of a slot follows. */
static const struct {
    unsigned char bytes[7];
    size_t size;
} stubs[] = {
    {{0xf3, 0x0f, 0x1e, 0xfa, 0xf2, 0xff, 0x25}, 7},
    {{0xf3, 0x0f, 0x1e, 0xfa, 0xff, 0x25}, 6},
    {{0xf2, 0xff, 0x25}, 3},
    {{0xff, 0x25}, 2},
};

/** The address that a distance behind `size` bytes of an instruction at `addr` means. */
static uint64_t
destination(uint64_t addr, const unsigned char *bytes, size_t size)
{
    int32_t distance;
    memcpy(&distance, bytes + size, sizeof distance);
    return addr + size + sizeof distance + (uint64_t) (int64_t) distance;
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
    unsigned char bytes[STUB_BYTES];
    if (!memory_read(&image->debuggee, addr, sizeof bytes, bytes))
        return 0;
    for (size_t i = 0; i < sizeof stubs / sizeof *stubs; i++)
        if (memcmp(bytes, stubs[i].bytes, stubs[i].size) == 0)
            return destination(addr, bytes, stubs[i].size);
    return 0;
}

/** Follows a stub; what is none stays as it is. */
static void
follow_stub(const struct image *image, uint64_t *addr)
{
    uint64_t slot = slot_of_stub(image, *addr);
    if (slot != 0)
        (void) read_slot(image, slot, addr);
}

bool
callsite_target(const struct image *image, uint64_t after, uint64_t *ret)
{
    unsigned char bytes[CALL_BYTES];
    uint64_t start = after - CALL_BYTES;
    if (image_machine(image) != EM_X86_64 ||
        !memory_read(&image->debuggee, start, sizeof bytes, bytes))
        return false;
    if (memcmp(bytes, call_slot, sizeof call_slot) == 0)
        return read_slot(image, destination(start, bytes, sizeof call_slot), ret);
    if (memcmp(bytes + 1, call_direct, sizeof call_direct) != 0)
        return false;
    *ret = destination(start + 1, bytes + 1, sizeof call_direct);
    follow_stub(image, ret);
    return true;
}

bool
callsite_entry(const struct image *image, uint64_t after, uint64_t *ret)
{
    unsigned char bytes[JUMP_BYTES];
    if (!callsite_target(image, after, ret))
        return false;
    for (int i = 0; i < JUMPS_MAX; i++) {
        if (!memory_read(&image->debuggee, *ret, sizeof bytes, bytes))
            return false;
        if (memcmp(bytes, jump, sizeof jump) != 0)
            break;
        *ret = destination(*ret, bytes, sizeof jump);
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

const char *
callsite_symbol(const struct image *image, uint64_t after)
{
    uint64_t target;
    if (!callsite_target(image, after, &target))
        return NULL;
    const struct module *module = image_module_at(image, target);
    const struct code *code = module != NULL ? code_at(module->file, target - module->bias) : NULL;
    return code != NULL ? code->symbol : NULL;
}

char *
callsite_mpi_call(const struct image *image, uint64_t after)
{
    const char *symbol = callsite_symbol(image, after);
    return symbol != NULL ? mpi_call_name(symbol) : NULL;
}
