// SPDX-License-Identifier: BSD-3-Clause
// What the tables of instructions say, on instructions that GNU's assembler made.
#include "target/machine/machine.h"
#include "tests/unit/target/fake.h"

#include <elf.h>
#include <stdio.h>
#include <string.h>

enum { ADDRESS = 0x10000, NOISE_ROUNDS = 200000 };

/** An instruction at ADDRESS, and what it does in the words of describe(). */
struct row {
    const char *bytes;
    size_t size;
    const char *text;
};

#define BYTES(text) text, sizeof(text) - 1

static const struct row x86_64[] = {
    // mov %rdi,%rbx
    {BYTES("\x48\x89\xfb"), "copy 8 from 5 to 3 clobbers 8"},
    // mov %edi,%r12d
    {BYTES("\x41\x89\xfc"), "copy 4 from 5 to 12 clobbers 1000"},
    // mov %ah,%cl
    {BYTES("\x88\xe1"), "other clobbers 4"},
    // movslq %esi,%r13
    {BYTES("\x4c\x63\xee"), "copy 4 from 4 to 13 clobbers 2000"},
    // movzbl 8(%rsp),%eax
    {BYTES("\x0f\xb6\x44\x24\x08"), "load 1 at 7+8 to 0 clobbers 1"},
    // movsbl %dil,%esi
    {BYTES("\x40\x0f\xbe\xf7"), "copy 1 from 5 to 4 clobbers 10"},
    // mov %rdi,8(%rsp)
    {BYTES("\x48\x89\x7c\x24\x08"), "store 8 from 5 at 7+8 writes 8"},
    // mov 0x18(%rbp),%r15
    {BYTES("\x4c\x8b\x7d\x18"), "load 8 at 6+24 to 15 clobbers 8000"},
    // mov (%rax,%rcx,4),%rdx
    {BYTES("\x48\x8b\x14\x88"), "other 8 at 0+0 inexact clobbers 2"},
    // mov %fs:0x28,%rax
    {BYTES("\x64\x48\x8b\x04\x25\x28\x00\x00\x00"), "load 8 at+40 thread to 0 clobbers 1"},
    // mov %fs:(%rax),%eax
    {BYTES("\x64\x8b\x00"), "load 4 at 0+0 thread to 0 clobbers 1"},
    // mov 0x1000(%rip),%rax
    {BYTES("\x48\x8b\x05\x00\x10\x00\x00"), "load 8 at+69639 to 0 clobbers 1"},
    // lea -0x10(%rip),%rdi
    {BYTES("\x48\x8d\x3d\xf0\xff\xff\xff"), "address at+65527 to 5 clobbers 20"},
    // lea 8(%rsp),%rdi
    {BYTES("\x48\x8d\x7c\x24\x08"), "address at 7+8 to 5 clobbers 20"},
    // lea (%rsp,%rax),%rdi
    {BYTES("\x48\x8d\x3c\x04"), "other inexact clobbers 20"},
    // add $-128,%rsp
    {BYTES("\x48\x83\xc4\x80"), "address at 7-128 to 7 clobbers 80"},
    // sub $0x1234,%rsp
    {BYTES("\x48\x81\xec\x34\x12\x00\x00"), "address at 7-4660 to 7 clobbers 80"},
    // add %fs:0,%rax
    {BYTES("\x64\x48\x03\x04\x25\x00\x00\x00\x00"), "sum 8 from 0 at+0 thread to 0 clobbers 1"},
    // add %rcx,%rax
    {BYTES("\x48\x01\xc8"), "sum from 0 second 2 to 0 clobbers 1"},
    // cmpq $0,0x40(%rbx)
    {BYTES("\x48\x83\x7b\x40\x00"), "other 8 at 3+64"},
    // cmpl $2,0x100(%rip)
    {BYTES("\x83\x3d\x00\x01\x00\x00\x02"), "other 4 at+65799"},
    // subl $1,0x528(%rbx)
    {BYTES("\x83\xab\x28\x05\x00\x00\x01"), "other 4 at 3+1320 writes 4"},
    // movb $1,11(%rsp)
    {BYTES("\xc6\x44\x24\x0b\x01"), "store 1 at 7+11 writes 1"},
    // mov $0x30,%edi
    {BYTES("\xbf\x30\x00\x00\x00"), "number 48 to 5 clobbers 20"},
    // movabs $0x123456789abcdef0,%rax
    {BYTES("\x48\xb8\xf0\xde\xbc\x9a\x78\x56\x34\x12"),
     "number 1311768467463790320 to 0 clobbers 1"},
    // cmove %rdx,%rax
    {BYTES("\x48\x0f\x44\xc2"), "choose from 0 second 1 to 0 clobbers 1"},
    // xchg %rbx,%rax
    {BYTES("\x48\x93"), "other clobbers 9"},
    // xor %ebx,%ebx
    {BYTES("\x31\xdb"), "other clobbers 8"},
    // push %r12
    {BYTES("\x41\x54"), "store 8 from 12 at 7-8 change -8 writes 8"},
    // push $7
    {BYTES("\x6a\x07"), "store 8 at 7-8 change -8 writes 8"},
    // pushq 8(%rax)
    {BYTES("\xff\x70\x08"), "store 8 at 7-8 change -8 writes 8"},
    // pop %rbx
    {BYTES("\x5b"), "load 8 at 7+0 change 8 to 3 clobbers 8"},
    // leave
    {BYTES("\xc9"), "leave to 6 clobbers c0"},
    // call .+0x105
    {BYTES("\xe8\x00\x01\x00\x00"), "call target 10105"},
    // call *0x10(%rip)
    {BYTES("\xff\x15\x10\x00\x00\x00"), "call 8 at+65558"},
    // call *%rax
    {BYTES("\xff\xd0"), "call"},
    // jmp .+0x20
    {BYTES("\xeb\x1e"), "jump target 10020 ends"},
    // jmp *%rax
    {BYTES("\xff\xe0"), "jump ends"},
    // jne .-0x10
    {BYTES("\x75\xee"), "branch target fff0"},
    // ret
    {BYTES("\xc3"), "return ends"},
    // ud2
    {BYTES("\x0f\x0b"), "stop ends"},
    // endbr64
    {BYTES("\xf3\x0f\x1e\xfa"), "other"},
    // nopw 0x0(%rax,%rax,1)
    {BYTES("\x66\x0f\x1f\x04\x00"), "other inexact"},
    // rep stosq
    {BYTES("\xf3\x48\xab"), "other 8 at 5+0 inexact writes 8 clobbers 24"},
    // movsb
    {BYTES("\xa4"), "other 1 at 5+0 writes 1 clobbers 30"},
    // div %rcx
    {BYTES("\x48\xf7\xf1"), "other clobbers 3"},
    // cmpxchg16b (%rsp)
    {BYTES("\x48\x0f\xc7\x0c\x24"), "other 16 at 7+0 writes 16 clobbers 3"},
    // movups %xmm0,(%rsp)
    {BYTES("\x0f\x11\x04\x24"), "other 16 at 7+0 writes 16"},
    // movss %xmm1,4(%rsp)
    {BYTES("\xf3\x0f\x11\x4c\x24\x04"), "other 4 at 7+4 writes 4"},
    // vmovdqu %ymm0,0x20(%rsp)
    {BYTES("\xc5\xfe\x7f\x44\x24\x20"), "other 32 at 7+32 writes 32"},
    // vmovdqu64 %zmm0,0x40(%rsp)
    {BYTES("\x62\xf1\xfe\x48\x7f\x44\x24\x01"), "other 64 at 7+64 writes 64"},
    // vpscatterdd %zmm0,(%rsp,%zmm1,4){%k1}
    {BYTES("\x62\xf2\x7d\x49\xa0\x04\x8c"), "other 0 at 7+0 inexact writes 1"},
    // vextracti128 $1,%ymm0,(%rsp)
    {BYTES("\xc4\xe3\x7d\x39\x04\x24\x01"), "other 16 at 7+0 writes 16"},
    // pextrq $1,%xmm0,%rbx
    {BYTES("\x66\x48\x0f\x3a\x16\xc3\x01"), "other clobbers 8"},
    // mulx %rax,%rbx,%rcx
    {BYTES("\xc4\xe2\xe3\xf6\xc8"), "other clobbers c"},
    // fstpt (%rsp)
    {BYTES("\xdb\x3c\x24"), "other 10 at 7+0 writes 10"},
    // fnstsw %ax
    {BYTES("\xdf\xe0"), "other clobbers 1"},
    // syscall
    {BYTES("\x0f\x05"), "other clobbers 805"},
    // lock xadd %eax,(%rdi)
    {BYTES("\xf0\x0f\xc1\x07"), "other 4 at 5+0 writes 4 clobbers 1"},
};

