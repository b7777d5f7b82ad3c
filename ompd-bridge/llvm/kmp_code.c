// SPDX-License-Identifier: BSD-3-Clause
// Decodes the few shapes in which x86-64 code loads a variable of its own library.
//
// Such a function makes sure that the runtime has started, loads the variable and returns. What
// does not look exactly like that is not understood.
#include "ompd-bridge/llvm/kmp_code.h"
#include "target/code.h"

#include <string.h>

enum {
    CODE_MAX = 192,     // bytes of a function that are looked at
    OPCODES = 3,        // bytes before the distance
    DISTANCE = 4,       // bytes of it; it counts from behind itself
    NEAR = 1024 * 1024, // bytes between variables of one library
};

// Loads of a variable: what stands before and behind its distance from the code.
static const struct {
    uint8_t before[OPCODES];
    uint8_t n_before;
    uint8_t after[3];
    uint8_t n_after;
    uint8_t size; // bytes that are loaded
} loads[] = {
    {{0x48, 0x8d, 0x05}, 3, {0x8b, 0x00}, 2, 4},       // lea x(%rip),%rax; mov (%rax),%eax
    {{0x48, 0x8d, 0x05}, 3, {0x48, 0x8b, 0x00}, 3, 8}, // lea x(%rip),%rax; mov (%rax),%rax
    {{0x48, 0x8d, 0x05}, 3, {0x48, 0x8b, 0x18}, 3, 8}, // lea x(%rip),%rax; mov (%rax),%rbx
    {{0x48, 0x8d, 0x05}, 3, {0x4c, 0x8b, 0x20}, 3, 8}, // lea x(%rip),%rax; mov (%rax),%r12
    {{0x48, 0x8d, 0x05}, 3, {0x4c, 0x8b, 0x28}, 3, 8}, // lea x(%rip),%rax; mov (%rax),%r13
    {{0x48, 0x8d, 0x05}, 3, {0x4c, 0x8b, 0x30}, 3, 8}, // lea x(%rip),%rax; mov (%rax),%r14
    {{0x48, 0x8d, 0x05}, 3, {0x4c, 0x8b, 0x38}, 3, 8}, // lea x(%rip),%rax; mov (%rax),%r15
    {{0x8b, 0x05}, 2, {0}, 0, 4},                      // mov x(%rip),%eax
    {{0x48, 0x8b, 0x05}, 3, {0}, 0, 8},                // mov x(%rip),%rax
};

struct code {
    uint8_t bytes[CODE_MAX];
    size_t size;
    taddr addr;
};

static bool
has_bytes(const struct code *code, size_t at, const uint8_t *bytes, size_t size)
{
    return at <= code->size && size <= code->size - at &&
           memcmp(code->bytes + at, bytes, size) == 0;
}

// Bytes of an instruction that takes a stack frame down; 0: it is none.
static size_t
unwinding(const struct code *code, size_t at)
{
    static const uint8_t add_rsp[] = {0x48, 0x83, 0xc4};
    if (at + 4 > code->size)
        return 0;
    const uint8_t *bytes = code->bytes + at;
    if (has_bytes(code, at, add_rsp, sizeof(add_rsp)))
        return 4;
    if (bytes[0] >= 0x58 && bytes[0] <= 0x5f) // pop
        return 1;
    return bytes[0] == 0x41 && bytes[1] >= 0x58 && bytes[1] <= 0x5f ? 2 : 0;
}

static bool
returns(const struct code *code, size_t at)
{
    for (size_t step; (step = unwinding(code, at)) != 0;)
        at += step;
    return at < code->size && code->bytes[at] == 0xc3;
}

// A text is not returned, but its length taken: mov %reg,%rdi; call.
static bool
takes_length(const struct code *code, size_t at)
{
    return at + 3 < code->size && (code->bytes[at] & 0xfb) == 0x48 && code->bytes[at + 1] == 0x89 &&
           (code->bytes[at + 2] & 0xc7) == 0xc7 && code->bytes[at + 3] == 0xe8;
}

static bool
decode_at(const struct code *code, size_t at, uint64_t size, taddr *ret)
{
    for (size_t i = 0; i < sizeof(loads) / sizeof(loads[0]); i++) {
        size_t distance = at + loads[i].n_before;
        size_t after = distance + DISTANCE, end = after + loads[i].n_after;
        if (loads[i].size != size || !has_bytes(code, at, loads[i].before, loads[i].n_before) ||
            !has_bytes(code, after, loads[i].after, loads[i].n_after) ||
            !(returns(code, end) || takes_length(code, end)))
            continue;
        uint32_t value = 0;
        for (size_t byte = DISTANCE; byte > 0; byte--)
            value = value << 8 | code->bytes[distance + byte - 1];
        *ret = code->addr + after + (uint64_t) (int64_t) (int32_t) value;
        return true;
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
    for (size_t at = 0; at < code.size; at++)
        if (decode_at(&code, at, size, &found) && found - (kmp->variable - NEAR) <= 2 * NEAR &&
            found % size == 0) {
            *ret = found;
            return STATUS_OK;
        }
    return trail_begin(&kmp->inf->trail, STATUS_ABSENT, "the code of %s is of no known shape",
                       function);
}
