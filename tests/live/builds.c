// SPDX-License-Identifier: BSD-3-Clause
// Where the things under test are, and the builds of MPI and OpenMP that the programs run on.
#include "job.h"
#include "paths.h"
#include "run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *
from_environment(const char *name, const char *otherwise)
{
    const char *value = getenv(name);
    return value != NULL && *value != '\0' ? value : otherwise;
}

const char *
path_mqshow(void)
{
    return from_environment("MQSHOW", BUILD_FOLDER "/mqshow");
}

const char *
path_dll(void)
{
    return from_environment("MQS_OMPD_DLL", BUILD_FOLDER "/.libs/libmqs_ompd.so");
}

const char *
path_programs(void)
{
    return from_environment("MQS_LIVE_PROGRAMS", BUILD_FOLDER "/tests/live/programs");
}

const char *
path_target_script(void)
{
    return from_environment("MQS_TARGET", SOURCE_FOLDER "/tests/targets/target");
}

const char *
path_vendor_differences(void)
{
    return from_environment("MQS_VENDOR_DIFFERENCES",
                            SOURCE_FOLDER "/tests/live/vendor-differences.txt");
}

const struct build *
build_stock(void)
{
    static const struct build build = {.name = "stock", .mpirun = "mpirun"};
    return &build;
}

// The install prefix of a target, on the heap; NULL if it cannot be built.
static char *
target_prefix(const char *name)
{
    size_t room = 0;
    char *ret = NULL, *line = run_text("'%s' %s", path_target_script(), name);
    FILE *output = popen(line, "r");
    free(line);
    if (output == NULL)
        return NULL;
    ssize_t length = getline(&ret, &room, output);
    if (pclose(output) != 0 || length < 2) {
        free(ret);
        return NULL;
    }
    ret[length - 1] = '\0';
    return ret;
}

const struct build *
build_debug(void)
{
    static struct build build = {.name = "debug", .has_debug_info = true};
    if (build.mpirun != NULL)
        return &build;
    char *mpi = target_prefix("openmpi-4.1.4"), *omp = target_prefix("libomp-14");
    if (mpi == NULL || omp == NULL)
        return NULL;
    build.mpirun = run_text("%s/bin/mpirun", mpi);
    build.libraries = run_text("%s/lib:%s/lib", mpi, omp);
    build.ompd = run_text("%s/lib/libompd.so", omp);
    build.vendor_dll = run_text("%s/lib/openmpi/libompi_dbg_msgq.so", mpi);
    return &build;
}
