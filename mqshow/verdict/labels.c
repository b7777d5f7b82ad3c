// SPDX-License-Identifier: BSD-3-Clause
// What the communicators of a document are called where people read.
#include "mqshow/verdict/labels.h"

#include "mqs_ext.h"
#include "mqshow/base/alloc.h"
#include "mqshow/base/search.h"
#include "mqshow/verdict/job_index.h"

#include <stdlib.h>

/** The first of the two sides of an intercommunicator; any other is its own. */
static const struct job_comm *
first_side(const struct job_index *job, uint32_t number)
{
    int32_t peers = job->comms[number].peers;
    return &job->comms[peers != NOBODY && (uint32_t) peers < number ? (uint32_t) peers : number];
}

/** The name that the first member has given to a communicator; NULL: none has. */
static const char *
given_name(const struct job_index *job, const struct job_comm *comm)
{
    for (uint32_t i = 0; i < comm->n_members; i++) {
        const struct communicator *record = job->members[comm->first_member + i].record;
        if (record && record->name && *record->name != '\0')
            return record->name;
    }
    return NULL;
}

/** A name is an attribute of each process, and children call an intercommunicator what parents do
 * not.
 */
static const char *
name_of(const struct job_index *job, uint32_t number)
{
    const struct job_comm *first = first_side(job, number);
    const char *name = given_name(job, first);
    if (!name && first->peers != NOBODY)
        name = given_name(job, &job->comms[first->peers]);
    return name ? name : "";
}

static int
compare_runs(const void *left, const void *right)
{
    const mqs_rank_run *a = left, *b = right;
    return COMPARE({a->first, b->first});
}

/** The members in ascending order, as labels want them; the runs to free(). */
static mqs_ranks
sort_ranks(const struct ranks *ranks)
{
    size_t count = ranks ? ranks->n_runs : 0;
    mqs_rank_run *sorted = alloc_zeroed(count, sizeof *sorted);
    int kept = 0;
    for (size_t i = 0; i < count; i++)
        sorted[i] = (mqs_rank_run){ranks->runs[i].first, ranks->runs[i].last};
    qsort(sorted, count, sizeof *sorted, compare_runs);
    for (size_t i = 0; i < count; i++) {
        mqs_rank_run run = sorted[i], *tail = kept > 0 ? &sorted[kept - 1] : NULL;
        if (!tail || (run.first != tail->first && (tail->first < 0 || run.first > tail->last + 1)))
            sorted[kept++] = run;
        else if (run.last > tail->last)
            tail->last = run.last;
    }
    return (mqs_ranks){sorted, kept};
}

static void
describe(const struct job_index *job, mqs_labelled_communicator *items)
{
    for (uint32_t i = 0; i < job->n_comms; i++) {
        const struct job_comm *comm = &job->comms[i];
        items[i] = (mqs_labelled_communicator){
            .name = name_of(job, i),
            .id = first_side(job, i)->id,
            .job = (int) comm->world,
            .inter = comm->inter,
            .ranks = sort_ranks(comm->group),
            .remote_ranks = sort_ranks(comm->remote_group),
        };
    }
}

void
labels_set(struct document *document)
{
    struct job_index job;
    job_index_init_comms(&job, document);
    mqs_labelled_communicator *items = alloc_zeroed(job.n_comms, sizeof *items);
    uint32_t *order = alloc_zeroed(job.n_comms, sizeof *order);
    describe(&job, items);
    mqs_label_communicators(items, order, (int) job.n_comms);
    for (size_t i = 0; i < job.n_members; i++)
        if (job.members[i].record)
            ((struct communicator *) job.members[i].record)->label =
                intern_keep(&document->texts, items[job.members[i].comm].label);
    for (uint32_t i = 0; i < job.n_comms; i++) {
        free((void *) items[i].ranks.runs);
        free((void *) items[i].remote_ranks.runs);
    }
    free(items);
    free(order);
    job_index_deinit(&job);
}
