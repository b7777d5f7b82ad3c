// SPDX-License-Identifier: BSD-3-Clause
// The devices of processes in which threads wait for one.
#include "mqshow/run/devices.h"

#include "mqshow/base/alloc.h"
#include "mqshow/base/clock.h"
#include "mqshow/base/escape.h"
#include "mqshow/base/intern.h"
#include "mqshow/process/device_state.h"
#include "mqshow/process/pidmap.h"

#include <stdlib.h>
#include <string.h>

enum { FRESH_US = 2000000 };

struct devices {
    struct intern texts; // that keeps the next
    const char *files[DEVICE_STATES_MAX];
    struct device_state states[DEVICE_STATES_MAX];
    size_t count;
    int64_t asked_us;
};

/** With the files of devices that a process has open, if a thread of it waits for one; else NULL.
 */
static const struct device_record *
device_of(const struct job_process *process, const struct report *report)
{
    for (size_t i = 0; job_is_live(process) && i < report->threads.count; i++)
        if (HAS(&report->threads.items[i], THREAD_DEVICE) &&
            report->threads.items[i].device.files.count > 0)
            return &report->threads.items[i].device;
    return NULL;
}

/** @return its number; the count of all where there are too many */
static size_t
place_of(struct devices *devices, const char *file)
{
    size_t i = 0;
    while (i < devices->count && strcmp(devices->files[i], file) != 0)
        i++;
    return i;
}

/** @return whether there is one that was not asked about */
static bool
note_files(struct devices *devices, const struct device_record *device)
{
    bool is_new = false;
    for (size_t i = 0; i < device->files.count; i++) {
        size_t k = place_of(devices, device->files.items[i]);
        if (k < devices->count || k == DEVICE_STATES_MAX)
            continue;
        devices->files[devices->count++] = intern_keep(&devices->texts, device->files.items[i]);
        is_new = true;
    }
    return is_new;
}

static bool
uses(const struct device_state *state, pid_t pid)
{
    for (int32_t i = 0; i < state->n_listed; i++)
        if (state->users[i] == pid)
            return true;
    return false;
}

static void
add_state(struct report *report, const char *file, const struct device_state *state)
{
    if (!*state->name && !*state->uuid && state->busy < 0 && state->n_users < 0)
        return;
    struct accelerator_record *record =
        ALLOC_ADD(report->devices.items, report->devices.count, report->devices.capacity);
    record_init(&accelerator_record_type, record);
    record->file = report_keep(report, alloc_text(file));
    if (*state->name)
        record->name = report_keep(report, escape_text(state->name, SIZE_MAX));
    if (*state->uuid)
        record->uuid = report_keep(report, escape_text(state->uuid, SIZE_MAX));
    if (state->busy >= 0)
        SET(record, ACCELERATOR_BUSY, busy, state->busy);
    if (state->n_users >= 0)
        SET(record, ACCELERATOR_PROCESSES, processes, state->n_users);
    // In another PID namespace the numbers may be those of other processes.
    if (state->n_listed == state->n_users && pidmap_is_first())
        SET(record, ACCELERATOR_USED, used, uses(state, report->pid));
    report->has |= 1u << PROCESS_DEVICES;
}

void
devices_add(struct run *run, struct document *document)
{
    bool is_new = false, is_any = false;
    for (size_t i = 0; i < document->count; i++) {
        const struct device_record *device = device_of(&run->job.items[i], &document->reports[i]);
        if (device && !run->devices)
            run->devices = alloc_zeroed(1, sizeof *run->devices);
        is_new |= device && note_files(run->devices, device);
        is_any |= device != NULL;
    }
    struct devices *devices = run->devices;
    if (!is_any)
        return;
    if (is_new || clock_us() - devices->asked_us > FRESH_US) {
        device_states_ask(devices->files, devices->count, devices->states);
        devices->asked_us = clock_us();
    }
    for (size_t i = 0; i < document->count; i++) {
        const struct device_record *device = device_of(&run->job.items[i], &document->reports[i]);
        for (size_t k = 0; device && k < device->files.count; k++) {
            size_t place = place_of(devices, device->files.items[k]);
            if (place < devices->count)
                add_state(&document->reports[i], device->files.items[k], &devices->states[place]);
        }
    }
}

void
devices_deinit(struct run *run)
{
    if (run->devices)
        intern_deinit(&run->devices->texts);
    free(run->devices);
    run->devices = NULL;
}