static const struct row aarch64[] = {
    // mov x19, x0
    {BYTES("\xf3\x03\x00\xaa"), "copy 8 from 0 to 19 clobbers 80000"},
    // mov w20, w1
    {BYTES("\xf4\x03\x01\x2a"), "copy 4 from 1 to 20 clobbers 100000"},
    // sxtw x21, w2
    {BYTES("\x55\x7c\x40\x93"), "copy 4 from 2 to 21 clobbers 200000"},
    // mov x29, sp
    {BYTES("\xfd\x03\x00\x91"), "copy 8 from 31 to 29 clobbers 20000000"},
    // mov x0, xzr
    {BYTES("\xe0\x03\x1f\xaa"), "number 0 to 0 clobbers 1"},
    // add x0, sp, #16
    {BYTES("\xe0\x43\x00\x91"), "address at 31+16 to 0 clobbers 1"},
    // sub sp, sp, #0x1000
    {BYTES("\xff\x07\x40\xd1"), "address at 31-4096 to 31 clobbers 80000000"},
    // sub sp, sp, #48
    {BYTES("\xff\xc3\x00\xd1"), "address at 31-48 to 31 clobbers 80000000"},
    // add x0, x1, x2
    {BYTES("\x20\x00\x02\x8b"), "sum from 1 second 2 to 0 clobbers 1"},
    // adrp x2, .+0x1000
    {BYTES("\x02\x00\x00\xb0"), "page at+69632 to 2 clobbers 4"},
    // adr x0, .-4
    {BYTES("\xe0\xff\xff\x10"), "address at+65532 to 0 clobbers 1"},
    // mov x1, #0x1234
    {BYTES("\x81\x46\x82\xd2"), "number 4660 to 1 clobbers 2"},
    // mov w1, #-2
    {BYTES("\x21\x00\x80\x12"), "number 4294967294 to 1 clobbers 2"},
    // mov x2, #0xff00ff00ff00ff00
    {BYTES("\xe2\x9f\x08\xb2"), "number -71777214294589696 to 2 clobbers 4"},
    // movk x1, #5, lsl #16
    {BYTES("\xa1\x00\xa0\xf2"), "other clobbers 2"},
    // stp x29, x30, [sp, #-48]!
    {BYTES("\xfd\x7b\xbd\xa9"), "store 8 from 29 second 30 at 31-48 change -48 writes 16"},
    // ldp x29, x30, [sp], #48
    {BYTES("\xfd\x7b\xc3\xa8"), "load 8 second 30 at 31+0 change 48 to 29 clobbers 60000000"},
    // stp x0, xzr, [sp, #16]
    {BYTES("\xe0\x7f\x01\xa9"), "store 8 from 0 at 31+16 writes 16"},
    // ldpsw x3, x4, [x5, #8]
    {BYTES("\xa3\x10\x41\x69"), "load 4 second 4 at 5+8 to 3 clobbers 18"},
    // str w0, [sp, #12]
    {BYTES("\xe0\x0f\x00\xb9"), "store 4 from 0 at 31+12 writes 4"},
    // strb wzr, [x1]
    {BYTES("\x3f\x00\x00\x39"), "store 1 at 1+0 writes 1"},
    // str x0, [x1, x2, lsl #3]
    {BYTES("\x20\x78\x22\xf8"), "store 8 from 0 at 1+0 inexact writes 8"},
    // ldr x0, [x1, x2]
    {BYTES("\x20\x68\x62\xf8"), "other 8 at 1+0 inexact clobbers 1"},
    // ldrsw x0, [x1, #-4]
    {BYTES("\x20\xc0\x9f\xb8"), "load 4 at 1-4 to 0 clobbers 1"},
    // ldr x1, [x2], #8
    {BYTES("\x41\x84\x40\xf8"), "load 8 at 2+0 change 8 to 1 clobbers 2"},
    // ldr x0, .+64
    {BYTES("\x00\x02\x00\x58"), "load 8 at+65600 to 0 clobbers 1"},
    // str q0, [sp, #32]
    {BYTES("\xe0\x0b\x80\x3d"), "other 16 at 31+32 writes 16"},
    // stp d8, d9, [sp, #96]
    {BYTES("\xe8\x27\x06\x6d"), "other 8 at 31+96 writes 16"},
    // ld1 {v0.16b}, [x0], #16
    {BYTES("\x00\x70\xdf\x4c"), "other 16 at 0+0 inexact clobbers 1"},
    // stxr w1, x2, [x3]
    {BYTES("\x62\x7c\x01\xc8"), "other 8 at 3+0 writes 8 clobbers 2"},
    // ldadd w1, w2, [x3]
    {BYTES("\x62\x00\x21\xb8"), "other 4 at 3+0 writes 4 clobbers 4"},
    // casal x0, x1, [x2]
    {BYTES("\x41\xfc\xe0\xc8"), "other 8 at 2+0 writes 8 clobbers 1"},
    // ldaxp x0, x1, [x2]
    {BYTES("\x40\x84\x7f\xc8"), "other 0 at 2+0 clobbers 3"},
    // mrs x0, tpidr_el0
    {BYTES("\x40\xd0\x3b\xd5"), "thread to 0 clobbers 1"},
    // csel x0, x1, x2, ne
    {BYTES("\x20\x10\x82\x9a"), "choose from 1 second 2 to 0 clobbers 1"},
    // cset w0, eq
    {BYTES("\xe0\x17\x9f\x1a"), "other clobbers 1"},
    // cmp x0, #1
    {BYTES("\x1f\x04\x00\xf1"), "other"},
    // bl .+0x100
    {BYTES("\x40\x00\x00\x94"), "call target 10100"},
    // blr x3
    {BYTES("\x60\x00\x3f\xd6"), "call"},
    // b .-8
    {BYTES("\xfe\xff\xff\x17"), "jump target fff8 ends"},
    // b.ne .+16
    {BYTES("\x81\x00\x00\x54"), "branch target 10010"},
    // cbz x0, .+8
    {BYTES("\x40\x00\x00\xb4"), "branch target 10008"},
    // tbnz w1, #3, .+12
    {BYTES("\x61\x00\x18\x37"), "branch target 1000c"},
    // br x17
    {BYTES("\x20\x02\x1f\xd6"), "jump from 17 ends"},
    // ret
    {BYTES("\xc0\x03\x5f\xd6"), "return ends"},
    // brk #1
    {BYTES("\x20\x00\x20\xd4"), "stop ends"},
    // svc #0
    {BYTES("\x01\x00\x00\xd4"), "other clobbers 1"},
    // nop
    {BYTES("\x1f\x20\x03\xd5"), "other"},
    // dc zva, x0
    {BYTES("\x20\x74\x0b\xd5"), "other 64 at 0+0 inexact writes 64"},
    // fmov x0, d0
    {BYTES("\x00\x00\x66\x9e"), "other clobbers 1"},
    // fadd d0, d1, d2
    {BYTES("\x20\x28\x62\x1e"), "other"},
    // umov w0, v1.h[2]
    {BYTES("\x20\x3c\x0a\x0e"), "other clobbers 1"},
};

