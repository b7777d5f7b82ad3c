// SPDX-License-Identifier: BSD-3-Clause
// The members of a document that its page shows.
#include "tools/html/members.h"

#include <stdlib.h>
#include <string.h>

/** In the order of strcmp(). */
static const char *const members[] = {
    "active",
    "address",
    "all_edges",
    "awaits",
    "backend",
    "blocked",
    "by_index",
    "bytes",
    "call",
    "certain",
    "collective",
    "collectives",
    "communicator",
    "communicator_id",
    "communicators",
    "core",
    "count",
    "cycle",
    "cycles",
    "datatype",
    "edges",
    "error",
    "exit",
    "facts",
    "file",
    "for",
    "for_more",
    "frame",
    "freed",
    "from",
    "function",
    "group",
    "groups",
    "h",
    "height",
    "host",
    "id",
    "image",
    "implementation",
    "implicit",
    "in",
    "incomplete",
    "inside",
    "inter",
    "kind",
    "label",
    "label_at",
    "late",
    "level",
    "line",
    "local_rank",
    "looks",
    "marks",
    "messages",
    "misses",
    "missing",
    "module",
    "moved",
    "mpi",
    "name",
    "near_misses",
    "needs",
    "nodes",
    "not_seen",
    "openmp",
    "operation",
    "other",
    "other_threads",
    "parent",
    "path",
    "peer",
    "persistent",
    "pid",
    "place",
    "primary",
    "processes",
    "queue",
    "rank",
    "ranks",
    "receives",
    "region",
    "regions",
    "release",
    "rendezvous",
    "runtime",
    "seconds",
    "sends",
    "signal",
    "situation",
    "size",
    "stack",
    "stack_complete",
    "state",
    "status",
    "stopped_ms",
    "symbol",
    "tag",
    "tasks",
    "team_size",
    "text",
    "thread_num",
    "threads",
    "tid",
    "tip",
    "to",
    "tracer",
    "tracer_name",
    "transport",
    "unexpected",
    "unmatched",
    "unseen",
    "verdict",
    "version",
    "w",
    "waits",
    "waits_for",
    "why",
    "width",
    "world",
    "world_peer",
    "x",
    "y",
};

static int
compare(const void *name, const void *member)
{
    return strcmp(name, *(const char *const *) member);
}

static bool
has_name(const json_t *object)
{
    return json_is_string(json_object_get(object, "function")) ||
           json_is_string(json_object_get(object, "name"));
}

static bool
tells_place(const json_t *object)
{
    static const char *const names[] = {"function", "name", "symbol", "module"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (json_is_string(json_object_get(object, names[i])))
            return true;
    return false;
}

bool
members_has(const json_t *object, const char *name)
{
    const size_t count = sizeof members / sizeof *members;
    if (bsearch(name, members, count, sizeof *members, compare) == NULL)
        return false;
    if (strcmp(name, "symbol") == 0)
        return !has_name(object);
    return strcmp(name, "address") != 0 || !tells_place(object);
}
