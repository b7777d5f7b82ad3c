// SPDX-License-Identifier: BSD-3-Clause
// A library that tells of the scene that the environment variable FAKE_OPENMP names, whatever the
// process is. Built with FAKE_IS_OLD, it has only the functions for threads. It crashes on the
// process whose rank FAKE_CRASH names, and hangs on that of FAKE_HANG. FAKE_TRIES has it try what
// reading does not need, with the process of that number and the files of FAKE_FILE and
// FAKE_SECRET, and FAKE_EATS take memory until there is none. With FAKE_DIES it crashes ("never":
// it never comes back) on every file, but not in a worker.
#include "tests/show/fake_scenes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))

EXPORT int
mqs_omp_process_has_openmp(mqs_process *process, char **message)
{
    const char *wanted = getenv("FAKE_OPENMP"), *victim = getenv("FAKE_TRIES");
    (void) process;
    if (getenv("FAKE_EATS") != NULL)
        fake_eat();
    if (victim != NULL)
        fake_try(atoi(victim), getenv("FAKE_FILE"));
    *message = NULL;
    return wanted != NULL && fake_make(wanted) ? mqs_ok : mqs_no_information;
}

EXPORT int
mqs_omp_setup_thread_iterator(mqs_process *process)
{
    (void) process;
    fake.next_thread = 0;
    return mqs_ok;
}

EXPORT int
mqs_omp_next_thread(mqs_process *process, mqs_omp_thread *thread)
{
    (void) process;
    if (fake.next_thread == fake.n_threads)
        return mqs_end_of_list;
    *thread = fake.threads[fake.next_thread++];
    return mqs_ok;
}

#ifndef FAKE_IS_OLD
EXPORT int
mqs_omp_get_info(mqs_process *process, mqs_omp_info *info)
{
    (void) process;
    *info = (mqs_omp_info){.runtime = "Fake", .release = "1", .backend = "made \t up"};
    return mqs_ok;
}

EXPORT int
mqs_omp_setup_region_iterator(mqs_process *process, int thread)
{
    (void) process, (void) thread;
    fake.next_region = 0;
    return mqs_ok;
}

EXPORT int
mqs_omp_next_region(mqs_process *process, mqs_omp_region *region)
{
    (void) process;
    if (fake.next_region == fake.n_regions)
        return mqs_end_of_list;
    *region = fake.regions[fake.next_region++];
    return mqs_ok;
}

EXPORT int
mqs_omp_setup_task_iterator(mqs_process *process, int which, int number)
{
    (void) process, (void) which, (void) number;
    fake.next_task = 0;
    return mqs_ok;
}

EXPORT int
mqs_omp_next_task(mqs_process *process, mqs_omp_task *task)
{
    (void) process;
    if (fake.next_task == fake.n_tasks)
        return mqs_end_of_list;
    *task = fake.tasks[fake.next_task++];
    return mqs_ok;
}

EXPORT int
mqs_omp_setup_icv_iterator(mqs_process *process, int scope, int number)
{
    (void) process;
    fake.icv_scope = scope;
    fake.icv_number = number;
    fake.next_icv = 0;
    return mqs_ok;
}

EXPORT int
mqs_omp_next_icv(mqs_process *process, mqs_omp_icv *icv)
{
    (void) process;
    if (fake.next_icv == 3)
        return mqs_end_of_list;
    *icv = (mqs_omp_icv){.scope = fake.icv_scope, .known = MQS_OMP_VALUE, .value = 7};
    snprintf(icv->name, sizeof icv->name, "fake-%d-var", fake.next_icv);
    if (fake.next_icv == 1 && fake.icv_number != 2)
        icv->value = fake.icv_number;
    if (fake.next_icv == 2) {
        icv->known = fake.icv_scope == MQS_OMP_OF_THREAD ? 0 : MQS_OMP_TEXT;
        snprintf(icv->text, sizeof icv->text, "3,2\r");
    }
    fake.next_icv++;
    return mqs_ok;
}