// "store 8 from 5 at 7+8 writes 8": registers have their numbers in debug information.
static void
describe(const struct insn *insn, char *ret, size_t size)
{
    static const char *const kinds[] = {"unknown", "other",  "copy",   "number", "address", "page",
                                        "sum",     "choose", "thread", "load",   "store",   "leave",
                                        "call",    "jump",   "branch", "return", "stop"};
    int at = snprintf(ret, size, "%s", kinds[insn->kind]);
#define ADD(condition, ...) \
    if (condition)          \
    at += snprintf(ret + at, size - (size_t) at, __VA_ARGS__)
    bool computes = insn->kind == INSN_ADDRESS || insn->kind == INSN_PAGE;
    ADD(insn->kind == INSN_COPY || insn->memory, " %u", insn->width);
    ADD(insn->from >= 0, " from %d", insn->from);
    ADD(insn->second >= 0, " second %d", insn->second);
    ADD(insn->memory || computes, insn->base == INSN_ABSOLUTE ? " at" : " at %d", insn->base);
    ADD(insn->memory || computes, "%+lld", (long long) insn->offset);
    ADD(insn->thread, " thread");
    ADD(insn->inexact, " inexact");
    ADD(insn->change != 0, " change %d", insn->change);
    ADD(insn->written != 0, " writes %u", insn->written);
    ADD(insn->kind == INSN_NUMBER, " %lld", (long long) insn->number);
    ADD(insn->to >= 0, " to %d", insn->to);
    ADD(insn->target != 0, " target %llx", (unsigned long long) insn->target);
    ADD(insn->clobbers != 0 && insn->kind != INSN_CALL, " clobbers %x", insn->clobbers);
    ADD(!insn->falls, " ends");
#undef ADD
}

