// SPDX-License-Identifier: BSD-3-Clause
// The other machines of a job, by the names under which its starter knows them.
#include "mqshow/job/nodes.h"

#include "mqshow/base/alloc.h"
#include "mqshow/base/escape.h"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

enum { NAME_MAX_LENGTH = 253, SHOWN_MAX = 64 };

#define LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"

bool
nodes_name_is_good(const char *name)
{
    struct in6_addr address;
    size_t length = strnlen(name, NAME_MAX_LENGTH + 1);
    if (length == 0 || length > NAME_MAX_LENGTH)
        return false;
    if (inet_pton(AF_INET6, name, &address) == 1)
        return true;
    return strspn(name, LETTERS) > 0 && strspn(name, LETTERS "._-") == length;
}

int
nodes_find(const struct nodes *nodes, const char *name)
{
    const json_t *number = json_object_get(nodes->index, name);
    return number != NULL ? (int) json_integer_value(number) : -1;
}

static void
refuse(struct nodes *nodes, const char *name)
{
    nodes->refused++;
    if (nodes->refusal == NULL)
        nodes->refusal = escape_text(name, SHOWN_MAX);
}

int
nodes_get(struct nodes *nodes, const char *name)
{
    int found = nodes_find(nodes, name);
    if (found >= 0)
        return found;
    if (!nodes_name_is_good(name) || nodes->count == NODES_MAX) {
        refuse(nodes, name);
        return -1;
    }
    *ALLOC_ADD(nodes->items, nodes->count, nodes->capacity) =
        (struct job_node){.name = alloc_text(name)};
    if (nodes->index == NULL)
        nodes->index = json_object();
    found = (int) nodes->count - 1;
    json_object_set_new(nodes->index, name, json_integer(found));
    return found;
}

void
nodes_set_part(struct nodes *nodes, size_t node, const struct nodes_part *part)
{
    struct nodes_part *own = &nodes->items[node].part;
    if (own->id == NULL)
        *own = (struct nodes_part){.id = alloc_text(part->id),
                                   .group = part->group != NULL ? alloc_text(part->group) : NULL};
}

void
nodes_part_deinit(struct nodes_part *part)
{
    free(part->id);
    free(part->group);
    *part = (struct nodes_part){.id = NULL};
}

void
nodes_fail(struct nodes *nodes, size_t node, char *problem)
{
    if (nodes->items[node].problem == NULL)
        nodes->items[node].problem = problem;
    else
        free(problem);
}

void
nodes_deinit(struct nodes *nodes)
{
    for (size_t i = 0; i < nodes->count; i++) {
        free(nodes->items[i].name);
        free(nodes->items[i].problem);
        nodes_part_deinit(&nodes->items[i].part);
    }
    free(nodes->items);
    free(nodes->refusal);
    free(nodes->control);
    free(nodes->slurm_job);
    json_decref(nodes->index);
    *nodes = (struct nodes){.items = NULL};
}

/** Whether two names have the same first part, and one of them has no other. */
static bool
is_same_short(const char *name, const char *own)
{
    size_t length = strcspn(own, ".");
    return length > 0 && strncasecmp(name, own, length) == 0 &&
           (name[length] == '.' || name[length] == '\0');
}

bool
nodes_is_here(const char *name)
{
    char own[NAME_MAX_LENGTH + 3] = "";
    gethostname(own, sizeof own - 1);
    const char *of_manager = getenv("SLURMD_NODENAME");
    return is_same_short(name, own) || (of_manager != NULL && is_same_short(name, of_manager)) ||
           strcasecmp(name, "localhost") == 0 || strncmp(name, "127.", 4) == 0;
}

/** Whether two addresses are equal, and not the loopback's. */
static bool
is_same_address(const struct sockaddr *a, const struct sockaddr *b)
{
    if (a == NULL || b == NULL || a->sa_family != b->sa_family)
        return false;
    if (a->sa_family == AF_INET) {
        const struct sockaddr_in *x = (const void *) a, *y = (const void *) b;
        return x->sin_addr.s_addr == y->sin_addr.s_addr && ntohl(x->sin_addr.s_addr) >> 24 != 127;
    }
    const struct sockaddr_in6 *x = (const void *) a, *y = (const void *) b;
    return a->sa_family == AF_INET6 && !IN6_IS_ADDR_LOOPBACK(&x->sin6_addr) &&
           memcmp(&x->sin6_addr, &y->sin6_addr, sizeof x->sin6_addr) == 0;
}

char *
nodes_identity(void)
{
    char boot[64] = "", processes[64] = "";
    FILE *file = fopen("/proc/sys/kernel/random/boot_id", "re");
    if (file == NULL || fgets(boot, sizeof boot, file) == NULL)
        gethostname(boot, sizeof boot - 1);
    if (file != NULL)
        fclose(file);
    if (readlink("/proc/self/ns/pid", processes, sizeof processes - 1) < 0)
        *processes = '\0';
    return alloc_format("%.*s %s", (int) strcspn(boot, "\n"), boot, processes);
}

bool
nodes_has_address_here(const char *name)
{
    struct addrinfo *found = NULL;
    struct ifaddrs *own = NULL;
    bool same = false;
    if (nodes_name_is_good(name) && getaddrinfo(name, NULL, NULL, &found) == 0 &&
        getifaddrs(&own) == 0) {
        for (struct addrinfo *a = found; a != NULL; a = a->ai_next)
            for (struct ifaddrs *b = own; b != NULL; b = b->ifa_next)
                same |= is_same_address(a->ai_addr, b->ifa_addr);
        freeifaddrs(own);
    }
    if (found != NULL)
        freeaddrinfo(found);
    return same;
}
