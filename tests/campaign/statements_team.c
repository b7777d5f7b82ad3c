// SPDX-License-Identifier: BSD-3-Clause
// Teams of OpenMP whose members perform scripts, and what these wait for. Built without OpenMP it
// has none.
#include "statements.h"

#include <stddef.h>

#ifdef _OPENMP
#include <omp.h>

enum { LOCKS = 4 };

static omp_lock_t locks[LOCKS];

bool
statements_perform_team(int size, void (*perform)(int))
{
    for (int i = 0; i < LOCKS; i++)
        omp_init_lock(&locks[i]);
    omp_set_dynamic(0);
#pragma omp parallel num_threads(size)
    perform(omp_get_thread_num());
    return true;
}

static void
do_team_barrier(struct actor *actor, const int *a)
{
    (void) actor;
    (void) a;
#pragma omp barrier
}

static void
do_omp_lock(struct actor *actor, const int *a)
{
    (void) actor;
    omp_set_lock(&locks[a[0]]);
}

static void
do_omp_unlock(struct actor *actor, const int *a)
{
    (void) actor;
    omp_unset_lock(&locks[a[0]]);
}

const struct operation team_operations[] = {
    {"team_barrier", do_team_barrier},
    {"omp_lock", do_omp_lock},
    {"omp_unlock", do_omp_unlock},
    {NULL, NULL},
};
#else
bool
statements_perform_team(int size, void (*perform)(int))
{
    (void) size;
    (void) perform;
    return false;
}

const struct operation team_operations[] = {{NULL, NULL}};
#endif
