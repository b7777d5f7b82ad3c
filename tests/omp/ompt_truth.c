// SPDX-License-Identifier: BSD-3-Clause
// An OMPT tool inside of omp_park, at work when the environment has OMPT_TRUTH.
//
// It attaches a number of its own to every thread, region and task. When the program has parked, a
// signal makes each thread, wherever it waits, ask the runtime about itself: OMPT's inquiry
// functions may be called in a signal handler.
#include "tests/omp/ompt_truth.h"
#include "tests/omp/omp_park.h"

#include <omp-tools.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

// The number that is attached: what it is attached to, and a count from 1.
enum {
    DATA_THREAD = 0x10000,
    DATA_REGION = 0x20000,
    DATA_IMPLICIT = 0x30000,
    DATA_TASK = 0x40000,
    DATA_KIND = 0xf0000,
    DATA_COUNT = 0xffff,
    CODES = 1024
};

// Return addresses of the calls that made regions and tasks, by count.
static uint64_t region_codes[CODES], task_codes[CODES];
static atomic_uint n_threads, n_regions, n_implicit, n_tasks;
static atomic_bool at_work;

// What callbacks told the calling thread last.
static _Thread_local struct park_ompt_thread told;

static struct answer {
    struct park_ompt_thread thread;
    struct park_ompt_region regions[PARK_DEPTH];
    struct park_ompt_task tasks[PARK_DEPTH];
    int n_regions, n_tasks;
} answer; // of the one thread that is asked
static atomic_bool answered;

static ompt_get_state_t get_state;
static ompt_get_thread_data_t get_thread_data;
static ompt_get_parallel_info_t get_parallel_info;
static ompt_get_task_info_t get_task_info;

static uint64_t
number_of(const void *address)
{
    return (uint64_t) (uintptr_t) address;
}

static uint64_t
attach(atomic_uint *counter, unsigned kind, uint64_t *codes, const void *code)
{
    unsigned count = atomic_fetch_add(counter, 1) + 1;
    if (codes && count < CODES)
        codes[count] = number_of(code);
    return kind | (count & DATA_COUNT);
}

static uint64_t
rc_of(uint64_t data, unsigned kind, const uint64_t *codes)
{
    uint64_t count = data & DATA_COUNT;
    return (data & DATA_KIND) == kind && count < CODES ? codes[count] : 0;
}

static void
on_thread_begin(ompt_thread_t type, ompt_data_t *thread)
{
    (void) type;
    thread->value = attach(&n_threads, DATA_THREAD, NULL, NULL);
}

static void
on_parallel_begin(ompt_data_t *task, const ompt_frame_t *frame, ompt_data_t *region,
                  unsigned int requested, int flags, const void *code)
{
    (void) task, (void) frame, (void) requested, (void) flags;
    region->value = attach(&n_regions, DATA_REGION, region_codes, code);
}

static void
on_implicit_task(ompt_scope_endpoint_t endpoint, ompt_data_t *region, ompt_data_t *task,
                 unsigned int actual, unsigned int index, int flags)
{
    (void) actual, (void) index, (void) flags;
    if (endpoint != ompt_scope_begin)
        return;
    task->value = attach(&n_implicit, DATA_IMPLICIT, NULL, NULL);
    // The region of an initial task did not begin.
    if (region && region->value == 0)
        region->value = attach(&n_regions, DATA_REGION, NULL, NULL);
}

static void
on_task_create(ompt_data_t *parent, const ompt_frame_t *frame, ompt_data_t *task, int flags,
               int has_dependences, const void *code)
{
    (void) parent, (void) frame, (void) flags, (void) has_dependences;
    task->value = attach(&n_tasks, DATA_TASK, task_codes, code);
}

static void
on_mutex_acquire(ompt_mutex_t kind, unsigned int hint, unsigned int implementation,
                 ompt_wait_id_t wait_id, const void *code)
{
    (void) hint, (void) implementation;
    told.mutex_kind = (int64_t) kind;
    told.mutex_wait_id = wait_id;
    told.mutex_code = number_of(code);
}

static void
on_mutex_acquired(ompt_mutex_t kind, ompt_wait_id_t wait_id, const void *code)
{
    (void) kind, (void) wait_id, (void) code;
    told.mutex_kind = 0;
    told.mutex_wait_id = told.mutex_code = 0;
}

// A nest lock that the thread has already is acquired without mutex_acquired.
static void
on_nest_lock(ompt_scope_endpoint_t endpoint, ompt_wait_id_t wait_id, const void *code)
{
    (void) endpoint;
    on_mutex_acquired(ompt_mutex_nest_lock, wait_id, code);
}

static void
on_sync_region_wait(ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint, ompt_data_t *region,
                    ompt_data_t *task, const void *code)
{
    (void) region, (void) task;
    bool begins = endpoint == ompt_scope_begin;
    told.sync_kind = begins ? (int64_t) kind : 0;
    told.sync_code = begins ? number_of(code) : 0;
}

