// SPDX-License-Identifier: BSD-3-Clause
// check_fuzz [-n COUNT] [-s SEED] [FILE...]: runs the seeds, or the files, and damaged scripts.
//
// The damage is random but the same every time; another SEED gives other damage.
#include "tests/fuzz/fuzz.h"

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { COUNT = 500, MOST_MUTATIONS = 6, MUTATION = 8 };

static uint64_t
random_number(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

static bool
run_random(uint64_t seed, unsigned long count)
{
    uint8_t data[2 + MOST_MUTATIONS * MUTATION];
    uint64_t state = seed * 0x9e3779b97f4a7c15 + 1;

    for (unsigned long i = 0; i < count; i++) {
        for (size_t k = 0; k < sizeof(data); k++)
            data[k] = (uint8_t) (random_number(&state) >> 24);
        size_t size = 2 + (random_number(&state) % MOST_MUTATIONS + 1) * MUTATION;
        if (fuzz_bytes(data, size))
            continue;
        fprintf(stderr, "number %lu of seed %lu: see " FUZZ_LAST "\n", i, (unsigned long) seed);
        return false;
    }
    unlink(FUZZ_LAST);
    return true;
}

static bool
run_files(char *const *paths, size_t n)
{
    bool well = true;

    for (size_t i = 0; i < n; i++) {
        if (fuzz_file(paths[i]))
            continue;
        fprintf(stderr, "in %s\n", paths[i]);
        well = false;
    }
    return well;
}

int
main(int argc, char **argv)
{
    unsigned long count = COUNT;
    unsigned long seed = 1;
    glob_t found = {0};

    for (int option; (option = getopt(argc, argv, "n:s:")) != -1;) {
        if (option == '?')
            return EXIT_FAILURE;
        *(option == 'n' ? &count : &seed) = strtoul(optarg, NULL, 0);
    }
    if (optind < argc)
        return run_files(argv + optind, (size_t) (argc - optind)) ? EXIT_SUCCESS : EXIT_FAILURE;
    glob(SEEDS "/*.case", 0, NULL, &found);
    bool well = run_files(found.gl_pathv, found.gl_pathc);
    globfree(&found);
    well &= run_random(seed, count);
    return well ? EXIT_SUCCESS : EXIT_FAILURE;
}
