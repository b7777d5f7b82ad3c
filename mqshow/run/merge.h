// SPDX-License-Identifier: BSD-3-Clause
// "mqshow merge": documents put together, and the verdict about all of them.
#ifndef MQSHOW_RUN_MERGE_H
#define MQSHOW_RUN_MERGE_H

/** Runs the command, argv[0] being "merge". @return the exit code of the program */
int merge_main(int argc, char **argv);

#endif