static void
ask_regions(void)
{
    ompt_data_t *data;
    int size;
    for (int n = 0; n < PARK_DEPTH && get_parallel_info(n, &data, &size) == 2; n++) {
        uint64_t value = data ? data->value : 0;
        answer.regions[answer.n_regions++] =
            (struct park_ompt_region){.tid = answer.thread.tid,
                                      .depth = n,
                                      .data = value,
                                      .size = size,
                                      .code = rc_of(value, DATA_REGION, region_codes)};
    }
}

static void
ask_tasks(void)
{
    int flags, num;
    ompt_data_t *data, *region;
    ompt_frame_t *frame;
    for (int n = 0; n < PARK_DEPTH && get_task_info(n, &flags, &data, &frame, &region, &num) == 2;
         n++) {
        uint64_t value = data ? data->value : 0;
        answer.tasks[answer.n_tasks++] =
            (struct park_ompt_task){.tid = answer.thread.tid,
                                    .depth = n,
                                    .data = value,
                                    .region = region ? region->value : 0,
                                    .flags = flags,
                                    .num = num,
                                    .exit_frame = frame->exit_frame.value,
                                    .enter_frame = frame->enter_frame.value,
                                    .exit_flags = frame->exit_frame_flags,
                                    .enter_flags = frame->enter_frame_flags,
                                    .code = rc_of(value, DATA_TASK, task_codes)};
    }
}

static void
on_signal(int signal)
{
    (void) signal;
    ompt_wait_id_t wait_id = 0;
    ompt_data_t *data = get_thread_data();
    answer.thread = told;
    answer.thread.tid = gettid();
    answer.thread.data = data ? data->value : 0;
    answer.thread.state = get_state(&wait_id);
    answer.thread.wait_id = wait_id;
    answer.n_regions = answer.n_tasks = 0;
    ask_regions();
    ask_tasks();
    atomic_store(&answered, true);
}

static int
start_tool(ompt_function_lookup_t lookup, int device, ompt_data_t *tool)
{
    static const struct {
        ompt_callbacks_t event;
        ompt_callback_t callback;
    } callbacks[] = {
        {ompt_callback_thread_begin, (ompt_callback_t) on_thread_begin},
        {ompt_callback_parallel_begin, (ompt_callback_t) on_parallel_begin},
        {ompt_callback_implicit_task, (ompt_callback_t) on_implicit_task},
        {ompt_callback_task_create, (ompt_callback_t) on_task_create},
        {ompt_callback_mutex_acquire, (ompt_callback_t) on_mutex_acquire},
        {ompt_callback_mutex_acquired, (ompt_callback_t) on_mutex_acquired},
        {ompt_callback_nest_lock, (ompt_callback_t) on_nest_lock},
        {ompt_callback_sync_region_wait, (ompt_callback_t) on_sync_region_wait},
    };
    (void) device, (void) tool;
    ompt_set_callback_t set = (ompt_set_callback_t) lookup("ompt_set_callback");
    get_state = (ompt_get_state_t) lookup("ompt_get_state");
    get_thread_data = (ompt_get_thread_data_t) lookup("ompt_get_thread_data");
    get_parallel_info = (ompt_get_parallel_info_t) lookup("ompt_get_parallel_info");
    get_task_info = (ompt_get_task_info_t) lookup("ompt_get_task_info");
    for (size_t i = 0; i < sizeof(callbacks) / sizeof(callbacks[0]); i++)
        if (set(callbacks[i].event, callbacks[i].callback) != ompt_set_always)
            abort();
    signal(SIGUSR1, on_signal);
    atomic_store(&at_work, true);
    return 1;
}

static void
end_tool(ompt_data_t *tool)
{
    (void) tool;
    atomic_store(&at_work, false);
}

__attribute__((visibility("default"))) ompt_start_tool_result_t *
ompt_start_tool(unsigned int version, const char *runtime)
{
    static ompt_start_tool_result_t result = {start_tool, end_tool, {0}};
    (void) version, (void) runtime;
    return getenv("OMPT_TRUTH") ? &result : NULL;
}

// @return false: the thread has ended
static bool
ask(int64_t tid)
{
    atomic_store(&answered, false);
    if (syscall(SYS_tgkill, getpid(), (pid_t) tid, SIGUSR1) != 0)
        return false;
    while (!atomic_load(&answered))
        usleep(100);
    return true;
}

void
ompt_truth_print(const struct park_thread *threads, int n)
{
    for (int i = 0; atomic_load(&at_work) && i < n; i++) {
        if (!ask(threads[i].tid))
            continue;
        print_record(&park_ompt_thread_kind, &answer.thread);
        for (int region = 0; region < answer.n_regions; region++)
            print_record(&park_ompt_region_kind, &answer.regions[region]);
        for (int task = 0; task < answer.n_tasks; task++)
            print_record(&park_ompt_task_kind, &answer.tasks[task]);
    }
}
