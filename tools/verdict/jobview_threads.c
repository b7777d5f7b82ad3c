// SPDX-License-Identifier: BSD-3-Clause
// The threads of a document as plain data.
#include "tools/alloc.h"
#include "tools/verdict/jobview.h"
#include "tools/verdict/member.h"

#include <stdlib.h>
#include <string.h>

/** An OpenMP thread by its id. */
struct known {
    const char *id;
    const json_t *json;
};

static int
compare_ids(const void *left, const void *right)
{
    const struct known *a = left, *b = right;
    return strcmp(a->id, b->id);
}

/** The OpenMP threads of a process by id, to free(). */
static struct known *
openmp_threads(const struct jv_process *process, size_t *ret_count)
{
    const json_t *all = json_object_get(json_object_get(process->json, "openmp"), "threads");
    struct known *known = alloc_zeroed(json_array_size(all), sizeof *known);
    size_t i, count = 0;
    json_t *json;
    json_array_foreach (all, i, json)
        if (member_text(json, "id") != NULL)
            known[count++] = (struct known){member_text(json, "id"), json};
    qsort(known, count, sizeof *known, compare_ids);
    *ret_count = count;
    return known;
}

static const json_t *
find_openmp(const struct known *known, size_t count, const json_t *thread)
{
    struct known wanted = {member_text(thread, "openmp"), NULL};
    if (wanted.id == NULL)
        return NULL;
    const struct known *found = bsearch(&wanted, known, count, sizeof *known, compare_ids);
    return found != NULL ? found->json : NULL;
}

enum jv_phase
jobview_phase_of(const char *call)
{
    if (call != NULL && (strcmp(call, "MPI_Init") == 0 || strcmp(call, "MPI_Init_thread") == 0))
        return JV_IN_INIT;
    return call != NULL && strcmp(call, "MPI_Finalize") == 0 ? JV_IN_FINALIZE : JV_IN_USE;
}

/** A thread that begins or ends MPI does so for its process. */
static void
note_phase(struct jv_process *process, const char *call)
{
    enum jv_phase phase = jobview_phase_of(call);
    if (phase != JV_IN_USE)
        process->phase = phase;
}

static void
load_threads(struct jobview *view, uint32_t number)
{
    struct jv_process *process = &view->processes[number];
    const json_t *all = json_object_get(process->json, "threads");
    size_t i, count;
    json_t *json;
    struct known *known = openmp_threads(process, &count);
    process->has_threads = json_array_size(all) > 0;
    process->first_thread = (uint32_t) view->n_threads;
    json_array_foreach (all, i, json) {
        view->threads = alloc_grow(view->threads, view->n_threads, &view->threads_capacity,
                                   sizeof *view->threads);
        view->threads[view->n_threads++] = (struct jv_thread){
            .json = json,
            .openmp = find_openmp(known, count, json),
            .process = number,
            .place = (uint32_t) i,
            .tid = member_number(json, "tid", 1, INT32_MAX, 0),
            .call = member_text(json, "call"),
        };
    }
    process->n_threads = (uint32_t) i;
    for (uint32_t k = process->first_thread; k < view->n_threads; k++)
        note_phase(process, view->threads[k].call);
    free(known);
}

void
jobview_load_threads(struct jobview *view)
{
    for (uint32_t i = 0; i < view->n_processes; i++)
        load_threads(view, i);
}
