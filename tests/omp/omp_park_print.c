// SPDX-License-Identifier: BSD-3-Clause
// The end of a situation: threads come to rest, what they recorded is printed, all park.
#include "tests/omp/omp_park.h"
#include "tests/omp/ompt_truth.h"

#include <omp.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

_Noreturn void
park(void)
{
    for (;;)
        pause();
}

// Microseconds between two looks at the threads; how often they must be at rest in a row; how often
// to look at most; nanoseconds of CPU time after which a thread spins where it waits.
enum { LOOK = 10000, LOOKS_AT_REST = 4, LOOKS = 60000, SPINS = 20000000 };

static bool
sleeps(int64_t tid)
{
    char path[64], text[512];
    snprintf(path, sizeof(path), "/proc/self/task/%" PRId64 "/stat", tid);
    FILE *file = fopen(path, "re");
    if (!file)
        return true; // it has ended
    text[fread(text, 1, sizeof(text) - 1, file)] = '\0';
    fclose(file);
    const char *name_end = strrchr(text, ')');
    return name_end && name_end[1] == ' ' && name_end[2] == 'S';
}

static int64_t
cpu_time(const struct park_thread *thread)
{
    // The kernel's number of a thread's CPU clock, which clock_gettime() takes.
    clockid_t clock = (clockid_t) (~(unsigned) thread->tid << 3 | 6);
    struct timespec time;
    if (clock_gettime(clock, &time) != 0)
        return 0;
    return (int64_t) time.tv_sec * 1000000000 + time.tv_nsec;
}

static bool
all_at_rest(const int64_t *begin)
{
    for (int i = 0; i < atomic_load(&n_thread_records); i++) {
        const struct park_thread *thread = &thread_records[i];
        if (thread->does != PARK_WORKS && !sleeps(thread->tid) &&
            cpu_time(thread) - begin[i] < SPINS)
            return false;
    }
    return true;
}

// A thread that waits has recorded itself just before; now it sleeps, or spins for long enough.
static void
settle(void)
{
    static int64_t begin[PARK_THREADS];
    int at_rest = 0;
    for (int i = 0; i < atomic_load(&n_thread_records); i++)
        begin[i] = cpu_time(&thread_records[i]);
    for (int i = 0; i < LOOKS && at_rest < LOOKS_AT_REST; i++) {
        usleep(LOOK);
        at_rest = all_at_rest(begin) ? at_rest + 1 : 0;
    }
}

static void
print_value(const char *at, int base)
{
    int64_t value;
    memcpy(&value, at, sizeof(value));
    if (base == 16)
        printf("0x%" PRIx64, (uint64_t) value);
    else
        printf("%" PRId64, value);
}

void
print_record(const struct park_kind *kind, const void *record)
{
    fputs(kind->name, stdout);
    for (unsigned n = 0; n < kind->n_fields; n++) {
        const struct park_field *field = &kind->fields[n];
        printf(" %s=", field->name);
        for (unsigned i = 0; i < field->count; i++) {
            if (i > 0)
                putchar(',');
            print_value((const char *) record + field->offset + i * sizeof(int64_t), field->base);
        }
    }
    putchar('\n');
}

// No question to the runtime when no thread has recorded itself: it would start.
static void
print_affinity_format(void)
{
    char text[256];
    if (omp_get_affinity_format(text, sizeof(text)) < sizeof(text))
        printf("affinity_format %s\n", text);
}

void
print_records(void)
{
    settle();
    for (int i = 0; i < atomic_load(&n_thread_records); i++)
        print_record(&park_thread_kind, &thread_records[i]);
    for (int i = 0; i < atomic_load(&n_task_records); i++)
        if (task_records[i].does != PARK_TASK_COMPLETE)
            print_record(&park_task_kind, &task_records[i]);
    for (int i = 0; i < atomic_load(&n_lock_records); i++)
        print_record(&park_lock_kind, &lock_records[i]);
    if (atomic_load(&n_thread_records) > 0)
        print_affinity_format();
    if (ompt_truth_print)
        ompt_truth_print(thread_records, atomic_load(&n_thread_records));
    puts("ready");
    fflush(stdout);
}

_Noreturn void
report(void)
{
    print_records();
    park();
}

_Noreturn void
arrive(int expected)
{
    static atomic_int arrived;
    if (atomic_fetch_add(&arrived, 1) + 1 == expected)
        report();
    park();
}

_Noreturn void
arrive_here(const struct scope *in, int expected)
{
    record_here(in);
    arrive(expected);
}
