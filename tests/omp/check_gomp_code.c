// SPDX-License-Identifier: BSD-3-Clause
// The decoder of machine code: on this machine's libgomp, on functions for 64-bit Arm, and on both
// with one byte after the other damaged.
#include "tests/omp/check_gomp.h"

#include <dlfcn.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

enum { PAGE = 4096, ARM_STRIDE = 128 };

/** Made-up code of 64-bit Arm, as gcc 12 makes it; all in one page, as are the variables. */
static const struct {
    const char *name;
    uint32_t words[24];
} arm_functions[] = {
    // adrp; ldr; mrs; add; ldr; ret
    {"omp_get_thread_num",
     {0x90000001, 0xf947c821, 0xd53bd040, 0x8b010000, 0xb9402800, 0xd65f03c0}},
    {"omp_get_level", {0x90000001, 0xf947c821, 0xd53bd040, 0x8b010000, 0xb9402c00, 0xd65f03c0}},
    {"omp_get_active_level",
     {0x90000001, 0xf947c821, 0xd53bd040, 0x8b010000, 0xb9403000, 0xd65f03c0}},
    {"omp_get_num_threads",
     {0x90000002, 0xf947c842, 0xd53bd041, 0x52800020, 0x8b020021, 0xf9400821, 0xb4000041,
      0xb9400020, 0xd65f03c0}},
    {"omp_in_final",
     {0x90000002, 0xf947c842, 0xd53bd041, 0x52800000, 0x8b020021, 0xf9402c21, 0xb4000041,
      0x39435420, 0xd65f03c0}},
    {"omp_get_dynamic",
     {0x90000002, 0xf947c842, 0xd53bd041, 0x90000000, 0x910d8000, 0x8b020021, 0xf9402c21,
      0xf100003f, 0x91026021, 0x9a810000, 0x39406000, 0xd65f03c0}},
    {"omp_get_schedule",
     {0x90000004, 0xf947c884, 0xd53bd043, 0x90000002, 0x910d8042, 0x8b040063, 0xf9402c63,
      0xf100007f, 0x91026063, 0x9a830042, 0xb9400843, 0xb9000003, 0xb9400c40, 0xb9000020,
      0xd65f03c0}},
    {"omp_get_ancestor_thread_num",
     {0x37f80240, 0x90000002, 0xf947c842, 0xd53bd041, 0x8b020021, 0xb9402c22, 0x6b00005f,
      0x54000163, 0x4b000042, 0x91004020, 0x7100005f, 0x540000ad, 0xf9400000, 0x71000442,
      0x91002000, 0x54ffffa1, 0xb9401800, 0xd65f03c0, 0x12800000, 0xd65f03c0}},
    {"GOMP_barrier",
     {0x90000001, 0xf947c821, 0xd53bd040, 0x8b010000, 0xf9400800, 0xb4000060, 0x91020000,
      0x14004601, 0xd65f03c0}},
    {"omp_get_cancellation", {0x90000000, 0x39599000, 0xd65f03c0}},
};

enum { ARM_FUNCTIONS = sizeof(arm_functions) / sizeof(arm_functions[0]), ARM_PAGE = 0x10000 };

// Which code is read, and what of it is damaged.
static struct {
    bool arm;
    taddr damaged; // address of a byte; 0: none
    uint8_t flip;  // bits of it
    uint8_t arm_page[PAGE];
    struct live_host live;
    struct target_ops ops;
} code;

static bool
code_read(void *host, taddr addr, size_t size, void *ret)
{
    struct iovec local = {ret, size}, remote = {(void *) (uintptr_t) addr, size};
    (void) host;
    if (code.arm && (addr < ARM_PAGE || addr > ARM_PAGE + PAGE || size > ARM_PAGE + PAGE - addr))
        return false;
    if (code.arm)
        memcpy(ret, code.arm_page + (addr - ARM_PAGE), size);
    else if (process_vm_readv(getpid(), &local, 1, &remote, 1, 0) != (ssize_t) size)
        return false;
    if (code.damaged >= addr && code.damaged - addr < size)
        ((uint8_t *) ret)[code.damaged - addr] ^= code.flip;
    return true;
}

