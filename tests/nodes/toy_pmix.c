// SPDX-License-Identifier: BSD-3-Clause
// A libpmix that connects to no starter: it says what TOY_PMIX tells it, a namespace with its
// processes a line, "SPACE HOST RANK PID PROGRAM..." ("-": no host); "refuses", "crashes" and
// "hangs" are what it does instead. It connects only as a tool of PRRTE has to.
#ifdef HAVE_PMIX
#include <limits.h>
#include <pmix_tool.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))

enum { ROWS_MAX = 64, HANGS_S = 600 };

static bool
does(const char *what)
{
    return strcmp(getenv("TOY_PMIX"), what) == 0;
}

/** Whether it is asked about a process, in that one's file system, by nobody's other settings. */
static bool
is_asked_well(const pmix_info_t *info, size_t count)
{
    char folder[PATH_MAX];
    const char *own = getenv("TMPDIR");
    if (count != 1 || strcmp(info->key, PMIX_SERVER_PIDINFO) != 0 || info->value.type != PMIX_PID)
        return false;
    snprintf(folder, sizeof folder, "/proc/%d/root/", (int) info->value.data.pid);
    return own != NULL && strncmp(own, folder, strlen(folder)) == 0 && access(own, F_OK) == 0 &&
           getenv("PMIX_RANK") == NULL && getenv("PMIX_NAMESPACE") == NULL;
}

EXPORT pmix_status_t
PMIx_tool_init(pmix_proc_t *self, pmix_info_t info[], size_t count)
{
    if (does("crashes"))
        abort();
    if (does("hangs"))
        sleep(HANGS_S);
    snprintf(self->nspace, sizeof self->nspace, "tool");
    return does("refuses")              ? PMIX_ERR_UNREACH
           : is_asked_well(info, count) ? PMIX_SUCCESS
                                        : PMIX_ERR_BAD_PARAM;
}

EXPORT const char *
PMIx_Error_string(pmix_status_t status)
{
    return status == PMIX_ERR_UNREACH ? "UNREACHABLE\033[2J" : "ASKED OTHERWISE";
}

/** The processes of a namespace. @return how many */
static size_t
list(const char *space, pmix_proc_info_t *rows)
{
    size_t count = 0;
    char *copy = strdup(getenv("TOY_PMIX")), *rest = copy;
    for (char *line; count < ROWS_MAX && (line = strsep(&rest, "\n")) != NULL;) {
        char *words[5] = {NULL};
        for (int i = 0; i < 5 && line != NULL; i++)
            words[i] = i < 4 ? strsep(&line, " ") : line;
        if (words[4] == NULL || strcmp(words[0], space) != 0)
            continue;
        pmix_proc_info_t *row = &rows[count++];
        row->hostname = strcmp(words[1], "-") != 0 ? strdup(words[1]) : NULL;
        row->proc.rank = (pmix_rank_t) strtoul(words[2], NULL, 10);
        row->pid = atoi(words[3]);
        row->executable_name = strdup(words[4]);
    }
    free(copy);
    return count;
}

EXPORT pmix_status_t
PMIx_Query_info(pmix_query_t queries[], size_t count, pmix_info_t **ret, size_t *ret_count)
{
    static pmix_proc_info_t rows[ROWS_MAX];
    static pmix_data_array_t array = {.type = PMIX_PROC_INFO, .array = rows};
    pmix_info_t *info = calloc(1, sizeof *info);
    if (info == NULL || count != 1)
        return PMIX_ERR_BAD_PARAM;
    if (strcmp(queries->keys[0], PMIX_QUERY_NAMESPACES) == 0) {
        info->value.type = PMIX_STRING;
        info->value.data.string = strdup("tool,none,a,b");
    } else {
        memset(rows, 0, sizeof rows);
        array.size = list(queries->qualifiers->value.data.string, rows);
        info->value.type = array.size > 0 ? PMIX_DATA_ARRAY : PMIX_UNDEF;
        info->value.data.darray = &array;
    }
    *ret = info;
    *ret_count = 1;
    return PMIX_SUCCESS;
}
#endif
