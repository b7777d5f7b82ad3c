// SPDX-License-Identifier: BSD-3-Clause
// What the tests on real jobs run.
#include "scenarios.h"

#define EVERYWHERE .everywhere = true
#define ON_EACH    .on_each = true, EVERYWHERE
#define TCP        "--mca btl tcp,self"
// Up to Open MPI 4.1, and from 5.0 on.
#define NO_SINGLE_COPY "--mca btl_vader_single_copy_mechanism none --mca smsc ^cma,knem,xpmem"
#define NEMESIS_TCP    "MPIR_CVAR_NOLOCAL=1"
// Intel MPI sends large messages within a node at once, so that nobody blocks in MPI_Send; and its
// processes sometimes do not all return from MPI_Comm_create_from_group.
#define ALL_BUT_IMPI ((DEVICES_OPENMPI & ~DEVICE_CM_TCP) | DEVICES_MPICH)
#define SOCKETS      "OMPI_MCA_mtl_ofi_provider_include=sockets"
// MPICH over a provider of libfabric.
#define OVER(provider, label, what, n)                                              \
    {                                                                               \
        .name = what "-" label, .program = what, .ranks = n, .devices = DEVICE_OFI, \
        .variable = "FI_PROVIDER=" provider                                         \
    }
// PML cm over tcp alone, which takes in messages of any size, so that sends do not wait.
#define OVER_TCP(what, n)                                                   \
    {                                                                       \
        .name = what, .program = what, .ranks = n, .devices = DEVICE_CM_TCP \
    }

// MPICH with four virtual interfaces, which communicators take in turn.
#define INTERFACES(label, what, n, value)                                                     \
    {                                                                                         \
        .name = label, .program = what, .ranks = n, .devices = DEVICE_OFI, .variable = value, \
        .interfaces = 4                                                                       \
    }

