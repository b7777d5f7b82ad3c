// SPDX-License-Identifier: BSD-3-Clause
// Reads the records that omp_park prints, and finds them.
#include "tests/omp/park_read.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

// Where the records of a kind go.
static const struct table {
    const struct park_kind *kind;
    size_t count, records; // offsets in struct park
    size_t size;           // of a record
    unsigned most;
} tables[] = {
#define TABLE(kind, most)                                                                        \
    {                                                                                            \
        &park_##kind##_kind, offsetof(struct park, n_##kind##s), offsetof(struct park, kind##s), \
            sizeof(struct park_##kind), most                                                     \
    }
    TABLE(thread, PARK_THREADS),
    TABLE(task, PARK_TASKS),
    TABLE(lock, PARK_LOCKS),
    TABLE(ompt_thread, PARK_THREADS),
    TABLE(ompt_region, PARK_OMPT_REGIONS),
    TABLE(ompt_task, PARK_OMPT_TASKS),
#undef TABLE
};
enum { TABLES = sizeof(tables) / sizeof(tables[0]) };

static bool
read_number(const char **text, int base, void *ret)
{
    char *end;
    errno = 0;
    int64_t value = base == 10 ? strtoll(*text, &end, base) : (int64_t) strtoull(*text, &end, base);
    if (end == *text || errno != 0)
        return false;
    *text = end;
    memcpy(ret, &value, sizeof(value));
    return true;
}

static bool
skip(const char **text, const char *expected)
{
    size_t length = strlen(expected);
    if (strncmp(*text, expected, length) != 0)
        return false;
    *text += length;
    return true;
}

static bool
read_field(const char **text, const struct park_field *field, char *record)
{
    if (!skip(text, " ") || !skip(text, field->name) || !skip(text, "="))
        return false;
    for (unsigned i = 0; i < field->count; i++)
        if ((i > 0 && !skip(text, ",")) ||
            !read_number(text, field->base, record + field->offset + i * sizeof(int64_t)))
            return false;
    return true;
}

// @param text what comes after the name of the kind
static bool
read_record(struct park *park, const struct table *table, const char *text)
{
    unsigned *count = (unsigned *) (void *) ((char *) park + table->count);
    char *record = (char *) park + table->records + *count * table->size;
    if (*count >= table->most)
        return false;
    for (unsigned i = 0; i < table->kind->n_fields; i++)
        if (!read_field(&text, &table->kind->fields[i], record))
            return false;
    ++*count;
    return strcmp(text, "\n") == 0;
}

static bool
read_line(struct park *park, const char *line)
{
    size_t length = strcspn(line, " ");
    for (unsigned i = 0; i < TABLES; i++)
        if (strlen(tables[i].kind->name) == length &&
            memcmp(tables[i].kind->name, line, length) == 0)
            return read_record(park, &tables[i], line + length);
    if (!skip(&line, "affinity_format "))
        return false;
    snprintf(park->affinity_format, sizeof(park->affinity_format), "%.*s",
             (int) strcspn(line, "\n"), line);
    return true;
}

bool
park_read(struct park *park)
{
    char line[4096];
    for (unsigned i = 0; i < TABLES; i++)
        memset((char *) park + tables[i].count, 0, sizeof(unsigned));
    park->affinity_format[0] = '\0';
    while (fgets(line, sizeof(line), park->output)) {
        if (strcmp(line, "ready\n") == 0)
            return true;
        if (!read_line(park, line)) {
            fprintf(stderr, "omp_park printed: %s", line);
            return false;
        }
    }
    return false;
}

const struct park_thread *
park_thread_of(const struct park *park, int64_t tid)
{
    for (unsigned i = 0; i < park->n_threads; i++)
        if (park->threads[i].tid == tid)
            return &park->threads[i];
    return NULL;
}

const struct park_task *
park_task_of(const struct park *park, int64_t id)
{
    for (unsigned i = 0; i < park->n_tasks; i++)
        if (park->tasks[i].id == id)
            return &park->tasks[i];
    return NULL;
}

const struct park_ompt_thread *
park_ompt_thread_of(const struct park *park, int64_t tid)
{
    for (unsigned i = 0; i < park->n_ompt_threads; i++)
        if (park->ompt_threads[i].tid == tid)
            return &park->ompt_threads[i];
    return NULL;
}

const struct park_ompt_region *
park_ompt_region_of(const struct park *park, int64_t tid, int64_t depth)
{
    for (unsigned i = 0; i < park->n_ompt_regions; i++)
        if (park->ompt_regions[i].tid == tid && park->ompt_regions[i].depth == depth)
            return &park->ompt_regions[i];
    return NULL;
}

const struct park_ompt_task *
park_ompt_task_of(const struct park *park, int64_t tid, int64_t depth)
{
    for (unsigned i = 0; i < park->n_ompt_tasks; i++)
        if (park->ompt_tasks[i].tid == tid && park->ompt_tasks[i].depth == depth)
            return &park->ompt_tasks[i];
    return NULL;
}

bool
park_same_region(const struct park_thread *a, const struct park_thread *b, int level)
{
    if (a->root != b->root || a->level < level || b->level < level)
        return false;
    for (int i = 0; i < level; i++)
        if (a->nums[i] != b->nums[i])
            return false;
    return true;
}

unsigned
park_count_tasks(const struct park *park, const struct park_thread *thread,
                 enum park_task_does does)
{
    unsigned count = 0;
    for (unsigned i = 0; i < park->n_tasks; i++) {
        const struct park_task *task = &park->tasks[i];
        const struct park_thread *creator = park_thread_of(park, task->creator);
        if (task->does == (int64_t) does && task->level == thread->level && creator &&
            park_same_region(creator, thread, (int) thread->level))
            count++;
    }
    return count;
}
