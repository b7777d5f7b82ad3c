// SPDX-License-Identifier: BSD-3-Clause
// Where functions keep their arguments, as their instructions say.
#include "tests/check_run.h"
#include "mqshow/stack/keptargs.h"
#include "target/machine/machine.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

enum { START = 0x400000, OFFSETS_MAX = 4 };

static const struct {
    const char *code;
    size_t size;
    uint64_t pc; // from the start, "=>" in the comment
    struct kept_argument argument;
    uint32_t registers;
    size_t n_offsets;
    int32_t offsets[OFFSETS_MAX];
} cases[] = {
#define CODE_OF(text) text, sizeof(text) - 1
    // A register that calls preserve: push %rbx; mov %rdi,%rbx; call .+5; =>
    {CODE_OF("\x53\x48\x89\xfb\xe8\x00\x00\x00\x00\x90"), 9, {0, 8}, 0x8, 0, {0}},
    // The frame: sub $24,%rsp; mov %rdi,8(%rsp); call .+5; =>
    {CODE_OF("\x48\x83\xec\x18\x48\x89\x7c\x24\x08\xe8\x00\x00\x00\x00\x90"),
     14,
     {0, 8},
     0x0,
     1,
     {-24}},
    // Half of it: push %rbx; mov %edi,%ebx; call .+5; =>
    {CODE_OF("\x53\x89\xfb\xe8\x00\x00\x00\x00\x90"), 8, {0, 8}, 0x0, 0, {0}},
    // Half of it is all of an int: push %rbx; mov %edi,%ebx; call .+5; =>
    {CODE_OF("\x53\x89\xfb\xe8\x00\x00\x00\x00\x90"), 8, {0, 4}, 0x8, 0, {0}},
    // A frame with a pointer to it: push %rbp; mov %rsp,%rbp; sub $32,%rsp; mov %edi,-0x14(%rbp);
    // call .+5; =>
    {CODE_OF("\x55\x48\x89\xe5\x48\x83\xec\x20\x89\x7d\xec\xe8\x00\x00\x00\x00\x90"),
     16,
     {0, 4},
     0x0,
     1,
     {-36}},
    // The caller's frame: push %rbx; call .+5; =>
    {CODE_OF("\x53\xe8\x00\x00\x00\x00\x90"), 6, {7, 4}, 0x0, 1, {8}},
    // Both: push %r12; mov %rdx,%r12; push %rdx; call .+5; =>
    {CODE_OF("\x41\x54\x49\x89\xd4\x52\xe8\x00\x00\x00\x00\x90"), 11, {2, 8}, 0x1000, 1, {-24}},
    // Popped: push %rdi; sub $16,%rsp; add $16,%rsp; pop %rbx; call .+5; =>
    {CODE_OF("\x57\x48\x83\xec\x10\x48\x83\xc4\x10\x5b\xe8\x00\x00\x00\x00\x90"),
     15,
     {0, 8},
     0x8,
     0,
     {0}},
    // No frame any more: push %rbp; mov %rsp,%rbp; push %rdi; leave; call .+5; =>
    {CODE_OF("\x55\x48\x89\xe5\x57\xc9\xe8\x00\x00\x00\x00\x90"), 11, {0, 8}, 0x0, 0, {0}},
    // A way around: push %rbx; mov %rdi,%rbx; test %esi,%esi; jne 1f; call .+5; => ret; 1: xor
    // %ebx,%ebx; ret
    {CODE_OF("\x53\x48\x89\xfb\x85\xf6\x75\x07\xe8\x00\x00\x00\x00\x90\xc3\x31\xdb\xc3"),
     13,
     {0, 8},
     0x8,
     0,
     {0}},
    // Another one on another way: push %rbx; mov %rdi,%rbx; test %esi,%esi; jne 1f; xor %ebx,%ebx;
    // 1: call .+5; =>
    {CODE_OF("\x53\x48\x89\xfb\x85\xf6\x75\x02\x31\xdb\xe8\x00\x00\x00\x00\x90"),
     15,
     {0, 8},
     0x0,
     0,
     {0}},
    // A loop that changes it: push %rbx; mov %rdi,%rbx; 1: call .+5; => add $8,%rbx; jmp 1b
    {CODE_OF("\x53\x48\x89\xfb\xe8\x00\x00\x00\x00\x90\x48\x83\xc3\x08\xeb\xf4"),
     9,
     {0, 8},
     0x0,
     0,
     {0}},
    // A loop that does not: push %rbx; mov %rdi,%rbx; 1: call .+5; => add $8,%rax; jmp 1b
    {CODE_OF("\x53\x48\x89\xfb\xe8\x00\x00\x00\x00\x90\x48\x83\xc0\x08\xeb\xf4"),
     9,
     {0, 8},
     0x8,
     0,
     {0}},
    // Its address is taken: sub $24,%rsp; mov %rdi,8(%rsp); lea 8(%rsp),%rdi; call .+5; =>
    {CODE_OF("\x48\x83\xec\x18\x48\x89\x7c\x24\x08\x48\x8d\x7c\x24\x08\xe8\x00\x00\x00\x00\x90"),
     19,
     {0, 8},
     0x0,
     0,
     {0}},
    // That of another place is taken: sub $24,%rsp; mov %rdi,8(%rsp); lea 16(%rsp),%rdi; call .+5;
    // =>
    {CODE_OF("\x48\x83\xec\x18\x48\x89\x7c\x24\x08\x48\x8d\x7c\x24\x10\xe8\x00\x00\x00\x00\x90"),
     19,
     {0, 8},
     0x0,
     1,
     {-24}},
    // Its address is taken later on in a loop: sub $24,%rsp; mov %rdi,8(%rsp); 1: mov 8(%rsp),%rbx;
    // call .+5; => lea 8(%rsp),%rdi; jmp 1b
    {CODE_OF("\x48\x83\xec\x18\x48\x89\x7c\x24\x08\x48\x8b\x5c\x24\x08\xe8\x00\x00\x00\x00\x90\x48"
             "\x8d\x7c\x24\x08\xeb\xee"),
     19,
     {0, 8},
     0x0,
     0,
     {0}},
    // A jump by a table: push %rbx; mov %rdi,%rbx; test %esi,%esi; je 1f; jmp *%rax; 1: call .+5;
    // =>
    {CODE_OF("\x53\x48\x89\xfb\x85\xf6\x74\x02\xff\xe0\xe8\x00\x00\x00\x00\x90"),
     15,
     {0, 8},
     0x0,
     0,
     {0}},
    // A jump to another function at the end: push %rbx; mov %rdi,%rbx; test %esi,%esi; je 1f; pop
    // %rbx; jmp *%rax; 1: call .+5; =>
    {CODE_OF("\x53\x48\x89\xfb\x85\xf6\x74\x03\x5b\xff\xe0\xe8\x00\x00\x00\x00\x90"),
     16,
     {0, 8},
     0x8,
     0,
     {0}},
    // Not preserved: mov %rdi,%r11; sub $8,%rsp; call .+5; =>
    {CODE_OF("\x49\x89\xfb\x48\x83\xec\x08\xe8\x00\x00\x00\x00\x90"), 12, {0, 8}, 0x0, 0, {0}},
    // Part of it is overwritten: sub $24,%rsp; mov %rdi,8(%rsp); movb $1,11(%rsp); call .+5; =>
    {CODE_OF("\x48\x83\xec\x18\x48\x89\x7c\x24\x08\xc6\x44\x24\x0b\x01\xe8\x00\x00\x00\x00\x90"),
     19,
     {0, 8},
     0x0,
     0,
     {0}},
    // By a wide store: sub $24,%rsp; mov %rdi,8(%rsp); movups %xmm0,(%rsp); call .+5; =>
    {CODE_OF("\x48\x83\xec\x18\x48\x89\x7c\x24\x08\x0f\x11\x04\x24\xe8\x00\x00\x00\x00\x90"),
     18,
     {0, 8},
     0x0,
     0,
     {0}},
    // By a string of bytes: sub $40,%rsp; mov %rdi,24(%rsp); mov %rsp,%rdi; rep stosq; call .+5; =>
    {CODE_OF(
         "\x48\x83\xec\x28\x48\x89\x7c\x24\x18\x48\x89\xe7\xf3\x48\xab\xe8\x00\x00\x00\x00\x90"),
     20,
     {0, 8},
     0x0,
     0,
     {0}},
    // At an index: sub $40,%rsp; mov %rdi,24(%rsp); mov %eax,(%rsp,%rcx,4); call .+5; =>
    {CODE_OF("\x48\x83\xec\x28\x48\x89\x7c\x24\x18\x89\x04\x8c\xe8\x00\x00\x00\x00\x90"),
     17,
     {0, 8},
     0x0,
     0,
     {0}},
    // Through another pointer: sub $24,%rsp; mov %rdi,8(%rsp); mov %eax,8(%rsi); call .+5; =>
    {CODE_OF("\x48\x83\xec\x18\x48\x89\x7c\x24\x08\x89\x46\x08\xe8\x00\x00\x00\x00\x90"),
     17,
     {0, 8},
     0x0,
     1,
     {-24}},
    // An aligned frame: sub $40,%rsp; mov %rdi,8(%rsp); and $-64,%rsp; mov %eax,8(%rsp); call .+5;
    // =>
    {CODE_OF("\x48\x83\xec\x28\x48\x89\x7c\x24\x08\x48\x83\xe4\xc0\x89\x44\x24\x08\xe8\x00\x00\x00"
             "\x00\x90"),
     22,
     {0, 8},
     0x0,
     0,
     {0}},
    // A conditional move: push %rbx; mov %rdi,%rbx; cmove %rax,%rbx; call .+5; =>
    {CODE_OF("\x53\x48\x89\xfb\x48\x0f\x44\xd8\xe8\x00\x00\x00\x00\x90"), 13, {0, 8}, 0x0, 0, {0}},
    // An exchange: push %rbx; mov %rdi,%rbx; xchg %rbx,%rax; call .+5; =>
    {CODE_OF("\x53\x48\x89\xfb\x48\x93\xe8\x00\x00\x00\x00\x90"), 11, {0, 8}, 0x0, 0, {0}},
    // Part of a register: push %rbx; mov %rdi,%rbx; mov $1,%bh; call .+5; =>
    {CODE_OF("\x53\x48\x89\xfb\xb7\x01\xe8\x00\x00\x00\x00\x90"), 11, {0, 8}, 0x0, 0, {0}},
    // Never reached: push %rbx; mov %rdi,%rbx; ret; call .+5; =>
    {CODE_OF("\x53\x48\x89\xfb\xc3\xe8\x00\x00\x00\x00\x90"), 10, {0, 8}, 0x0, 0, {0}},
    // Nothing that is code: push %rbx; mov %rdi,%rbx; call .+5; => .byte 6
    {CODE_OF("\x53\x48\x89\xfb\xe8\x00\x00\x00\x00\x90\x06"), 9, {0, 8}, 0x0, 0, {0}},
    // Thread-local storage: push %rbx; mov %rdi,%rbx; mov %fs:0x28,%rbx; call .+5; =>
    {CODE_OF("\x53\x48\x89\xfb\x64\x48\x8b\x1c\x25\x28\x00\x00\x00\xe8\x00\x00\x00\x00\x90"),
     18,
     {0, 8},
     0x0,
     0,
     {0}},
};

