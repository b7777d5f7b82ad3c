// SPDX-License-Identifier: BSD-3-Clause
// What the communicators of a document are called where people read.
#include "tools/verdict/labels.h"

#include "mqs_ext.h"
#include "tools/alloc.h"
#include "tools/verdict/groups.h"
#include "tools/verdict/jobview.h"
#include "tools/verdict/member.h"

#include <stdlib.h>

/** The first of the two sides of an intercommunicator; any other is its own. */
static const struct jv_comm *
first_side(const struct jobview *view, uint32_t number)
{
    int32_t peers = view->comms[number].peers;
    return &view->comms[peers != NOBODY && (uint32_t) peers < number ? (uint32_t) peers : number];
}

/** The name that the first member has given to a communicator; NULL: none has. */
static const char *
given_name(const struct jobview *view, const struct jv_comm *comm)
{
    for (uint32_t i = 0; i < comm->n_members; i++) {
        const char *name = member_text(view->members[comm->first_member + i].json, "name");
        if (name != NULL && *name != '\0')
            return name;
    }
    return NULL;
}

/** A name is an attribute of each process, and children call an intercommunicator what parents do
 * not.
 */
static const char *
name_of(const struct jobview *view, uint32_t number)
{
    const struct jv_comm *first = first_side(view, number);
    const char *name = given_name(view, first);
    if (name == NULL && first->peers != NOBODY)
        name = given_name(view, &view->comms[first->peers]);
    return name != NULL ? name : "";
}

static mqs_ranks
ranks_of(const mqs_ranks *groups, int32_t group)
{
    return group >= 0 ? groups[group] : (mqs_ranks){.count = 0};
}

static void
describe(const struct jobview *view, const mqs_ranks *groups, mqs_labelled_communicator *items)
{
    for (uint32_t i = 0; i < view->n_comms; i++) {
        const struct jv_comm *comm = &view->comms[i];
        items[i] = (mqs_labelled_communicator){
            .name = name_of(view, i),
            .id = first_side(view, i)->id,
            .job = (int) comm->world,
            .inter = comm->inter,
            .ranks = ranks_of(groups, comm->group),
            .remote_ranks = ranks_of(groups, comm->remote_group),
        };
    }
}

void
labels_set(json_t *document)
{
    struct jobview view;
    jobview_init_comms(&view, document);
    mqs_ranks *groups = alloc_zeroed(view.groups.count, sizeof *groups);
    for (uint32_t i = 0; i < view.groups.count; i++)
        groups[i] = group_ranks(&view.groups, i);
    mqs_labelled_communicator *items = alloc_zeroed(view.n_comms, sizeof *items);
    uint32_t *order = alloc_zeroed(view.n_comms, sizeof *order);
    describe(&view, groups, items);
    mqs_label_communicators(items, order, (int) view.n_comms);
    for (size_t i = 0; i < view.n_members; i++)
        json_object_set_new((json_t *) view.members[i].json, "label",
                            json_string(items[view.members[i].comm].label));
    for (uint32_t i = 0; i < view.groups.count; i++)
        free((void *) groups[i].runs);
    free(groups);
    free(items);
    free(order);
    jobview_deinit(&view);
}
