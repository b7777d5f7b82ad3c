// SPDX-License-Identifier: BSD-3-Clause
// The other machines of a job, by the names under which its starter knows them.
#ifndef MQSHOW_JOB_NODES_H
#define MQSHOW_JOB_NODES_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

enum { NODES_MAX = 65536 };

/** The part of a Slurm job that has nodes of its own: all of it, or a component of a heterogeneous
 * one.
 */
struct nodes_part {
    char *id;    // of the job or step, as it is called on these nodes: "1234", "1234.0"
    char *group; // the number of the component; NULL: there is but one
};

struct job_node {
    char *name;
    struct nodes_part part; // of Slurm's job; .id is NULL: it was not asked for by its id
    char *problem;          // why nothing is known of its processes, escaped; NULL: none
    bool is_late;           // it gave no answer in time, and is not asked again
    bool is_reported;       // that it has failed
};

struct nodes {
    struct job_node *items;
    size_t count, capacity;
    json_t *index;    // numbers by names
    size_t unreached; // those of which it is not known what runs there, though that was asked for
    size_t refused;   // processes on machines whose names are none
    char *refusal;    // the first of these names, escaped; NULL: none
    char *control;   // how MPICH's proxies on them call their starter: HOST:PORT; NULL: not MPICH's
    char *slurm_job; // the number of Slurm's job that has them; NULL: not known
};

/** Whether a name may be given to a launcher: a host name or an address, no more. What is between
 * the lines of a starter's memory must not become an option or a command.
 */
bool nodes_name_is_good(const char *name);

/** Number of the node of that name, which is added when it is new.
 * @return -1: the name is refused, which is counted
 */
int nodes_get(struct nodes *nodes, const char *name);

/** Number of the node of that name; -1: there is none. */
int nodes_find(const struct nodes *nodes, const char *name);

/** Notes, with copies, of which part of a Slurm job a node is, unless it is of one already. */
void nodes_set_part(struct nodes *nodes, size_t node, const struct nodes_part *part);

void nodes_part_deinit(struct nodes_part *part);

/** Notes why nothing is known of the processes of a node, unless that is known already.
 * @param problem is escaped, and is taken over
 */
void nodes_fail(struct nodes *nodes, size_t node, char *problem);

/** Frees all of it. */
void nodes_deinit(struct nodes *nodes);

/** Whether a name means this machine: its host name, or the name by which the resource manager that
 * started this program calls it.
 */
bool nodes_is_here(const char *name);

/** What distinguishes this machine from all others, and containers with processes of their own from
 * each other, whatever their names are; to free().
 */
char *nodes_identity(void);

/** Whether a name is that of an address that this machine has on a network. */
bool nodes_has_address_here(const char *name);

#endif