// The same of aarch64: words, of which "=>" is the address behind the call.
static const struct {
    uint32_t code[12];
    unsigned count, pc; // in words
    struct kept_argument argument;
    uint32_t registers;
    size_t n_offsets;
    int32_t offsets[OFFSETS_MAX];
} words[] = {
    // A register that calls preserve: stp x29, x30, [sp, #-32]!; mov x29, sp; str x19, [sp, #16];
    // mov x19, x0; bl .+4; =>
    {{0xa9be7bfd, 0x910003fd, 0xf9000bf3, 0xaa0003f3, 0x94000001, 0xd503201f},
     6,
     5,
     {0, 8},
     1u << 19,
     0,
     {0}},
    // The frame: stp x29, x30, [sp, #-32]!; mov x29, sp; str w1, [sp, #28]; bl .+4; =>
    {{0xa9be7bfd, 0x910003fd, 0xb9001fe1, 0x94000001, 0xd503201f}, 5, 4, {1, 4}, 0, 1, {-4}},
    // Two at once: sub sp, sp, #32; stp x30, x3, [sp, #8]; bl .+4; =>
    {{0xd10083ff, 0xa9008ffe, 0x94000001, 0xd503201f}, 4, 3, {3, 8}, 0, 1, {-16}},
    // Loaded with another one: the same; ldp x20, x21, [sp, #8]; bl .+4; =>
    {{0xd10083ff, 0xa9008ffe, 0x94000001, 0xa940d7f4, 0x94000001, 0xd503201f},
     6,
     5,
     {3, 8},
     1u << 21,
     1,
     {-16}},
    // The caller's frame: stp x29, x30, [sp, #-16]!; bl .+4; =>
    {{0xa9bf7bfd, 0x94000001, 0xd503201f}, 3, 2, {9, 4}, 0, 1, {8}},
    // Half of it: mov w19, w0; bl .+4; =>
    {{0x2a0003f3, 0x94000001, 0xd503201f}, 3, 2, {0, 8}, 0, 0, {0}},
    {{0x2a0003f3, 0x94000001, 0xd503201f}, 3, 2, {0, 4}, 1u << 19, 0, {0}},
    // Not preserved: mov x9, x0; bl .+4; =>
    {{0xaa0003e9, 0x94000001, 0xd503201f}, 3, 2, {0, 8}, 0, 0, {0}},
    // Its address is given away: sub sp, sp, #32; str x0, [sp, #16]; add x0, sp, #16; bl .+4; =>
    {{0xd10083ff, 0xf9000be0, 0x910043e0, 0x94000001, 0xd503201f}, 5, 4, {0, 8}, 0, 0, {0}},
    // By a copy of the stack pointer: sub sp, sp, #32; str x0, [sp]; mov x0, sp; bl .+4; =>
    {{0xd10083ff, 0xf90003e0, 0x910003e0, 0x94000001, 0xd503201f}, 5, 4, {0, 8}, 0, 0, {0}},
    // Overwritten by a vector: sub sp, sp, #32; str x0, [sp, #8]; str q0, [sp]; bl .+4; =>
    {{0xd10083ff, 0xf90007e0, 0x3d8003e0, 0x94000001, 0xd503201f}, 5, 4, {0, 8}, 0, 0, {0}},
    // A way around: mov x19, x0; cbz w1, 1f; bl .+4; => ret; 1: mov x19, xzr; ret
    {{0xaa0003f3, 0x34000081, 0x94000001, 0xd503201f, 0xd65f03c0, 0xaa1f03f3, 0xd65f03c0},
     7,
     3,
     {0, 8},
     1u << 19,
     0,
     {0}},
    // A jump by a table: sub sp, sp, #32; mov x19, x0; cbz w1, 1f; br x2; 1: bl .+4; =>
    {{0xd10083ff, 0xaa0003f3, 0x34000041, 0xd61f0040, 0x94000001, 0xd503201f},
     6,
     5,
     {0, 8},
     0,
     0,
     {0}},
    // To another function at the end: mov x19, x0; cbz w1, 1f; br x2; 1: bl .+4; =>
    {{0xaa0003f3, 0x34000041, 0xd61f0040, 0x94000001, 0xd503201f}, 5, 4, {0, 8}, 1u << 19, 0, {0}},
    // What is not known: mov x19, x0; whilelo p0.b, x0, x1; bl .+4; =>
    {{0xaa0003f3, 0x25211c00, 0x94000001, 0xd503201f}, 4, 3, {0, 8}, 0, 0, {0}},
};