static bool
code_function(void *host, const char *name, taddr *ret)
{
    (void) host;
    if (!code.arm) {
        const void *found = dlsym(RTLD_DEFAULT, name);
        *ret = found ? (taddr) (uintptr_t) found : *ret;
        return found != NULL;
    }
    for (unsigned i = 0; i < ARM_FUNCTIONS; i++)
        if (strcmp(arm_functions[i].name, name) == 0) {
            *ret = ARM_PAGE + (taddr) i * ARM_STRIDE;
            return true;
        }
    return false;
}

static enum status
decode(struct gomp_facts *ret)
{
    struct inferior inf;
    code.ops = *live_host_target(&code.live).ops;
    code.ops.read = code_read;
    code.ops.find_function = code_function;
    code.ops.find_symbol = code_function;
    ck_assert_int_eq(inferior_init(&inf, (struct target){&code.ops, &code.live}), STATUS_OK);
    enum status status = gomp_decode(&inf, ret);
    inferior_deinit(&inf);
    return status;
}

static void
set_up(bool arm)
{
    code.arm = arm;
    for (unsigned i = 0; i < ARM_FUNCTIONS; i++)
        for (unsigned j = 0; j < 24; j++)
            for (unsigned k = 0; k < 4; k++)
                code.arm_page[i * ARM_STRIDE + 4 * j + k] =
                    (uint8_t) (arm_functions[i].words[j] >> (8 * k));
    if (!arm)
        ck_assert_ptr_nonnull(dlopen("libgomp.so.1", RTLD_NOW | RTLD_GLOBAL));
}

static void
check_fact(const struct gomp_facts *facts, enum gomp_fact fact, taddr wanted)
{
    ck_assert_msg(facts->known[fact], "fact %d", (int) fact);
    ck_assert_uint_eq(facts->values[fact], wanted);
}

START_TEST(arm_is_understood)
{
    struct gomp_facts facts;
    set_up(true);
    ck_assert_int_eq(decode(&facts), STATUS_OK);
    ck_assert_str_eq(facts.machine->name, "aarch64");
    check_fact(&facts, FACT_SLOT, ARM_PAGE + 0xf90);
    check_fact(&facts, FACT_TEAM, 0x10);
    check_fact(&facts, FACT_TEAM_ID, 0x28);
    check_fact(&facts, FACT_ACTIVE_LEVEL, 0x30);
    check_fact(&facts, FACT(gomp_team, nthreads), 0);
    check_fact(&facts, FACT(gomp_team, prev_ts), 8);
    check_fact(&facts, FACT(gomp_team_state, team_id), 0x18);
    check_fact(&facts, FACT_TEAM_BARRIER, 0x80);
    check_fact(&facts, FACT(gomp_task, final_task), 0xd5);
    check_fact(&facts, FACT(gomp_task, icv), 0x98);
    check_fact(&facts, FACT(gomp_task_icv, dyn_var), 24);
    check_fact(&facts, FACT(gomp_task_icv, run_sched_chunk_size), 12);
    check_fact(&facts, FACT_GLOBAL_ICV, ARM_PAGE + 864);
    check_fact(&facts, FACT_GLOBAL_CANCEL, ARM_PAGE + 1636);
}
END_TEST

// Facts that two functions show, or that hold together with others.
static const enum gomp_fact confirmed[] = {
    FACT_SLOT,
    FACT_TEAM,
    FACT_TEAM_ID,
    FACT_LEVEL,
    FACT_ACTIVE_LEVEL,
    FACT(gomp_thread, ts),
    FACT(gomp_thread, task),
    FACT(gomp_team_state, team),
    FACT(gomp_team_state, team_id),
    FACT(gomp_task, icv),
    FACT_GLOBAL_ICV,
};

static void
check_damage(const struct gomp_facts *whole)
{
    struct gomp_facts facts;
    if (decode(&facts) != STATUS_OK)
        return;
    for (unsigned i = 0; i < sizeof(confirmed) / sizeof(confirmed[0]); i++)
        if (facts.known[confirmed[i]] && whole->known[confirmed[i]])
            ck_assert_msg(facts.values[confirmed[i]] == whole->values[confirmed[i]],
                          "fact %d with 0x%lx damaged by 0x%x", (int) confirmed[i],
                          (unsigned long) code.damaged, code.flip);
}