static void
check_row(const struct machine *machine, const struct row *row)
{
    const uint8_t *bytes = (const uint8_t *) row->bytes;
    struct insn insn;
    char text[160];
    ck_assert(machine_decode(machine, bytes, row->size, ADDRESS, &insn));
    describe(&insn, text, sizeof(text));
    ck_assert_str_eq(text, row->text);
    ck_assert_uint_eq(insn.length, row->size);
    for (size_t size = 0; size < row->size; size++)
        ck_assert_msg(!machine_decode(machine, bytes, size, ADDRESS, &insn), "%s cut to %zu bytes",
                      row->text, size);
}

START_TEST(instructions_of_x86_64)
{
    check_row(&machine_x86_64, &x86_64[_i]);
}
END_TEST

START_TEST(instructions_of_aarch64)
{
    check_row(&machine_aarch64, &aarch64[_i]);
}
END_TEST

// Each has a length, also the ones of which nothing else is known; what none is has no length.
START_TEST(unknown_instructions)
{
    static const struct row unknown[] = {
        {BYTES("\x0f\x34"), ""},                         // sysenter
        {BYTES("\xc8\x10\x00\x00"), ""},                 // enter $16,$0
        {BYTES("\x8f\x44\x24\x08"), ""},                 // pop 8(%rsp)
        {BYTES("\x0f\x01\x94\x24\x80\x00\x00\x00"), ""}, // lgdt 0x80(%rsp)
    };
    const uint8_t none[] = {0x06}, scalable[] = {0x00, 0x40, 0x00, 0xe4}; // st1b of Arm's SVE
    struct insn insn;
    for (size_t i = 0; i < sizeof(unknown) / sizeof(unknown[0]); i++) {
        ck_assert(machine_decode(&machine_x86_64, (const uint8_t *) unknown[i].bytes,
                                 unknown[i].size, ADDRESS, &insn));
        ck_assert_int_eq(insn.kind, INSN_UNKNOWN);
        ck_assert_uint_eq(insn.length, unknown[i].size);
    }
    ck_assert(!machine_decode(&machine_x86_64, none, sizeof(none), ADDRESS, &insn));
    ck_assert(machine_decode(&machine_aarch64, scalable, sizeof(scalable), ADDRESS, &insn));
    ck_assert_int_eq(insn.kind, INSN_UNKNOWN);
}
END_TEST