// The code stands in a block of its own size, so that tools see what is read behind it.
static bool
find(size_t number, size_t size, struct kept_places *ret)
{
    unsigned char *code = malloc(size > 0 ? size : 1);
    memcpy(code, cases[number].code, size);
    bool found = keptargs_find(
        &(struct function_code){
            .machine = &machine_x86_64, .bytes = code, .size = size, .start = START},
        &cases[number].argument, START + cases[number].pc, ret);
    free(code);
    return found;
}

static void
check_places(bool found, const struct kept_places *places, uint32_t registers, size_t n_offsets,
             const int32_t *offsets)
{
    bool known = registers != 0 || n_offsets > 0;
    ck_assert_int_eq(found, known);
    if (!known)
        return;
    ck_assert_uint_eq(places->registers, registers);
    ck_assert_uint_eq(places->n_offsets, n_offsets);
    for (size_t i = 0; i < places->n_offsets; i++)
        ck_assert_int_eq(places->offsets[i], offsets[i]);
    free(places->offsets);
}

START_TEST(finds_places)
{
    struct kept_places places;
    bool found = find((size_t) _i, cases[_i].size, &places);
    check_places(found, &places, cases[_i].registers, cases[_i].n_offsets, cases[_i].offsets);
}
END_TEST

START_TEST(finds_places_of_aarch64)
{
    unsigned char code[sizeof words->code];
    struct kept_places places;
    for (size_t i = 0; i < sizeof code; i++)
        code[i] = (unsigned char) (words[_i].code[i / 4] >> (i % 4 * 8));
    const struct function_code function = {
        .machine = &machine_aarch64, .bytes = code, .size = 4 * words[_i].count, .start = START};
    bool found = keptargs_find(&function, &words[_i].argument, START + 4 * words[_i].pc, &places);
    check_places(found, &places, words[_i].registers, words[_i].n_offsets, words[_i].offsets);
}
END_TEST

