// SPDX-License-Identifier: BSD-3-Clause
// Damages what is read of real processes while both readers are asked everything: they must come
// back, keep inside their memory and lose none. What they say may be anything.
//
// Usage: check_hostile [ROUNDS]
#include "ompd-bridge/exports/omp_session.h"
#include "tests/omp/ask_all.h"
#include "tests/omp/named_host.h"
#include "tests/omp/park.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 40 };

/** Reads the real process; of some words it gives something else. */
static struct {
    struct named_host named; // first, as in it
    uint32_t random;
    unsigned rarity; // one word of so many is damaged; 0: none
} host;

static uint32_t
next_random(void)
{
    host.random = host.random * 1664525 + 1013904223;
    return host.random >> 8;
}

// What programs that go wrong leave behind, and what somebody would write who wants the debugger to
// go wrong.
static void
damage(uint8_t *word, const uint8_t *bytes, size_t words)
{
    static const uint64_t values[] = {0, UINT64_MAX, UINT32_MAX, 0x10000001, (uint64_t) 1 << 40};
    const size_t n_values = sizeof(values) / sizeof(values[0]);
    size_t kind = next_random() % (n_values + 2);
    if (kind < n_values)
        memcpy(word, &values[kind], 8);
    else if (kind == n_values)
        word[next_random() % 8] = (uint8_t) next_random();
    else
        memmove(word, bytes + 8 * (next_random() % words), 8);
}

static bool
read_damaged(void *opaque, taddr addr, size_t size, void *ret)
{
    const struct target real = named_host_target(&host.named);
    uint8_t *bytes = ret;
    if (!real.ops->read(opaque, addr, size, ret))
        return false;
    for (size_t i = 0; host.rarity > 0 && i < size / 8; i++)
        if (next_random() % host.rarity == 0)
            damage(bytes + 8 * i, bytes, size / 8);
    return true;
}

static bool
ask(const struct backend *backend, struct inferior *inf, bool late)
{
    struct diagnostics diagnostics = {0};
    struct backend_state *state;
    const unsigned rarity = host.rarity;
    host.rarity = late ? 0 : rarity;
    enum status status = backend->open(inf, &diagnostics, &state);
    host.rarity = rarity;
    if (status != STATUS_OK)
        return false;
    inferior_refresh(inf);
    if (backend->refresh(state) == STATUS_OK)
        free(ask_all(backend, state));
    backend->close(state);
    return true;
}

static void
look_twice(struct inferior *inf)
{
    struct omp_session *omp = omp_session_create(inf);
    for (unsigned i = 0; omp && i < 2; i++)
        if (omp_session_setup_thread_iterator(omp) != STATUS_OK)
            trail_reset(&inf->trail);
    omp_session_destroy(omp);
}

// @return how many backends could be opened
static unsigned
run_round(unsigned number)
{
    static const unsigned rarities[] = {20000, 5000, 1000, 200};
    struct target_ops ops = *named_host_target(&host.named).ops;
    struct inferior inf;
    unsigned opened = 0;
    ops.read = read_damaged;
    host.random = number * 77;
    host.rarity = rarities[number / 2 % 4];
    if (inferior_init(&inf, (struct target){&ops, &host.named}) == STATUS_OK) {
        opened += ask(&backend_libomp, &inf, number % 2);
        opened += ask(&backend_library, &inf, number % 2);
        look_twice(&inf);
    }
    inferior_deinit(&inf);
    return opened;
}

static bool
run(const char *situation, unsigned rounds)
{
    struct park park;
    unsigned opened = 0;
    const bool sanitized = dlsym(RTLD_DEFAULT, "__asan_init") != NULL;
    bool started = park_start(&park, situation, true) &&
                   live_host_init(&host.named.live, park.pid) && named_host_init(&host.named);
    for (unsigned i = 0; started && i < rounds; i++)
        opened += run_round(i);
    named_host_deinit(&host.named);
    live_host_deinit(&host.named.live);
    park_stop(&park);
    printf("%s: %u rounds, %u readers opened, %d blocks lost\n", situation, rounds, opened,
           live_host_blocks);
    return started && opened >= (sanitized ? rounds / 2 : rounds) && live_host_blocks == 0;
}

int
main(int argc, char **argv)
{
    const unsigned rounds = argc > 1 ? (unsigned) strtoul(argv[1], NULL, 10) : ROUNDS;
    char folder[PATH_MAX];
    setenv("OMP_DEBUG", "enabled", 1);
    if (!park_find_builds() || !park_find_library("libomp-19-stock", sizeof(folder), folder))
        return EXIT_FAILURE;
    setenv("MQS_OMPD_LIBRARY", folder, 1);
    bool good = run("lists", rounds);
    good = run("suspended", rounds) && good;
    good = run("serialised", rounds) && good;
    return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
