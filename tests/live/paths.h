// SPDX-License-Identifier: BSD-3-Clause
/** @file
 * Where the things under test are: in the build folder, or where the environment says.
 */
#ifndef MQS_TESTS_LIVE_PATHS_H
#define MQS_TESTS_LIVE_PATHS_H

#include "job.h"

/** The tool: $MQSHOW. */
const char *path_mqshow(void);

/** The DLL: $MQS_OMPD_DLL. */
const char *path_dll(void);

/** The folder of the live programs: $MQS_LIVE_PROGRAMS. */
const char *path_programs(void);

/** Those that were built for MPICH: $MQS_LIVE_PROGRAMS_MPICH. */
const char *path_mpich_programs(void);

/** Those for the standard ABI of MPI. */
const char *path_abi_programs(void);

/** The script tests/targets/target: $MQS_TARGET. */
const char *path_target_script(void);

/** The list of differences from the DLL of Open MPI's or MPICH's vendor: $MQS_VENDOR_DIFFERENCES.
 */
const char *path_vendor_differences(enum device devices);

/** The list of what cannot be seen under MPICH: $MQS_LIMITS. */
const char *path_limits(enum device devices);

#endif
