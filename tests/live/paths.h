// SPDX-License-Identifier: BSD-3-Clause
/** @file
 * Where the things under test are: in the build folder, or where the environment says.
 */
#ifndef MQS_TESTS_LIVE_PATHS_H
#define MQS_TESTS_LIVE_PATHS_H

/** The tool: $MQSHOW. */
const char *path_mqshow(void);

/** The DLL: $MQS_OMPD_DLL. */
const char *path_dll(void);

/** The folder of the live programs: $MQS_LIVE_PROGRAMS. */
const char *path_programs(void);

/** The script tests/targets/target: $MQS_TARGET. */
const char *path_target_script(void);

/** The list of differences from the vendor's DLL: $MQS_VENDOR_DIFFERENCES. */
const char *path_vendor_differences(void);

#endif
