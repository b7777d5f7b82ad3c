// SPDX-License-Identifier: BSD-3-Clause
// What a thread of OpenMP waits for.
#include "mqshow/report/omp_wait.h"

#include "mqshow/base/alloc.h"
#include "mqshow/symbols/names.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/** What threads in a state wait for: the first fitting line counts. */
static const struct {
    const char *prefix; // of the state's name
    const char *what;   // NULL: nothing that the wait id would name
} awaited[] = {
    {"wait_barrier", NULL},      {"wait_task", NULL},       {"wait_lock", "lock"},
    {"wait_mutex", "lock"},      {"wait_critical", "lock"}, {"wait_atomic", "lock"},
    {"wait_ordered", "ordered"}, {"wait_", "object"},
};

static const char *
find_awaited(const mqs_omp_thread *thread)
{
    for (size_t i = 0; i < sizeof awaited / sizeof *awaited; i++)
        if (strncmp(thread->state_name, awaited[i].prefix, strlen(awaited[i].prefix)) == 0)
            return awaited[i].what;
    return NULL;
}

char *
omp_wait(const struct openmp *omp, const mqs_omp_thread *thread)
{
    const char *what = (thread->known & MQS_OMP_STATE) != 0 ? find_awaited(thread) : "object";
    if ((thread->known & MQS_OMP_WAIT_ID) == 0 || thread->wait_id == 0 || what == NULL)
        return alloc_text("");
    const struct symbolized *symbolized = openmp_symbolized(omp, thread->wait_id);
    if (symbolized != NULL && symbolized->function != NULL) // as a document has it
        return alloc_text(symbolized->function);
    if (symbolized == NULL || symbolized->symbol == NULL)
        return alloc_format("%s 0x%" PRIx64, what, thread->wait_id);
    char *critical = names_critical(symbolized->symbol);
    if (critical != NULL)
        return critical;
    char *variable = names_readable(symbolized->symbol);
    const char *name = variable != NULL ? variable : symbolized->symbol;
    char *text = symbolized->offset == 0
                     ? alloc_format("%s %s", what, name)
                     : alloc_format("%s %s+0x%" PRIx64, what, name, symbolized->offset);
    free(variable);
    return text;
}
