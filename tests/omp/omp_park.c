// SPDX-License-Identifier: BSD-3-Clause
// A program that brings OpenMP threads into a known situation, writes down what they say of
// themselves, and parks.
//
// Usage: omp_park SITUATION | --list. It prints the records of park_truth.def, then "ready", and
// sleeps until it is killed. With OMPT_TRUTH in the environment, an OMPT tool adds its records.
#include "tests/omp/omp_park.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct situation *const groups[] = {
    region_situations, wait_situations, more_wait_situations, task_situations, held_up_situations};

// Runtimes read the environment when they are loaded: the program starts anew with what lacks.
static void
set_environment(char **argv, const char *const *environment)
{
    bool lacks = false;
    for (; environment && *environment; environment++) {
        char name[64] = "";
        size_t length = strcspn(*environment, "=");
        if (length < sizeof(name))
            memcpy(name, *environment, length);
        if (getenv(name))
            continue;
        lacks = true;
        setenv(name, *environment + length + 1, 1);
    }
    if (lacks)
        execv("/proc/self/exe", argv);
}

int
main(int argc, char **argv)
{
    for (size_t i = 0; argc == 2 && i < sizeof(groups) / sizeof(groups[0]); i++)
        for (const struct situation *situation = groups[i]; situation->name; situation++) {
            if (strcmp(argv[1], "--list") == 0)
                puts(situation->name);
            if (strcmp(argv[1], situation->name) != 0)
                continue;
            set_environment(argv, situation->environment);
            situation->run(situation->argument);
            return 0;
        }
    if (argc == 2 && strcmp(argv[1], "--list") == 0)
        return 0;
    fprintf(stderr, "usage: omp_park SITUATION | --list\n");
    return 2;
}
