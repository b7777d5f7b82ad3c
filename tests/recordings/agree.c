// SPDX-License-Identifier: BSD-3-Clause
// What is said of a recorded process against what its program recorded.
#include "tests/recordings/agree.h"

#include "tests/live/limits.h"
#include "tests/live/run.h"
#include "tests/live/send_order.h"

#include <stdlib.h>
#include <string.h>

char *
agree(const struct build *build, json_t *truth, json_t *report)
{
    char *where = run_text("%s/" MEDLEY, build->name), *ret;
    json_t *limits = limits_load(build->device);
    if (build->device == DEVICE_CH4)
        sends_arrange(truth, report, where);
    ret = limits != NULL ? limits_compare(limits, where, truth, report)
                         : run_text("there is no list of what cannot be seen of %s", build->name);
    json_decref(limits);
    free(where);
    return ret;
}
