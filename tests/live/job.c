// SPDX-License-Identifier: BSD-3-Clause
// MPI jobs that hang: how they are started and ended, and how their records are collected.
#include "job.h"
#include "run.h"
#include "paths.h"
#include "tests/give_way.h"

#include <glob.h>
#include <limits.h>
#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { START_SECONDS = 300, STOP_SECONDS = 60 };

// The job may have more ranks than there are cores.
static void
add_starter(struct command *command, const struct build *build)
{
    command_add(command, build->starter, NULL);
    if ((build->device & DEVICES_OPENMPI) == 0)
        return;
    command_add(command, "--oversubscribe", NULL);
    if (geteuid() == 0)
        command_add(command, "--allow-run-as-root", NULL);
    if (build->device == DEVICE_PML_UCX)
        command_add(command, "--mca", "pml", "ucx", "--mca", "osc", "ucx", "--mca", "pml_ucx_tls",
                    "any", "--mca", "pml_ucx_devices", "any", NULL);
    if ((build->device & DEVICES_CM) != 0)
        command_add(command, "--mca", "pml", "cm", "--mca", "mtl", "ofi", NULL);
    // Under both, threads that wait spin on one lock, which who has it lets go of for others only
    // if it yields when idle.
    if ((build->device & (DEVICE_PML_UCX | DEVICES_CM)) != 0)
        command_add(command, "--mca", "mpi_yield_when_idle", "1", NULL);
}

// On the heap: a variable, or one that nobody reads.
static char *
variable_if(bool is_needed, const char *variable)
{
    return strdup(is_needed ? variable : "MQS_UNUSED=1");
}

static const char *
programs_of(const struct build *build)
{
    return build->of_abi                            ? path_abi_programs()
           : (build->device & DEVICES_OPENMPI) != 0 ? path_programs()
                                                    : path_mpich_programs();
}

static void
launch(struct job *job, const struct scenario *scenario, const struct build *build)
{
    const bool is_ucx = (build->device & (DEVICE_UCX | DEVICE_PML_UCX)) != 0;
    struct command command = {.count = 0};
    char *ranks = run_text("%d", scenario->ranks), *output = run_text("%s/output", job->folder);
    char *options = strdup(scenario->options != NULL ? scenario->options : "");
    char *program = run_text("%s/%s", programs_of(build), scenario->program);
    // The job talks over the loopback interface only, and keeps its shared memory where it is
    // removed with all else: killed ranks leave it behind. On its command line the starter of Open
    // MPI 5 refuses that interface.
    char *variables[] = {
        run_text("MQS_TRUTH_DIR=%s", job->folder),
        run_text("TMPDIR=%s", job->folder),
        strdup("OMPI_MCA_oob_tcp_if_include=lo"),
        strdup("OMPI_MCA_btl_tcp_if_include=lo"),
        // tcp alone then has no address for MTL ofi to start with.
        variable_if(build->device != DEVICE_CM_TCP, "FI_TCP_IFACE=lo"),
        run_text("OMPI_MCA_btl_vader_backing_directory=%s", job->folder),
        variable_if(is_ucx, "UCX_TLS=tcp,self,sysv"),
        // libucp 1.10 would not start where there is no device of RDMA.
        variable_if(is_ucx, "UCX_SOCKADDR_CM_ENABLE=n"),
        variable_if(is_ucx, "UCX_WARN_UNUSED_ENV_VARS=n"),
        // Which messages are large is a choice of each release.
        variable_if(is_ucx, "UCX_RNDV_THRESH=10000"),
        variable_if(build->device == DEVICE_PML_CM,
                    "OMPI_MCA_mtl_ofi_provider_include=tcp;ofi_rxm"),
        variable_if(build->device == DEVICE_CM_TCP, "OMPI_MCA_mtl_ofi_provider_include=tcp"),
        // All ranks are on nodes of their own.
        variable_if(build->device == DEVICE_OFI, "MPIR_CVAR_CH4_NETMOD=ofi"),
        variable_if(build->device == DEVICE_OFI, "MPIR_CVAR_NOLOCAL=1"),
        variable_if(build->device == DEVICE_OFI, "FI_PROVIDER=tcp;ofi_rxm"),
        variable_if(build->device == DEVICE_OFI, "FI_SOCKETS_IFACE=lo"),
        // Releases up to 2021.10 were seen to take the network alone.
        variable_if(build->device == DEVICE_IMPI, "I_MPI_FABRICS=shm:ofi"),
        // libfabric 1.11's ofi_rxm has room for 1,024 receives: MPI_Irecv would wait for it.
        variable_if(build->device == DEVICE_PML_CM, "FI_OFI_RXM_RX_SIZE=4096"),
        variable_if(scenario->variable != NULL, scenario->variable),
        scenario->interfaces > 0 ? run_text("MPIR_CVAR_CH4_NUM_VCIS=%u", scenario->interfaces)
                                 : strdup("MQS_UNUSED=1"),
        build->libraries != NULL ? run_text("LD_LIBRARY_PATH=%s", build->libraries) : NULL,
        NULL,
    };
    // Cores are written where a process is.
    command_add(&command, "env", "-C", job->folder, NULL);
    add_starter(&command, build);
    command_add_text(&command, options);
    command_add(&command, "-np", ranks, NULL);
    command_add_text(&command, program);
    job->starter = run_in_background(&command, variables, output);
    job->tidies = (build->device & DEVICES_OPENMPI) == 0;
    for (char **variable = variables; *variable != NULL; variable++)
        free(*variable);
    free(program);
    free(options);
    free(output);
    free(ranks);
}

