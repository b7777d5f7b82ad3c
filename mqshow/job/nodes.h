// SPDX-License-Identifier: BSD-3-Clause
// The other machines of a job, by the names under which its starter knows them.
#ifndef MQSHOW_JOB_NODES_H
#define MQSHOW_JOB_NODES_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

enum { NODES_MAX = 65536 };

struct job_node {
    char *name;
    char *problem;    // why nothing is known of its processes, escaped; NULL: none
    bool is_late;     // it gave no answer in time, and is not asked again
    bool is_reported; // that it has failed
};

struct nodes {
    struct job_node *items;
    size_t count, capacity;
    json_t *index;  // numbers by names
    size_t refused; // processes on machines whose names are none
    char *refusal;  // the first of these names, escaped; NULL: none
    char *control;  // how MPICH's proxies on them call their starter: HOST:PORT; NULL: not MPICH's
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

/** Whether a name is that of an address that this machine has on a network. */
bool nodes_has_address_here(const char *name);

#endif