// The code of one function, with one byte of it changed.
START_TEST(damage_is_noticed)
{
    static const uint8_t flips[] = {0x01, 0x08, 0x40, 0x80, 0xff};
    const char *name = arm_functions[(unsigned) _i / 2].name;
    struct gomp_facts whole;
    taddr addr = 0;
    set_up(_i % 2 == 0);
    ck_assert_int_eq(decode(&whole), STATUS_OK);
    ck_assert(code_function(NULL, name, &addr));
    for (unsigned at = 0; at < 80; at++)
        for (unsigned i = 0; i < sizeof(flips); i++) {
            code.damaged = addr + at;
            code.flip = flips[i];
            check_damage(&whole);
        }
}
END_TEST

// Any bytes at all are stepped through without harm.
START_TEST(noise_is_harmless)
{
    uint8_t bytes[CODE_MAX];
    uint64_t seed = 88172645463325252U + (unsigned) _i;
    struct code_result result;
    for (unsigned round = 0; round < 20000; round++) {
        for (size_t i = 0; i < sizeof(bytes); i++) {
            seed ^= seed << 13;
            seed ^= seed >> 7;
            seed ^= seed << 17;
            bytes[i] = (uint8_t) seed;
        }
        (void) code_step_through(_i ? &machine_aarch64 : &machine_x86_64, bytes, round % CODE_MAX,
                                 0x1000, &result);
    }
}
END_TEST

// Static linking puts the offset of the thread's record into the code, as a number or as part of
// the place that is loaded.
START_TEST(linked_code_is_understood)
{
    static const struct {
        uint8_t bytes[16];
        size_t size;
        int64_t start;
        int32_t added, shift;
    } linked[] = {
        // mov $-0x80,%rax; mov %fs:0x28(%rax),%eax; ret
        {{0x48, 0xc7, 0xc0, 0x80, 0xff, 0xff, 0xff, 0x64, 0x8b, 0x40, 0x28, 0xc3},
         12,
         -0x80,
         0,
         0x28},
        // mov %fs:-0x58,%eax; ret
        {{0x64, 0x8b, 0x04, 0x25, 0xa8, 0xff, 0xff, 0xff, 0xc3}, 9, 0, 0, -0x58},
        // mov %fs:0,%rax; add $-0x70,%rax; mov (%rax),%rax; ret
        {{0x64, 0x48, 0x8b, 0x04, 0x25, 0, 0, 0, 0, 0x48, 0x83, 0xc0, 0x90, 0x48, 0x8b, 0x00},
         16,
         0,
         -0x70,
         0},
    };
    for (unsigned i = 0; i < sizeof(linked) / sizeof(linked[0]); i++) {
        struct code_result result;
        uint8_t bytes[17] = {0};
        memcpy(bytes, linked[i].bytes, linked[i].size);
        bytes[linked[i].size] = 0xc3;
        ck_assert(code_step_through(&machine_x86_64, bytes, linked[i].size + 1, 0x1000, &result));
        ck_assert_int_eq(result.value.base, BASE_VARIABLE);
        ck_assert(result.value.is_offset);
        ck_assert_int_eq((int64_t) result.value.addr, linked[i].start);
        ck_assert_uint_eq(result.value.n_loads, 1);
        ck_assert_int_eq(result.value.loads[0].added, linked[i].added);
        ck_assert_int_eq(result.value.loads[0].shift, linked[i].shift);
    }
}
END_TEST

static void
forget(void)
{
    memset(&code, 0, sizeof(code));
}

TCase *
gomp_code_cases(void)
{
    TCase *cases = tcase_create("code");
    tcase_add_checked_fixture(cases, forget, forget);
    tcase_set_timeout(cases, 600);
    tcase_add_test(cases, arm_is_understood);
    tcase_add_loop_test(cases, damage_is_noticed, 0, 2 * ARM_FUNCTIONS);
    tcase_add_test(cases, linked_code_is_understood);
    tcase_add_loop_test(cases, noise_is_harmless, 0, 2);
    return cases;
}
