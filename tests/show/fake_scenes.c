// SPDX-License-Identifier: BSD-3-Clause
// OpenMP in processes that do not exist: what no runtime does on demand, and what no library should
// say.
#include "tests/show/fake_scenes.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum {
    TEAM = MQS_OMP_TID | MQS_OMP_THREAD_NUM | MQS_OMP_TEAM_SIZE | MQS_OMP_LEVEL | MQS_OMP_REGION,
    SHAPE = MQS_OMP_TEAM_SIZE | MQS_OMP_LEVEL | MQS_OMP_PARENT,
    EXPLICIT = MQS_OMP_GENERATING | MQS_OMP_FUNCTION | MQS_OMP_THREAD | MQS_OMP_REGION,
    IMPLICIT = MQS_OMP_THREAD_NUM | MQS_OMP_THREAD | MQS_OMP_REGION
};

struct fake fake;

static mqs_omp_thread *
add_thread(uint32_t known, int64_t num, int32_t region, const char *state)
{
    int n = fake.n_threads++;
    fake.threads[n] = (mqs_omp_thread){
        .known = known | (state != NULL ? MQS_OMP_STATE : 0),
        .number = n,
        .tid = 1000 + n,
        .thread_num = num,
        .team_size = 2,
        .level = 1,
        .region = region,
    };
    snprintf(fake.threads[n].id, MQS_OMP_ID, "t%d", n);
    if (state != NULL)
        snprintf(fake.threads[n].state_name, sizeof fake.threads[n].state_name, "%s", state);
    return &fake.threads[n];
}

static mqs_omp_region *
add_region(uint32_t known, int32_t parent, int64_t team_size, int64_t level)
{
    int n = fake.n_regions++;
    fake.regions[n] = (mqs_omp_region){
        .known = known, .number = n, .parent = parent, .team_size = team_size, .level = level};
    snprintf(fake.regions[n].id, MQS_OMP_ID, "r%d", n);
    return &fake.regions[n];
}

static mqs_omp_task *
add_task(uint32_t known, int32_t region, int32_t thread, int64_t num)
{
    int n = fake.n_tasks++;
    fake.tasks[n] = (mqs_omp_task){
        .known = known,
        .number = n,
        .region = region,
        .thread = thread,
        .thread_num = num,
        .flags_known = MQS_OMP_TASK_IMPLICIT,
        .flags = (known & MQS_OMP_THREAD_NUM) != 0 ? MQS_OMP_TASK_IMPLICIT : 0,
    };
    snprintf(fake.tasks[n].id, MQS_OMP_ID, "k%d", n);
    return &fake.tasks[n];
}

/** The program's own region, a team of two, and nested teams below both of its threads; a pool. */
static void
make_nested(void)
{
    add_region(SHAPE, MQS_OMP_NONE, 1, 0);
    mqs_omp_region *outer = add_region(SHAPE | MQS_OMP_PRIMARY | MQS_OMP_FUNCTION, 0, 2, 1);
    outer->function = 0x10;
    for (int i = 0; i < 2; i++) {
        mqs_omp_region *inner = add_region(SHAPE | MQS_OMP_PRIMARY | MQS_OMP_TASK_COUNTS, 1, 2, 2);
        inner->primary = i;
        inner->tasks_queued = 3 * i;
        add_task(IMPLICIT, 1, i, i);
    }
    for (int i = 0; i < 4; i++)
        add_thread(TEAM, i / 2, 2 + i % 2, i == 1 ? "wait_lock" : "work_parallel");
    fake.threads[1].known |= MQS_OMP_WAIT_ID;
    fake.threads[1].wait_id = 0x4711;
    for (int i = 0; i < 3; i++)
        add_thread(MQS_OMP_TID | MQS_OMP_REGION, 0, MQS_OMP_NONE, "idle");
}

