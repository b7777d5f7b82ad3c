// SPDX-License-Identifier: BSD-3-Clause
// The MPI calls that threads hang in.
#include "truth_calls.h"
#include "truth_record.h"

#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { CALLS_MAX = 16, TAGS_MAX = 64 };

static struct call {
    const char *name, *function, *file, *needs;
    int tid, line, count;
    int tags[TAGS_MAX];
} calls[CALLS_MAX];

static int n_calls;

void
truth_call(const char *call, const char *function, const char *file, int line, const char *needs,
           const int *tags, int count)
{
    if (n_calls == CALLS_MAX || count > TAGS_MAX)
        abort();
    struct call *record = &calls[n_calls++];
    *record = (struct call){.name = call,
                            .function = function,
                            .file = file,
                            .needs = needs,
                            .tid = (int) syscall(SYS_gettid),
                            .line = line,
                            .count = count};
    for (int i = 0; i < count; i++)
        record->tags[i] = tags[i];
}

static void
write_call(FILE *file, const struct call *call)
{
    fprintf(file,
            "{\"tid\":%d,\"call\":\"%s\",\"function\":\"%s\",\"file\":\"%s\",\"line\":%d,"
            "\"needs\":\"%s\",\"tags\":[",
            call->tid, call->name, call->function, call->file, call->line, call->needs);
    for (int i = 0; i < call->count; i++) {
        fputs(i > 0 ? "," : "", file);
        if (call->tags[i] == MPI_ANY_TAG)
            fputs("\"any\"", file);
        else
            fprintf(file, "%d", call->tags[i]);
    }
    fputs("]}", file);
}

void
truth_write_calls(FILE *file)
{
    fputs(",\n\"calls\":[", file);
    for (int i = 0; i < n_calls; i++) {
        fputs(i > 0 ? ",\n " : "\n ", file);
        write_call(file, &calls[i]);
    }
    fputs("]", file);
}
