// SPDX-License-Identifier: BSD-3-Clause
// The processes of a job of PRRTE by the tool interface of PMIx.
//
// libpmix is loaded only by the process that asks: mqshow starts without it. Only types of its
// header are used, which 4 and 5 have alike.
//
// A starter (PMIx 5) crashes, and its job with it, when what connects to it is killed before it has
// answered. So who asks is not ended by anybody, nor with mqshow, no starter is asked that is
// stopped, and none whose ranks are all on this machine.
#include "mqshow/job/pmix.h"

#include "mqshow/base/alloc.h"
#include "mqshow/base/clock.h"
#include "mqshow/base/escape.h"
#include "mqshow/job/job.h"
#include "mqshow/job/proctable.h"
#include "mqshow/process/confine.h"
#include "mqshow/process/identity.h"
#include "mqshow/process/procfs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool
is_of_prrte(const char *line)
{
    return strstr(line, "/libprrte.so") != NULL;
}

// A launcher (ssh, srun) has the name of the daemon that it starts there in its arguments.
static bool
launches_daemon(pid_t pid)
{
    static const char daemon[] = "prted";
    size_t size = 0;
    char *arguments = procfs_arguments(pid, &size);
    bool found = arguments != NULL && memmem(arguments, size, daemon, sizeof daemon - 1) != NULL;
    free(arguments);
    return found;
}

// These start daemons without a launcher.
static bool
is_in_batch_system(pid_t pid)
{
    static const char *const variables[] = {"PBS_JOBID", "LSB_JOBID"};
    bool found = false;
    for (size_t i = 0; i < sizeof variables / sizeof *variables && !found; i++) {
        char *value = procfs_environment(pid, variables[i]);
        found = value != NULL;
        free(value);
    }
    return found;
}

bool
pmix_is_needed(pid_t starter, const pid_t *below, size_t n_below)
{
    if (!job_maps(starter, is_of_prrte))
        return false;
    for (size_t i = 0; i < n_below; i++)
        if (launches_daemon(below[i]))
            return true;
    return is_in_batch_system(starter);
}

#ifdef HAVE_PMIX

#include <dlfcn.h>
#include <fcntl.h>
#include <pmix_tool.h>
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

enum { PATIENCE_S = 10, REFUSED = 1, NAMESPACES_MAX = 1000 };

struct library {
    pmix_status_t (*init)(pmix_proc_t *, pmix_info_t *, size_t);
    pmix_status_t (*query)(pmix_query_t *, size_t, pmix_info_t **, size_t *);
    const char *(*error)(pmix_status_t);
};

/** What the child works with. */
struct question {
    struct library library;
    pmix_proc_t self; // what it is to the starter, which lists it too
    int replies;
    struct proctable_entry *entries;
    size_t count, capacity;
};

static void
refuse(const struct question *question, const char *what, const char *why)
{
    char *text = alloc_format("%s: %s", what, why);
    packet_send_or_exit(question->replies, REFUSED, text, strlen(text));
    _exit(EXIT_SUCCESS);
}

static void
load(struct question *question)
{
    struct library *library = &question->library;
    void *file = dlopen("libpmix.so.2", RTLD_NOW | RTLD_GLOBAL);
    if (file == NULL)
        refuse(question, "install libpmix.so.2", dlerror());
    library->init = (__typeof__(library->init)) dlsym(file, "PMIx_tool_init");
    library->query = (__typeof__(library->query)) dlsym(file, "PMIx_Query_info");
    library->error = (__typeof__(library->error)) dlsym(file, "PMIx_Error_string");
    if (library->init == NULL || library->query == NULL || library->error == NULL)
        refuse(question, "libpmix.so.2", "it lacks functions of tools");
}

/** Variables of a job that mqshow runs in itself would lead to another server. */
static void
clear_environment(void)
{
    extern char **environ;
    for (size_t i = 0; environ[i] != NULL;) {
        char *name = alloc_format("%.*s", (int) strcspn(environ[i], "="), environ[i]);
        bool goes = strncmp(name, "PMIX_", 5) == 0 && unsetenv(name) == 0;
        free(name);
        i += !goes;
    }
}

/** libpmix looks for the starter's file in TMPDIR: in the one that the starter has, which may be
 * in another file system. It prints to nobody.
 */
static void
prepare_environment(pid_t starter)
{
    char *own = procfs_environment(starter, "TMPDIR");
    char *folder = alloc_format("/proc/%d/root%s", (int) starter, own != NULL ? own : "/tmp");
    int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    clear_environment();
    setenv("TMPDIR", folder, 1);
    if (nowhere >= 0) {
        dup2(nowhere, STDOUT_FILENO);
        dup2(nowhere, STDERR_FILENO);
    }
    free(folder);
    free(own);
}

/** Lets nothing end this process while the starter has not answered. */
static void
outlive_parent(void)
{
    static const int signals[] = {SIGHUP, SIGINT, SIGTERM, SIGPIPE};
    prctl(PR_SET_PDEATHSIG, 0);
    setsid();
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        signal(signals[i], SIG_IGN);
}

/** The number that a starter has itself: in its innermost PID namespace. */
static pid_t
inner_number(pid_t starter)
{
    char *numbers = procfs_line(procfs_read(NULL, "/proc/%d/status", (int) starter), "NSpid:");
    const char *last = numbers != NULL ? strrchr(numbers, '\t') : NULL;
    long number = last != NULL ? strtol(last + 1, NULL, 10) : 0;
    free(numbers);
    return number > 0 && number <= INT32_MAX ? (pid_t) number : starter;
}