// Code that is cut off anywhere is followed as far as it goes, or not at all.
START_TEST(survives_cuts)
{
    for (size_t size = 0; size < cases[_i].size; size++) {
        struct kept_places places;
        if (find((size_t) _i, size, &places))
            free(places.offsets);
    }
}
END_TEST

// What a function has taken: its calls of TAKE note their argument, and those of DROP forget all.
enum { TAKE = START + 0x100, DROP = START + 0x200, MARKS = 5, RBX = 3, RDI = 5 };

static const struct {
    const char *code;
    size_t size;
    uint64_t pc;
    unsigned n_marks;
    uint32_t base; // FLOW_OTHER: that of what is in rbx
    int64_t offset;
} takes[MARKS] = {
    // push %rbx; mov %rdi,%rbx; call TAKE; => call DROP; nop
    {CODE_OF("\x53\x48\x89\xfb\xe8\xf7\x00\x00\x00\xe8\xf2\x01\x00\x00\x90"), 9, 1,
     FLOW_ENTRY + RDI, 0},
    // push %rbx; mov %rdi,%rbx; call TAKE; call DROP; => nop
    {CODE_OF("\x53\x48\x89\xfb\xe8\xf7\x00\x00\x00\xe8\xf2\x01\x00\x00\x90"), 14, 0, 0, 0},
    // A way around: push %rbx; mov %rdi,%rbx; test %esi,%esi; jne 1f; call TAKE; 1: => nop
    {CODE_OF("\x53\x48\x89\xfb\x85\xf6\x75\x05\xe8\xf3\x00\x00\x00\x90"), 13, 0, 0, 0},
    // What a call returns: push %rbx; 1: call .+0x300; mov %rax,%rdi; mov %rax,%rbx; call TAKE;
    // => jmp 1b
    {CODE_OF("\x53\xe8\xfa\x02\x00\x00\x48\x89\xc7\x48\x89\xc3\xe8\xef\x00\x00\x00\xeb\xee"), 17, 1,
     FLOW_OTHER, 0},
    // A variable: lea 0x100(%rip),%rdi; call TAKE; => nop
    {CODE_OF("\x48\x8d\x3d\x00\x01\x00\x00\xe8\xf4\x00\x00\x00\x90"), 12, 1, FLOW_NUMBER,
     START + 0x107},
};

