// SPDX-License-Identifier: BSD-3-Clause
// HARNESS [-n COUNT] [-s SEED] FILE...: runs inputs, and COUNT ones that are made of them.
//
// The damage is random but the same every time; another SEED gives other damage.
#include "tests/fuzz/harness.h"
#include "tests/fuzz/random.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#pragma weak LLVMFuzzerInitialize
#pragma weak LLVMFuzzerCustomMutator

enum { INPUT_MAX = 1 << 20, CHANGES_MAX = 8, LAST_MAX = 256 };

/** Where the input that is being run is kept: after a crash it reproduces it. */
static char last_path[LAST_MAX];

static size_t
read_input(const char *path, uint8_t *ret)
{
    FILE *file = fopen(path, "rb");
    size_t size = file != NULL ? fread(ret, 1, INPUT_MAX, file) : 0;
    if (file == NULL || ferror(file)) {
        perror(path);
        exit(EXIT_FAILURE);
    }
    fclose(file);
    return size;
}

static void
keep(const uint8_t *data, size_t size)
{
    FILE *file = fopen(last_path, "wb");
    if (file == NULL || fwrite(data, 1, size, file) != size || fclose(file) != 0) {
        perror(last_path);
        exit(EXIT_FAILURE);
    }
}

/** The input stands in a block of its own size, so that tools see what is read behind it. */
static void
run(const uint8_t *data, size_t size)
{
    uint8_t *copy = malloc(size > 0 ? size : 1);
    if (copy == NULL)
        exit(EXIT_FAILURE);
    memcpy(copy, data, size);
    keep(data, size);
    LLVMFuzzerTestOneInput(copy, size);
    free(copy);
}

static size_t
change(uint8_t *data, size_t size, uint64_t *state)
{
    if (LLVMFuzzerCustomMutator != NULL)
        return LLVMFuzzerCustomMutator(data, size, INPUT_MAX, (unsigned) random_next(state));
    for (uint64_t n = random_next(state) % CHANGES_MAX + 1; n > 0 && size > 0; n--)
        data[random_next(state) % size] = (uint8_t) (random_next(state) >> 24);
    return size;
}

int
main(int argc, char **argv)
{
    static uint8_t data[INPUT_MAX];
    unsigned long count = 0, seed = 1;
    for (int option; (option = getopt(argc, argv, "n:s:")) != -1;) {
        if (option == '?')
            return EXIT_FAILURE;
        *(option == 'n' ? &count : &seed) = strtoul(optarg, NULL, 0);
    }
    const char *slash = strrchr(argv[0], '/');
    snprintf(last_path, sizeof last_path, "%s.last", slash != NULL ? slash + 1 : argv[0]);
    const int first = optind; // which reading another command line moves
    if (LLVMFuzzerInitialize != NULL)
        LLVMFuzzerInitialize(&argc, &argv);
    for (int i = first; i < argc; i++)
        run(data, read_input(argv[i], data));
    uint64_t state = random_begin(seed);
    for (unsigned long i = 0; i < count && first < argc; i++) {
        int chosen = first + (int) (random_next(&state) % (uint64_t) (argc - first));
        size_t size = read_input(argv[chosen], data);
        run(data, change(data, size, &state));
    }
    unlink(last_path);
    printf("%d inputs, %lu that were made of them\n", argc - first, count);
    return argc > first ? EXIT_SUCCESS : EXIT_FAILURE;
}