static void
connect_to(struct question *question, pid_t starter)
{
    pmix_info_t info = {.value = {.type = PMIX_PID}};
    snprintf(info.key, sizeof info.key, "%s", PMIX_SERVER_PIDINFO);
    info.value.data.pid = inner_number(starter);
    pmix_status_t status = question->library.init(&question->self, &info, 1);
    if (status != PMIX_SUCCESS)
        refuse(question, "the starter gives no connection by PMIx",
               question->library.error(status));
}

/** @param space that it is about; NULL: none @return NULL: there is no such value */
static const pmix_value_t *
query(const struct question *question, const char *key, char *space, pmix_data_type_t type)
{
    char *keys[] = {(char *) (uintptr_t) key, NULL};
    pmix_info_t qualifier = {.value = {.type = PMIX_STRING}}, *found = NULL;
    snprintf(qualifier.key, sizeof qualifier.key, "%s", PMIX_NSPACE);
    qualifier.value.data.string = space;
    pmix_query_t ask = {.keys = keys, .nqual = space != NULL};
    ask.qualifiers = space != NULL ? &qualifier : NULL; // not one for nobody: that fails
    size_t count = 0;
    pmix_status_t status = question->library.query(&ask, 1, &found, &count);
    return status == PMIX_SUCCESS && count > 0 && found[0].value.type == type ? &found[0].value
                                                                              : NULL;
}

/** Notes the processes of a namespace, that is an MPI_COMM_WORLD. */
static void
note_namespace(struct question *question, char *space)
{
    const pmix_value_t *value = query(question, PMIX_QUERY_PROC_TABLE, space, PMIX_DATA_ARRAY);
    const pmix_data_array_t *array = value != NULL ? value->data.darray : NULL;
    if (array == NULL || array->type != PMIX_PROC_INFO)
        return;
    const pmix_proc_info_t *processes = array->array;
    char *own = procfs_program(0);
    for (size_t i = 0; i < array->size && question->count + 1 < PROCTABLE_MAX; i++) {
        struct proctable_entry entry = {.inner = (int32_t) processes[i].pid};
        // The starter goes on listing each mqshow that has asked it.
        if (processes[i].proc.rank > INT32_MAX || processes[i].pid <= 0 ||
            processes[i].hostname == NULL || text_equals(processes[i].executable_name, own))
            continue;
        entry.rank = (int32_t) processes[i].proc.rank;
        snprintf(entry.host, sizeof entry.host, "%s", processes[i].hostname);
        snprintf(entry.world, sizeof entry.world, "%s", space);
        *ALLOC_ADD(question->entries, question->count, question->capacity) = entry;
    }
    free(own);
}

static void
work(void *context, int requests, int replies)
{
    pid_t starter = *(const pid_t *) context;
    struct question question = {.replies = replies};
    (void) requests;
    identity_take(procfs_user(starter), starter);
    confine_memory(1);
    prepare_environment(starter);
    load(&question);
    outlive_parent();
    connect_to(&question, starter);
    const pmix_value_t *spaces = query(&question, PMIX_QUERY_NAMESPACES, NULL, PMIX_STRING);
    char *rest = spaces != NULL ? spaces->data.string : NULL;
    char *space;
    for (size_t i = 0; i < NAMESPACES_MAX && (space = strsep(&rest, ",")) != NULL; i++)
        if (strcmp(space, question.self.nspace) != 0)
            note_namespace(&question, space);
    if (question.count == 0)
        refuse(&question, "the starter lists no processes by PMIx", "its job may not run yet");
    *ALLOC_ADD(question.entries, question.count, question.capacity) =
        (struct proctable_entry){.rank = -1};
    packet_send_or_exit(replies, 0, (const char *) question.entries,
                        question.count * sizeof *question.entries);
    _exit(EXIT_SUCCESS);
}

char *
pmix_ask(struct child *child, pid_t starter)
{
    struct procfs_stat stat;
    *child = (struct child){.pid = 0};
    if (!procfs_stat(starter, 0, &stat) || strchr("TtZX", stat.letter) != NULL)
        return alloc_text("the starter is stopped or has ended, and cannot be asked by PMIx: "
                          "let it go on (kill -CONT)");
    if (!child_start(child, work, &starter))
        return alloc_text("no process can be started to ask the starter by PMIx");
    int64_t deadline = clock_us() + (int64_t) PATIENCE_S * 1000000;
    switch (packet_wait(&child->packet, child->replies, deadline)) {
    case PACKET_MORE:
        close(child->requests);
        close(child->replies);
        child->pid = 0; // it is not to be killed
        return alloc_format("the starter does not answer by PMIx within %d s", PATIENCE_S);
    case PACKET_ENDED:
        return alloc_text("libpmix has ended the process that asked the starter");
    default:
        return child->packet.head.what == REFUSED ? alloc_format("%.300s", child->packet.text)
                                                  : NULL;
    }
}

#else

char *
pmix_ask(struct child *child, pid_t starter)
{
    (void) starter;
    *child = (struct child){.pid = 0};
    return alloc_text("mqshow was built without PMIx: install libpmix-dev and build it again");
}

#endif