static bool
is_register(int8_t reg)
{
    return reg >= INSN_NO_REGISTER && reg < MACHINE_REGISTERS;
}

static bool
is_in_range(const struct insn *insn)
{
    bool computes = insn->kind == INSN_ADDRESS || insn->kind == INSN_PAGE;
    return insn->length > 0 && insn->length <= INSN_BYTES && is_register(insn->to) &&
           is_register(insn->from) && is_register(insn->second) &&
           (is_register(insn->base) || insn->base == INSN_ABSOLUTE) &&
           (insn->kind != INSN_COPY || insn->from >= 0) && (insn->change == 0 || insn->base >= 0) &&
           (insn->written == 0 || insn->memory) && (!computes || insn->base != INSN_NO_REGISTER);
}

// What is said of any bytes keeps to the ranges of the header.
START_TEST(noise)
{
    const struct machine *machine = _i ? &machine_aarch64 : &machine_x86_64;
    uint64_t seed = 88172645463325252U;
    struct insn insn;
    for (unsigned round = 0; round < NOISE_ROUNDS; round++) {
        uint8_t bytes[INSN_BYTES + 1];
        for (size_t i = 0; i < sizeof(bytes); i++) {
            seed ^= seed << 13;
            seed ^= seed >> 7;
            seed ^= seed << 17;
            bytes[i] = (uint8_t) (seed >> 20);
        }
        if (machine_decode(machine, bytes, sizeof(bytes), ADDRESS, &insn) && !is_in_range(&insn))
            ck_abort_msg("round %u", round);
    }
}
END_TEST