/** A league of two, of which one begins a region. */
static void
make_teams(void)
{
    add_region(SHAPE, MQS_OMP_NONE, 1, 0);
    mqs_omp_region *league = add_region(SHAPE | MQS_OMP_PRIMARY | MQS_OMP_FUNCTION, 0, 2, 0);
    league->function = 0x10;
    mqs_omp_region *inner = add_region(SHAPE | MQS_OMP_PRIMARY, 1, 1, 1);
    inner->primary = 1;
    for (int i = 0; i < 2; i++) {
        add_task(IMPLICIT, 1, i, i);
        add_thread(TEAM, 0, 1 + i, "work_parallel")->level = i;
    }
    add_task(IMPLICIT, 2, 1, 0);
}

/** Sixty threads: 0 works, 1 to 39 wait, 40 runs a task of a task of ..., the rest wait. */
static void
make_folded(void)
{
    add_region(SHAPE, MQS_OMP_NONE, 61, 1);
    for (int i = 0; i < 60; i++) {
        bool works = i == 0 || i == 40;
        mqs_omp_thread *thread =
            add_thread(TEAM, i, 0, works ? "work_parallel" : "wait_barrier_explicit");
        thread->tid = i < 30 ? 1000 + i : 2000 + 10 * i;
    }
    add_task(IMPLICIT, 0, 2, 2);
    for (int i = 0; i < 12; i++) {
        mqs_omp_task *task = add_task(EXPLICIT, 0, 40, 0);
        task->generating = task->number - 1;
        task->function = (mqs_taddr_t) (i < 5 ? 0x20 : 0x30 + i);
    }
    fake.threads[40].known |= MQS_OMP_TASK;
    fake.threads[40].task = fake.n_tasks - 1;
}

/** What is not known, and notes: the same for a whole team, and different ones. */
static void
make_notes(void)
{
    add_region(0, 0, 0, 0);
    add_region(0, 0, 0, 0);
    for (int i = 0; i < 4; i++) {
        mqs_omp_thread *thread = add_thread(MQS_OMP_REGION, 0, i / 2, NULL);
        snprintf(thread->note, sizeof thread->note, i < 3 ? "needs this" : "needs\033[31m that");
    }
    add_thread(MQS_OMP_THREAD_NUM | MQS_OMP_TEAM_SIZE | MQS_OMP_STATE, 1, 0, "")->state = 0x201;
}

/** Links that lead nowhere or round in circles. */
static void
make_broken(void)
{
    add_region(SHAPE | MQS_OMP_PRIMARY, 1, 2, 1)->primary = 77;
    add_region(SHAPE | MQS_OMP_PRIMARY, 0, 2, 1)->primary = -5;
    add_region(SHAPE | MQS_OMP_PRIMARY, 99, -3, 2)->primary = 1;
    add_thread(TEAM | MQS_OMP_TASK, -7, 0, "wait_\xff\nlock")->task = 0;
    add_thread(TEAM | MQS_OMP_TASK, 0, 2, "work_parallel")->task = 2;
    add_thread(TEAM | MQS_OMP_TASK, 0, 55, "work_parallel")->task = 3;
    for (int i = 0; i < 3; i++) {
        mqs_omp_task *task = add_task(EXPLICIT | MQS_OMP_SCHEDULING, 0, i == 0 ? 99 : i, 0);
        task->generating = task->scheduling = (i + 1) % 3;
        task->function = (mqs_taddr_t) 0xfffffffffffffff0;
    }
}

static const struct {
    const char *name;
    void (*make)(void);
} scenes[] = {
    {"nested", make_nested}, {"teams", make_teams},   {"folded", make_folded},
    {"notes", make_notes},   {"broken", make_broken},
};

bool
fake_make(const char *name)
{
    memset(&fake, 0, sizeof fake);
    for (size_t i = 0; i < sizeof scenes / sizeof *scenes; i++)
        if (strcmp(name, scenes[i].name) == 0) {
            scenes[i].make();
            return true;
        }
    return false;
}
