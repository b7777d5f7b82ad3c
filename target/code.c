// SPDX-License-Identifier: BSD-3-Clause
// Collects the places that instructions name relative to themselves.
#include "target/code.h"

#include <inttypes.h>
#include <string.h>

enum { CODE_MIN = 16, AARCH64_REGISTERS = 32, PAGE = 4096 };

static void
add_reference(struct code_references *references, taddr addr, bool loads)
{
    for (unsigned i = 0; i < references->count; i++)
        if (references->at[i].addr == addr && references->at[i].loads == loads)
            return;
    if (references->count < CODE_REFERENCES)
        references->at[references->count++] = (struct code_reference){addr, loads};
}

// x86-64: an opcode, a byte that says "relative to the next instruction", the distance, and for
// some an immediate number, which belongs to the instruction too.
static const struct x86_form {
    uint8_t opcode;
    uint8_t immediate; // bytes
    bool loads;
} x86_forms[] = {
    {0x8d, 0, false}, // lea
    {0x8b, 0, true},  // mov from
    {0x89, 0, true},  // mov to
    {0x03, 0, true},  // add
    {0x63, 0, true},  // movslq
    {0x3b, 0, true},  // cmp
    {0x39, 0, true},  // cmp
    {0x83, 1, true},  // cmpl and relatives with a byte
    {0x80, 1, true},  // cmpb and relatives
    {0x81, 4, true},  // cmpl and relatives
    {0xc7, 4, true},  // mov of a number
};

static const struct x86_form *
find_form(uint8_t opcode)
{
    for (size_t i = 0; i < sizeof(x86_forms) / sizeof(x86_forms[0]); i++)
        if (x86_forms[i].opcode == opcode)
            return &x86_forms[i];
    return NULL;
}

static int32_t
signed_word(const uint8_t *bytes)
{
    uint32_t word = (uint32_t) bytes[0] | (uint32_t) bytes[1] << 8 | (uint32_t) bytes[2] << 16 |
                    (uint32_t) bytes[3] << 24;
    return (int32_t) word;
}

static void
scan_x86_64(const uint8_t *code, size_t size, taddr addr, struct code_references *ret)
{
    for (size_t i = 1; i + 5 <= size; i++) {
        const struct x86_form *form = (code[i] & 0xc7) == 5 ? find_form(code[i - 1]) : NULL;
        if (form)
            add_reference(
                ret, addr + i + 5 + form->immediate + (taddr) (int64_t) signed_word(code + i + 1),
                form->loads);
    }
}

// aarch64: one instruction names a page, a later one a place within it.
static void
scan_aarch64(const uint8_t *code, size_t size, taddr addr, struct code_references *ret)
{
    taddr pages[AARCH64_REGISTERS] = {0};
    for (size_t i = 0; i + 4 <= size; i += 4) {
        const uint32_t word = (uint32_t) signed_word(code + i);
        const unsigned to = word & 31, from = word >> 5 & 31;
        const uint32_t number = word >> 10 & 0xfff;
        if ((word & 0x9f000000) == 0x90000000) {
            int64_t distance = (int64_t) (word >> 5 & 0x7ffff) << 2 | (word >> 29 & 3);
            if (distance & 1 << 20)
                distance -= 1 << 21;
            pages[to] = ((addr + i) & ~(taddr) (PAGE - 1)) + (taddr) (distance * PAGE);
        } else if ((word & 0xffc00000) == 0x91000000 && pages[from] != 0) {
            add_reference(ret, pages[from] + number, false);
        } else if ((word & 0xbfc00000) == 0xb9400000 && pages[from] != 0) {
            add_reference(ret, pages[from] + ((taddr) number << (word >> 30)), true);
        }
    }
}

// The same instructions that end functions, or that start them, tell the machines apart.
static bool
is_aarch64(const uint8_t *code, size_t size)
{
    for (size_t i = 0; i + 4 <= size; i += 4)
        if ((uint32_t) signed_word(code + i) == 0xd65f03c0)
            return true;
    return false;
}

enum status
code_read(struct inferior *inf, taddr addr, size_t *size, uint8_t *ret)
{
    enum status status = inferior_read(inf, addr, *size, ret);
    while (status == STATUS_UNREADABLE && *size / 2 >= CODE_MIN) {
        *size /= 2;
        status = inferior_read(inf, addr, *size, ret);
    }
    return status;
}

static void
scan(const uint8_t *code, size_t size, taddr addr, struct code_references *ret)
{
    if (addr % 4 == 0 && is_aarch64(code, size))
        scan_aarch64(code, size, addr, ret);
    else
        scan_x86_64(code, size, addr, ret);
}

static enum status
read_function(struct inferior *inf, const char *function, size_t *size, taddr *ret_addr,
              uint8_t *ret)
{
    if (*size > CODE_BYTES)
        return trail_begin(&inf->trail, STATUS_MISUSE, "%zu bytes of code", *size);
    if (inf->model.pointer_size != 8 || inf->model.big_endian)
        return trail_begin(&inf->trail, STATUS_UNSUPPORTED,
                           "machine code can be read of x86-64 and aarch64 only");
    if (!inf->target.ops->find_function(inf->target.host, function, ret_addr))
        return trail_begin(&inf->trail, STATUS_ABSENT, "there is no function %s", function);
    return code_read(inf, *ret_addr, size, ret);
}

enum status
code_references(struct inferior *inf, const char *function, size_t size,
                struct code_references *ret)
{
    uint8_t code[CODE_BYTES];
    taddr addr;
    ret->count = 0;
    TRY(read_function(inf, function, &size, &addr, code));
    scan(code, size, addr, ret);
    return STATUS_OK;
}

// Whether a text begins with a version: "5.0.2".
static bool
is_version(const char *text)
{
    const size_t major = strspn(text, "0123456789");
    return major > 0 && major < 4 && text[major] == '.' && text[major + 1] >= '0' &&
           text[major + 1] <= '9';
}

// The first version among the texts that code refers to.
static bool
find_version(struct inferior *inf, const uint8_t *code, size_t size, taddr addr, char *ret,
             size_t ret_size)
{
    struct code_references found = {.count = 0};
    scan(code, size, addr, &found);
    for (unsigned i = 0; i < found.count; i++)
        if (!found.at[i].loads &&
            inferior_read_string(inf, found.at[i].addr, ret_size, ret) == STATUS_OK &&
            is_version(ret))
            return true;
    return false;
}

enum { VERSION_CODE = 256, CALL = 0xe8, CALL_BYTES = 5 };

enum status
code_version(struct inferior *inf, const char *function, char *ret, size_t ret_size)
{
    uint8_t code[VERSION_CODE], called[VERSION_CODE];
    size_t size = sizeof(code);
    taddr addr;
    TRY(read_function(inf, function, &size, &addr, code));
    if (find_version(inf, code, size, addr, ret, ret_size))
        return STATUS_OK;
    for (size_t i = 0; i + CALL_BYTES <= size; i++) {
        if (code[i] != CALL)
            continue;
        const taddr to = addr + i + CALL_BYTES + (taddr) (int64_t) signed_word(code + i + 1);
        size_t called_size = sizeof(called);
        if (code_read(inf, to, &called_size, called) == STATUS_OK &&
            find_version(inf, called, called_size, to, ret, ret_size))
            return STATUS_OK;
    }
    return trail_begin(&inf->trail, STATUS_ABSENT, "the code of %s names no version", function);
}
