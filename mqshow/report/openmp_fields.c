// SPDX-License-Identifier: BSD-3-Clause
// OpenMP's records, made of report.def.
#include "mqshow/report/openmp_fields.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

#define ENTRY(known_, kind_, member_, key_, meaning_) \
    {.key = (key_),                                   \
     .meaning = (meaning_),                           \
     .kind = OMP_##kind_,                             \
     .known = (known_),                               \
     .offset = offsetof(STRUCT, member_),             \
     .size = sizeof((STRUCT *) NULL)->member_},

#define STRUCT mqs_omp_thread
static const struct omp_field thread_fields[] = {
#define OPENMP_THREAD ENTRY
#include "mqshow/report/report.def"
};
#undef STRUCT

#define STRUCT mqs_omp_region
static const struct omp_field region_fields[] = {
#define OPENMP_REGION ENTRY
#include "mqshow/report/report.def"
};
#undef STRUCT

#define STRUCT mqs_omp_task
static const struct omp_field task_fields[] = {
#define OPENMP_TASK ENTRY
#include "mqshow/report/report.def"
};
#undef STRUCT

const struct omp_type omp_thread_type = {thread_fields, COUNT(thread_fields),
                                         sizeof(mqs_omp_thread)};
const struct omp_type omp_region_type = {region_fields, COUNT(region_fields),
                                         sizeof(mqs_omp_region)};
const struct omp_type omp_task_type = {task_fields, COUNT(task_fields), sizeof(mqs_omp_task)};

const struct omp_scope omp_scopes[OMP_SCOPES] = {
    {"regions", MQS_OMP_OF_REGION, OMP_REGION},
    {"threads", MQS_OMP_OF_THREAD, OMP_THREAD},
    {"tasks", MQS_OMP_OF_TASK, OMP_TASK},
};
