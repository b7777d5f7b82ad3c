// SPDX-License-Identifier: BSD-3-Clause
// The part of the record that is about the whole job: what it says is written at once into a text,
// since nothing of it changes later.
#include "truth_verdict.h"
#include "truth_record.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { LIST_MAX = 16384 };

// The inside of a JSON array.
struct list {
    bool is_told;
    size_t length;
    char text[LIST_MAX];
};

static struct {
    const char *kind; // NULL: nothing is said
    struct list cycles, waits, unmatched, collectives;
    bool has_near_miss; // of the last unmatched operation
} verdict;

static void add(struct list *list, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void
add(struct list *list, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int added = vsnprintf(list->text + list->length, LIST_MAX - list->length, format, args);
    va_end(args);
    list->length += (size_t) added;
    if (list->length >= LIST_MAX)
        abort();
}

static void
add_separator(struct list *list)
{
    add(list, list->length > 0 ? ",\n  " : "\n  ");
}

static void
add_ranks(struct list *list, const char *key, const struct truth_ranks *ranks)
{
    add(list, "%s[", key);
    for (int i = 0; i < ranks->count; i++)
        add(list, "%s%d", i > 0 ? "," : "", ranks->ranks[i]);
    add(list, "]");
}

struct truth_ranks
truth_range(int first, int last)
{
    struct truth_ranks ret = {.count = 0};
    if (last - first >= TRUTH_RANKS_MAX)
        abort();
    for (int rank = first; rank <= last; rank++)
        ret.ranks[ret.count++] = rank;
    return ret;
}

void
truth_verdict(const char *kind)
{
    verdict.kind = kind;
    verdict.cycles.is_told = true;
}

void
truth_cycle(const struct truth_ranks *ranks)
{
    add_separator(&verdict.cycles);
    add_ranks(&verdict.cycles, "", ranks);
}

void
truth_cycles_unknown(void)
{
    verdict.cycles.is_told = false;
}

void
truth_wait(const char *call, const char *needs, const struct truth_ranks *others)
{
    struct list *list = &verdict.waits;
    add_separator(list);
    add(list, "{\"rank\":%d,\"tid\":%d,\"call\":\"%s\",\"needs\":\"%s\"", truth.rank,
        (int) syscall(SYS_gettid), call, needs);
    add_ranks(list, ",\"for\":", others);
    add(list, "}");
}

void
truth_add_inside(const char *needs, const char *what, const char *function)
{
    struct list *list = &verdict.waits;
    add_separator(list);
    add(list, "{\"rank\":%d,\"tid\":%d,\"needs\":\"%s\",\"inside\":\"%s in %s\",\"for\":[%d]}",
        truth.rank, (int) syscall(SYS_gettid), needs, what, function, truth.rank);
}

// The names of the programs' communicators need no escapes.
void
truth_unmatched(struct truth_comm *comm, const char *queue, int tag)
{
    struct list *list = &verdict.unmatched;
    add_separator(list);
    add(list, "{\"rank\":%d,\"communicator\":\"%s\",\"queue\":\"%s\",\"operation\":{\"tag\":%d}",
        truth.rank, comm->name, queue, tag);
    add(list, "}");
    verdict.has_near_miss = false;
}

void
truth_near_miss(int rank, const char *why, int tag)
{
    struct list *list = &verdict.unmatched;
    // Goes into what was closed before.
    list->length -= verdict.has_near_miss ? strlen("]}") : strlen("}");
    add(list, verdict.has_near_miss ? "," : ",\"near_misses\":[");
    add(list, "{\"rank\":%d,\"why\":\"%s\",\"operation\":{\"tag\":%d}}]}", rank, why, tag);
    verdict.has_near_miss = true;
}

void
truth_incomplete(struct truth_comm *comm, const char *name, const struct truth_ranks *in,
                 const struct truth_ranks *missing, const char *instead)
{
    struct list *list = &verdict.collectives;
    add_separator(list);
    add(list, "{\"communicator\":\"%s\",\"name\":\"%s\"", comm->name, name);
    add_ranks(list, ",\"in\":", in);
    add_ranks(list, ",\"missing\":", missing);
    if (instead != NULL) {
        add(list, ",\"other\":[{\"name\":\"%s\"", instead);
        add_ranks(list, ",\"ranks\":", missing);
        add(list, "}]");
    }
    add(list, "}");
}

void
truth_write_verdict(FILE *file)
{
    if (verdict.kind == NULL)
        return;
    fprintf(file, ",\n\"verdict\":{\"kind\":\"%s\"", verdict.kind);
    if (verdict.cycles.is_told)
        fprintf(file, ",\n \"cycles\":[%s]", verdict.cycles.text);
    fprintf(file, ",\n \"waits\":[%s]", verdict.waits.text);
    fprintf(file, ",\n \"unmatched\":[%s]", verdict.unmatched.text);
    fprintf(file, ",\n \"collectives\":[%s]}", verdict.collectives.text);
}
