// SPDX-License-Identifier: BSD-3-Clause
/** @file
 * MPI jobs that hang: on which build they run, how they are started, what they say about
 * themselves.
 */
#ifndef MQS_TESTS_LIVE_JOB_H
#define MQS_TESTS_LIVE_JOB_H

#include <jansson.h>
#include <stdbool.h>
#include <sys/types.h>

/** What matches messages, as far as the programs and what they record depend on it. */
enum device {
    DEVICE_OB1 = 1, /**< Open MPI's, and so are those that begin with PML */
    DEVICE_CH3 = 2,
    DEVICE_UCX = 4,
    DEVICES_MPICH = 6,
    DEVICE_PML_UCX = 8,
    DEVICE_PML_CM = 16,  /**< MTL ofi over libfabric's ofi_rxm, if a scenario has no other */
    DEVICE_CM_TCP = 256, /**< likewise, over libfabric's tcp alone */
    DEVICES_CM = 272,
    DEVICES_OPENMPI = 281,
    DEVICE_IMPI = 32, /**< Intel MPI's, within a node */
    DEVICE_CH4 = 64,  /**< MPICH itself, within a node: the library has several network modules */
    DEVICE_OFI = 128  /**< MPICH as between nodes, over the provider of libfabric of a scenario */
};

/** An MPI library and an OpenMP runtime to run the programs on. */
struct build {
    const char *name;
    enum device device;
    bool is_packaged; /**< by the distribution */
    bool is_wheel;    /**< PyPI's */
    bool for_table;   /**< of README only: no test runs on it */
    bool for_all;     /**< it is only tested with all others */
    bool of_abi;      /**< its programs are those for the standard ABI */
    const char
        *libucp;      /**< target of another release of it: only check_ucx runs on it; NULL: none */
    bool has_builtin; /**< debug information, and a built-in layout that must tell the same */
    bool has_vendor_dll;
    const char *starter;
    const char *libraries;  /**< for LD_LIBRARY_PATH; NULL: as the system has it */
    const char *ompd;       /**< the OpenMP runtime's OMPD library; NULL: where the system has it */
    const char *vendor_dll; /**< the MPI library's own DLL; NULL: none, or of no use */
};

enum { BUILDS = 31 };

/** What is known of a build before it is made: name, device and what it has.
 * @param number 0 to BUILDS - 1; the distribution's packages and builds of tests/targets
 */
const struct build *build_describe(int number);

/** Whether a program that tests these devices is to test a build: not those that have to be made
 * when only the packages of the distribution are tested.
 */
bool build_is_tested(int number, enum device devices);

/** Whether it is the first one in the table for its device. */
bool build_is_first(int number);

/** The whole of it. The first call may have to make it first; NULL if it cannot be made, and then
 * standard error says why.
 */
const struct build *build_make(int number);

/** The install prefix of a target of tests/targets, made first if need be, on the heap; NULL if it
 * cannot be made, and then standard error says why.
 */
char *build_target(const char *name);

/** What to run. */
struct scenario {
    const char *name;
    const char *program;   /**< with its arguments, parted by spaces */
    int ranks;             /**< that the starter is to start */
    int spawned;           /**< that these start in turn */
    enum device devices;   /**< where it makes sense, or'ed; 0: everywhere but on DEVICE_OFI
                              and DEVICE_CM_TCP */
    const char *options;   /**< further ones for mpirun, parted by spaces; NULL: none */
    const char *variable;  /**< one for the environment of the ranks, "NAME=VALUE"; NULL: none */
    unsigned interfaces;   /**< virtual ones of MPICH; 0: those that there are by default */
    const char *other_pml; /**< a PML over what keeps its queues to itself; NULL: all is read */
    bool is_large;         /**< so many operations that only a quick DLL gets through them */
    bool is_openmp;        /**< it is about regions and tasks: see scenario_openmp_runs_on() */
    bool everywhere;       /**< what it is about is read in another way on each device */
    bool on_each;          /**< that too, and it has operations of many kinds: on each build */
};

/** A job that hangs. */
struct job {
    pid_t starter;
    char folder[64]; /**< of its own, with the records and its output */
    json_t *truths;  /**< an array: the records of all ranks */
    json_t *pids;    /**< an array: their process ids as texts */
    bool tidies;     /**< its starter removes what is outside of the folder */
};

/** Starts a job and waits until all its records are there. Also lets mqshow, when it is run from
 * here, use the OMPD library of the build.
 * @return NULL, or what went wrong, on the heap; then too the job wants a job_stop()
 */
char *job_start(struct job *job, const struct scenario *scenario, const struct build *build);

/** Ends the job and everything else that this program started, and removes the folder. */
void job_stop(struct job *job);

#endif