const struct scenario scenarios[] = {
    {.name = "alone", .program = "alone", .ranks = 1},
    {.name = "self", .program = "self", .ranks = 1, .devices = DEVICE_OB1 | DEVICE_PML_UCX},
    {.name = "blocking", .program = "blocking", .ranks = 4, .devices = ALL_BUT_IMPI, EVERYWHERE},
    {.name = "blocking-tcp",
     .program = "blocking",
     .ranks = 4,
     .devices = DEVICE_OB1,
     .options = TCP},
    {.name = "wildcards", .program = "wildcards", .ranks = 4, ON_EACH},
    {.name = "communicators", .program = "communicators", .ranks = 4},
    {.name = "sessions", .program = "sessions queues", .ranks = 4, .devices = ALL_BUT_IMPI},
    {.name = "intercommunicator", .program = "intercomm", .ranks = 4},
    // MPICH 4.0 has no MPI_Comm_spawn over UCX.
    {.name = "spawned",
     .devices = DEVICES_OPENMPI | DEVICE_CH3,
     .program = "spawn",
     .ranks = 2,
     .spawned = 2},
    {.name = "persistent", .program = "persistent", .ranks = 2, EVERYWHERE},
    {.name = "requests", .program = "requests", .ranks = 2, EVERYWHERE},
    {.name = "unexpected", .program = "unexpected", .ranks = 4, ON_EACH},
    {.name = "unexpected-tcp",
     .program = "unexpected",
     .ranks = 4,
     .devices = DEVICE_OB1,
     .options = TCP},
    {.name = "sends", .program = "sends", .ranks = 2, ON_EACH},
    {.name = "sends-tcp", .program = "sends", .ranks = 2, .devices = DEVICE_OB1, .options = TCP},
    {.name = "ready-send",
     .program = "ready",
     .ranks = 2,
     .devices = DEVICE_OB1,
     .options = NO_SINGLE_COPY},
    {.name = "matched-receive",
     .program = "matched receiver",
     .ranks = 2,
     .devices = DEVICE_OB1,
     .options = NO_SINGLE_COPY},
    {.name = "matched-receive-tcp",
     .program = "matched receiver",
     .ranks = 2,
     .devices = DEVICE_OB1,
     .options = TCP},
    {.name = "matched-send",
     .program = "matched sender",
     .ranks = 2,
     .devices = DEVICE_OB1,
     .options = NO_SINGLE_COPY},
    {.name = "probe", .program = "probe", .ranks = 4, EVERYWHERE},
    {.name = "threads", .program = "threads", .ranks = 2, EVERYWHERE},
    {.name = "transit", .program = "transit", .ranks = 4, .devices = DEVICE_OB1},
    {.name = "transit-looked", .program = "transit looked", .ranks = 4, .devices = DEVICE_OB1},
    {.name = "transit-few",
     .program = "transit few",
     .ranks = 4,
     .devices = DEVICE_PML_UCX | DEVICE_UCX},
    {.name = "freed",
     .program = "freed",
     .ranks = 2,
     .devices = DEVICE_OB1 | DEVICE_PML_CM | DEVICE_CH3},
    {.name = "freed-only", .program = "freed only", .ranks = 2, EVERYWHERE},
    {.name = "datatypes", .program = "datatypes", .ranks = 2},
    {.name = "medley", .program = "medley", .ranks = 4, ON_EACH},
    {.name = "barrier", .program = "collectives barrier", .ranks = 4, EVERYWHERE},
    {.name = "bcast", .program = "collectives bcast", .ranks = 4},
    {.name = "allreduce", .program = "collectives allreduce", .ranks = 4},
    {.name = "allgather", .program = "collectives allgather", .ranks = 4},
    {.name = "alltoall", .program = "collectives alltoall", .ranks = 4},
    {.name = "ibarrier", .program = "collectives ibarrier", .ranks = 4, EVERYWHERE},
    {.name = "many", .program = "many 2000 10 2000", .ranks = 2, EVERYWHERE},
    // Under PML cm these take minutes to be posted.
    {.name = "many-receives",
     .program = "many 100000 1 0",
     .ranks = 2,
     .devices = DEVICE_OB1 | DEVICE_PML_UCX | DEVICES_MPICH,
     .is_large = true},
    {.name = "many-unexpected", .program = "many 0 1 100000", .ranks = 2, .is_large = true},
    {.name = "openmp", .program = "omp_threads", .ranks = 2, .is_openmp = true},
    {.name = "openmp-states",
     .program = "omp_threads",
     .ranks = 2,
     .is_openmp = true,
     .variable = "OMP_DEBUG=enabled"},
    {.name = "openmp-regions", .program = "omp_regions", .ranks = 2, .is_openmp = true},
    {.name = "openmp-regions-states",
     .program = "omp_regions",
     .ranks = 2,
     .is_openmp = true,
     .variable = "OMP_DEBUG=enabled"},
    {.name = "openmp-regions-gomp", .program = "omp_regions_gomp", .ranks = 2, .is_openmp = true},
    {.name = "openmp-places-tasks", .program = "omp_places tasks", .ranks = 1, .is_openmp = true},
    {.name = "openmp-places-tasks-gomp",
     .program = "omp_places_gomp tasks",
     .ranks = 1,
     .is_openmp = true},
    {.name = "openmp-places-nested-gomp",
     .program = "omp_places_gomp nested",
     .ranks = 1,
     .is_openmp = true},
    {.name = "openmp-places-single-gomp",
     .program = "omp_places_gomp single",
     .ranks = 1,
     .is_openmp = true},
    {.name = "openmp-places-cancel-gomp",
     .program = "omp_places_gomp cancel",
     .ranks = 1,
     .is_openmp = true,
     .variable = "OMP_CANCELLATION=true"},
    {.name = "hybrid-gomp", .program = "hybrid_gomp", .ranks = 4},
    {.name = "hybrid", .program = "hybrid", .ranks = 4, EVERYWHERE},
    {.name = "hybrid-states",
     .program = "hybrid",
     .ranks = 4,
     .devices = ALL_BUT_IMPI,
     .variable = "OMP_DEBUG=enabled"},
    {.name = "monitoring",
     .program = "communicators",
     .ranks = 4,
     .devices = DEVICE_OB1,
     .options = "--mca pml_monitoring_enable 1"},
    {.name = "pml-cm-rxd",
     .program = "communicators",
     .ranks = 4,
     .other_pml = "cm, mtl ofi, udp;ofi_rxd",
     .devices = DEVICE_OB1,
     .options = "--mca pml cm --mca mtl ofi --mca mtl_ofi_provider_include udp;ofi_rxd"},
    // From here on for MPICH, and for PMLs ucx and cm: other transports, other limits between eager
    // and rendezvous.
    {.name = "ready-send-ucx",
     .program = "ready",
     .ranks = 2,
     .devices = DEVICE_UCX | DEVICE_PML_UCX | DEVICE_PML_CM},
    {.name = "ready-send-nemesis", .program = "ready", .ranks = 2, .devices = DEVICE_CH3},
    {.name = "matched-receive-ucx",
     .program = "matched receiver",
     .ranks = 2,
     .devices = DEVICE_UCX | DEVICE_PML_UCX | DEVICE_PML_CM},
    {.name = "matched-receive-nemesis",
     .program = "matched receiver",
     .ranks = 2,
     .devices = DEVICE_CH3},
    {.name = "matched-send-nemesis",
     .program = "matched sender",
     .ranks = 2,
     .devices = DEVICE_CH3},
    {.name = "matched-send-ucx",
     .program = "matched sender",
     .ranks = 2,
     .devices = DEVICE_UCX | DEVICE_PML_UCX | DEVICE_PML_CM},
    {.name = "blocking-nemesis-tcp",
     .program = "blocking",
     .ranks = 4,
     .devices = DEVICE_CH3,
     .variable = NEMESIS_TCP},
    {.name = "unexpected-nemesis-tcp",
     .program = "unexpected",
     .ranks = 4,
     .devices = DEVICE_CH3,
     .variable = NEMESIS_TCP},
    {.name = "sends-nemesis-tcp",
     .program = "sends",
     .ranks = 2,
     .devices = DEVICE_CH3,
     .variable = NEMESIS_TCP},
    {.name = "unexpected-small-eager",
     .program = "unexpected",
     .ranks = 4,
     .devices = DEVICE_CH3,
     .variable = "MPIR_CVAR_CH3_EAGER_MAX_MSG_SIZE=4000"},
    {.name = "unexpected-ucx-tcp",
     .program = "unexpected",
     .ranks = 4,
     .devices = DEVICE_UCX | DEVICE_PML_UCX,
     .variable = "UCX_TLS=tcp,self"},
    {.name = "sends-ucx-tcp",
     .program = "sends",
     .ranks = 2,
     .devices = DEVICE_UCX | DEVICE_PML_UCX,
     .variable = "UCX_TLS=tcp,self"},
    {.name = "unexpected-rendezvous",
     .program = "unexpected",
     .ranks = 4,
     .devices = DEVICE_UCX | DEVICE_PML_UCX,
     .variable = "UCX_RNDV_THRESH=300"},
    {.name = "unexpected-eager",
     .program = "unexpected",
     .ranks = 4,
     .devices = DEVICE_UCX | DEVICE_PML_UCX,
     .variable = "UCX_RNDV_THRESH=inf"},
    {.name = "wildcards-sockets",
     .program = "wildcards",
     .ranks = 4,
     .devices = DEVICE_PML_CM,
     .variable = SOCKETS},
    {.name = "unexpected-sockets",
     .program = "unexpected",
     .ranks = 4,
     .devices = DEVICE_PML_CM,
     .variable = SOCKETS},
    {.name = "wildcards-rxm",
     .program = "wildcards others",
     .ranks = 4,
     .devices = DEVICE_OFI,
     ON_EACH,
     .variable = "FI_PROVIDER=tcp;ofi_rxm"},
    {.name = "wildcards-ucx",
     .program = "wildcards others",
     .ranks = 4,
     .devices = DEVICE_OFI,
     .variable = "MPIR_CVAR_CH4_NETMOD=ucx"},
    OVER_TCP("wildcards", 4),
    OVER_TCP("unexpected", 4),
    OVER_TCP("requests", 2),
    OVER("tcp;ofi_rxm", "rxm", "unexpected", 4),
    OVER("tcp;ofi_rxm", "rxm", "persistent", 2),
    OVER("tcp;ofi_rxm", "rxm", "blocking", 4),
    OVER("sockets", "sockets", "unexpected", 4),
    OVER("tcp", "tcp", "unexpected", 4),
    INTERFACES("communicators-interfaces", "communicators", 4, "FI_PROVIDER=tcp;ofi_rxm"),
    INTERFACES("communicators-interfaces-sockets", "communicators", 4, "FI_PROVIDER=sockets"),
    INTERFACES("communicators-interfaces-ucx", "communicators", 4, "MPIR_CVAR_CH4_NETMOD=ucx"),
    INTERFACES("communicators-interfaces-node", "communicators", 4, "MPIR_CVAR_NOLOCAL=0"),
    INTERFACES("many-interfaces", "many 200 10 200", 2, "FI_PROVIDER=tcp;ofi_rxm"),
    INTERFACES("many-interfaces-ucx", "many 200 10 200", 2, "MPIR_CVAR_CH4_NETMOD=ucx"),
    INTERFACES("many-interfaces-node", "many 200 10 200", 2, "MPIR_CVAR_NOLOCAL=0"),
};