EXPORT int
mqs_omp_get_control_var(mqs_process *process, int index, const char **text)
{
    static const char *const texts[] = {"OMP_DYNAMIC=false", "OMP_PLACES={0}\033"};
    (void) process;
    if (index >= 2)
        return mqs_end_of_list;
    *text = texts[index];
    return mqs_ok;
}
#endif

// The side of the message queues: FAKE_QUEUES="COMMUNICATORS RECEIVES" has as many receives pending
// on the first communicator and nothing on the others. Without it there is no MPI.

static const mqs_basic_callbacks *basic;

static struct {
    int rank, n_comms, n_receives, next_comm, next_receive;
} queues;

static int
make_queues(void)
{
    const char *wanted = getenv("FAKE_QUEUES");
    queues.next_comm = queues.next_receive = 0;
    return wanted != NULL && sscanf(wanted, "%d %d", &queues.n_comms, &queues.n_receives) == 2
               ? mqs_ok
               : mqs_no_information;
}

EXPORT void
mqs_setup_basic_callbacks(const mqs_basic_callbacks *callbacks)
{
    basic = callbacks;
}

EXPORT char *
mqs_dll_error_string(int code)
{
    static char text[] = "fake";
    (void) code;
    return text;
}

EXPORT int
mqs_setup_image(mqs_image *image, const mqs_image_callbacks *callbacks)
{
    const char *how = getenv("FAKE_DIES");
    (void) image, (void) callbacks;
    if (how != NULL && fake_may_start()) {
        while (strcmp(how, "never") == 0)
            pause();
        abort();
    }
    return mqs_ok;
}

EXPORT int
mqs_image_has_queues(mqs_image *image, char **message)
{
    (void) image;
    *message = NULL;
    return make_queues();
}

static bool
is_rank_in(const char *variable, int rank)
{
    const char *text = getenv(variable);
    return text != NULL && *text != '\0' && atoi(text) == rank;
}

EXPORT int
mqs_setup_process(mqs_process *process, const mqs_process_callbacks *callbacks)
{
    int rank = callbacks->mqs_get_global_rank_fp(process);
    queues.rank = rank;
    if (is_rank_in("FAKE_CRASH", rank))
        abort();
    while (is_rank_in("FAKE_HANG", rank))
        pause();
    if (getenv("FAKE_PRINT") != NULL)
        basic->mqs_dprints_fp(getenv("FAKE_PRINT"));
    return mqs_ok;
}

EXPORT int
mqs_process_has_queues(mqs_process *process, char **message)
{
    (void) process;
    *message = NULL;
    return make_queues();
}

EXPORT int
mqs_update_communicator_list(mqs_process *process)
{
    (void) process;
    return make_queues();
}

EXPORT int
mqs_setup_communicator_iterator(mqs_process *process)
{
    (void) process;
    return make_queues();
}

EXPORT int
mqs_get_communicator(mqs_process *process, mqs_communicator *comm)
{
    (void) process;
    *comm = (mqs_communicator){
        .unique_id = (mqs_taddr_t) queues.next_comm + 1, .local_rank = queues.rank, .size = 12};
    snprintf(comm->name, sizeof comm->name, "comm%d", queues.next_comm);
    return mqs_ok;
}

EXPORT int
mqs_next_communicator(mqs_process *process)
{
    (void) process;
    return ++queues.next_comm < queues.n_comms ? mqs_ok : mqs_end_of_list;
}

EXPORT int
mqs_setup_operation_iterator(mqs_process *process, int op_class)
{
    (void) process;
    queues.next_receive = 0;
    return op_class == mqs_pending_receives && queues.next_comm == 0 && queues.n_receives > 0
               ? mqs_ok
               : mqs_end_of_list;
}

EXPORT int
mqs_next_operation(mqs_process *process, mqs_pending_operation *op)
{
    (void) process;
    if (queues.next_receive == queues.n_receives)
        return mqs_end_of_list;
    *op = (mqs_pending_operation){.status = mqs_st_pending,
                                  .desired_local_rank = 1,
                                  .desired_global_rank = 1,
                                  .desired_tag = queues.next_receive++,
                                  .desired_length = 4};
    return mqs_ok;
}