static glob_t
find_records(const struct job *job)
{
    glob_t ret;
    char *pattern = run_text("%s/*.json", job->folder);
    glob(pattern, 0, NULL, &ret);
    free(pattern);
    return ret;
}

static size_t
count_records(const struct job *job)
{
    glob_t found = find_records(job);
    size_t ret = found.gl_pathc;
    globfree(&found);
    return ret;
}

// Whoever sends a signal to 0, -1 or 1 means others than a rank. @return false: there is no pid
static bool
add_record(struct job *job, json_t *truth)
{
    json_int_t number = json_integer_value(json_object_get(truth, "pid"));
    char *pid = run_text("%d", (int) number);
    json_array_append_new(job->truths, truth);
    json_array_append_new(job->pids, json_string(pid));
    free(pid);
    return number > 1 && number <= INT_MAX;
}

static char *
load_records(struct job *job)
{
    char *ret = NULL;
    glob_t found = find_records(job);
    for (size_t i = 0; i < found.gl_pathc && ret == NULL; i++) {
        json_error_t error;
        json_t *truth = json_load_file(found.gl_pathv[i], 0, &error);
        if (truth == NULL)
            ret = run_text("%s:%d: %s", found.gl_pathv[i], error.line, error.text);
        else if (!add_record(job, truth))
            ret = run_text("%s: has no pid", found.gl_pathv[i]);
    }
    globfree(&found);
    return ret;
}

static char *
explain(const struct job *job, const char *what)
{
    char *path = run_text("%s/output", job->folder), *output = run_read_file(path);
    // Check has no room for more.
    char *ret =
        run_text("%s; its starter says: %.2000s", what, output != NULL ? output : "nothing");
    free(output);
    free(path);
    return ret;
}

static void
trust_ompd(const struct build *build)
{
    if (build->ompd != NULL)
        setenv("MQS_OMPD_LIBRARY", build->ompd, 1);
    else
        unsetenv("MQS_OMPD_LIBRARY");
}

char *
job_start(struct job *job, const struct scenario *scenario, const struct build *build)
{
    double deadline = run_clock() + START_SECONDS;
    size_t wanted = (size_t) (scenario->ranks + scenario->spawned);
    *job = (struct job){
        .folder = "/tmp/mqs-live-XXXXXX", .truths = json_array(), .pids = json_array()};
    // Check prints nothing before the end, and that is minutes away.
    fprintf(stderr, "%s/%s\n", build->name, scenario->name);
    if (mkdtemp(job->folder) == NULL)
        return run_text("cannot make a folder in /tmp");
    trust_ompd(build);
    launch(job, scenario, build);
    while (count_records(job) < wanted) {
        if (waitpid(job->starter, NULL, WNOHANG) != 0) {
            job->starter = 0;
            return explain(job, "the job has ended");
        }
        if (run_clock() > deadline)
            return explain(job, "the job has not written all its records in time");
        run_sleep_ms(20);
    }
    char *problem = load_records(job);
    size_t i;
    const json_t *pid;
    json_array_foreach (job->pids, i, pid)
        give_way((pid_t) atoi(json_string_value(pid)));
    return problem;
}

static void
end_starter(struct job *job)
{
    double deadline = run_clock() + STOP_SECONDS;
    if (job->starter <= 0)
        return;
    kill(job->starter, SIGTERM);
    while (waitpid(job->starter, NULL, WNOHANG) == 0 && run_clock() < deadline)
        run_sleep_ms(10);
}

void
job_stop(struct job *job)
{
    struct command command = {.count = 0};
    if (job->tidies)
        end_starter(job);
    run_kill_all();
    json_decref(job->truths);
    json_decref(job->pids);
    command_add(&command, "rm", "-rf", "--", job->folder, NULL);
    struct outcome outcome = run(&command, STOP_SECONDS);
    outcome_deinit(&outcome);
    *job = (struct job){.starter = 0};
    malloc_trim(0); // reports of large jobs are gone: a small process starts others quickly
}