const int scenario_count = sizeof scenarios / sizeof *scenarios;

bool
scenario_openmp_runs_on(const struct build *build)
{
    return build->device == DEVICE_OB1 ||
           (check_set() == ALL_SET && build->is_packaged && (build->device & DEVICES_MPICH) != 0);
}

bool
scenario_makes_sense_on(const struct scenario *scenario, const struct build *build)
{
    if (scenario->is_openmp)
        return scenario_openmp_runs_on(build);
    if (scenario->devices == 0)
        return (build->device & (DEVICE_OFI | DEVICE_CM_TCP)) == 0;
    return (scenario->devices & build->device) != 0;
}

enum check_set
scenario_set_of_build(const struct build *build)
{
    if (!build->is_packaged)
        return ALL_SET;
    return build->device == DEVICE_OB1   ? QUICK_SET
           : build->device == DEVICE_UCX ? FULL_SET
                                         : ALL_SET;
}

enum check_set
scenario_set(const struct scenario *scenario, int number)
{
    const struct build *build = build_describe(number);
    const enum check_set set = scenario_set_of_build(build);
    const bool is_first = build_is_first(number);
    if (!scenario_makes_sense_on(scenario, build))
        return NO_SET;
    if (scenario->is_large)
        return set == QUICK_SET ? FULL_SET : ALL_SET;
    if (scenario->on_each || (is_first && scenario->everywhere))
        return QUICK_SET;
    return is_first && scenario->devices != 0 && set == ALL_SET ? FULL_SET : set;
}
