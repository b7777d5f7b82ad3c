// SPDX-License-Identifier: BSD-3-Clause
// The processes of a job as Flux and PALS list them, in the order of their ranks:
// `flux job hostpids` prints "HOST:PID,HOST:PID,...", `palstat -p` a heading and lines
// "HOST PROGRAM PID" up to an empty one. Known from Flux's sources and from HPE's tool interface,
// which reads the other one; neither has been asked itself.
#ifndef MQSHOW_JOB_HOSTPIDS_H
#define MQSHOW_JOB_HOSTPIDS_H

#include "mqshow/job/job.h"

/** Adds the processes of a running job of Flux, on all machines.
 * @param id in any of Flux's forms
 * @return NULL, or why there are none, with what to do, to free()
 */
char *hostpids_add_flux(struct job *job, const char *id);

/** The same of an application of PALS.
 * @param id its APID, behind HOST: where mqshow does not run in its allocation, and HOST is the
 *           machine that runs the allocation's script
 */
char *hostpids_add_pals(struct job *job, const char *id);

#endif