static void
note_taken(void *context, struct flow_state *state, const struct insn *call, uint64_t after)
{
    (void) context, (void) after;
    if (call->target == TAKE)
        state->marks[state->n_marks++] = (struct flow_mark){state->registers[RDI], 0};
    else if (call->target == DROP)
        state->n_marks = 0;
}

START_TEST(marks)
{
    const struct function_code code = {
        &machine_x86_64, (const unsigned char *) takes[_i].code, takes[_i].size, START, NULL, NULL};
    const struct flow_question question = {.code = &code, .all = true, .note_call = note_taken};
    struct flow flow;
    ck_assert(flow_init(&flow, &question));
    const struct flow_state *state = flow_at(&flow, START + takes[_i].pc);
    ck_assert(state);
    ck_assert_uint_eq(state->n_marks, takes[_i].n_marks);
    if (takes[_i].n_marks > 0) {
        bool in_rbx = takes[_i].base == FLOW_OTHER;
        ck_assert_uint_eq(state->marks[0].value.base,
                          in_rbx ? state->registers[RBX].base : takes[_i].base);
        ck_assert_int_eq(state->marks[0].value.offset, takes[_i].offset);
        ck_assert_uint_ne(state->marks[0].value.base, FLOW_OTHER);
    }
    flow_deinit(&flow);
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("keptargs");
    TCase *tcase = tcase_create("instructions");
    tcase_add_loop_test(tcase, finds_places, 0, (int) (sizeof cases / sizeof *cases));
    tcase_add_loop_test(tcase, marks, 0, MARKS);
    tcase_add_loop_test(tcase, finds_places_of_aarch64, 0, (int) (sizeof words / sizeof *words));
    tcase_add_loop_test(tcase, survives_cuts, 0, (int) (sizeof cases / sizeof *cases));
    suite_add_tcase(suite, tcase);
    return check_run(srunner_create(suite));
}