// Bytes that are no instruction are gone over.
START_TEST(sweeps)
{
    static const uint8_t code[] = {0x53, 0x06, 0x06, 0xc3, 0x48};
    size_t at = 0;
    struct insn insn;
    ck_assert(machine_sweep(&machine_x86_64, code, sizeof(code), ADDRESS, &at, &insn));
    ck_assert_uint_eq(at, 1);
    ck_assert(machine_sweep(&machine_x86_64, code, sizeof(code), ADDRESS, &at, &insn));
    ck_assert_int_eq(insn.kind, INSN_RETURN);
    ck_assert_uint_eq(at, 4);
    ck_assert(!machine_sweep(&machine_x86_64, code, sizeof(code), ADDRESS, &at, &insn));
}
END_TEST

// A stub of a procedure linkage table: adrp x16, .+0x1000; ldr x17, [x16, #0x18]; add x16, x16,
// #0x18; br x17.
START_TEST(addresses)
{
    static const uint8_t stub[] = {0x10, 0x00, 0x00, 0xb0, 0x11, 0x0e, 0x40, 0xf9,
                                   0x10, 0x62, 0x00, 0x91, 0x20, 0x02, 0x1f, 0xd6};
    struct insn_refs refs = {.addresses = {0}};
    struct insn insn;
    for (size_t at = 0; machine_sweep(&machine_aarch64, stub, sizeof(stub), ADDRESS, &at, &insn);)
        insn_refs_apply(&refs, &insn);
    ck_assert_int_eq(insn.kind, INSN_JUMP);
    ck_assert_int_eq(insn.from, 17);
    ck_assert_uint_eq(refs.slots[17], ADDRESS + 0x1018);
    ck_assert_uint_eq(refs.addresses[16], ADDRESS + 0x1018);
    ck_assert_uint_eq(refs.addresses[17], 0);
}
END_TEST

START_TEST(machines)
{
    ck_assert_ptr_eq(machine_of(EM_X86_64), &machine_x86_64);
    ck_assert_ptr_eq(machine_of(EM_AARCH64), &machine_aarch64);
    ck_assert_ptr_null(machine_of(EM_RISCV));
}
END_TEST

Suite *
suite_machine(void)
{
    Suite *suite = suite_create("machine");
    TCase *tcase = tcase_create("all");
    tcase_add_loop_test(tcase, instructions_of_x86_64, 0, sizeof(x86_64) / sizeof(x86_64[0]));
    tcase_add_loop_test(tcase, instructions_of_aarch64, 0, sizeof(aarch64) / sizeof(aarch64[0]));
    tcase_add_test(tcase, unknown_instructions);
    tcase_add_loop_test(tcase, noise, 0, 2);
    tcase_add_test(tcase, sweeps);
    tcase_add_test(tcase, addresses);
    tcase_add_test(tcase, machines);
    suite_add_tcase(suite, tcase);
    return suite;
}
